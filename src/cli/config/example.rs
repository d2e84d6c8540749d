//! Makes the example of a configuration file: every key with its help and a value, all as comments.

use clap::Arg;
use serde_json::{Value, json};

use super::form;
use super::keys::{self, is_list, is_switch, key};
use super::schema::number_or_text;
use super::shown::toml_text;

/// The maximum length of a comment line, in bytes.
const WIDTH: usize = 100;

/// Examples for options whose default, or the number 1, would not be a helpful example.
const NUMBERS: &[(&str, i64)] = &[
    ("radius", 200),
    ("min-y", -64),
    ("max-y", 319),
    ("width", 6000),
    ("grid", 1024),
    ("shards", 16),
    ("contours", 10),
];

const HEAD: &str = r#"# Options of pixelmap render. Remove the # in front of an option to set it; other lines have no effect.
#
#   pixelmap render -c map.toml          draws with the options of this file
#   pixelmap config show -c map.toml     shows which options are in force
#   pixelmap config schema > pixelmap.schema.json
#
# For editors that support TOML, move the next line to the top of the file, unchanged:
#:schema pixelmap.schema.json

# A world's name, a world folder, or a .zip of a world.
world = "New World"
"#;

const TABLES: &str = r#"
## Several maps in one output ##

# Each table is one map; the maps are drawn one after another. A table may contain world and the options
# of one map (docs/config.md). The options above apply to all maps.
#[[map]]
#dimension = "overworld"
#layer = ["day", "night"]

# A table with a name gets its own page, in the folder of this name: give all tables a name, or none.
# It may then also contain title, description, url and report.
#[[map]]
#name = "Survival"
#world = "/srv/minecraft/survival"
"#;

/// Returns the text of the example.
pub(crate) fn example_text() -> String {
    let mut text = HEAD.to_owned();
    let mut heading = String::new();
    for option in keys::options() {
        if let Some(new) = option.get_help_heading().filter(|new| *new != heading) {
            new.clone_into(&mut heading);
            text += &format!("\n## {heading} ##\n");
        }

        text += &format!(
            "\n{}#{} = {}\n",
            comment(&option),
            key(&option),
            toml_text(&example(&option))
        );
    }

    text + TABLES
}

/// Formats the help of an option as comments.
fn comment(option: &Arg) -> String {
    let help = option
        .get_long_help()
        .or_else(|| option.get_help())
        .map(ToString::to_string)
        .unwrap_or_default();

    let choices: Vec<String> = option
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();

    let mut text = wrapped(&help);
    if !choices.is_empty() && !is_switch(option) {
        text += &wrapped(&format!("One of: {}", choices.join(", ")));
    }

    text
}

/// Wraps a text into comment lines.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut line = "#".to_owned();
    for word in text.split_whitespace() {
        if line.len() + word.len() >= WIDTH {
            lines += &format!("{line}\n");
            "#".clone_into(&mut line);
        }
        line += &format!(" {word}");
    }

    lines + &line + "\n"
}

/// Returns an example value of an option: its listed example, its default, or one of its choices.
fn example(option: &Arg) -> Value {
    if is_switch(option) {
        return json!(true);
    }
    if let Some((_, number)) = NUMBERS.iter().find(|(name, _)| *name == key(option)) {
        return json!(number);
    }

    let default = option
        .get_default_values()
        .first()
        .map(|value| value.to_string_lossy().into_owned());

    let choice = option
        .get_possible_values()
        .first()
        .map(|value| value.get_name().to_owned());
    let text = form::find(option)
        .map(|form| form.example.to_owned())
        .or(default)
        .or(choice);

    let value = text.map_or_else(|| json!(1), |text| number_or_text(option, &text));
    if is_list(option) {
        json!([value])
    } else {
        value
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "files in docs are no output of the program"
)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::cli::config::file::ConfigFile;
    use crate::cli::config::keys::OF_A_NAMED_MAP;
    use crate::cli::config::option_words::refused_value;

    /// Reads a generated file. If `BLESS` is set, writes it first.
    fn blessed(name: &str, text: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("docs")
            .join(name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        std::fs::read_to_string(&path).unwrap_or_default()
    }

    #[test]
    fn docs_contain_the_output_of_the_commands() {
        let (example, schema) = (example_text(), crate::cli::config::schema::schema_text());
        assert!(
            blessed("config.example.toml", &example) == example,
            "BLESS=1 cargo test --bin pixelmap config::"
        );
        assert!(
            blessed("config.schema.json", &schema) == schema,
            "BLESS=1 cargo test --bin pixelmap config::"
        );
    }

    #[test]
    fn the_example_has_valid_values_for_all_keys() {
        let example = example_text();
        assert_eq!(
            ConfigFile::parse(&example)
                .unwrap()
                .run
                .keys()
                .collect::<Vec<_>>(),
            ["world"]
        );

        let lines = example.lines().filter_map(|line| {
            line.strip_prefix('#')
                .filter(|line| !line.starts_with([' ', '#', ':']))
        });

        let mut keys = BTreeSet::new();
        for line in lines.filter(|line| line.contains(" = ")) {
            let key = line.split(' ').next().unwrap();
            let file = if key == "name" {
                format!("[[map]]\n{line}")
            } else {
                line.to_owned()
            };

            let file = ConfigFile::parse(&file).unwrap_or_else(|error| panic!("{line}: {error}"));
            for entry in file.run.values() {
                assert_eq!(refused_value("render", &entry.typed), None, "{line}");
            }

            keys.insert(key.to_owned());
        }

        let options = keys::options();
        let all = options
            .iter()
            .map(key)
            .chain(["world", "name"])
            .map(str::to_owned)
            .collect();
        assert_eq!(keys, all);

        let tables = example
            .split("## Several")
            .nth(1)
            .unwrap()
            .replace("\n#", "\n");
        let tables: Vec<&str> = tables
            .lines()
            .filter(|line| line.starts_with("[[") || line.contains(" = "))
            .collect();

        let tables = tables.join("\n");
        assert_eq!(
            ConfigFile::parse(&tables).unwrap().tables.len(),
            2,
            "{tables}"
        );
        assert!(OF_A_NAMED_MAP.iter().all(|key| example.contains(key)));
    }
}
