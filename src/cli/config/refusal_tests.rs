//! Tests the configuration files that are refused. Each row has the promise, the file, and words
//! of the message.
#![expect(
    clippy::disallowed_methods,
    reason = "the files are no output of the program"
)]

use std::ffi::OsString;
use std::fs;

use super::maps;
use super::precedence::parse_render;

/// Returns the one line with which a file is refused, without its path. `typed` are options on the
/// command line.
fn refusal(text: &str, typed: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("maps.toml");
    fs::write(&path, text).unwrap();

    let path = path.to_str().unwrap();
    let argv = [&["pixelmap", "render", "-c", path], typed].concat();
    let argv: Vec<OsString> = argv.into_iter().map(OsString::from).collect();
    let error = maps(&parse_render(&argv).unwrap(), &argv).unwrap_err();
    assert!(
        !error.retryable && !error.message.contains('\n'),
        "{error:?}"
    );
    error.message.strip_prefix(path).unwrap().to_owned()
}

#[track_caller]
fn assert_refused(rows: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (promise, text, says) in rows {
        let message = refusal(text, &[]);
        if !message.contains(says) {
            wrong.push(format!("{promise}: {text:?}: {message}"));
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_fault_is_named_with_its_line() {
    assert_refused(&[
        (
            "a key exists",
            "\nlayers = \"day\"\n",
            "line 2: layers: no option",
        ),
        (
            "a number is a number",
            "threads = 1\ncontours = \"ten\"\n",
            "line 2: invalid value 'ten'",
        ),
        (
            "a layer is known",
            "layer = \"dya\"\n",
            "line 1: invalid value 'dya'",
        ),
        (
            "a switch is on or off",
            "threads = 1\n\nunfinished = 1\n",
            "line 3: unfinished: write true",
        ),
        (
            "an option has one value",
            "contours = [1, 2]\n",
            "line 1: contours: this option takes one",
        ),
        (
            "a text ends in its line",
            "layer = \"day\nforce = true\n",
            "line 1: ",
        ),
        (
            "maps have two brackets",
            "[map]\nlayer = \"day\"\n",
            "line 1: write [[map]]",
        ),
        (
            "the whole run has its options",
            "[[map]]\nlayer = \"day\"\nthreads = 2\n",
            "line 3: threads applies to the whole run",
        ),
        (
            "a key of a table exists",
            "[[map]]\n[[map]]\ncolour = 2\n",
            "line 3: colour: no option",
        ),
        ("help is no key", "help = true\n", "line 1: help: no option"),
        (
            "an option is no table",
            "[layer]\nname = \"day\"\n",
            "line 1: layer: a table is not allowed",
        ),
        (
            "a center needs a radius",
            "world = \"w\"\nradius = 3\n",
            "--center",
        ),
        (
            "a world is named",
            "layer = \"day\"\n",
            "the world is missing",
        ),
        (
            "a world is a text",
            "world = 3\n",
            "line 1: world: write the folder in quotes",
        ),
        (
            "maps without names show one world",
            "[[map]]\nworld = \"a\"\n[[map]]\nworld = \"b\"\nlayer = \"roof\"\n",
            "show one world",
        ),
    ]);
}

#[test]
fn paths_of_windows_are_refused_with_their_remedy() {
    for text in [
        "output = \"C:\\Users\\me\"\n",
        "output = \"C:\\temp\\new\"\n",
        "world = \"C:\\temp\"\n",
    ] {
        let message = refusal(text, &[]);
        assert!(
            message.contains("line 1")
                && message.contains("write / in place of \\")
                && message.contains("'single quotes'"),
            "{message}"
        );
    }
}

#[test]
fn a_file_is_bounded() {
    assert_refused(&[
        (
            "a file has at most 1000 tables",
            &"[[map]]\nlayer = \"day\"\n".repeat(1001),
            "1001 tables [[map]]: write at most 1000",
        ),
        (
            "a file has at most 4 MiB",
            &"# none\n".repeat(700_000),
            "more than 4 MiB",
        ),
    ]);
}

#[test]
fn a_name_is_a_folder_everywhere() {
    for name in [
        "",
        "a/b",
        "a\\b",
        "..",
        ".a",
        "a.",
        "a ",
        "a:b",
        "<img>",
        "nul.txt",
        "INDEX.html",
        "b.png",
        &"x".repeat(65),
    ] {
        let message = refusal(&format!("[[map]]\nname = '{name}'\nworld = 'w'\n"), &[]);
        assert!(
            message.starts_with(": line 2: name: ") && message.matches(": ").count() >= 4,
            "{name}: {message}"
        );
    }
}

/// A file with two named maps, after these lines.
fn two_maps(before: &str) -> String {
    format!("{before}\n[[map]]\nname = 'One'\nworld = 'w'\n[[map]]\nname = 'Two'\nworld = 'w'\n")
}

#[test]
fn named_maps_are_told_apart() {
    let one = "[[map]]\nname = 'One'\nworld = 'w'\n";
    assert_refused(&[
        (
            "all maps have names",
            &format!("{one}[[map]]\nworld = 'w'\n"),
            "line 4: this [[map]] has no name",
        ),
        (
            "names differ in letters",
            &format!("{one}[[map]]\nname = 'oNE'\nworld = 'w'\n"),
            "line 4: oNE and One may be one folder",
        ),
        (
            "each map has a world",
            &format!("{one}[[map]]\nname = 'Two'\n"),
            "line 4: the world is missing",
        ),
        (
            "a name belongs to a map",
            &format!("name = 'One'\n{one}"),
            "line 1: name belongs to one map",
        ),
        (
            "a name is a text",
            "[[map]]\nname = 3\n",
            "line 2: name: write the name in quotes",
        ),
        (
            "a name has no control character",
            "[[map]]\nname = \"a\\u001b\"\n",
            "line 2: name: ",
        ),
        (
            "a named map has the options of a map",
            &format!("{one}threads = 2\n"),
            "line 4: threads applies to the whole run",
        ),
        (
            "only named maps have titles",
            "[[map]]\nworld = 'w'\ntitle = 'x'\n",
            "line 3: title applies to the whole run",
        ),
        (
            "a named map is not a picture",
            &format!("mode = 'image'\n{one}"),
            "only maps have names",
        ),
        (
            "a named map is not regions",
            &format!("mode = 'regions'\n{one}"),
            "only maps have names",
        ),
        (
            "a named map is not an archive",
            &format!("output = 'a.pmtiles'\n{one}"),
            "only maps have names",
        ),
        (
            "each map has its report",
            &two_maps("report = 'r.json'"),
            "write report in each [[map]]",
        ),
        (
            "each map has its address",
            &two_maps("url = 'https://example.org/'"),
            "write url in each [[map]]",
        ),
    ]);

    for typed in [["--report", "r.json"], ["--url", "https://example.org/"]] {
        assert!(refusal(&two_maps(""), &typed).contains("in each [[map]]"));
    }
}
