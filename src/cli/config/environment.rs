//! Reads options from environment variables, for containers and jobs without a command line of
//! their own.
//!
//! Every option of `render` and `serve` has a variable: `PIXELMAP_` and its long name in capitals,
//! with `_` in place of `-`. `PIXELMAP_WORLD` is the argument of both commands. Each variable is
//! turned into the words that a user would type for it, so it has the same meaning and the same
//! errors as on the command line. The command line takes precedence over a variable, and a variable
//! over the configuration file. Only hidden areas add up.

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{Arg, CommandFactory as _, Parser as _};

use super::keys::{HIDE, WORLD, is_list, is_switch, key};
use super::option_words::refused_value;
use super::precedence::{is_overridden, typed_options};
use crate::cli::command::Cli;

const PREFIX: &str = "PIXELMAP_";
/// The commands whose options have variables.
const COMMANDS: [&str; 2] = ["render", "serve"];
/// A name is suggested for an unknown variable if it is at least this similar, from 0 to 1.
const SIMILAR: f64 = 0.8;

/// The command line of this process, completed by variables.
#[derive(Debug)]
pub(crate) struct CommandLine {
    /// All words, including the program's name. The words of variables follow the command.
    pub(crate) words: Vec<OsString>,
    /// The keys that variables set, each with the name of its variable.
    pub(crate) set: Vec<(String, String)>,
    /// Messages about variables that set nothing.
    pub(crate) warnings: Vec<String>,
}

impl CommandLine {
    /// Completes a command line by the variables of this process.
    ///
    /// # Errors
    /// Fails if a variable has a value that its option refuses.
    pub(crate) fn new(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut variables: Vec<(String, OsString)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| name.starts_with(PREFIX))
            .collect();
        variables.sort();

        Self::with_variables(words, &variables)
            .map_err(|message| Cli::command().error(ErrorKind::InvalidValue, message))
    }

    fn with_variables(
        words: Vec<OsString>,
        variables: &[(String, OsString)],
    ) -> Result<Self, String> {
        let mut line = Self {
            words,
            set: Vec::new(),
            warnings: Vec::new(),
        };
        if variables.is_empty() {
            return Ok(line);
        }

        let program = Cli::command();
        let command = line.words.get(1).and_then(|word| word.to_str());
        let Some(command) = command
            .filter(|name| COMMANDS.contains(name))
            .and_then(|name| program.find_subcommand(name))
        else {
            return Ok(line);
        };

        let typed = typed_options(&line.words);
        if excludes_options(command, &typed) {
            return Ok(line);
        }

        let mut added = Vec::new();
        for (name, value) in variables {
            let key = key_of(name);
            if value.is_empty() || is_overridden(&key, |key| typed.iter().any(|set| set == key)) {
                continue;
            }

            let words = if key == WORLD {
                vec![world(value)]
            } else if let Some(option) = option_of(command, &key) {
                let words = typed_words(option, value).map_err(|why| format!("{name}: {why}"))?;
                if let Some(why) = refused_value(command.get_name(), &words) {
                    return Err(format!("{name}: {why}"));
                }
                words
            } else {
                line.warnings.extend(unknown(&program, name));
                continue;
            };

            added.extend(words);
            line.set.push((key, name.clone()));
        }

        line.words.splice(2..2, added);
        Ok(line)
    }

    /// Parses the words.
    pub(crate) fn parse(&self) -> Result<Cli, clap::Error> {
        match Cli::try_parse_from(&self.words) {
            // Only help names the variables, because adding them takes most of the time of a start.
            Err(error) if error.kind() == ErrorKind::DisplayHelp => Err(program()
                .try_get_matches_from(&self.words)
                .err()
                .unwrap_or(error)),
            parsed => parsed,
        }
    }
}

