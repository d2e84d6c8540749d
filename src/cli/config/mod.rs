//! Reads the configuration file of `render`. It is TOML, and its keys are the long names of the
//! options, `world`, and a few more for several maps.
//!
//! Each key is turned into the words of the option with the same name, and clap then parses these
//! words like a command line. So the file can hold all options, with the same meaning and the same
//! errors. The command line takes precedence over the file, and a `[[map]]` table over the keys
//! above it. Only hidden areas add up, so that an area that the file hides cannot become visible by
//! an option. Variables of the environment (`environment.rs`) are between the two.

#[cfg(any(test, fuzzing))]
pub(crate) mod any_bytes;
mod command;
mod environment;
mod error;
mod example;
mod file;
mod form;
mod keys;
mod maps;
mod option_words;
mod precedence;
mod schema;
mod shown;

pub(crate) use self::command::ConfigCommand;
pub(crate) use self::example::example_text;
pub(crate) use self::schema::schema_text;
pub(crate) use self::shown::shown_text;
pub(crate) use environment::{CommandLine, program};
pub(crate) use error::{ConfigError, in_a_line};
pub(crate) use maps::maps;
pub(crate) use precedence::{typed_column_option, typed_option_besides};

#[cfg(test)]
mod refusal_tests;
