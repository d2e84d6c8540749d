//! Runs `pixelmap info`: prints a summary of each world as text or JSON, or lists the worlds in a
//! folder.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pixelmap_base::time::utc;
use pixelmap_draw::ask::{self, DimensionInfo, SpawnInfo, WorldInfo};
use pixelmap_world::internal::{
    UnreadableDimension, WorldError, WorldScope, WorldSummary, open_files,
};
use serde::Serialize;

use super::saves_list::world_facts;
use super::world_place::WorldPlace;
use super::worlds::open_part;
use crate::cli::{InfoArgs, LogFormat, ProgressMode};
use crate::log::{Log, complain};
use crate::outcome::{Ending, FAILED, GAPS, OK, document, print};
use crate::progress;
use crate::summary::{self, UNKNOWN_NAMED, count_text, human_count, size};

/// Prints the contents of each world.
pub(super) fn run(args: &InfoArgs) -> Result<u8, Ending> {
    if let [world] = &*args.worlds {
        let (code, text) = describe(world, args)?;
        return Ok(if print(text.as_bytes())? { code } else { OK });
    }

    let mut worst = OK;
    for (number, world) in args.worlds.iter().enumerate() {
        let (code, mut text) = describe(world, args).unwrap_or_else(|ending| {
            complain(&ending.message);
            let refusal = if args.json {
                document::refusal(None, &ending)
            } else {
                String::new()
            };
            (ending.code, refusal)
        });

        if number > 0 && !args.json && !text.is_empty() {
            text.insert(0, '\n');
        }
        if !print(text.as_bytes())? {
            return Ok(OK);
        }

        if worst == OK || worst == GAPS && code != OK {
            worst = code;
        }
    }

    Ok(worst)
}

/// Describes a world, or lists the worlds in a folder. Returns the exit code as well.
fn describe(path: &Path, args: &InfoArgs) -> Result<(u8, String), Ending> {
    let log = Log::new(LogFormat::Text);
    let place = WorldPlace::find(path, log, None)?;
    let scope = WorldScope {
        at: args.at,
        ..WorldScope::default()
    };
    // A tar stays unpacked as long as its files are in use, so that a list of its worlds does not
    // unpack it for each of them. Its error is reported when the world is opened.
    let _files = place.files().is_none().then(|| open_files(place.path()));
    let world = match open_part(&place, scope) {
        Err(WorldError::NoRegions(folder, worlds)) if !worlds.is_empty() => {
            let listed = if args.json {
                worlds_json(&worlds)?
            } else {
                worlds_text(&folder, &worlds)
            };
            return Ok((OK, listed));
        }
        opened => opened?,
    };

    for warning in &world.warnings {
        log.warning(&summary::escape_name(warning));
    }

    // If no dimension can be read, the command fails with the reason of the first one.
    let unknown: Option<Vec<UnreadableDimension>> = world
        .dimensions
        .iter()
        .map(UnreadableDimension::from_dimension)
        .collect();
    if let Some(first) = unknown.unwrap_or_default().into_iter().next() {
        return Err(Ending::new(FAILED, first));
    }

    let counters = pixelmap_draw::Progress::default();
    let info = progress::show(ProgressMode::Auto, log, &counters, || {
        ask::info(&world, &counters)
    })?;
    let damaged = info
        .dimensions
        .iter()
        .any(|dimension| !dimension.damaged.is_empty());

    let code = if damaged { GAPS } else { OK };
    let text = if args.json {
        document::result(code, &info)?
    } else {
        info_text(&info)
    };

    Ok((code, text))
}

/// A world in a folder of worlds. Nothing but its level.dat was read.
#[derive(Serialize)]
struct ListedWorld {
    path: String,
    name: Option<String>,
    /// `java` or `bedrock`.
    edition: Option<&'static str>,
    game_version: Option<String>,
    last_played: Option<String>,
}

fn worlds_json(worlds: &[PathBuf]) -> Result<String, Ending> {
    let mut text = String::new();
    for path in worlds {
        let read = WorldSummary::read(path);
        text += &document::result(
            OK,
            ListedWorld {
                path: path.display().to_string(),
                edition: read.as_ref().map(edition),
                last_played: read.as_ref().and_then(|world| utc(world.last_played?)),
                game_version: read.as_ref().and_then(|world| world.version.clone()),
                name: read.map(|world| world.name),
            },
        )?;
    }

    Ok(text)
}

fn edition(world: &WorldSummary) -> &'static str {
    if world.is_bedrock { "bedrock" } else { "java" }
}

fn worlds_text(folder: &Path, worlds: &[PathBuf]) -> String {
    let count = count_text(worlds.len() as u64, "world");
    let folder = summary::escape_name(&folder.display().to_string());
    let mut text = format!("{count} in {folder}\n");

    for path in worlds {
        let facts = WorldSummary::read(path)
            .map(|world| world_facts(&world).join("  "))
            .unwrap_or_default();
        let path = summary::escape_name(&path.display().to_string());
        text += &format!("\n{path}\n");
        text += &line("world", facts.trim_end());
    }

    text
}

fn info_text(info: &WorldInfo) -> String {
    let mut text = format!("{}\n", summary::escape_name(&info.name));
    text += &line("version", &version(info));

    if let Some(SpawnInfo {
        dimension,
        block: [x, y, z],
    }) = &info.spawn
    {
        let dimension = if dimension == "overworld" {
            String::new()
        } else {
            format!(" in {dimension}")
        };

        text += &line(
            "spawn",
            &summary::escape_name(&format!("{x} {y} {z}{dimension}")),
        );
    }

    if let Some((date, time)) = info
        .last_played
        .as_deref()
        .and_then(|time| time.split_once('T'))
    {
        text += &line(
            "last played",
            &format!("{date} {} UTC", time.trim_end_matches('Z')),
        );
    }

    for dimension in &info.dimensions {
        text += &format!(
            "\n{} ({})\n",
            summary::escape_name(&dimension.id),
            summary::escape_name(&dimension.folder)
        );
        dimension_text(&mut text, dimension, info.edition.is_some());
    }

    text
}

