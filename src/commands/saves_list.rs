//! Runs `pixelmap` without arguments: lists the worlds on this machine, each with the command that
//! shows it.
//!
//! Also finds the world that a user named by its name or a part of it, for all commands that read a
//! world.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use pixelmap_base::time::utc;
use pixelmap_world::internal::{Places, WorldSummary};

use crate::cli::config::in_a_line;
use crate::cli::{Cli, CommandLine};
use crate::log::Log;
use crate::outcome::{Ending, FAILED, USAGE, print};
use crate::summary::{count_text, escape_name, size};

/// The maximum number of listed worlds.
const MAX_LISTED: usize = 20;
/// The length of a date such as 2026-05-01.
const DATE: usize = 10;
/// The command that shows a world. A build without the server can only draw it.
const SHOW: &str = if cfg!(feature = "serve") {
    "serve"
} else {
    "render"
};

/// Returns whether somebody typed the program's name alone.
pub(super) fn are_wanted() -> bool {
    std::env::args_os().len() == 1
}

/// Lists the worlds and reads a number. Returns the command line that shows the world with this
/// number, or `None` if no world was chosen.
///
/// # Errors
/// Nobody can choose, because a terminal or a world is missing.
pub(super) fn choose() -> Result<Option<(Cli, CommandLine)>, Ending> {
    let next = format!("type pixelmap {SHOW} WORLD with the path of a world, or pixelmap --help");
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Ending::new(USAGE, format!("no command is given: {next}")));
    }

    let worlds = Places::from_environment().worlds();
    if worlds.is_empty() {
        let none = "no world was found in the folders of the game and its launchers, or in this \
                    folder";
        return Err(Ending::new(USAGE, format!("{none}: {next}")));
    }

    print(
        format!(
            "{}\nNumber of the world to show (Enter: none): ",
            list_text(&worlds)
        )
        .as_bytes(),
    )?;
    let mut typed = String::new();

    // If the line cannot be read, `typed` is not a number, and no world is shown.
    let _ = io::stdin().read_line(&mut typed);
    let number: usize = typed.trim().parse().unwrap_or(0);
    let Some(world) = number.checked_sub(1).and_then(|index| worlds.get(index)) else {
        return Ok(None);
    };

    let words = ["pixelmap".as_ref(), SHOW.as_ref(), world.folder.as_os_str()];
    let words = words
        .into_iter()
        .chain((SHOW == "serve").then_some("--open".as_ref()))
        .map(ToOwned::to_owned);

    CommandLine::new(words.collect())
        .and_then(|line| Ok(Some((line.parse()?, line))))
        .map_err(|error| Ending::new(USAGE, in_a_line(&error)))
}

/// Returns the path of a world. If no file has this path, and it is a single word, it is used as
/// the name of a world or a part of the name.
///
/// # Errors
/// Fails if no world, or more than one, has the word in its name.
pub(super) fn find_named(path: &Path, log: Log<'_>) -> Result<PathBuf, Ending> {
    let is_name = path.components().count() == 1 && path.symlink_metadata().is_err();
    let (true, Some(name)) = (is_name, path.to_str()) else {
        return Ok(path.to_owned());
    };

    match Places::from_environment().named(name).as_slice() {
        // A word with `@` may be a map at a moment, as in `map@2026-05-01`, which the caller
        // resolves.
        [] if name.contains('@') => Ok(path.to_owned()),
        [] => {
            let absent = format!("there is no folder {name}, and no world has {name} in its name");
            Err(Ending::new(
                FAILED,
                format!("{absent}: give a path, or type pixelmap alone for a list of your worlds"),
            ))
        }
        [world] => {
            log.note(&format!("world: {}", world.folder.display()));
            Ok(world.folder.clone())
        }
        worlds => {
            let count = count_text(worlds.len() as u64, "world");
            let folders = worlds
                .iter()
                .map(|world| world.folder.display().to_string());
            let lines: Vec<String> = std::iter::once(format!(
                "{count} have {name} in their names: give the path of one"
            ))
            .chain(folders)
            .collect();
            Err(Ending::new(FAILED, lines.join("\n  ")))
        }
    }
}

fn list_text(worlds: &[WorldSummary]) -> String {
    let rows: Vec<[String; 4]> = worlds.iter().take(MAX_LISTED).map(world_facts).collect();
    let widths = [0, 1, 2].map(|column| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    });

    let mut text = "Worlds on this machine, last played first:\n".to_owned();
    for (number, ([name, version, bytes, date], world)) in rows.iter().zip(worlds).enumerate() {
        let [name_width, version_width, bytes_width] = widths;
        text += &format!(
            "\n{:>3}  {name:<name_width$}  {version:<version_width$}  {bytes:>bytes_width$}  \
             {date}\n     pixelmap {SHOW} {}\n",
            number + 1,
            shell_word(&argument(world, worlds))
        );
    }

    match worlds.len().saturating_sub(MAX_LISTED) {
        0 => {}
        more => {
            text +=
                &format!("\nand {more} more: a part of a name can be given instead of a path\n");
        }
    }

    text
}

/// Returns the columns of the list: name, edition and version, size, and the day when the world was
/// last played.
pub(super) fn world_facts(world: &WorldSummary) -> [String; 4] {
    let edition = if world.is_bedrock {
        "Bedrock Edition"
    } else {
        "Java Edition"
    };

    let version = world
        .version
        .as_deref()
        .map(|version| format!(" {}", escape_name(version)))
        .unwrap_or_default();
    let date = world
        .last_played
        .and_then(utc)
        .map_or_else(String::new, |time| time.chars().take(DATE).collect());

    [
        escape_name(&world.name),
        format!("{edition}{version}"),
        size(world.bytes()).to_string(),
        date,
    ]
}

/// Returns the argument that a user would type for a world: its name if that is unique and plain,
/// otherwise its folder.
fn argument(world: &WorldSummary, worlds: &[WorldSummary]) -> String {
    let is_only = worlds
        .iter()
        .filter(|other| other.name.eq_ignore_ascii_case(&world.name))
        .count()
        == 1;

    let is_plain = !world.name.starts_with('-')
        && escape_name(&world.name) == world.name
        && Path::new(&world.name).components().count() == 1;
    if is_only && is_plain {
        world.name.clone()
    } else {
        world.folder.display().to_string()
    }
}

/// Quotes a word for a shell if it needs quotes.
fn shell_word(word: &str) -> String {
    if word
        .chars()
        .all(|letter| letter.is_alphanumeric() || "-_./\\:+,".contains(letter))
    {
        word.to_owned()
    } else if cfg!(windows) || !word.contains(['"', '$', '`', '\\', '!']) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
