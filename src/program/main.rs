//! The `pixelmap` command: arguments to the library, its answers to the terminal and the exit code.

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
        Err(error) if error.use_stderr() && cli::asks_for_json_log() => commands::report_usage_error(&error),
        Err(error) if error.use_stderr() && cli::asks_for_json_document() => {
            commands::misused_json(&error);
            commands::usage_error(&error)
        }
        Err(error) => commands::usage_error(&error),
    })
}
