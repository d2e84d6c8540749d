//! Reads a configuration file into the options of its tables. Nothing is combined here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use pixelmap_base::retry::retryable;
use toml_edit::{Document, Item, Table};

use super::error::ConfigError;
use super::keys;
use super::keys::{MAP, NAME, OF_A_NAMED_MAP, WORLD, is_of_map, key};
use super::option_words::refused_value;
use super::option_words::typed_option;
use crate::cli::{names, paths};

/// The maximum size of a file in bytes. Tables are limited as well, because each is parsed as a
/// command line of its own.
const MAX_BYTES: u64 = 4 << 20;

const MAX_TABLES: usize = 1000;

/// The remedy for a path of Windows in double quotes, because TOML reads its backslashes as the
/// start of an escape.
const BACKSLASHES: &str = "; in a path, write / in place of \\, or put it into 'single quotes'";

/// The options of a table by key.
pub(super) type TableOptions = BTreeMap<String, OptionEntry>;

/// An option of a table.
#[derive(Clone)]
pub(super) struct OptionEntry {
    pub(super) line: usize,
    /// The words that a user would type for this option: one word per value.
    pub(super) typed: Vec<OsString>,
}

/// A `[[map]]` table.
#[derive(Default)]
pub(super) struct MapTable {
    pub(super) line: usize,
    pub(super) name: Option<String>,
    pub(super) entries: TableOptions,
}

/// A configuration file: the options of the run, and its tables of maps.
#[derive(Default)]
pub(super) struct ConfigFile {
    pub(super) run: TableOptions,
    pub(super) tables: Vec<MapTable>,
}

impl ConfigFile {
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |error: io::Error| ConfigError::in_file(path, &error, retryable(&error));
        let mut text = String::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;

        if text.len() as u64 > MAX_BYTES {
            let reason = format!(
                "a configuration of more than {} MiB is not read",
                MAX_BYTES >> 20
            );
            return Err(ConfigError::in_file(path, &reason, false));
        }

        Self::parse(&text).map_err(|error| ConfigError::in_file(path, &error, false))
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let document = Document::parse(text).map_err(|error| {
            let line = line(text, error.span());
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            let has_backslash = text
                .lines()
                .nth(line - 1)
                .is_some_and(|line| line.contains('\\'));
            let remedy = if has_backslash { BACKSLASHES } else { "" };
            format!("line {line}: {message}{remedy}")
        })?;

        let mut maps = Vec::new();
        if let Some(tables) = document.get(MAP) {
            let Some(tables) = tables.as_array_of_tables() else {
                return Err(format!(
                    "line {}: write [[{MAP}]], with two brackets",
                    line(text, tables.span())
                ));
            };

            if tables.len() > MAX_TABLES {
                return Err(format!(
                    "it has {} tables [[{MAP}]]: write at most {MAX_TABLES} in one file",
                    tables.len()
                ));
            }

            for table in tables {
                maps.push(map_table(text, table)?);
            }
        }

        let table = document.as_table();
        if let Some(name) = table.get(NAME) {
            let line = key_line(text, table, NAME, name);
            return Err(format!(
                "line {line}: {NAME} belongs to one map: write it in a [[{MAP}]]"
            ));
        }

        let run = table_entries(text, table, |key| key != MAP)?;
        Ok(Self { run, tables: maps })
    }

    /// Returns whether an option belongs to one map, and not to the whole run.
    pub(super) fn is_of_map(&self, key: &str) -> bool {
        let has_names = self.tables.iter().any(|table| table.name.is_some());
        is_of_map(key) || has_names && OF_A_NAMED_MAP.contains(&key)
    }
}

fn map_table(text: &str, table: &Table) -> Result<MapTable, String> {
    let mut name = None;
    if let Some(item) = table.get(NAME) {
        let checked = map_name(item).map_err(|error| {
            let line = key_line(text, table, NAME, item);
            format!("line {line}: {NAME}: {error}")
        });
        name = Some(checked?);
    }

    let entries = table_entries(text, table, |key| {
        is_of_map(key) || name.is_some() && OF_A_NAMED_MAP.contains(&key)
    })?;

    Ok(MapTable {
        line: line(text, table.span()),
        name,
        entries,
    })
}

fn map_name(item: &Item) -> Result<String, String> {
    let name = item.as_str().ok_or("write the name in quotes")?;
    names::check(name)?;
    Ok(name.to_owned())
}

/// Returns the options of a table, except its name and the tables inside it. `is_allowed_key`
/// returns whether a key is allowed there.
fn table_entries(
    text: &str,
    table: &Table,
    is_allowed_key: impl Fn(&str) -> bool,
) -> Result<TableOptions, String> {
    let options = keys::options();
    let mut entries = TableOptions::new();
    for (name, item) in table {
        if name == NAME || name == MAP && item.is_array_of_tables() {
            continue;
        }

        let line = key_line(text, table, name, item);
        if name == WORLD {
            let folder = item
                .as_str()
                .ok_or_else(|| format!("line {line}: {WORLD}: write the folder in quotes"))?;

            // A folder whose name begins with a hyphen gets `./` in front, because clap would read
            // it as an option.
            let folder = if folder.starts_with('-') {
                format!("./{folder}")
            } else {
                folder.to_owned()
            };

            let folder = paths::check_in_file(&folder)
                .and_then(|()| paths::expanded(folder.into()))
                .map_err(|error| format!("line {line}: {WORLD}: {error}"))?;
            entries.insert(
                name.to_owned(),
                OptionEntry {
                    line,
                    typed: vec![folder.into()],
                },
            );
            continue;
        }

        let Some(option) = options.iter().find(|option| key(option) == name) else {
            return Err(format!(
                "line {line}: {name}: no option of render has this name; see pixelmap render --help"
            ));
        };

        if !is_allowed_key(name) {
            return Err(format!(
                "line {line}: {name} applies to the whole run: write it above the first [[{MAP}]]"
            ));
        }

        let typed =
            typed_option(option, item).map_err(|error| format!("line {line}: {name}: {error}"))?;
        if let Some(why) = refused_value("render", &typed) {
            return Err(format!("line {line}: {why}"));
        }
        entries.insert(name.to_owned(), OptionEntry { line, typed });
    }

    Ok(entries)
}

/// Returns the line of a key in a table.
fn key_line(text: &str, table: &Table, key: &str, item: &Item) -> usize {
    line(
        text,
        table
            .key(key)
            .and_then(toml_edit::Key::span)
            .or_else(|| item.span()),
    )
}

/// Returns the number of the line where a span begins, from 1.
fn line(text: &str, span: Option<Range<usize>>) -> usize {
    let before = text
        .get(..span.map_or(0, |span| span.start))
        .unwrap_or(text);
    before.matches('\n').count() + 1
}
