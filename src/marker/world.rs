//! Markers that no chunk tells: where players start, structures of old worlds, players, the world border.

use super::names::title;
use super::structures::marker_of;
use super::{Kind, Marker, Properties, Wanted, text};
use crate::coord::{ChunkPos, ColumnPos};
use crate::world::{self, Dimension, Player, World};

/// Returns the markers of a dimension that its chunks do not tell. They are to be shown only where the map shows
/// something.
pub fn of_world(world: &World, dimension: &Dimension, players: &[Player], wanted: &Wanted) -> Vec<Marker> {
    let mut found = Vec::new();
    if let Some((id, [x, y, z])) = &world.level.spawn
        && *id == dimension.id
    {
        let properties = Properties { name: "Spawn", id: Some("spawn"), y: Some(*y), ..Properties::default() };
        found.push(Marker::new(Kind::World, ColumnPos { x: *x, z: *z }, &properties));
    }
    if wanted.has(Kind::Structures) {
        for structure in world.old_structures(dimension) {
            let (x, z) = structure.chunk;
            found.extend(marker_of(&structure.id, structure.piece.as_deref(), None, ChunkPos { x, z }));
        }
    }
    for player in players {
        found.extend(of_player(player, &dimension.id));
    }
    found
}

/// The markers of a player in a dimension: where the player was last, and the bed.
fn of_player(player: &Player, dimension: &str) -> impl Iterator<Item = Marker> {
    let name = player.name.as_deref().map_or_else(|| "Player".to_owned(), text::plain);
    let (uuid, seen) = (player.uuid.as_deref(), player.seen.and_then(time_of));
    let marker = |(of, [x, y, z]): &(String, [i32; 3]), name: &str, id: &str, seen: Option<&str>| {
        let properties = Properties { name, id: Some(id), y: Some(*y), uuid, seen, ..Properties::default() };
        (of == dimension).then(|| Marker::new(Kind::Players, ColumnPos { x: *x, z: *z }, &properties))
    };
    let there = marker(&player.at, &name, "player", seen.as_deref());
    let bed = player.bed.as_ref().and_then(|bed| marker(bed, &format!("{name}: {}", title("bed")), "bed", None));
    there.into_iter().chain(bed)
}

/// A time in milliseconds since 1970 as `2026-11-22T10:00:00Z`.
fn time_of(milliseconds: i64) -> Option<String> {
    const DAY: i64 = 86_400;
    let seconds = milliseconds.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    if !(0..3_000_000).contains(&days) {
        return None;
    }
    // Counted from the first of March, so that the leap day is the last of its year: 400 years have 146,097 days.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// Returns the world border of a dimension as a feature; `None`: it is the game's widest, and says nothing.
pub fn border(world: &World, dimension: &Dimension) -> Option<String> {
    let world::Border { x, z, side } = world.border(dimension)?;
    let half = side / 2.0;
    let (west, east, north, south) = (x - half, x + half, z - half, z + half);
    let ring = format!("[{west},{north}],[{east},{north}],[{east},{south}],[{west},{south}],[{west},{north}]");
    Some(format!(
        r#"{{"type":"Feature","geometry":{{"type":"Polygon","coordinates":[[{ring}]]}},"properties":{{"name":"World border","type":"border"}}}}"#
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_dates() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_999, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_795_341_600_000, "2026-11-22T10:00:00Z"),
            (4_102_444_800_000, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(time_of(milliseconds).as_deref(), Some(text));
        }
        assert_eq!((time_of(-1), time_of(i64::MAX)), (None, None));
    }
}
