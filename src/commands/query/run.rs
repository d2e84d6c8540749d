//! Runs `pixelmap query`: opens the world, and finds the requested columns and the part of them that
//! is searched.

use std::io;

use pixelmap_base::coord::{Area, Ceiling, ColumnPos};
use pixelmap_draw::ask::{self, ColumnPart};
use pixelmap_world::internal::{Dimension, World, WorldScope};

use super::area::print_area;
use super::positions::print_positions;
use crate::cli::{LogFormat, QueryArgs, parse};
use crate::commands::worlds;
use crate::log::Log;
use crate::outcome::{Ending, FAILED, USAGE};

/// The requested columns.
enum Wanted {
    Area(Area),
    Positions(Vec<ColumnPos>),
}

impl Wanted {
    /// Returns the rectangle around the columns, or `None` without columns.
    fn area(&self) -> Option<Area> {
        match self {
            Self::Area(area) => Some(*area),
            Self::Positions(columns) => columns
                .iter()
                .map(|column| column.chunk().area())
                .reduce(Area::union),
        }
    }
}

/// Prints the highest blocks of columns.
pub(crate) fn run(args: &QueryArgs) -> Result<u8, Ending> {
    let range = args
        .heights
        .range()
        .map_err(|why| Ending::new(USAGE, why))?;

    let wanted = wanted(args)?;
    let scope = WorldScope {
        area: wanted.area(),
        at: args.at,
    };
    let world = worlds::open(&args.world, scope)?;
    let dimension = worlds::dimension(&world, args.dimension.as_deref())?;
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

    match wanted {
        Wanted::Area(area) => print_area(&world, dimension, area, part, args.json),
        Wanted::Positions(columns) => print_positions(&world, dimension, &columns, part, args.json),
    }
}

/// Returns the columns of the arguments. Without any, reads all of standard input.
fn wanted(args: &QueryArgs) -> Result<Wanted, Ending> {
    if let Some(area) = args.area {
        return Ok(Wanted::Area(area));
    }

    let columns = if args.positions.is_empty() {
        parse::parse_lines(io::stdin().lock()).map_err(|error| Ending::new(FAILED, error))?
    } else {
        parse::parse_positions(args.positions.iter().map(String::as_str))
    };

    columns
        .map(Wanted::Positions)
        .map_err(|error| Ending::new(USAGE, error))
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
