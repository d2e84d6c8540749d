//! Reports invalid arguments.

use std::io::{self, Write as _};

use crate::cli::LogFormat;
use crate::cli::config::in_a_line;
use crate::log::Log;
use crate::outcome::{Ending, USAGE, document, end_unbegun, print};
use crate::summary::escape_name;

/// Prints a JSON document about invalid arguments. The caller writes the message for people.
pub(crate) fn misused_json(error: &clap::Error) {
    let ending = Ending::new(USAGE, in_a_line(error));
    let _ = print(document::refusal(None, &ending).as_bytes());
}

/// Prints help, the version, or an error of usage, and returns the exit code. An error repeats the
/// value that was given, so control characters are escaped: otherwise the terminal would obey them.
pub(crate) fn usage_error(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    if error.use_stderr() && text.lines().any(|line| escape_name(line) != line) {
        let lines: Vec<String> = text.lines().map(escape_name).collect();
        let _ = io::stderr().write_all((lines.join("\n") + "\n").as_bytes());
        return USAGE;
    }
    error.exit()
}

/// Writes invalid arguments of `render` as lines of its JSON log, and returns the exit code.
pub(crate) fn report_usage_error(error: &clap::Error) -> u8 {
    end_unbegun(
        Log::new(LogFormat::Json),
        &Ending::new(USAGE, in_a_line(error)),
    )
}
