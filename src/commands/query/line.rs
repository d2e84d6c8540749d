//! Writes the lines of `query` into a buffer: one line per column, as JSON or as fields between tabs.
//! The JSON is defined in `docs/query.schema.json`.

use std::io::Write as _;
use std::sync::Arc;

use pixelmap_base::coord::ColumnPos;
use pixelmap_base::json;
use pixelmap_draw::ask::{Ground, HighestBlock, MissingColumn};
use serde::Serialize;

use crate::summary;

#[derive(Serialize)]
struct ColumnLine<'a> {
    x: i32,
    z: i32,
    y: Option<i32>,
    block: Option<&'a str>,
    biome: Option<&'a str>,
    data_version: Option<i32>,
    #[serde(flatten)]
    ground: Option<GroundFields<'a>>,
}

/// The fields that only columns of an area have.
#[derive(Serialize)]
struct GroundFields<'a> {
    ground_y: Option<i32>,
    ground: Option<&'a str>,
    water_depth: u8,
}

#[derive(Serialize)]
struct MissingLine<'a> {
    x: i32,
    z: i32,
    missing: &'a str,
}

/// Appends the line of a column that was found. Columns of an area have their ground as well.
pub(super) fn append_column(
    out: &mut Vec<u8>,
    column: ColumnPos,
    highest: &HighestBlock,
    ground: Option<&Ground>,
    is_json: bool,
) {
    if is_json {
        append_json(out, column, highest, ground);
    } else {
        append_fields(out, column, highest, ground);
    }

    out.push(b'\n');
}

/// Appends the line of a column that is left out, with the reason.
pub(super) fn append_missing(
    out: &mut Vec<u8>,
    ColumnPos { x, z }: ColumnPos,
    missing: &MissingColumn,
    is_json: bool,
) {
    let missing = &match missing {
        MissingColumn::NoChunk => "no chunk".to_owned(),
        MissingColumn::Unfinished => "unfinished".to_owned(),
        MissingColumn::Damaged(reason) => format!("damaged: {reason}"),
    };

    // Neither can fail: JSON can hold all of these values, and a buffer takes all bytes.
    if is_json {
        let _ = json::append(out, &MissingLine { x, z, missing });
    } else {
        let _ = write!(out, "{x}\t{z}\t{missing}");
    }

    out.push(b'\n');
}

fn append_json(
    out: &mut Vec<u8>,
    ColumnPos { x, z }: ColumnPos,
    highest: &HighestBlock,
    ground: Option<&Ground>,
) {
    let HighestBlock {
        block,
        biome,
        data_version,
    } = highest;
    let ground = ground.map(|Ground { block, water_depth }| GroundFields {
        ground_y: height(block.as_ref()),
        ground: name(block.as_ref()),
        water_depth: *water_depth,
    });

    let line = ColumnLine {
        x,
        z,
        y: height(block.as_ref()),
        block: name(block.as_ref()),
        biome: biome.as_deref(),
        data_version: *data_version,
        ground,
    };

    // This cannot fail, because JSON can hold all of these values.
    let _ = json::append(out, &line);
}

fn append_fields(
    out: &mut Vec<u8>,
    ColumnPos { x, z }: ColumnPos,
    highest: &HighestBlock,
    ground: Option<&Ground>,
) {
    // Writing to a buffer never fails.
    let _ = write!(out, "{x}\t{z}");
    let block = highest.block.as_ref();
    append_number(out, height(block));
    append_name(out, name(block));
    append_name(out, highest.biome.as_deref());
    append_number(out, highest.data_version);

    if let Some(Ground { block, water_depth }) = ground {
        append_number(out, height(block.as_ref()));
        append_name(out, name(block.as_ref()));
        append_number(out, Some(i32::from(*water_depth)));
    }
}

fn append_number(out: &mut Vec<u8>, number: Option<i32>) {
    // Writing to a buffer never fails.
    let _ = match number {
        Some(number) => write!(out, "\t{number}"),
        None => write!(out, "\t-"),
    };
}

fn append_name(out: &mut Vec<u8>, name: Option<&str>) {
    out.push(b'\t');
    match name {
        Some(name) => out.extend_from_slice(summary::escape_name(name).as_bytes()),
        None => out.push(b'-'),
    }
}

fn height(block: Option<&(i32, Arc<str>)>) -> Option<i32> {
    block.map(|(y, _)| *y)
}

fn name(block: Option<&(i32, Arc<str>)>) -> Option<&str> {
    block.map(|(_, name)| &**name)
}
