//! Runs `pixelmap man`: prints manual pages, which are generated from the command line's
//! definition.

use clap::Command;

use crate::cli::program;
use crate::outcome::{Ending, FAILED, OK, USAGE, print};

/// Prints the manual page of the program, or of the command that `words` name.
pub(super) fn run(words: &[String]) -> Result<u8, Ending> {
    let mut program = program();
    // Clap fills in the full names and the usage of subcommands here.
    program.build();

    let mut page = &program;
    for word in words {
        page = page
            .find_subcommand(word)
            .ok_or_else(|| Ending::new(USAGE, unknown_command(page, word)))?;
    }

    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(page.clone()).render(&mut text);
    rendered.map_err(|error| Ending::new(FAILED, error))?;

    print(&text).map(|_| OK)
}

fn unknown_command(page: &Command, word: &str) -> String {
    let there: Vec<&str> = page.get_subcommands().map(Command::get_name).collect();
    let name = page.get_bin_name().unwrap_or("pixelmap");
    match there.as_slice() {
        [] => format!("{name} has no commands of its own: leave {word} out"),
        there => format!("{name} has no command {word}; it has {}", there.join(", ")),
    }
}
