//! Reads the configuration file of `render`. It is TOML, and its keys are the long names of the
//! options, `world`, and a few more for several maps.
//!
//! Each key is turned into the words of the option with the same name, and clap then parses these
//! words like a command line. So the file can hold all options, with the same meaning and the same
//! errors. The command line takes precedence over the file, and a `[[map]]` table over the keys
//! above it. Only hidden areas add up, so that an area that the file hides cannot become visible by
//! an option.

#[cfg(any(test, fuzzing))]
pub(crate) mod any_bytes;
mod command;
mod example;
mod form;
mod keys;
mod schema;
mod shown;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, CommandFactory as _, Parser as _};
use pixelmap::atlas::WorldLink;
use pixelmap::base::retry::retryable;
use pixelmap::draw::Mode;
use toml_edit::{Document, Item, Table, Value};

pub(crate) use self::command::ConfigCommand;
pub(crate) use self::example::example_text;
use self::keys::{
    HIDE, INSTEAD, MAP, NAME, OF_A_NAMED_MAP, OF_EACH, WORLD, is_list, is_of_map, is_switch, key,
};
pub(crate) use self::schema::schema_text;
pub(crate) use self::shown::shown_text;
use super::{Cli, Command, MapRequest, MapTarget, RenderArgs, names, paths};

/// The maximum size of a file in bytes. Tables are limited as well, because each is parsed as a
/// command line of its own.
const MAX_BYTES: u64 = 4 << 20;
const MAX_TABLES: usize = 1000;

const NO_WORLD: &str =
    "the world is missing: write world = \"FOLDER\", or type the folder after render";

/// The remedy for a path of Windows in double quotes, because TOML reads its backslashes as the
/// start of an escape.
const BACKSLASHES: &str = "; in a path, write / in place of \\, or put it into 'single quotes'";

/// The options of a table by key.
type TableOptions = BTreeMap<String, Entry>;

/// An option of a table.
#[derive(Clone)]
struct Entry {
    line: usize,
    /// The words that a user would type for this option: one word per value.
    typed: Vec<OsString>,
}

/// A `[[map]]` table.
#[derive(Default)]
struct MapTable {
    line: usize,
    name: Option<String>,
    entries: TableOptions,
}

/// Returns the requested maps if `args` name a configuration file: `args` completed by the file,
/// once for each of its tables. Each inner list holds the maps that go into one folder: those with
/// the same name, or all maps if no table has a name. `argv` is the whole command line, including
/// the program's name.
///
/// # Errors
/// Fails if the file cannot be read or an option in it is not valid. The message names the line.
pub(crate) fn maps(
    args: &RenderArgs,
    argv: &[OsString],
) -> Result<Option<Vec<Vec<MapRequest>>>, ConfigError> {
    let Some(path) = &args.config else {
        return Ok(None);
    };

    let wrong = |error: String| ConfigError::in_file(path, &error, false);
    let ConfigFile { run, tables } = ConfigFile::read(path)?;
    let typed = typed_options(argv);

    let tables = if tables.is_empty() {
        vec![MapTable::default()]
    } else {
        tables
    };

    let names = map_names(&tables).map_err(wrong)?;
    if names.len() > 1 {
        for key in OF_EACH {
            if run.contains_key(*key) || typed.iter().any(|typed| typed == key) {
                return Err(wrong(format!(
                    "{key} belongs to one map: write {key} in each [[{MAP}]]"
                )));
            }
        }
    }

    let maps = tables.iter().map(|table| {
        parse_render(&completed(
            argv,
            &options_in_force(&run, &table.entries, &typed),
        ))
    });

    let maps: Vec<RenderArgs> = maps.collect::<Result<_, _>>().map_err(wrong)?;
    if !names.is_empty() {
        return by_name(&names, &tables, maps).map(Some).map_err(wrong);
    }

    match maps.split_first() {
        Some((first, _)) if first.world.is_none() => Err(wrong(NO_WORLD.to_owned())),
        Some((first, others)) if others.iter().any(|other| other.world != first.world) => {
            Err(wrong(format!(
                "maps without names show one world: name the same in all, or give each [[{MAP}]] a \
                 name"
            )))
        }
        _ => Ok(Some(vec![maps.into_iter().map(MapRequest::new).collect()])),
    }
}

/// Returns the different names of maps in the order of the file; empty if no table has a name.
fn map_names(tables: &[MapTable]) -> Result<Vec<&str>, String> {
    let mut names: Vec<&str> = Vec::new();
    for MapTable { line, name, .. } in tables {
        let Some(name) = name else { continue };

        if let Some(other) = names
            .iter()
            .find(|other| **other != name && other.to_lowercase() == name.to_lowercase())
        {
            return Err(format!(
                "line {line}: {name} and {other} may be one folder: write names that differ in \
                 letters"
            ));
        }

        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }

    match tables.iter().find(|table| table.name.is_none()) {
        Some(table) if !names.is_empty() => Err(format!(
            "line {}: this [[{MAP}]] has no name, but others have one: name all of them, or none",
            table.line
        )),
        _ => Ok(names),
    }
}

