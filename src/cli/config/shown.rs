//! Makes the text of `pixelmap config show`: the options that are in force, in the form of a
//! configuration file, with the origin of each value as a comment.
//!
//! The origin is a line of the file, the command line, a variable, the existing map, or the default.

use std::ffi::OsString;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory as _};
use pixelmap_base::json;
use pixelmap_draw::Mode;
use pixelmap_map::atlas::{Content, MapFolder};
use serde_json::{Value, json};

use super::environment::CommandLine;
use super::error::{ConfigError, in_a_line};
use super::file::{ConfigFile, MapTable, OptionEntry};
use super::keys::{self, HIDE, MAP, NAME, WORLD, is_list, is_switch, key};
use super::maps;
use super::precedence::{completed, options_in_force, parse_render, typed_options};
use super::schema::number_or_text;
use crate::cli::command::Cli;
use crate::cli::request::{MapTarget, RenderRequest};

/// The column at which the origins begin, in letters.
const WIDTH: usize = 40;

/// Returns the text of `pixelmap config show` for a call of `render` with these words.
///
/// # Errors
/// Fails if `render` would refuse the call or its configuration file.
pub(crate) fn shown_text(words: &[OsString]) -> Result<String, ConfigError> {
    let argv: Vec<OsString> = ["pixelmap", "render"]
        .map(OsString::from)
        .into_iter()
        .chain(words.to_vec())
        .collect();
    let CommandLine {
        words: argv, set, ..
    } = CommandLine::new(argv).map_err(|error| wrong(in_a_line(&error)))?;
    let args = parse_render(&argv).map_err(wrong)?;
    let path = args.config.clone();

    let requests = match maps(&args, &argv)? {
        Some(maps) => maps.into_iter().flatten().collect(),
        None => vec![RenderRequest::new(args)],
    };

    let targets: Vec<MapTarget> = requests
        .into_iter()
        .map(|request| request.target)
        .collect::<Result<_, _>>()
        .map_err(wrong)?;
    let Some(target) = targets.first() else {
        return Ok(String::new());
    };

    let file = path
        .as_deref()
        .map_or_else(|| Ok(ConfigFile::default()), ConfigFile::read)?;
    let call = Call {
        path: path.as_deref().unwrap_or(Path::new("")),
        argv: &argv,
        typed: typed_options(&argv),
        variables: set,
    };

    let empty = MapTable::default();
    let first = call
        .settings(&file, file.tables.first().unwrap_or(&empty))
        .map_err(wrong)?;
    let above = first
        .iter()
        .filter(|setting| file.tables.is_empty() || !file.is_of_map(&setting.key));

    let mut text = section(above, Some(target));
    for table in &file.tables {
        let settings = call.settings(&file, table).map_err(wrong)?;
        text += &format!("\n[[{MAP}]]\n");

        if let Some(name) = &table.name {
            let origin = call.line_of_file(table.line);
            text += &line(NAME, &json!(name), &origin);
        }

        text += &section(
            settings
                .iter()
                .filter(|setting| file.is_of_map(&setting.key)),
            None,
        );
    }

    Ok(text)
}

fn wrong(message: String) -> ConfigError {
    ConfigError {
        message,
        retryable: false,
    }
}

/// A call of `render`.
struct Call<'a> {
    /// The path of the configuration file; empty if there is none.
    path: &'a Path,
    argv: &'a [OsString],
    /// The long names of the options on the command line.
    typed: Vec<String>,
    /// The keys that variables set, each with the name of its variable. These keys count as typed.
    variables: Vec<(String, String)>,
}

/// An option, the value in force, and the origin of this value.
struct Setting {
    key: String,
    /// `None` if the option has no value.
    value: Option<Value>,
    origin: String,
    /// The default that the help describes, for an option without a value.
    unset: Option<String>,
}

impl Call<'_> {
    /// Returns the settings of the map that a table describes.
    fn settings(&self, file: &ConfigFile, table: &MapTable) -> Result<Vec<Setting>, String> {
        let of_file = options_in_force(&file.run, &table.entries, &self.typed);
        let argv = completed(self.argv, &of_file);
        let matches = Cli::command()
            .try_get_matches_from(argv)
            .map_err(|error| in_a_line(&error))?;
        let Some(matches) = matches.subcommand_matches("render") else {
            return Ok(Vec::new());
        };

        let world = matches
            .get_raw(WORLD)
            .and_then(|mut values| values.next())
            .map(|world| world.to_string_lossy());

        let world = Setting {
            key: WORLD.to_owned(),
            value: world.map(|world| json!(world)),
            origin: self.origin(WORLD, &of_file),
            unset: None,
        };

        let options = keys::options();
        let options = options.iter().map(|option| {
            let value = value(option, matches);

            let is_given =
                matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
            let origin = if is_given {
                self.origin(key(option), &of_file)
            } else {
                "default".to_owned()
            };

            Setting {
                key: key(option).to_owned(),
                value,
                origin,
                unset: default_in_help(option),
            }
        });

        Ok(std::iter::once(world).chain(options).collect())
    }

    /// Returns the origin of a key's value. Hidden areas may have several origins, because they add
    /// up.
    fn origin(&self, key: &str, of_file: &[(&str, &OptionEntry)]) -> String {
        let lines = of_file.iter().filter(|(other, _)| *other == key);
        let mut origins: Vec<String> = lines
            .map(|(_, entry)| self.line_of_file(entry.line))
            .collect();
        if self.typed.iter().any(|typed| typed == key) && (key == HIDE || origins.is_empty()) {
            let variable = self.variables.iter().find(|(set, _)| set == key);
            origins.push(variable.map_or("command line".to_owned(), |(_, name)| name.clone()));
        }
        origins.join(" and ")
    }

    fn line_of_file(&self, line: usize) -> String {
        format!("{}, line {line}", self.path.display()).replace(json::is_obeyed, "?")
    }
}