/// Formats a fact as a line with its name. Without a fact the line is empty.
fn line(name: &str, fact: &str) -> String {
    if fact.is_empty() {
        String::new()
    } else {
        format!("  {name:<11}  {fact}\n")
    }
}

/// Formats the version from level.dat, and the most frequent version of chunks if that differs.
fn version(info: &WorldInfo) -> String {
    if info.edition.is_some() {
        // Chunks of Bedrock Edition do not store the version of the game.
        let version = info
            .game_version
            .as_deref()
            .unwrap_or("of an unknown version");
        return format!("Bedrock Edition {}", summary::escape_name(version));
    }

    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    for (version, count) in info
        .dimensions
        .iter()
        .flat_map(|dimension| &dimension.data_versions)
    {
        *by_name
            .entry(pixelmap_draw::game_version(version.parse().ok()))
            .or_default() += count;
    }

    let mostly = by_name
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(name, _)| name);

    match (&info.game_version, mostly) {
        (Some(version), Some(mostly))
            if pixelmap_draw::game_version(info.data_version) != mostly =>
        {
            format!("{}, mostly {mostly}", summary::escape_name(version))
        }
        (Some(version), _) => summary::escape_name(version),
        (None, Some(mostly)) => format!("mostly {mostly}"),
        (None, None) => String::new(),
    }
}

fn dimension_text(text: &mut String, dimension: &DimensionInfo, is_database: bool) {
    let damaged = dimension.chunks - dimension.finished - dimension.unfinished;
    let kinds = [(dimension.unfinished, "unfinished"), (damaged, "damaged")];
    let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
    let kinds = kinds.fold(String::new(), |text, (count, kind)| {
        text + &format!(", {} {kind}", human_count(count))
    });
    let finished = count_text(dimension.finished, "finished chunk");

    let regions = if is_database {
        format!("{} in a database", human_count(dimension.regions))
    } else if dimension.chunk_files {
        format!(
            "{}, one file per chunk (Alpha)",
            human_count(dimension.regions)
        )
    } else {
        count_text(dimension.regions, "file")
    };

    *text += &line("regions", &format!("{regions}, {}", size(dimension.bytes)));
    *text += &line("chunks", &format!("{finished}{kinds}"));

    if let Some([x0, z0, x1, z1]) = dimension.extent {
        let sides = [x0.abs_diff(x1), z0.abs_diff(z1)].map(human_count);
        *text += &line(
            "extent",
            &format!(
                "{} by {} blocks: -a {x0},{z0},{x1},{z1}",
                sides[0], sides[1]
            ),
        );
    }

    if let Some(y) = dimension.assumed_ceiling {
        *text += &line(
            "ceiling",
            &format!("bedrock at y {y}, although the dimension type is unknown"),
        );
    }

    if !is_database {
        *text += &line("versions", &versions(dimension));
    }

    *text += &line(
        "generations",
        &counts(
            dimension
                .generations
                .iter()
                .map(|(name, count)| (*name, *count)),
        ),
    );

    *text += &line(
        "compression",
        &counts(
            dimension
                .compression
                .iter()
                .map(|(name, count)| (*name, *count)),
        ),
    );

    let mut unknown: Vec<_> = dimension.unknown_blocks.iter().collect();
    unknown.sort_by_key(|(name, block)| (Reverse(block.columns), *name));

    for (name, block) in unknown.iter().take(UNKNOWN_NAMED) {
        let ([x, y, z], columns) = (block.first, count_text(block.columns, "column"));
        *text += &line(
            "unknown",
            &format!(
                "{} in {columns}, first at {x} {y} {z}",
                summary::escape_name(name)
            ),
        );
    }

    if unknown.len() > UNKNOWN_NAMED {
        let more = human_count((unknown.len() - UNKNOWN_NAMED) as u64);
        *text += &line("unknown", &format!("and {more} more (--json lists all)"));
    }

    for damaged in &dimension.damaged {
        let position = damaged
            .chunk
            .map(|[x, z]| format!(" chunk {x},{z}"))
            .unwrap_or_default();
        *text += &line(
            "damaged",
            &format!("{}{position}: {}", damaged.region, damaged.reason),
        );
    }

    if dimension.damaged_not_listed > 0 {
        *text += &line(
            "damaged",
            &format!("and {} more", human_count(dimension.damaged_not_listed)),
        );
    }
}

/// Formats the number of chunks for each version of the game, the oldest first.
fn versions(dimension: &DimensionInfo) -> String {
    let versions = dimension
        .data_versions
        .iter()
        .map(|(version, count)| (version.parse().ok(), *count));
    let mut versions: Vec<(Option<i32>, u64)> = versions.collect();
    versions.sort_unstable();

    let mut named: Vec<(&str, u64)> = Vec::new();
    for (version, more) in versions {
        let name = pixelmap_draw::game_version(version);
        match named.last_mut() {
            Some((last, count)) if *last == name => *count += more,
            _ => named.push((name, more)),
        }
    }

    named.push(("others", dimension.data_versions_not_listed));
    counts(named.into_iter())
}

/// Formats the counts above 0, each with its name.
fn counts<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    let used = counts.filter(|(_, count)| *count > 0);
    used.map(|(name, count)| format!("{name}: {}", human_count(count)))
        .collect::<Vec<_>>()
        .join("; ")
}
