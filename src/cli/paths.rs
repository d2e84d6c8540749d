//! Reads the paths that a user gives.
//!
//! `~` becomes the home folder, because no shell replaces it in configuration files or after `=`.
//! In a configuration file, a path with a control character is refused, because in TOML such a
//! character usually comes from a backslash that was read as an escape. On the command line, every
//! path that the system allows is accepted.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Arg, Command};
use pixelmap_draw::Hide;

/// Replaces `~` in every path option of a command and of its subcommands.
pub(super) fn in_command(command: Command) -> Command {
    command.mut_args(in_option).mut_subcommands(in_command)
}

fn in_option(option: Arg) -> Arg {
    if option.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
        option.value_parser(PathBufValueParser::new().try_map(expanded))
    } else {
        option
    }
}

/// Returns whether the values of an option are, or may be, paths.
pub(super) fn is_path(option: &Arg) -> bool {
    let of_values = option.get_value_parser().type_id();
    of_values == TypeId::of::<PathBuf>() || of_values == TypeId::of::<Hide>()
}

/// Checks a path in a configuration file.
///
/// # Errors
/// Fails if the path has a control character.
pub(super) fn check_in_file(path: &str) -> Result<(), String> {
    match path.chars().find(|letter| letter.is_control()) {
        Some(control) => Err(format!(
            "the path has a control character, {}: write / in place of \\, or put the path into \
             'single quotes'",
            control.escape_default()
        )),
        None => Ok(()),
    }
}

/// Returns a path with `~` replaced by the home folder.
///
/// # Errors
/// Fails if the path begins with `~` while the home folder is unknown.
pub(super) fn expanded(path: PathBuf) -> Result<PathBuf, String> {
    match path.strip_prefix("~") {
        Ok(below) => in_home(below, std::env::home_dir()),
        Err(_) => Ok(path),
    }
}

fn in_home(below: &Path, home: Option<PathBuf>) -> Result<PathBuf, String> {
    let home = home.filter(|home| !home.as_os_str().is_empty());
    let home = home
        .ok_or("~ means the home folder, and none is known: set HOME, or write the path in full")?;

    // Joining an empty path would add a slash at the end.
    Ok(if below.as_os_str().is_empty() {
        home
    } else {
        home.join(below)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::command::Cli;

    #[test]
    fn a_tilde_means_the_home_folder() {
        let home = std::env::home_dir().unwrap();
        let expanded = |path: &str| expanded(path.into()).unwrap();
        assert_eq!(
            [expanded("~"), expanded("~/www/map")],
            [home.clone(), home.join("www/map")]
        );

        for path in ["~x", "a/~", "./~", "-"] {
            assert_eq!(expanded(path), Path::new(path));
        }

        assert_eq!(
            in_home(Path::new("map"), None)
                .unwrap_err()
                .split(',')
                .next(),
            Some("~ means the home folder")
        );
    }

    #[test]
    fn control_characters_are_refused_in_files() {
        for (path, named) in [("C:\temp", "\\t"), ("a\nb", "\\n"), ("a\u{9b}", "\\u{9b}")] {
            let error = check_in_file(path).unwrap_err();
            assert!(
                error.contains(named) && error.contains("'single quotes'"),
                "{error}"
            );
        }
    }

    #[test]
    fn every_path_of_every_command_is_expanded() {
        let home = std::env::home_dir().unwrap().join("a\tb");
        let mut commands = vec![Cli::command()];
        while let Some(command) = commands.pop() {
            for option in command.get_arguments() {
                let parser = option.get_value_parser();
                let is_path = parser.type_id() == TypeId::of::<PathBuf>();
                let alone = Arg::new("path").long("path").value_parser(parser.clone());
                let read = Command::new("alone")
                    .arg(alone)
                    .try_get_matches_from(["alone", "--path=~/a\tb"]);

                if is_path {
                    assert_eq!(
                        read.unwrap().get_one::<PathBuf>("path"),
                        Some(&home),
                        "{} of {}",
                        option.get_id(),
                        command.get_name()
                    );
                }
            }

            commands.extend(command.get_subcommands().cloned());
        }
    }
}
