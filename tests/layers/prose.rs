//! Checks that comments and names of tests are plain English.
//!
//! Counts phrases in the comments of `src/` that readers had to decode. A match is a place to look
//! at, and some matches are ordinary English. So there is a limit, which only ever falls. Names of
//! tests have at most eight words.

use std::fs;
use std::path::Path;

use regex_lite::Regex;

/// The most comments with a phrase. Lower it with each change that makes the number fall.
const LIMIT: usize = 13;

const MAX_NAME_WORDS: usize = 8;

/// Phrases that stand for something which the reader must guess, or that put the subject last.
const PHRASES: [&str; 10] = [
    r"\b[Ww]hat (?:is|are|was|were|it|they|of|has|have|may|must|stands|lies|follows|belongs)\b",
    r"\b(?:those|that|these) (?:of|whose)\b|\bof (?:which|whom)\b",
    r"(?:^|[.:;] )(?:Of|By|Beside|Behind|Among|Where) [a-z]",
    r"\bso (?:many|much|few)\b",
    r"\b(?:is|are) (?:none|nobody)\b",
    r"\bas (?:it|they) (?:is|are|was|were|stands?)\b",
    r"\b(?:lies|lie|hangs|stands) (?:in|on|at|there|where|here|under|over|behind|before|after|above|below|between)\b",
    r"\bbeside\b",
    r"\b(?:is|are|was|were|be|nothing) otherwise\b|\b(?:be|is|are) had\b",
    r", too\b",
];

/// The comments of a file, each a run of lines of one kind without its marks. Tests at the end of
/// the file do not count.
fn comments(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let mut last = "";
    for line in code.lines().map(str::trim_start) {
        let mark = ["//!", "///", "//"]
            .into_iter()
            .find(|mark| line.starts_with(mark))
            .unwrap_or_default();

        match (mark, found.last_mut()) {
            ("", _) => {}
            (_, Some(comment)) if mark == last => *comment += &line[mark.len()..],
            _ => found.push(line[mark.len()..].trim_start().to_owned()),
        }

        last = mark;
    }

    found
}

/// Returns the names of the tests in a file.
fn test_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        if line == "#[test]" {
            is_test = true;
        } else if let Some(name) = line
            .strip_prefix("fn ")
            .and_then(|line| line.split('(').next())
        {
            if is_test {
                names.push(name);
            }
            is_test = false;
        }
    }

    names
}

/// Returns the paths and texts of the Rust files in a folder of the project, at any depth.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.metadata().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push((
                    path.display().to_string(),
                    fs::read_to_string(&path).unwrap(),
                ));
            }
        }
    }

    files
}

#[test]
fn comments_need_no_decoding() {
    let phrases = PHRASES.map(|phrase| Regex::new(phrase).unwrap());
    let mut found = Vec::new();
    for (path, text) in rust_files("src")
        .iter()
        .filter(|(path, _)| !path.contains("tests"))
    {
        for comment in comments(text) {
            if phrases.iter().any(|phrase| phrase.is_match(&comment)) {
                found.push(format!("{path}: {comment}"));
            }
        }
    }

    assert!(
        found.len() <= LIMIT,
        "{} comments, limit {LIMIT}:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn test_names_have_at_most_eight_words() {
    let mut long = Vec::new();
    for (path, text) in rust_files("src").iter().chain(&rust_files("tests")) {
        let names = test_names(text)
            .into_iter()
            .filter(|name| name.split('_').count() > MAX_NAME_WORDS);
        long.extend(names.map(|name| format!("{path}: {name}")));
    }
    assert!(long.is_empty(), "shorten these names:\n{}", long.join("\n"));
}

#[test]
fn only_functions_marked_as_tests_are_named() {
    let text = "fn a() {}\n#[test]\n#[cfg(unix)]\nfn b_c() {\n    fn d() {}\n}\n";
    assert_eq!(test_names(text), ["b_c"]);
}

#[test]
fn a_hidden_reference_is_detected() {
    let found = comments(
        "//! Reads files.\n\n/// Those of which\n/// nothing is left.\nfn a() {}\n// Good, too\n",
    );

    assert_eq!(
        found,
        [
            "Reads files.",
            "Those of which nothing is left.",
            "Good, too"
        ]
    );

    let phrases = PHRASES.map(|phrase| Regex::new(phrase).unwrap());
    let is_found = |comment: &String| phrases.iter().any(|phrase| phrase.is_match(comment));
    assert_eq!(
        found.iter().map(is_found).collect::<Vec<_>>(),
        [false, true, true]
    );
}
