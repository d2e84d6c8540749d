//! Completions that know what is on this machine: worlds by their names, the dimensions of the world on the line, the
//! layers and moments of the map on it. The script of a shell calls the program for them, with `COMPLETE` set.

#![expect(clippy::disallowed_methods, reason = "completions are hints: a place that cannot be read is left out")]

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Arg, CommandFactory as _};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use clap_complete::env::{CompleteEnv, Shells};
use pixelmap::atlas::{FinishedMap, MapFile, Moments};
use pixelmap::world::{Places, World};

use super::Cli;

/// The variable with the name of the shell, where it asks for completions.
const SHELL: &str = "COMPLETE";
/// What bash needs before its script: otherwise `@` ends a word, and no moment is completed.
const BASH: &str = "COMP_WORDBREAKS=${COMP_WORDBREAKS//@/}\n";
/// What zsh needs behind its script, where it is loaded as the function `_pixelmap` at the first completion.
const ZSH: &str = "if [ \"$funcstack[1]\" = _pixelmap ]; then _clap_dynamic_completer_pixelmap; fi\n";
/// The dimensions of a world of Bedrock Edition, of which a database would have to be read.
const OF_BEDROCK: [&str; 3] = ["overworld", "the_nether", "the_end"];

/// Answers a shell that asks for completions, and ends the program; returns where none asks.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(command).complete();
}

/// The script of a shell, which calls the program `pixelmap`.
///
/// # Errors
/// There is no script for this shell.
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

/// The command line, with completers.
fn command() -> clap::Command {
    Cli::command().mut_subcommands(|command| command.mut_args(with_completer))
}

fn with_completer(option: Arg) -> Arg {
    let form = option.get_value_names().and_then(|names| names.first()).map(ToString::to_string).unwrap_or_default();
    let completer: fn(&OsStr) -> Vec<CompletionCandidate> = match (option.get_id().as_str(), form.as_str()) {
        ("dimension", _) => dimensions,
        // Those of a world that is drawn are fixed, and known without it.
        ("layer", _) if option.get_possible_values().is_empty() => layers,
        (_, "MOMENT") => moments,
        (_, "WORLD") => worlds,
        (_, "WORLD|OUT") => worlds_and_maps,
        ("map" | "a" | "b" | "out", _) => maps,
        _ => return option,
    };
    option.add(ArgValueCompleter::new(completer))
}

/// Paths, and the names of worlds.
fn worlds(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy().replace('\\', "").to_lowercase();
    let worlds = Places::from_environment().worlds().into_iter();
    let worlds = worlds.filter(|world| world.name.to_lowercase().starts_with(&typed));
    let worlds = worlds.filter(|world| !world.name.contains(pixelmap::base::json::is_obeyed));
    let names = worlds.map(|world| {
        let folder = world.folder.display().to_string().replace(pixelmap::base::json::is_obeyed, "?");
        CompletionCandidate::new(typable(&world.name)).help(Some(folder.into()))
    });
    PathCompleter::any().complete(current).into_iter().chain(names).collect()
}

/// Paths, and the moments of a map before `@`.
fn maps(current: &OsStr) -> Vec<CompletionCandidate> {
    let paths = PathCompleter::any().complete(current);
    let Some((map, _)) = current.to_str().and_then(|typed| typed.rsplit_once('@')) else { return paths };
    let moments = moments_of_map(&path_of_word(map).unwrap_or_else(|| map.into()));
    let moments = moments.into_iter().map(|moment| format!("{map}@{}", typable(&moment)));
    paths.into_iter().chain(starting(current, moments)).collect()
}

fn worlds_and_maps(current: &OsStr) -> Vec<CompletionCandidate> {
    let is_moment = current.to_string_lossy().contains('@');
    if is_moment { maps(current) } else { worlds(current) }
}

/// The moments of the first map on the line.
fn moments(current: &OsStr) -> Vec<CompletionCandidate> {
    let moments = words().iter().map(|word| moments_of_map(word)).find(|moments| !moments.is_empty());
    starting(current, moments.unwrap_or_default().iter().map(|moment| typable(moment)))
}

/// The labels and the times of the moments of a map, the newest first.
fn moments_of_map(map: &Path) -> Vec<String> {
    let moments = Moments::read(map).ok().flatten().map(|moments| moments.moments).unwrap_or_default();
    let labels = moments.iter().rev().filter_map(|moment| moment.label.clone());
    let times = moments.iter().rev().map(|moment| moment.time_text().trim_end_matches('Z').to_owned());
    labels.chain(times).collect()
}

/// The dimensions of the first world on the line, or else of the first map.
fn dimensions(current: &OsStr) -> Vec<CompletionCandidate> {
    let words = words();
    let of_world = words.iter().find_map(|word| dimensions_of_world(word));
    let of_map = || Some(map_on_line(&words)?.dimensions.into_iter().map(|dimension| dimension.id).collect());
    let ids: Vec<String> = of_world.or_else(of_map).unwrap_or_default();
    starting(current, ids.into_iter().chain(["all".to_owned()]))
}

fn dimensions_of_world(path: &Path) -> Option<Vec<String>> {
    if path.join("db").is_dir() {
        return Some(OF_BEDROCK.map(str::to_owned).into());
    }
    let world = World::open(path).ok()?;
    Some(world.dimensions.into_iter().map(|dimension| dimension.id).collect())
}

/// The layers of the first map on the line.
fn layers(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut ids: Vec<String> = Vec::new();
    let map = map_on_line(&words());
    for layer in map.iter().flat_map(MapFile::layers).filter(|layer| layer.numbers.is_none()) {
        if !ids.contains(&layer.id) {
            ids.push(layer.id.clone());
        }
    }
    starting(current, ids)
}

fn map_on_line(words: &[PathBuf]) -> Option<MapFile> {
    words.iter().find_map(|word| FinishedMap::open(word).ok()).map(|map| map.facts().clone())
}

/// The words on the line behind the command that are paths, or the only world of a name.
fn words() -> Vec<PathBuf> {
    let words = env::args_os().skip_while(|word| word != "--").skip(3);
    words.filter_map(|word| path_of_word(word.to_str()?)).collect()
}

/// The path of a word as it was typed in a shell; `None`: it is no path, and no name of one world.
fn path_of_word(word: &str) -> Option<PathBuf> {
    let bare = word.replace(['\\', '"', '\''], "");
    if let Some(path) = [word, &bare].into_iter().map(Path::new).find(|path| path.exists()) {
        return Some(path.to_owned());
    }
    let is_name = !bare.is_empty() && !bare.starts_with('-') && Path::new(&bare).components().count() == 1;
    let mut worlds = if is_name { Places::from_environment().named(&bare) } else { Vec::new() };
    if worlds.len() == 1 { worlds.pop().map(|world| world.folder) } else { None }
}

/// The texts that begin with what is typed.
fn starting(current: &OsStr, texts: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = current.to_string_lossy();
    let texts = texts.into_iter().filter(|text| text.starts_with(&*typed));
    texts.map(CompletionCandidate::new).collect()
}

/// A word as it is typed: bash takes it as it is, all other shells quote it themselves.
fn typable(word: &str) -> String {
    let is_bash = env::var_os("_CLAP_COMPLETE_COMP_TYPE").is_some();
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:+,%@".contains(letter);
    if !is_bash {
        return word.to_owned();
    }
    word.chars().map(|letter| if is_plain(letter) { letter.to_string() } else { format!("\\{letter}") }).collect()
}
