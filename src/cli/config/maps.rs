//! Turns a configuration file into the maps that it requests.

use std::ffi::OsString;

use pixelmap_draw::Mode;
use pixelmap_map::atlas::{OutputKind, WorldLink};

use super::error::ConfigError;
use super::file::ConfigFile;
use super::file::MapTable;
use super::keys::{MAP, OF_A_NAMED_MAP, OF_EACH};
use super::precedence::completed;
use super::precedence::options_in_force;
use super::precedence::parse_render;
use super::precedence::typed_options;
use crate::cli::render::RenderArgs;
use crate::cli::request::{MapTarget, RenderRequest};

const NO_WORLD: &str =
    "the world is missing: write world = \"FOLDER\", or type the folder after render";

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
) -> Result<Option<Vec<Vec<RenderRequest>>>, ConfigError> {
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
        _ => Ok(Some(vec![
            maps.into_iter().map(RenderRequest::new).collect(),
        ])),
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
) -> Result<Vec<Vec<RenderRequest>>, String> {
    let mut all: Vec<Vec<RenderRequest>> = Vec::new();
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

        let RenderRequest { mut args, target } = RenderRequest::new(args);
        let MapTarget {
            mode: Mode::Map,
            output,
            picture,
            elsewhere,
        } = target?
        else {
            return Err(
                "only maps have names: leave --mode out, and name a folder with -o".to_owned(),
            );
        };

        if OutputKind::from_name(&output) == OutputKind::Bucket {
            return Err(
                "several worlds are drawn into a folder: name one with -o, and upload each map with \
                 pixelmap export"
                    .to_owned(),
            );
        }

        let output = output.join(name);
        args.output = Some(output.clone());
        args.picture.title.get_or_insert_with(|| (*name).to_owned());
        args.worlds = WorldLink::all(names.iter().copied(), name);

        parts.push(RenderRequest {
            args,
            target: Ok(MapTarget {
                mode: Mode::Map,
                output,
                picture,
                elsewhere,
            }),
        });
    }

    Ok(all)
}
