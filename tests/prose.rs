//! The comments under `src/` are plain English: counts phrases that readers had to decode, and fails if there are more.
//!
//! A match is a place to look at, and some are ordinary English. So the test has a limit, which only ever falls.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use regex_lite::Regex;

/// The most comments with a phrase. Lower it with each change that makes the number fall.
const LIMIT: usize = 47;

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

/// The comments of a file, each a run of lines of one kind without its marks. Tests at the end of the file do not count.
fn comments(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let mut last = "";
    for line in code.lines().map(str::trim_start) {
        let mark = ["//!", "///", "//"].into_iter().find(|mark| line.starts_with(mark)).unwrap_or_default();
        match (mark, found.last_mut()) {
            ("", _) => {}
            (_, Some(comment)) if mark == last => *comment += &line[mark.len()..],
            _ => found.push(line[mark.len()..].trim_start().to_owned()),
        }
        last = mark;
    }
    found
}

fn gather(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.metadata().unwrap().is_dir() {
            gather(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.to_string_lossy().contains("tests") {
            let text = fs::read_to_string(&path).unwrap();
            found.extend(comments(&text).into_iter().map(|comment| (path.display().to_string(), comment)));
        }
    }
}

#[test]
fn comments_need_no_decoding() {
    let phrases = PHRASES.map(|phrase| Regex::new(phrase).unwrap());
    let mut all = Vec::new();
    gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    all.retain(|(_, comment)| phrases.iter().any(|phrase| phrase.is_match(comment)));
    let places: Vec<String> = all.iter().map(|(path, comment)| format!("{path}: {comment}")).collect();
    assert!(all.len() <= LIMIT, "{} comments, limit {LIMIT}:\n{}", all.len(), places.join("\n"));
}

#[test]
fn a_hidden_reference_is_detected() {
    let found = comments("//! Reads files.\n\n/// Those of which\n/// nothing is left.\nfn a() {}\n// Good, too\n");
    assert_eq!(found, ["Reads files.", "Those of which nothing is left.", "Good, too"]);
    let phrases = PHRASES.map(|phrase| Regex::new(phrase).unwrap());
    let is_found = |comment: &String| phrases.iter().any(|phrase| phrase.is_match(comment));
    assert_eq!(found.iter().map(is_found).collect::<Vec<_>>(), [false, true, true]);
}