/// Returns the definition of the command line with the name of its variable in the help of each
/// option.
pub(crate) fn program() -> clap::Command {
    Cli::command().mut_subcommands(|command| {
        if COMMANDS.contains(&command.get_name()) {
            command.mut_args(with_variable)
        } else {
            command
        }
    })
}

fn with_variable(option: Arg) -> Arg {
    let key = if option.is_positional() && option.get_id() != "more_folders" {
        WORLD
    } else {
        key(&option)
    };
    if key.is_empty() || key == "help" {
        return option;
    }

    let variable = format!(" [env: {}]", variable_of(key));
    let help = option.get_help().map(ToString::to_string);
    option.help(help.unwrap_or_default() + &variable)
}

/// Returns the variable of a key.
fn variable_of(key: &str) -> String {
    PREFIX.to_owned() + &key.to_uppercase().replace('-', "_")
}

fn key_of(variable: &str) -> String {
    variable[PREFIX.len()..].to_lowercase().replace('_', "-")
}

/// Returns the option of a command with this key.
fn option_of<'a>(command: &'a clap::Command, name: &str) -> Option<&'a Arg> {
    command
        .get_opts()
        .find(|option| key(option) == name && name != "help")
}

/// Returns whether the user typed an option that excludes all others. The health check of a container
/// is such an option. It must work with the variables that describe the server of the container.
fn excludes_options(command: &clap::Command, typed: &[String]) -> bool {
    command
        .get_opts()
        .filter(|option| option.is_exclusive_set())
        .any(|option| typed.iter().any(|set| set == key(option)))
}

/// Returns the word for the argument of a command. A path that begins with a hyphen gets `./` in
/// front, because clap would read it as an option.
fn world(path: &OsStr) -> OsString {
    if path.as_encoded_bytes().starts_with(b"-") {
        let mut word = OsString::from("./");
        word.push(path);
        word
    } else {
        path.to_owned()
    }
}

/// Returns the words that a user would type for an option with this value.
fn typed_words(option: &Arg, value: &OsStr) -> Result<Vec<OsString>, String> {
    if is_switch(option) {
        return match value.to_str().map(str::to_lowercase).as_deref() {
            Some("true" | "1" | "yes" | "on") => Ok(vec![format!("--{}", key(option)).into()]),
            Some("false" | "0" | "no" | "off") => Ok(Vec::new()),
            _ => Err("write true or false".to_owned()),
        };
    }

    let word = |value: &OsStr| {
        let mut word = OsString::from(format!("--{}=", key(option)));
        word.push(value);
        word
    };

    Ok(match value.to_str() {
        Some(values) if is_list(option) => values
            .split(separator(option))
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .map(|value| word(value.as_ref()))
            .collect(),
        _ => vec![word(value)],
    })
}

/// Returns the letter between the values of a list. A hidden rectangle has commas itself.
fn separator(option: &Arg) -> char {
    if key(option) == HIDE { ';' } else { ',' }
}

