//! The `pixelmap` command.
//!
//! It passes the arguments to the library (the crates in `crates/`), and prints the results to the
//! terminal and as the exit code. All drawing and reading of worlds is in the library.

mod cli;
mod commands;
mod log;
mod outcome;
mod progress;
mod summary;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    cli::complete::answer_shell();

    if let Some(code) = commands::run_without_words() {
        return ExitCode::from(code);
    }

    ExitCode::from(match cli::Cli::try_parse_from(cli::arguments()) {
        Ok(cli) => commands::run(cli),
        Err(error) if error.use_stderr() && cli::asks_for_json_log() => {
            commands::report_usage_error(&error)
        }
        Err(error) if error.use_stderr() && cli::asks_for_json_document() => {
            commands::misused_json(&error);
            commands::usage_error(&error)
        }
        Err(error) => commands::usage_error(&error),
    })
}
