//! Reads the words of the command line before clap does, or if clap refuses them.

use std::ffi::OsString;

/// Returns the arguments of this process for clap. For `query`, a position such as -3,17 gets a
/// space in front, because clap would read it as an option.
pub(crate) fn arguments() -> Vec<OsString> {
    let is_query = std::env::args_os()
        .nth(1)
        .is_some_and(|command| command == "query");
    let typed = std::env::args_os().map(|typed| match typed.to_str() {
        Some(text) if is_query && is_negative_position(text) => format!(" {text}").into(),
        _ => typed,
    });
    typed.collect()
}

/// Returns whether a text has a comma and begins like a negative number.
fn is_negative_position(text: &str) -> bool {
    text.contains(',')
        && text
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether the user asked for one JSON document. Reads the words themselves, so that the
/// answer is available even if the command line is invalid.
pub(crate) fn asks_for_json_document(argv: &[OsString]) -> bool {
    let has_document = argv
        .get(1)
        .is_some_and(|command| *command != "query" && *command != "--version");
    has_document && argv.iter().any(|word| word == "--json")
}

/// Returns whether the user asked `render` for a log in JSON. Works even if the command line is
/// invalid.
pub(crate) fn asks_for_json_log(argv: &[OsString]) -> bool {
    let asks = argv
        .windows(2)
        .any(|pair| pair[1] == "--log-format=json" || pair == ["--log-format", "json"]);
    let variable = std::env::var_os("PIXELMAP_LOG_FORMAT");
    (asks || variable.is_some_and(|format| format == "json"))
        && argv.get(1).is_some_and(|command| command == "render")
}
