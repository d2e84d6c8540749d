//! The row of Xaero's World Map in the table of map mods, and how one file is opened.

use std::io::{self, Read as _};
use std::path::Path;

use crate::explored::columns::RegionColumns;
use crate::explored::map_mod::MapModInfo;
use crate::explored::xaero::folders;
use crate::explored::xaero::stream;
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::files::Files;

/// The only entry of a region's zip.
const ENTRY: &str = "region.xaero";

pub(in crate::explored) const INFO: MapModInfo = MapModInfo {
    name: "Xaero's World Map",
    example: "null/mw$default",
    find: folders::find,
    read,
    file_name: |RegionPos { x, z }| format!("{x}_{z}.zip"),
};

/// Reads a region file: a zip, or its stream alone, as old versions wrote it.
fn read(files: &Files, path: &Path, limit: u64) -> io::Result<(RegionColumns, u64)> {
    let is_stream = path.extension().is_some_and(|ending| ending == "xaero");
    let bytes = if is_stream {
        bounded(files, path, limit)?
    } else {
        bounded(&files.inner(path, limit)?, &path.join(ENTRY), limit)?
    };

    Ok((stream::read(&bytes)?, bytes.len() as u64))
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

/// Reads an inflated region file, for tests of any bytes. Returns for each chunk whether it can be
/// read.
///
/// # Errors
/// Fails if the version of the file is not known.
pub fn read_stream(bytes: &[u8]) -> io::Result<Vec<(Slot, bool)>> {
    let columns = stream::read(bytes)?;
    let slots = Slot::all().filter_map(|slot| Some((slot, columns.tile(slot)?.is_ok())));
    Ok(slots.collect())
}
