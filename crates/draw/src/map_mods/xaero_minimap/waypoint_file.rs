//! Finds the file of a dimension in a player's folder.

use std::io::{self, Read as _};

use pixelmap_base::own_folder::Place;

/// The map of a server that does not send the number of its world.
const DEFAULT_MAP: &str = "mw$default";
/// The file with the waypoints of all maps of a dimension.
const WHOLE: &str = "waypoints";
/// The start of the names of copies that the mod makes before it changes something.
const BACKUP: &str = "backup";
/// The most bytes of a file that are merged.
const MAX_BYTES: u64 = 64 << 20;

/// Returns the place of the file in which the mod keeps the waypoints of a dimension. Without the
/// number of the world this is the only map that the player has, or the one of a usual server.
pub(super) fn find(folder: &Place, world_number: Option<i32>) -> io::Result<Place> {
    let stems = stems(folder)?;
    let map = match world_number {
        Some(number) => format!("mw${number}"),
        None => only_map(&stems).unwrap_or(DEFAULT_MAP).to_owned(),
    };

    // The mod lets players give a map another name than 1.
    let existing = stems.iter().find(|stem| map_of(stem) == map);
    let stem = existing.cloned().unwrap_or_else(|| format!("{map}_1"));
    Ok(folder.inside(&format!("{stem}.txt")))
}

/// Reads a file; an absent one is empty.
pub(super) fn read(place: &Place) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if place.is_file()? {
        place.open()?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    }

    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        let message =
            format!("it has more than {most} MiB, so it is not a waypoint file: move it away");
        return Err(io::Error::other(message));
    }
    Ok(bytes)
}

/// Returns the names of the waypoint files in a folder without their ending, sorted.
fn stems(folder: &Place) -> io::Result<Vec<String>> {
    let mut stems = Vec::new();
    if folder.facts()?.is_none() {
        return Ok(stems);
    }

    for name in folder.names()? {
        if let Some(stem) = name.strip_suffix(".txt")
            && !stem.starts_with(BACKUP)
        {
            stems.push(stem.to_owned());
        }
    }
    stems.sort();
    Ok(stems)
}

/// Returns the map of a file: the start of its name.
fn map_of(stem: &str) -> &str {
    stem.split_once('_').map_or(stem, |(map, _)| map)
}

/// Returns the map of all files, unless there are several.
fn only_map(stems: &[String]) -> Option<&str> {
    let mut maps = stems.iter().map(|stem| map_of(stem));
    let is_map = |map: &&str| map.starts_with("mw") || map.starts_with("cm$");
    let first = maps.clone().find(is_map);
    match first {
        Some(first) if maps.all(|map| map == first || map == WHOLE) => Some(first),
        Some(_) => None,
        None => stems.iter().any(|stem| stem == WHOLE).then_some(WHOLE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_map_of_a_player_is_used() {
        let only = |stems: &[&str]| {
            let stems: Vec<String> = stems.iter().map(|&stem| stem.to_owned()).collect();
            only_map(&stems).map(str::to_owned)
        };
        assert_eq!(only(&[]), None);
        assert_eq!(only(&["waypoints"]).as_deref(), Some("waypoints"));
        assert_eq!(only(&["mw$7_1", "waypoints"]).as_deref(), Some("mw$7"));
        assert_eq!(only(&["mw$7_1", "mw$8_2"]), None);
    }
}
