//! The row of Xaero's World Map in the table of map mods, and how one file is opened.

use std::io::{self, Read as _};
use std::path::Path;

use crate::bytes::StreamDamage;
use crate::explored::chunk::{Floors, write_chunk};
use crate::explored::columns::RegionColumns;
use crate::explored::map_mod::MapModInfo;
use crate::explored::xaero::folders;
use crate::explored::xaero::stored_tile::StoredTile;
use crate::explored::xaero::stream;
use crate::explored::xaero::waypoint_text;
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;

/// The only entry of a region's zip.
pub(super) const ENTRY: &str = "region.xaero";

pub(in crate::explored) const INFO: MapModInfo = MapModInfo {
    name: "Xaero's World Map",
    example: "null/mw$default",
    find: folders::find,
    read,
    file_name: |RegionPos { x, z }| format!("{x}_{z}.zip"),
    read_waypoints: Some(waypoint_text::read),
};

/// Reads the columns of a region file, and returns the length of its stream.
fn read(files: &Files, path: &Path, limit: u64) -> io::Result<(RegionColumns, u64)> {
    let bytes = read_file(files, path, limit)?;
    let (_, columns) = stream::read(&bytes)?;
    Ok((columns.with_tiles(StoredTile::columns), bytes.len() as u64))
}

/// Reads the stream of a region file: a zip, or the stream alone, as old versions wrote it.
pub(super) fn read_file(files: &Files, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let is_stream = path.extension().is_some_and(|ending| ending == "xaero");
    if is_stream {
        bounded(files, path, limit)
    } else {
        bounded(&files.inner(path, limit)?, &path.join(ENTRY), limit)
    }
}

fn bounded(files: &Files, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    files
        .reader(path)?
        .take(limit + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it inflates to more than {} MiB", limit >> 20),
        ));
    }

    Ok(bytes)
}

/// The plain bytes of a chunk, or the damage that has cost it.
pub type PlainTile = Result<Vec<u8>, StreamDamage>;

/// Reads an inflated region file, for tests of any bytes. Returns the plain bytes of each chunk.
///
/// # Errors
/// Fails if the version of the file is not known.
pub fn read_stream(bytes: &[u8]) -> io::Result<Vec<(Slot, PlainTile)>> {
    let (_, columns) = stream::read(bytes)?;
    let columns = columns.with_tiles(StoredTile::columns);
    let plain = |tile| {
        let floors = Floors {
            cave_layer: None,
            columns: &columns,
            tile,
        };
        write_chunk(&[floors], false)
    };

    let slots = Slot::all().filter_map(|slot| {
        let tile = columns.tile(slot)?;
        Some((slot, tile.map(plain).map_err(Clone::clone)))
    });
    Ok(slots.collect())
}
