//! Makes the JSON Schema of a configuration file from the options of `render`, so that editors can
//! complete and check such files.
//!
//! The schema accepts every file that the program accepts. It refuses unknown keys, values of a
//! wrong type, unknown choices, and keys that exclude or need each other. The other rules (ranges,
//! forms of texts, and whatever depends on the machine or on several tables) are only in the
//! program, so that each rule is written once.

use clap::{Arg, CommandFactory as _};
use pixelmap_base::json;
use serde_json::{Map, Value, json};

use super::form::{self, OptionForm};
use super::keys::{self, MAP, NAME, OF_A_NAMED_MAP, WORLD, is_list, is_of_map, is_switch, key};
use crate::cli::command::Cli;
use crate::cli::names;

/// Pairs of keys: the first key needs the second one.
const NEEDS: &[(&str, &str)] = &[
    ("center", "radius"),
    ("radius", "center"),
    ("json", "dry-run"),
    ("shards", "dry-run"),
    ("find-depth", "find"),
];

const TITLE: &str = "A configuration file of pixelmap render";
const WORLD_HELP: &str =
    "A world's name, a world folder, or a .zip of a world, as after render on the command line";
const MAP_HELP: &str = "One of several maps in one output. Tables with a name make a page for \
                        each, with a choice of the worlds";
const NAME_HELP: &str = "The name of a map among others, which is also the name of its folder in \
                         the output. All tables have one, or none";

/// Returns the text of the schema.
pub(crate) fn schema_text() -> String {
    // This cannot fail, because a JSON value can always be written.
    json::pretty(&schema()).unwrap_or_default() + "\n"
}

fn schema() -> Value {
    let options = keys::options();
    let mut properties = Map::new();
    properties.insert(
        WORLD.to_owned(),
        json!({"description": WORLD_HELP, "type": "string", "minLength": 1}),
    );

    properties.extend(
        options
            .iter()
            .map(|option| (key(option).to_owned(), property(option))),
    );

    let (of_a_map, of_a_named): (Vec<Arg>, Vec<Arg>) = options
        .iter()
        .filter(|option| is_of_map(key(option)) || OF_A_NAMED_MAP.contains(&key(option)))
        .cloned()
        .partition(|option| is_of_map(key(option)));
    let mut of_table = Map::new();
    of_table.insert(NAME.to_owned(), name_property());
    of_table.insert(WORLD.to_owned(), properties[WORLD].clone());

    for option in of_a_map.iter().chain(&of_a_named) {
        of_table.insert(key(option).to_owned(), properties[key(option)].clone());
    }

    let need_name: Map<String, Value> = of_a_named
        .iter()
        .map(|option| (key(option).to_owned(), json!([NAME])))
        .collect();

    let named = json!({"required": [NAME]});
    properties.insert(
        MAP.to_owned(),
        json!({
            "description": MAP_HELP,
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": false,
                "properties": of_table,
                "dependencies": need_name,
                "allOf": rules(&of_a_map),
            },
            "anyOf": [{"items": named}, {"items": {"not": named}}],
        }),
    );

    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": TITLE,
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "allOf": rules(&options),
    })
}

/// Returns the schema of an option's key.
fn property(option: &Arg) -> Value {
    let mut property = Map::new();
    if let Some(help) = option.get_long_help().or_else(|| option.get_help()) {
        property.insert("description".to_owned(), json!(help.to_string()));
    }

    let defaults: Vec<_> = option
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy())
        .collect();

    match defaults.as_slice() {
        [] => {}
        _ if is_switch(option) => {}
        [text] => drop(property.insert("default".to_owned(), number_or_text(option, text))),
        texts => drop(property.insert("default".to_owned(), json!(texts))),
    }

    let value = value(option);
    if is_list(option) {
        property.insert(
            "anyOf".to_owned(),
            json!([value, {"type": "array", "items": value}]),
        );
    } else if let Value::Object(value) = value {
        property.extend(value);
    }

    Value::Object(property)
}

/// Returns a value in the form that it has in a file: a number without quotes if the option accepts
/// numbers, otherwise a text.
pub(super) fn number_or_text(option: &Arg, text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) if form::is_whole_number(option) => json!(number),
        _ => json!(text),
    }
}

/// Returns the schema of one value of an option.
fn value(option: &Arg) -> Value {
    if is_switch(option) {
        return json!({"type": "boolean"});
    }

    let choices: Vec<String> = option
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    if option.get_value_delimiter().is_some() {
        return json!({"type": "string", "examples": choices});
    }
    if !choices.is_empty() {
        return json!({"enum": choices});
    }

    if form::is_unsigned(option) {
        return json!({"type": ["integer", "string"], "minimum": 0});
    }
    if form::is_whole_number(option) {
        return json!({"type": ["integer", "string"]});
    }

    match form::find(option) {
        Some(OptionForm {
            takes_numbers: true,
            example,
            ..
        }) => json!({"type": ["string", "number"], "examples": [example]}),
        Some(OptionForm { example, .. }) => json!({"type": "string", "examples": [example]}),
        None => json!({"type": ["string", "number"]}),
    }
}

/// Returns the schema of the name of a map.
fn name_property() -> Value {
    json!({
        "description": NAME_HELP,
        "type": "string",
        "minLength": 1,
        "maxLength": names::MAX_BYTES,
    })
}

/// Returns the rules about which of these options exclude or need each other.
fn rules(options: &[Arg]) -> Vec<Value> {
    let command = Cli::command();
    let render = command.find_subcommand("render");
    let mut rules = Vec::new();
    for option in options {
        let others = render
            .map(|render| render.get_arg_conflicts_with(option))
            .unwrap_or_default();
        for other in others
            .into_iter()
            .filter_map(|other| find(options, key(other)))
        {
            rules.push(json!({"not": {"allOf": [given(option), given(other)]}}));
        }
    }

    let needs = NEEDS
        .iter()
        .filter_map(|(option, other)| Some((find(options, option)?, find(options, other)?)));
    rules.extend(needs.map(|(option, other)| json!({"if": given(option), "then": given(other)})));

    rules
}

fn find<'a>(options: &'a [Arg], name: &str) -> Option<&'a Arg> {
    options.iter().find(|option| key(option) == name)
}

/// Returns a schema that accepts exactly the files that set an option. A switch with the value
/// `false` does not count as set.
fn given(option: &Arg) -> Value {
    let key = key(option);
    if is_switch(option) {
        json!({"required": [key], "properties": {key: {"const": true}}})
    } else {
        json!({"required": [key]})
    }
}

#[cfg(test)]
mod tests;
