//! The arguments of `pixelmap config`.

use std::ffi::OsString;

use clap::Subcommand;

const SHOW_EXAMPLES: &str = "\
Examples:
  pixelmap config show -c map.toml
  pixelmap config show world -c map.toml -l night
  pixelmap config show world -o map

The output has the form of a configuration file. A comment after each value names its origin: a line
of the file, the command line, a variable, the existing map in the output, or the default.
Code 2: render would refuse these options.";

const SCHEMA_EXAMPLES: &str = "\
Example:
  pixelmap config schema > pixelmap.schema.json

An editor with support for TOML (taplo, Even Better TOML) then completes and checks files that
begin with this line:
  #:schema pixelmap.schema.json";

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show which options are in force, and where each is set
    #[command(after_help = SHOW_EXAMPLES)]
    Show {
        /// The arguments as for pixelmap render
        #[arg(
            value_name = "ARGUMENTS OF RENDER",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        words: Vec<OsString>,
    },
    /// Print a configuration file that has all keys, each with its description, as comments
    #[command(after_help = "Example:\n  pixelmap config example > map.toml")]
    Example,
    /// Print the JSON Schema of a configuration file, for editors
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema,
}
