//! Runs `pixelmap query`: prints the highest block of columns.

use std::io;

use pixelmap_base::coord::Ceiling;
use pixelmap_base::json;
use pixelmap_draw::ask::{self, Answer, ColumnPart, HighestBlock, MissingColumn};
use pixelmap_world::internal::{Dimension, World};
use serde_json::json;

use super::worlds::dimension;
use super::worlds::open;
use crate::cli::{LogFormat, QueryArgs, parse};
use crate::log::Log;
use crate::outcome::{Ending, FAILED, GAPS, OK, USAGE, print};
use crate::summary;

/// Prints the highest blocks of columns.
pub(super) fn run(args: &QueryArgs) -> Result<u8, Ending> {
    let range = args
        .heights
        .range()
        .map_err(|why| Ending::new(USAGE, why))?;

    let columns = if args.positions.is_empty() {
        parse::parse_lines(io::stdin().lock()).map_err(|error| Ending::new(FAILED, error))?
    } else {
        parse::parse_positions(args.positions.iter().map(String::as_str))
    };

    let columns = columns.map_err(|error| Ending::new(USAGE, error))?;
    let world = open(&args.world)?;
    let dimension = dimension(&world, args.dimension.as_deref())?;
    let ceiling = if args.top {
        None
    } else {
        ceiling(&world, dimension)?
    };

    let part = ColumnPart {
        range,
        ceiling,
        unfinished: args.unfinished,
    };

    let answers = ask::query(&world, dimension, &columns, part)?;
    let mut text = String::new();
    for (column, answer) in columns.iter().zip(&answers) {
        text += &if args.json {
            answer_json(column.x, column.z, answer)
        } else {
            answer_text(column.x, column.z, answer)
        };
        text.push('\n');
    }

    let is_read = print(text.as_bytes())?;
    let damaged = answers
        .iter()
        .any(|answer| matches!(answer, Answer::Missing(MissingColumn::Damaged(_))));

    Ok(if damaged && is_read { GAPS } else { OK })
}

/// Returns the ceiling below which the highest block is searched. Warns if the ceiling follows from
/// chunks.
fn ceiling(world: &World, dimension: &Dimension) -> Result<Option<Ceiling>, Ending> {
    let found =
        ask::ceiling(world, dimension).map_err(|error| Ending::failed(error.retryable(), error))?;

    if let Some(y) = found.assumed_y {
        Log::new(LogFormat::Text).warning(&format!(
            "the dimension type of {} is unknown, but bedrock at y {y} closes it, so the answers \
             are below this ceiling: --top gives the highest blocks of all",
            dimension.id
        ));
    }

    Ok(found.ceiling)
}

fn missing_reason(missing: &MissingColumn) -> String {
    match missing {
        MissingColumn::NoChunk => "no chunk".to_owned(),
        MissingColumn::Unfinished => "unfinished".to_owned(),
        MissingColumn::Damaged(reason) => format!("damaged: {reason}"),
    }
}

fn answer_json(x: i32, z: i32, answer: &Answer) -> String {
    // This cannot fail, because JSON can hold all of these values.
    let line = match answer {
        Answer::Missing(missing) => json!({ "x": x, "z": z, "missing": missing_reason(missing) }),
        Answer::Found(HighestBlock {
            block,
            biome,
            data_version,
        }) => json!({
            "x": x,
            "z": z,
            "y": block.as_ref().map(|(y, _)| y),
            "block": block.as_ref().map(|(_, name)| name),
            "biome": biome,
            "data_version": data_version,
        }),
    };

    json::text(&line).unwrap_or_default()
}

fn answer_text(x: i32, z: i32, answer: &Answer) -> String {
    match answer {
        Answer::Missing(missing) => format!("{x}\t{z}\t{}", missing_reason(missing)),
        Answer::Found(HighestBlock {
            block,
            biome,
            data_version,
        }) => {
            let (y, block) = match block {
                Some((y, name)) => (y.to_string(), summary::escape_name(name)),
                None => ("-".to_owned(), "-".to_owned()),
            };

            let biome = biome
                .as_deref()
                .map_or_else(|| "-".to_owned(), summary::escape_name);
            let version =
                data_version.map_or_else(|| "-".to_owned(), |version| version.to_string());
            format!("{x}\t{z}\t{y}\t{block}\t{biome}\t{version}")
        }
    }
}
