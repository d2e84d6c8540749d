//! Checks that the texts of the crates name no option and no command, because only the program
//! defines them.

use super::source::{Source, code};

/// Returns the string literals of the code, without its unit tests.
fn literals(source: &Source) -> Vec<String> {
    let code = source.code();

    let code = code.split("#[cfg(test)]\nmod").next().unwrap();
    let mut literals = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find('"') {
        let text = &rest[start + 1..];

        // A quotation mark as a character begins no text.
        if rest[..start].ends_with('\'') && text.starts_with('\'') {
            rest = text;
            continue;
        }

        let mut is_escaped = false;
        let end = text.find(|letter| {
            let is_end = letter == '"' && !is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            is_end
        });
        let Some(end) = end else { break };
        literals.push(text[..end].to_owned());
        rest = &text[end + 1..];
    }

    literals
}

/// Returns whether a text names an option of the command line, or a command.
fn names_an_option(text: &str) -> bool {
    let commands = [
        "render", "merge", "export", "serve", "query", "info", "verify",
    ];
    let words =
        || text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "-_`".contains(letter)));

    let is_option = |word: &str| {
        let name = word
            .strip_prefix("--")
            .or_else(|| word.strip_prefix('-').filter(|name| name.len() == 1));
        name.is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()))
    };

    let is_command = words()
        .zip(words().skip(1))
        .any(|(program, word)| program == "pixelmap" && commands.contains(&word));

    // `ulimit` is a command of the shell.
    is_command || words().any(is_option) && !text.contains("ulimit")
}

#[test]
fn texts_of_the_crates_name_no_option() {
    let mut wrong = Vec::new();

    let is_of_crates = |source: &&Source| {
        source.path.starts_with("crates")
            && !source.path.starts_with("crates/map/src/page")
            && !source.path.ends_with("base/src/words.rs")
            && !source.stem().ends_with("tests")
    };

    for source in code().iter().filter(is_of_crates) {
        for text in literals(source) {
            if names_an_option(&text) {
                wrong.push(format!("{}: {text}", source.path.display()));
            }
        }
    }

    assert!(
        wrong.is_empty(),
        "name options by pixelmap_base::words:\n{}",
        wrong.join("\n")
    );

    for text in [
        "with --max-removed 100%",
        "name a folder with -o",
        "(-o)",
        "draw it with pixelmap render",
    ] {
        assert!(names_an_option(text), "{text}");
    }

    for text in [
        "minus -1",
        "a-b",
        "raise it (ulimit -f)",
        "<!-- x -->",
        "pixelmap journal 4",
        "with {OUTPUT}",
    ] {
        assert!(!names_an_option(text), "{text}");
    }
}