/// Returns the value of an option, or `None` if it has none.
fn value(option: &Arg, matches: &ArgMatches) -> Option<Value> {
    let id = option.get_id().as_str();
    if is_switch(option) {
        return Some(json!(matches.get_flag(id)));
    }

    let values = matches
        .get_raw(id)?
        .map(|value| number_or_text(option, &value.to_string_lossy()));
    let mut values: Vec<Value> = values.collect();
    if is_list(option) {
        Some(Value::Array(values))
    } else {
        values.pop()
    }
}

/// Returns the default that the help of an option describes in brackets.
fn default_in_help(option: &Arg) -> Option<String> {
    let help = option.get_help()?.to_string();
    let (_, default) = help.split_once("[default: ")?;
    Some(
        default
            .trim_end()
            .trim_end_matches(']')
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// Formats settings, one per line. For the settings of the whole run, `target` is its output, which
/// decides some values.
fn section<'a>(settings: impl Iterator<Item = &'a Setting>, target: Option<&MapTarget>) -> String {
    let mut text = String::new();
    let mut unset = String::new();
    let mut others: Vec<&str> = Vec::new();
    for setting in settings {
        let derived = target.and_then(|target| derived(setting, target));
        match (&setting.value, derived) {
            (_, Some((value, origin))) => text += &line(&setting.key, &value, &origin),
            (Some(value), None) => text += &line(&setting.key, value, &setting.origin),
            (None, None) => match &setting.unset {
                Some(default) => unset += &format!("# {} is not set: {default}\n", setting.key),
                None => others.push(&setting.key),
            },
        }
    }

    if !others.is_empty() {
        unset += &format!("# not set: {}\n", others.join(", "));
    }

    text + &unset
}

/// Returns the value and its origin for an option that is not given, if the output decides the
/// value.
fn derived(setting: &Setting, target: &MapTarget) -> Option<(Value, String)> {
    if setting
        .value
        .as_ref()
        .is_some_and(|value| *value != json!(false))
    {
        return None;
    }

    let MapTarget { mode, output, .. } = target;
    let by_default = match (setting.key.as_str(), mode) {
        ("output", _) => json!(output.display().to_string()),
        ("mode", Mode::Map | Mode::Archive) => json!("map"),
        ("mode", Mode::Image) => json!("image"),
        ("mode", Mode::Regions { .. }) => json!("regions"),
        ("scheme" | "format" | "history", Mode::Map) => {
            let own = own_value(&setting.key, output)?;
            return Some((
                own,
                format!("the map in {}", output.display()).replace(json::is_obeyed, "?"),
            ));
        }
        _ => return None,
    };

    Some((by_default, "default".to_owned()))
}

/// Returns the value that an existing map in the output fixes for an option, or `None` without such
/// a map. For `history` it is `None` unless the map already keeps one.
fn own_value(key: &str, output: &Path) -> Option<Value> {
    let map = MapFolder::open(output)
        .ok()
        .filter(|map| map.content() == Content::Map)?;
    let facts = map.facts();
    let layer = facts.layers().find(|layer| layer.numbers.is_none())?;
    match key {
        "scheme" => Some(json!(layer.scheme.name())),
        "format" => Some(json!(layer.format.name())),
        _ => facts.history.then_some(json!(true)),
    }
}

fn line(key: &str, value: &Value, origin: &str) -> String {
    format!(
        "{:<WIDTH$}  # {origin}\n",
        format!("{key} = {}", toml_text(value))
    )
}

/// Formats a value as TOML, which writes texts, numbers and lists like JSON.
pub(super) fn toml_text(value: &Value) -> String {
    match value {
        Value::Array(values) => format!(
            "[{}]",
            values.iter().map(toml_text).collect::<Vec<_>>().join(", ")
        ),
        // This cannot fail, because JSON can hold every text and number here.
        value => json::text(value).unwrap_or_default(),
    }
}
