//! Checks the paths that a user gives.
//!
//! `~` becomes the home folder, because no shell replaces it in configuration files or after `=`. A
//! path with a control character is refused, because in TOML such a character usually comes from a
//! backslash that was read as an escape.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Arg, Command};

/// Adds the check to every path option of a command and of its subcommands.
pub(super) fn in_command(command: Command) -> Command {
    command.mut_args(in_option).mut_subcommands(in_command)
}

fn in_option(option: Arg) -> Arg {
    if option.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
        option.value_parser(PathBufValueParser::new().try_map(checked))
    } else {
        option
    }
}

/// Returns a path with `~` replaced by the home folder.
///
/// # Errors
/// Fails if the path has a control character, or begins with `~` while the home folder is unknown.
pub(super) fn checked(path: PathBuf) -> Result<PathBuf, String> {
    if let Some(control) = path
        .to_string_lossy()
        .chars()
        .find(|letter| letter.is_control())
    {
        return Err(format!(
            "the path has a control character, {}; in a configuration file, write / in place of \
             \\, or put the path into 'single quotes'",
            control.escape_default()
        ));
    }

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
    use crate::cli::Cli;

    #[test]
    fn a_tilde_means_the_home_folder() {
        let home = std::env::home_dir().unwrap();
        let checked = |path: &str| checked(path.into()).unwrap();
        assert_eq!(
            [checked("~"), checked("~/www/map")],
            [home.clone(), home.join("www/map")]
        );

        for path in ["~x", "a/~", "./~", "-"] {
            assert_eq!(checked(path), Path::new(path));
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
    fn a_path_with_a_control_character_is_refused() {
        for (path, named) in [("C:\temp", "\\t"), ("a\nb", "\\n"), ("a\u{9b}", "\\u{9b}")] {
            let error = checked(path.into()).unwrap_err();
            assert!(
                error.contains(named) && error.contains("'single quotes'"),
                "{error}"
            );
        }
    }

    #[test]
    fn every_path_of_every_command_is_checked() {
        let mut commands = vec![Cli::command()];
        while let Some(command) = commands.pop() {
            for option in command.get_arguments() {
                let parser = option.get_value_parser();
                let is_path = parser.type_id() == TypeId::of::<PathBuf>();
                let alone = Arg::new("path").long("path").value_parser(parser.clone());
                let read = Command::new("alone")
                    .arg(alone)
                    .try_get_matches_from(["alone", "--path=a\tb"]);

                assert!(
                    !is_path || read.is_err(),
                    "{} of {}",
                    option.get_id(),
                    command.get_name()
                );
            }

            commands.extend(command.get_subcommands().cloned());
        }
    }
}
