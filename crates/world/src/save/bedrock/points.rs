//! Reads the villages and the nether portals of a Bedrock Edition world.

use serde::Deserialize;

use crate::bedrock::Database;
use crate::save::bedrock::values::visit_values;
use crate::save::dat::Dat;
use crate::save::left_out::LeftOut;

/// The most villages, and the most portals, that are read per dimension.
const MAX_POINTS: usize = 100_000;

/// Reads the chunks in the middles of a dimension's villages. Damaged values are left out. Warns of
/// villages beyond the bound.
pub(crate) fn villages(
    database: &Database,
    dimension: i32,
    warnings: &mut Vec<String>,
) -> Vec<(i32, i32)> {
    let mut villages = Vec::new();
    visit_values(database, b"VILLAGE_", "village", warnings, |key, value| {
        let is_own = str::from_utf8(key).is_ok_and(|key| village_dimension(key) == Some(dimension));
        villages.extend(is_own.then(|| village_chunk(value)).flatten());
    });
    cut_points(&mut villages, "village", database, warnings);
    villages.sort_unstable();
    villages
}

/// Drops the points beyond the bound, and warns of them.
fn cut_points<T>(points: &mut Vec<T>, what: &str, database: &Database, warnings: &mut Vec<String>) {
    let mut left_out = LeftOut::default();
    left_out.add(points.len().saturating_sub(MAX_POINTS), || {
        database.opened().folder().display().to_string()
    });
    left_out.warn(
        what,
        &format!("a dimension shows at most {MAX_POINTS}"),
        warnings,
    );
    points.truncate(MAX_POINTS);
}

/// Returns the chunk in the middle of a village, from a value that stores the village's bounds in
/// blocks.
fn village_chunk(value: &[u8]) -> Option<(i32, i32)> {
    let dat = Dat::from_little_endian(value.to_vec()).ok()?;
    Some((
        middle_chunk(&dat, "X0", "X1")?,
        middle_chunk(&dat, "Z0", "Z1")?,
    ))
}

/// Returns the chunk coordinate halfway between two stored bounds in blocks.
fn middle_chunk(dat: &Dat, from: &str, to: &str) -> Option<i32> {
    Some(dat.get::<i32>(from)?.midpoint(dat.get(to)?) >> 4)
}

/// Returns the dimension of the village whose bounds are stored under this key, such as
/// `VILLAGE_Overworld_<uuid>_INFO`. Until 1.20 keys had no dimension; such villages are in the
/// overworld. `None`: the key stores something other than bounds.
fn village_dimension(key: &str) -> Option<i32> {
    let village = key.strip_prefix("VILLAGE_")?.strip_suffix("_INFO")?;
    match village.rsplit_once('_') {
        None | Some(("Overworld", _)) => Some(0),
        Some(("Nether", _)) => Some(1),
        Some(("TheEnd", _)) => Some(2),
        Some(_) => None,
    }
}

/// A nether portal, in the stored form.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StoredPortal {
    dim_id: i32,
    tp_x: i32,
    tp_y: i32,
    tp_z: i32,
}

/// Reads the lowest blocks, `[x, y, z]`, of a dimension's portals. The game stores only portals
/// that someone has come through. Warns of portals beyond the bound.
pub(crate) fn portals(
    database: &Database,
    dimension: i32,
    warnings: &mut Vec<String>,
) -> Vec<[i32; 3]> {
    let stored = database
        .opened()
        .value(b"portals")
        .ok()
        .flatten()
        .and_then(|value| Dat::from_little_endian(value).ok());
    let portals: Vec<StoredPortal> = stored
        .and_then(|dat| dat.get("data/PortalRecords"))
        .unwrap_or_default();

    let own = portals
        .into_iter()
        .filter(|portal| portal.dim_id == dimension);
    let mut portals: Vec<[i32; 3]> = own
        .map(|portal| [portal.tp_x, portal.tp_y, portal.tp_z])
        .collect();
    cut_points(&mut portals, "portal", database, warnings);
    portals.sort_unstable();

    portals
}
