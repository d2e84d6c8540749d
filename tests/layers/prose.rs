//! Checks that comments and names of tests are plain English.
//!
//! Some phrases stand for something that the reader must guess, or put the subject last. No comment
//! in the Rust files and scripts of the project may contain one. A failure names the file, the line
//! and the phrase, so that its author can rewrite the sentence. Names of tests have at most eight
//! words.

use std::fs;
use std::path::Path;

use regex_lite::Regex;

const MAX_NAME_WORDS: usize = 8;

/// The folders whose comments are checked, and the endings of the files in them.
const FOLDERS: [&str; 5] = ["src", "crates", "tests", "benches", "fuzz/fuzz_targets"];
const ENDINGS: [&str; 2] = ["rs", "js"];

/// Phrases that a reader must decode.
const PHRASES: [&str; 10] = [
    r"\b[Ww]hat (?:is|are|was|were|it|they|of|has|have|may|must|stands|lies|follows|belongs)\b",
    r"\b(?:[Tt]hose|that|these) (?:of|whose)\b|[,;] of which\b|\bof whom\b",
    r"(?:^|[.:;] )(?:Of|By|Beside|Behind|Among|Where) [a-z]",
    r"\bso (?:many|much|few)\b",
    r"\b(?:it|that|this|which|they) (?:is|are) (?:none|nobody)\b",
    r"\bas (?:it|they) (?:is|are|was|were|stands?)\b",
    r"\b(?:lies|lie|hangs|stands) (?:in|on|at|there|where|here|under|over|behind|before|after|above|below|between)\b",
    r"\bbeside\b",
    r"\b(?:is|are|was|were|be|nothing) otherwise\b|\b(?:be|is|are) had\b",
    r", too(?:[.,;:)]|$)",
];

/// A run of comment lines with the same mark.
struct Comment {
    /// The number of its first line, from 1.
    line: usize,
    /// Its text without the marks.
    text: String,
}

/// Returns the comments of a Rust file or a script.
fn comments(text: &str) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
    let mut last_mark = "";
    let mut is_block = false;

    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let mark = if is_block {
            "*"
        } else {
            ["//!", "///", "//", "/*"]
                .into_iter()
                .find(|mark| line.starts_with(mark))
                .unwrap_or_default()
        };

        if mark == "*" || mark == "/*" {
            is_block = !line.contains("*/");
        }

        let words = line
            .trim_start_matches(['/', '!', '*'])
            .trim_end_matches("*/");
        if mark.is_empty() {
            last_mark = mark;
            continue;
        }

        match found.last_mut() {
            Some(comment) if mark == last_mark || mark == "*" => comment.text += words,
            _ => found.push(Comment {
                line: index + 1,
                text: words.trim_start().to_owned(),
            }),
        }
        last_mark = mark;
    }

    found
}

/// Returns the first phrase in a text that a reader must decode.
fn hidden_reference<'a>(phrases: &[Regex], text: &'a str) -> Option<&'a str> {
    phrases
        .iter()
        .find_map(|phrase| phrase.find(text))
        .map(|found| found.as_str())
}

fn phrases() -> [Regex; 10] {
    PHRASES.map(|phrase| Regex::new(phrase).unwrap())
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

/// Returns the paths and texts of the files with these endings in a folder of the project, at any
/// depth. The folder may be absent.
fn source_files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.join(folder)];

    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };

        for entry in entries {
            let path = entry.unwrap().path();
            if path.metadata().unwrap().is_dir() {
                // The libraries of the page belong to other projects.
                if !path.ends_with("page/libraries") {
                    folders.push(path);
                }
                continue;
            }

            let ending = path.extension().and_then(|ending| ending.to_str());
            if ending.is_some_and(|ending| endings.contains(&ending)) {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }

    files
}

#[test]
fn comments_need_no_decoding() {
    let phrases = phrases();
    let mut found = Vec::new();

    for (path, text) in FOLDERS
        .iter()
        .flat_map(|folder| source_files(folder, &ENDINGS))
    {
        // This file contains the phrases itself.
        if path.ends_with("layers/prose.rs") {
            continue;
        }

        for Comment { line, text } in comments(&text) {
            if let Some(phrase) = hidden_reference(&phrases, &text) {
                found.push(format!("{path}:{line}: \"{phrase}\" in: {text}"));
            }
        }
    }

    assert!(
        found.is_empty(),
        "write these comments so that a stranger understands them at once:\n{}",
        found.join("\n")
    );
}

#[test]
fn test_names_have_at_most_eight_words() {
    let mut long = Vec::new();
    for (path, text) in FOLDERS
        .iter()
        .flat_map(|folder| source_files(folder, &["rs"]))
    {
        for name in test_names(&text) {
            if name.split('_').count() > MAX_NAME_WORDS {
                long.push(format!("{path}: {name}"));
            }
        }
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
    let text = "//! Reads files.\n\n/// Those of\n/// the map.\nfn a() {}\n/*\n * Good, too\n */\n// Plain\n";
    let found = comments(text);
    let lines: Vec<usize> = found.iter().map(|comment| comment.line).collect();
    assert_eq!(lines, [1, 3, 6, 9]);
    assert_eq!(found[1].text, "Those of the map.");

    let phrases = phrases();
    let is_found: Vec<bool> = found
        .iter()
        .map(|comment| hidden_reference(&phrases, &comment.text).is_some())
        .collect();
    assert_eq!(is_found, [false, true, true, false]);
}
