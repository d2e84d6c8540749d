//! Completes words with the things on this machine: the names of worlds, the dimensions of the
//! world on the line, and the layers and moments of the map on the line.
//!
//! The script of a shell calls this program for each completion, with the variable `COMPLETE` set.

#![expect(
    clippy::disallowed_methods,
    reason = "completions are hints: a place that cannot be read is left out"
)]

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Arg, CommandFactory as _};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{CompleteEnv, Shells};
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_draw::RESERVED_NAMES;
use pixelmap_map::atlas::{FinishedMap, MapFile, Moments};
use pixelmap_world::internal::{Places, World};

use super::command::Cli;

/// The environment variable with the name of the shell that requests completions.
const SHELL: &str = "COMPLETE";
/// Comes before the script of bash. Bash would otherwise end a word at `@`, and could not complete
/// moments.
const BASH: &str = "COMP_WORDBREAKS=${COMP_WORDBREAKS//@/}\n";
/// Comes after the script of zsh, which zsh loads as the function `_pixelmap` at the first
/// completion. Without this line the first completion would only define the function.
const ZSH: &str =
    "if [ \"$funcstack[1]\" = _pixelmap ]; then _clap_dynamic_completer_pixelmap; fi\n";
/// The dimensions to offer for a world of Bedrock Edition. They are fixed, because finding the real
/// ones would mean reading a database.
const OF_BEDROCK: [&str; 3] = ["overworld", "the_nether", "the_end"];

/// Prints completions and ends the program if a shell has requested them. Otherwise returns.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(command).complete();
}

/// Returns the script that makes a shell call the program `pixelmap` for completions.
///
/// # Errors
/// Fails if there is no script for this shell.
pub(crate) fn script(shell: &str) -> io::Result<String> {
    let shells = Shells::builtins();
    let completer = shells.completer(shell).ok_or(io::ErrorKind::NotFound)?;
    let mut script = Vec::new();
    completer.write_registration(SHELL, "pixelmap", "pixelmap", "pixelmap", &mut script)?;
    let script = String::from_utf8_lossy(&script).into_owned();
    Ok(match shell {
        "bash" => format!("{BASH}{script}"),
        "zsh" => format!("{script}{ZSH}"),
        _ => script,
    })
}

/// Returns the definition of the command line, with a completer for each option that has one.
fn command() -> clap::Command {
    Cli::command().mut_subcommands(|command| command.mut_args(with_completer))
}

fn with_completer(option: Arg) -> Arg {
    let form = option
        .get_value_names()
        .and_then(|names| names.first())
        .map(ToString::to_string)
        .unwrap_or_default();

    let completer: fn(&OsStr) -> Vec<CompletionCandidate> =
        match (option.get_id().as_str(), form.as_str()) {
            ("dimension", _) => dimensions,
            // Layers for drawing are a fixed list, which clap completes. Other commands complete
            // the layers that the map has.
            ("layer", _) if option.get_possible_values().is_empty() => layers,
            (_, "MOMENT") => moments,
            (_, "WORLD") => worlds,
            (_, "WORLD|OUT") => worlds_and_maps,
            ("map" | "a" | "b" | "out", _) => maps,
            _ => return option,
        };

    option.add(ArgValueCompleter::new(completer))
}

/// Returns paths and the names of worlds.
fn worlds(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy().replace('\\', "").to_lowercase();
    let worlds = Places::from_environment().worlds().into_iter();
    let worlds = worlds.filter(|world| world.name.to_lowercase().starts_with(&typed));
    let worlds = worlds.filter(|world| !world.name.contains(pixelmap_base::json::is_obeyed));

    let names = worlds.map(|world| {
        let folder = world
            .folder
            .display()
            .to_string()
            .replace(pixelmap_base::json::is_obeyed, "?");
        CompletionCandidate::new(typable(&world.name)).help(Some(folder.into()))
    });

    PathCompleter::any()
        .complete(current)
        .into_iter()
        .chain(names)
        .collect()
}

/// Returns paths, and after `@` the moments of the map before it.
fn maps(current: &OsStr) -> Vec<CompletionCandidate> {
    let paths = PathCompleter::any().complete(current);
    let Some((map, _)) = current.to_str().and_then(|typed| typed.rsplit_once('@')) else {
        return paths;
    };
    let moments = moments_of_map(&path_of_word(map).unwrap_or_else(|| map.into()));
    let moments = moments
        .into_iter()
        .map(|moment| format!("{map}@{}", typable(&moment)));
    paths
        .into_iter()
        .chain(starting(current, moments))
        .collect()
}