/// Returns a message about a variable that no command has; `None` if another command has it.
fn unknown(program: &clap::Command, variable: &str) -> Option<String> {
    let mut known = vec![variable_of(WORLD)];
    for command in COMMANDS {
        let options = program
            .find_subcommand(command)
            .into_iter()
            .flat_map(clap::Command::get_opts);
        known.extend(options.map(|option| variable_of(key(option))));
    }

    if known.iter().any(|name| name == variable) {
        return None;
    }

    let nearest = known
        .iter()
        .map(|name| {
            let similarity = strsim::jaro_winkler(&name[PREFIX.len()..], &variable[PREFIX.len()..]);
            (similarity, name)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    Some(match nearest {
        Some((similarity, name)) if similarity >= SIMILAR => {
            format!("{variable} sets nothing: the variable of this kind is {name}")
        }
        _ => format!("{variable} sets nothing: no option has this variable"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(words: &[&str], variables: &[(&str, &str)]) -> Result<CommandLine, String> {
        let words = [&["pixelmap"], words].concat();
        let variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), OsString::from(value)))
            .collect();
        CommandLine::with_variables(words.into_iter().map(OsString::from).collect(), &variables)
    }

    #[track_caller]
    fn assert_words(words: &[&str], variables: &[(&str, &str)], expected: &str) {
        let line = completed(words, variables).unwrap();
        assert_eq!(line.words[1..].join(" ".as_ref()), *expected);
    }

    #[test]
    fn variables_become_words_after_the_command() {
        let lists = [
            ("PIXELMAP_HIDE", "0,0,16,16; bases.geojson"),
            ("PIXELMAP_LAYER", "day, night"),
            ("PIXELMAP_WORLD", "-world"),
        ];
        let expected = "render --hide=0,0,16,16 --hide=bases.geojson --layer=day --layer=night \
                        ./-world --force";
        assert_words(&["render", "--force"], &lists, expected);

        let switches = [
            ("PIXELMAP_DETAILS", "Yes"),
            ("PIXELMAP_FORCE", "0"),
            ("PIXELMAP_NICE", ""),
        ];
        assert_words(&["render", "w"], &switches, "render --details w");
        let serve = [("PIXELMAP_HOST", "a.org,b.org")];
        assert_words(&["serve", "w"], &serve, "serve --host=a.org --host=b.org w");
        assert_words(&["info", "w"], &lists, "info w");
    }

    #[test]
    fn the_command_line_replaces_variables() {
        let variables = [
            ("PIXELMAP_AREA", "0,0,16,16"),
            ("PIXELMAP_HIDE", "0,0,1,1"),
            ("PIXELMAP_LAYER", "night"),
            ("PIXELMAP_WORLD", "other"),
        ];
        let words = [
            "render", "w", "-l", "day", "--center", "0,0", "--radius", "9", "--hide", "a",
        ];
        let expected = words.join(" ").replace("render", "render --hide=0,0,1,1");
        assert_words(&words, &variables, &expected);
        let without_world = ["render", "-l", "day"];
        let layer = &variables[2..3];
        assert_words(&without_world, layer, "render -l day");
    }

    #[test]
    fn a_health_check_ignores_variables() {
        let variables = [
            ("PIXELMAP_HOST", "a.org"),
            ("PIXELMAP_LAYERS", "day"),
            ("PIXELMAP_WORLD", "world"),
        ];
        let words = ["serve", "--check", "http://127.0.0.1:8080/"];
        let line = completed(&words, &variables).unwrap();
        assert_eq!(line.words[1..], words);
        assert_eq!(line.warnings, [""; 0]);
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_variable() {
        for (name, value, message) in [
            (
                "PIXELMAP_THREADS",
                "many",
                "PIXELMAP_THREADS: invalid value 'many'",
            ),
            ("PIXELMAP_FORCE", "maybe", "PIXELMAP_FORCE: write true or"),
        ] {
            let error = completed(&["render", "w"], &[(name, value)]).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn unknown_variables_are_named_with_the_nearest_one() {
        let variables = [
            ("PIXELMAP_LAYERS", "day"),
            ("PIXELMAP_LISTEN", "0.0.0.0:80"),
            ("PIXELMAP_XYZZY", "1"),
        ];
        let line = completed(&["render", "w"], &variables).unwrap();
        let [layers, xyzzy] = line.warnings.try_into().unwrap();
        assert!(layers.ends_with("is PIXELMAP_LAYER"), "{layers}");
        assert!(xyzzy.ends_with("no option has this variable"), "{xyzzy}");
    }

    #[test]
    fn the_help_names_the_variable_of_each_option() {
        let program = program();
        for name in COMMANDS {
            let Some(command) = program.find_subcommand(name) else {
                continue;
            };
            for option in command.get_opts() {
                let help = option.get_help().unwrap().to_string();
                let variable = format!("[env: {}]", variable_of(key(option)));
                assert!(help.contains(&variable), "{help}");
            }
        }
    }
}
