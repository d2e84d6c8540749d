//! Tests the manual pages and `--help`.

use crate::map::run;

#[test]
fn every_command_has_a_manual_page() {
    let program = run(&["man"]).expect(0, "man").out;
    let commands: [&[&str]; 7] = [
        &["render"],
        &["info"],
        &["query"],
        &["export"],
        &["diff"],
        &["verify"],
        &["palette", "generate"],
    ];

    let serve: &[&str] = &["serve"];
    for words in commands
        .into_iter()
        .chain(cfg!(feature = "serve").then_some(serve))
    {
        let page = run(&[&["man"], words].concat()).expect(0, "man").out;
        let name = format!("pixelmap\\-{}", words.join("\\-"));
        assert!(
            page.contains(&format!(".SH NAME\n{name} \\- ")),
            "{words:?}: {page}"
        );
        assert!(
            program.contains(&format!("\npixelmap\\-{}(1)\n", words[0])),
            "{words:?}: {program}"
        );
    }

    assert!(run(&["man", "query"]).out.contains("\\fB\\-\\-top"));
    assert!(
        run(&["man", "rendr"])
            .expect(2, "no such command")
            .err
            .contains("it has render, info, query")
    );
}

#[test]
fn options_that_users_seldom_need_come_last() {
    let told = run(&["render", "--help"]).expect(0, "help").out;
    let places = [
        "--output",
        "--area",
        "--palette",
        "--threads",
        "--report",
        "--pin",
    ]
    .map(|name| {
        told.find(&format!("{name} <"))
            .unwrap_or_else(|| panic!("{name}: {told}"))
    });

    assert!(places.is_sorted(), "{places:?}");
    assert!(
        told.find("\nFor experts:\n")
            .is_some_and(|at| at < places[5] && at > places[4]),
        "{told}"
    );
}