/// Groups the maps by name. The maps of a name are drawn into the folder with this name inside the
/// output.
fn by_name(
    names: &[&str],
    tables: &[MapTable],
    maps: Vec<RenderArgs>,
) -> Result<Vec<Vec<MapRequest>>, String> {
    let mut all: Vec<Vec<MapRequest>> = Vec::new();
    all.resize_with(names.len(), Vec::new);

    for (
        MapTable {
            line,
            name,
            entries,
        },
        args,
    ) in tables.iter().zip(maps)
    {
        let named = names
            .iter()
            .zip(&mut all)
            .find(|(other, _)| name.as_deref() == Some(other));
        let Some((name, parts)) = named else { continue };
        if args.world.is_none() {
            return Err(format!("line {line}: {NO_WORLD}"));
        }

        if let Some(first) = parts.first() {
            if first.args.world != args.world {
                return Err(format!(
                    "line {line}: the parts of {name} show one world: name the same in all"
                ));
            }

            if let Some(key) = OF_A_NAMED_MAP
                .iter()
                .find(|key| entries.contains_key(**key))
            {
                return Err(format!(
                    "line {line}: {key} is for all of {name}: write it in its first [[{MAP}]]"
                ));
            }
        }

        let MapRequest { mut args, target } = MapRequest::new(args);
        let MapTarget {
            mode: Mode::Map,
            output,
            picture,
        } = target?
        else {
            return Err(
                "only maps have names: leave --mode out, and name a folder with -o".to_owned(),
            );
        };

        let output = output.join(name);
        args.output = Some(output.clone());
        args.picture.title.get_or_insert_with(|| (*name).to_owned());
        args.worlds = WorldLink::all(names.iter().copied(), name);

        parts.push(MapRequest {
            args,
            target: Ok(MapTarget {
                mode: Mode::Map,
                output,
                picture,
            }),
        });
    }

    Ok(all)
}

/// A reason why a configuration file cannot be used.
#[derive(Debug)]
pub(crate) struct ConfigError {
    /// The path of the file, and the reason.
    pub(crate) message: String,
    /// True if reading the file may succeed later.
    pub(crate) retryable: bool,
}

impl ConfigError {
    fn in_file(path: &Path, error: &dyn Display, retryable: bool) -> Self {
        Self {
            message: format!("{}: {error}", path.display()),
            retryable,
        }
    }
}

/// A configuration file: the options of the run, and its tables of maps.
#[derive(Default)]
struct ConfigFile {
    run: TableOptions,
    tables: Vec<MapTable>,
}

impl ConfigFile {
    fn read(path: &Path) -> Result<Self, ConfigError> {
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

    fn parse(text: &str) -> Result<Self, String> {
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
    fn is_of_map(&self, key: &str) -> bool {
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
                Entry {
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
        check(&typed).map_err(|error| format!("line {line}: {error}"))?;
        entries.insert(name.to_owned(), Entry { line, typed });
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

/// Returns the words that a user would type for an option with this value of the file.
fn typed_option(option: &Arg, item: &Item) -> Result<Vec<OsString>, String> {
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

/// Fails if an option cannot have these values, regardless of all other options.
fn check(typed: &[OsString]) -> Result<(), String> {
    let alone = ["pixelmap", "render", "world"].map(OsString::from);
    match Cli::try_parse_from(alone.iter().chain(typed)) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidValue | ErrorKind::ValueValidation
            ) =>
        {
            Err(in_a_line(&error))
        }
        // Other errors depend on the other options, so they are found when the complete command
        // line is parsed.
        _ => Ok(()),
    }
}

/// Formats an error of clap as one line, without its hints on usage.
pub(crate) fn in_a_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

/// Returns the long names of the options on the command line, and `world` if a world is named.
fn typed_options(argv: &[OsString]) -> Vec<String> {
    let command = Cli::command();
    let Ok(matches) = command.clone().try_get_matches_from(argv) else {
        return Vec::new();
    };

    let render = command.find_subcommand("render");
    let Some((matches, render)) = matches.subcommand_matches("render").zip(render) else {
        return Vec::new();
    };

    let typed = render.get_opts().filter(|option| {
        matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    let world = matches.get_one::<PathBuf>(WORLD).map(|_| WORLD);
    typed
        .filter_map(|option| option.get_long())
        .chain(world)
        .map(str::to_owned)
        .collect()
}

/// Returns the options of the file that are in force for one map. An option of the file is dropped
/// if the map's table or the command line replaces it.
fn options_in_force<'a>(
    run: &'a TableOptions,
    map: &'a TableOptions,
    typed: &[String],
) -> Vec<(&'a str, &'a Entry)> {
    let of_run = run
        .iter()
        .filter(|(key, _)| !is_overridden(key, |key| map.contains_key(key)));
    let all = of_run
        .chain(map)
        .filter(|(key, _)| !is_overridden(key, |key| typed.iter().any(|typed| typed == key)));
    all.map(|(key, entry)| (key.as_str(), entry)).collect()
}

/// Returns whether the option `key`, or an option that replaces it, is set elsewhere.
fn is_overridden(key: &str, is_set: impl Fn(&str) -> bool) -> bool {
    if key == HIDE {
        return false;
    }

    match INSTEAD.iter().find(|same| same.contains(&key)) {
        Some(same) => same.iter().any(|key| is_set(key)),
        None => is_set(key),
    }
}

/// Returns the command line with the options of the file added.
fn completed(argv: &[OsString], options: &[(&str, &Entry)]) -> Vec<OsString> {
    // The options of the file come directly after the command, because after a `--` they would be
    // read as folders.
    let (command, rest) = argv.split_at(argv.len().min(2));
    let options = options.iter().flat_map(|(_, entry)| &entry.typed);
    command.iter().chain(options).chain(rest).cloned().collect()
}

/// Parses a command line of `render`.
fn parse_render(argv: &[OsString]) -> Result<RenderArgs, String> {
    match Cli::try_parse_from(argv)
        .map_err(|error| in_a_line(&error))?
        .command
    {
        Some(Command::Render(args)) => Ok(*args),
        _ => Err("the file is not for this command".to_owned()),
    }
}

#[cfg(test)]
mod refusal_tests;