fn worlds_and_maps(current: &OsStr) -> Vec<CompletionCandidate> {
    let is_moment = current.to_string_lossy().contains('@');
    if is_moment {
        maps(current)
    } else {
        worlds(current)
    }
}

/// Returns the moments of the first map on the line that has any.
fn moments(current: &OsStr) -> Vec<CompletionCandidate> {
    let moments = words()
        .iter()
        .map(|word| moments_of_map(word))
        .find(|moments| !moments.is_empty());
    starting(
        current,
        moments
            .unwrap_or_default()
            .iter()
            .map(|moment| typable(moment)),
    )
}

/// Returns the labels and then the times of a map's moments, each newest first.
fn moments_of_map(map: &Path) -> Vec<String> {
    let moments = OwnFolder::open(map)
        .and_then(|map| Moments::read(&map))
        .ok()
        .flatten()
        .map(|moments| moments.moments)
        .unwrap_or_default();

    let labels = moments
        .iter()
        .rev()
        .filter_map(|moment| moment.label.clone());

    let times = moments
        .iter()
        .rev()
        .map(|moment| moment.time_text().trim_end_matches('Z').to_owned());
    labels.chain(times).collect()
}

/// Returns the dimensions of the first world on the line; without a world, those dimensions that
/// the first map has.
fn dimensions(current: &OsStr) -> Vec<CompletionCandidate> {
    let words = words();
    let ids = words
        .iter()
        .find_map(|word| dimensions_of_world(word))
        .or_else(|| dimensions_of_map(&words))
        .unwrap_or_default();
    starting(current, ids.into_iter().chain(["all".to_owned()]))
}

fn dimensions_of_world(path: &Path) -> Option<Vec<String>> {
    if path.join("db").is_dir() {
        return Some(OF_BEDROCK.map(str::to_owned).into());
    }

    let world = World::open(path, RESERVED_NAMES).ok()?;
    Some(
        world
            .dimensions
            .into_iter()
            .map(|dimension| dimension.id)
            .collect(),
    )
}

fn dimensions_of_map(words: &[PathBuf]) -> Option<Vec<String>> {
    let dimensions = map_on_line(words)?.dimensions.into_iter();
    Some(dimensions.map(|dimension| dimension.id).collect())
}

/// Returns the layers of the first map on the line, without the layers that hold numbers.
fn layers(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut ids: Vec<String> = Vec::new();
    let map = map_on_line(&words());
    for layer in map
        .iter()
        .flat_map(MapFile::layers)
        .filter(|layer| layer.numbers.is_none())
    {
        if !ids.contains(&layer.id) {
            ids.push(layer.id.clone());
        }
    }

    starting(current, ids)
}

fn map_on_line(words: &[PathBuf]) -> Option<MapFile> {
    words
        .iter()
        .find_map(|word| FinishedMap::open(word).ok())
        .map(|map| map.facts().clone())
}

/// Returns the words after the command as paths: existing paths, and the folders of worlds whose
/// names are unique.
fn words() -> Vec<PathBuf> {
    let words = env::args_os().skip_while(|word| word != "--").skip(3);
    words
        .filter_map(|word| path_of_word(word.to_str()?))
        .collect()
}

/// Returns the path for a word of the line, without the shell's quotes and backslashes. Returns
/// `None` if the word is neither a path nor the name of exactly one world.
fn path_of_word(word: &str) -> Option<PathBuf> {
    let bare = word.replace(['\\', '"', '\''], "");
    if let Some(path) = [word, &bare]
        .into_iter()
        .map(Path::new)
        .find(|path| path.exists())
    {
        return Some(path.to_owned());
    }

    let is_name =
        !bare.is_empty() && !bare.starts_with('-') && Path::new(&bare).components().count() == 1;
    let mut worlds = if is_name {
        Places::from_environment().named(&bare)
    } else {
        Vec::new()
    };

    if worlds.len() == 1 {
        worlds.pop().map(|world| world.folder)
    } else {
        None
    }
}

/// Returns the texts that begin with the typed part.
fn starting(current: &OsStr, texts: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let texts = texts.into_iter().filter(|text| text.starts_with(&*typed));
    texts.map(CompletionCandidate::new).collect()
}

/// Escapes a word for the shell. Only bash needs that, because it inserts completions unchanged;
/// the other shells quote them.
fn typable(word: &str) -> String {
    let is_bash = env::var_os("_CLAP_COMPLETE_COMP_TYPE").is_some();
    if !is_bash {
        return word.to_owned();
    }

    let mut escaped = String::new();
    for letter in word.chars() {
        if !letter.is_alphanumeric() && !"-_./:+,%@".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }

    escaped
}
