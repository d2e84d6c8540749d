//! Turns the values of a file into the words that a user would type for them.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, Parser as _};
use toml_edit::{Item, Value};

use super::error::in_a_line;
use super::keys::{MAP, is_list, is_switch, key};
use crate::cli::command::Cli;
use crate::cli::paths;

/// Returns the words that a user would type for an option with this value of the file.
pub(super) fn typed_option(option: &Arg, item: &Item) -> Result<Vec<OsString>, String> {
    match item {
        Item::Value(Value::Array(values)) if is_list(option) => values
            .iter()
            .filter_map(|value| typed_value(option, value).transpose())
            .collect(),
        Item::Value(Value::Array(_)) => {
            Err("this option takes one value: write no list".to_owned())
        }
        Item::Value(value) => Ok(typed_value(option, value)?.into_iter().collect()),
        _ => Err(format!(
            "a table is not allowed here; write several maps as [[{MAP}]]"
        )),
    }
}

/// Returns the word for an option with one value. `None` if a switch is off, because only switches
/// that are on are typed.
fn typed_value(option: &Arg, value: &Value) -> Result<Option<OsString>, String> {
    let long = key(option);
    let word = match value {
        Value::Boolean(on) if is_switch(option) => {
            return Ok(on.value().then(|| format!("--{long}").into()));
        }
        _ if is_switch(option) => return Err("write true or false".to_owned()),
        Value::String(text) => {
            if paths::is_path(option) {
                paths::check_in_file(text.value())?;
            }
            format!("--{long}={}", text.value())
        }
        Value::Integer(number) => format!("--{long}={}", number.value()),
        Value::Float(number) => format!("--{long}={}", number.value()),
        Value::Datetime(time) => format!("--{long}={}", time.value()),
        _ => return Err("write a text in quotes, or a number".to_owned()),
    };

    Ok(Some(word.into()))
}

/// Returns the reason if an option of a command cannot have these values, regardless of all other
/// options.
pub(super) fn refused_value(command: &str, typed: &[OsString]) -> Option<String> {
    let alone = ["pixelmap", command, "world"].map(OsString::from);
    let error = Cli::try_parse_from(alone.iter().chain(typed)).err()?;

    // Other errors depend on the other options, so they are found when the complete command line is
    // parsed.
    if matches!(
        error.kind(),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation
    ) {
        Some(in_a_line(&error))
    } else {
        None
    }
}
