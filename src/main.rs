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

use cli::CommandLine;

fn main() -> ExitCode {
    cli::complete::answer_shell();

    if let Some(code) = commands::run_without_words() {
        return ExitCode::from(code);
    }

    ExitCode::from(run())
}

/// Runs the command of the command line. Returns the exit code.
fn run() -> u8 {
    let words = cli::arguments();
    let line = CommandLine::new(words.clone());
    let parsed = line.and_then(|line| Ok((line.parse()?, line)));

    match parsed {
        Ok((cli, line)) => commands::run(cli, &line),
        Err(error) if error.use_stderr() && cli::asks_for_json_log(&words) => {
            commands::report_usage_error(&error)
        }
        Err(error) if error.use_stderr() && cli::asks_for_json_document(&words) => {
            commands::misused_json(&error);
            commands::usage_error(&error)
        }
        Err(error) => commands::usage_error(&error),
    }
}
