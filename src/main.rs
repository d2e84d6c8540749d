//! The `pixelmap` command: arguments to the library, its answers to the terminal and the exit code.

mod cli;
mod commands;
mod progress;
mod summary;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    ExitCode::from(commands::run(cli::Cli::parse()))
}
