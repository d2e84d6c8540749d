//! Runs `pixelmap config`.

use crate::cli::config::{ConfigCommand, example_text, schema_text, shown_text};
use crate::outcome::{Ending, NOT_NOW, OK, USAGE, print};

/// Prints the options that are in force, an example of a configuration file, or the schema of such
/// files.
pub(super) fn run(command: &ConfigCommand) -> Result<u8, Ending> {
    let text = match command {
        ConfigCommand::Show { words } => shown_text(words).map_err(|error| {
            Ending::new(if error.retryable { NOT_NOW } else { USAGE }, error.message)
        })?,
        ConfigCommand::Example => example_text(),
        ConfigCommand::Schema => schema_text(),
    };
    print(text.as_bytes()).map(|_| OK)
}
