//! Reads the parts of a Bedrock Edition world other than its chunks: where its database is, its
//! dimensions, players, villages and nether portals. The database itself is read by
//! `world::bedrock`.
//!
//! Sources: the pages on the Bedrock Edition level format of the Minecraft Wiki.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::world::bedrock::{
    Database, DimensionChunks, FOLDER, FoundValues, MAX_VALUES, OpenError, is_database,
};
use crate::world::files::{Files, PathFacts};
use crate::world::region::{RegionEntry, RegionStore};
use crate::world::save::bedrock_tables::{DimensionNames, WorldTables};
use crate::world::save::dat::Dat;
use crate::world::save::dimension::Dimension;
use crate::world::save::error::WorldError;
use crate::world::save::left_out::LeftOut;
use crate::world::save::level::{FILES, unformatted};
use crate::world::save::player::{MAX_PLAYERS, Player, is_uuid};

/// The most villages, and the most portals, that are read per dimension.
const MAX_PLACES: usize = 100_000;
/// The key of the player of a single-player world.
const LOCAL_PLAYER: &[u8] = b"~local_player";
/// The prefix of the keys of all other players. The player's unique id follows, in newer versions
/// after the word `server_`. Some values under these keys have no position, because they only refer
/// to such a `server_` key.
const PLAYER: &[u8] = b"player_";
const SERVER: &str = "server_";
/// The coordinate that the game stores for a player without a bed.
const NO_BED: i32 = i32::MIN;

/// Returns the world's folder if `folder` is a Bedrock world or the database folder inside one.
/// `None`: there is no database, not even a damaged one.
///
/// # Errors
/// Fails if the folder of a database cannot be listed.
pub(crate) fn world_folder(files: &Files, folder: &Path) -> Result<Option<PathBuf>, WorldError> {
    if is_listed_database(files, &folder.join(FOLDER))? {
        return Ok(Some(folder.to_owned()));
    }

    if folder.ends_with(FOLDER) && is_listed_database(files, folder)? {
        return Ok(folder.parent().map(Path::to_owned));
    }

    Ok(None)
}

/// Returns whether a folder is a database, even a damaged one.
///
/// # Errors
/// Fails if the folder cannot be listed.
fn is_listed_database(files: &Files, folder: &Path) -> Result<bool, WorldError> {
    is_database(files, folder).map_err(|error| WorldError::Unreadable(folder.to_owned(), error))
}

/// Returns whether a folder contains a database, even a damaged one. A folder that cannot be listed
/// counts as a folder without a database.
///
/// # Errors
/// Fails if the folder cannot be listed now, but may be later.
pub(crate) fn has_database(files: &Files, folder: &Path) -> Result<bool, WorldError> {
    let own = folder.join(FOLDER);
    let is_one = WorldError::ok_unless_retryable(&own, is_database(files, &own))?;
    Ok(is_one.unwrap_or_default())
}

/// Checks that a folder is not a Bedrock world whose database has lost all its files.
///
/// # Errors
/// Fails if it is such a world, or if the type of a file in it cannot be determined now, but may be
/// later.
pub(crate) fn check_database(files: &Files, folder: &Path) -> Result<(), WorldError> {
    if !lasting_facts(files, &folder.join(FOLDER))?.is_some_and(|facts| facts.is_folder()) {
        return Ok(());
    }

    for name in FILES {
        if lasting_facts(files, &folder.join(name))?.is_some_and(|facts| facts.is_file()) {
            return Err(no_table(folder));
        }
    }

    Ok(())
}

/// Returns the facts about a path; `None`: they cannot be read, and a later run cannot read them
/// either.
fn lasting_facts(files: &Files, path: &Path) -> Result<Option<PathFacts>, WorldError> {
    WorldError::ok_unless_retryable(path, files.facts(path))
}

/// Returns an error if the database was written by another program: it is undamaged, but contains
/// neither chunks nor a level.dat next to it. `None`: the database belongs to a world.
pub(crate) fn no_world(files: &Files, folder: &Path, database: &Database) -> Option<WorldError> {
    let is_world = FILES.iter().any(|name| files.is_file(&folder.join(name)));
    let is_other = !is_world && database.dimensions().is_empty() && database.damage().is_empty();
    is_other.then(|| {
        WorldError::Foreign(
            folder.join(FOLDER),
            "is a LevelDB without any chunk of Minecraft, and there is no level.dat",
            "give the folder of a Bedrock world".into(),
        )
    })
}

fn no_table(folder: &Path) -> WorldError {
    WorldError::Foreign(
        folder.join(FOLDER),
        "has no table (.ldb) of the database of a Bedrock world",
        "copy the whole folder of the world".into(),
    )
}

/// Returns the name in `levelname.txt`, which is next to level.dat; `None`: it cannot be read.
pub(crate) fn stored_name(files: &Files, folder: &Path) -> Option<String> {
    const MAX_BYTES: u64 = 256;
    let path = folder.join("levelname.txt");
    let name = files
        .is_file(&path)
        .then(|| files.read(&path, MAX_BYTES).ok())??;
    Some(unformatted(String::from_utf8(name).ok()?.trim()))
}

/// Opens the database of a world. `cache` holds the facts about its files that an earlier run
/// returned from `World::cache`.
pub(crate) fn open(
    files: &Files,
    folder: &Path,
    cache: &[u8],
    threads: usize,
) -> Result<Arc<Database>, WorldError> {
    Database::open(files, folder, cache, threads).map_err(|error| match error {
        OpenError::Missing => no_table(folder),
        OpenError::Encrypted => WorldError::Foreign(
            folder.to_owned(),
            "is an encrypted world (Marketplace or NetEase)",
            "it cannot be read".into(),
        ),
        OpenError::Pointer(path) => WorldError::pointer(
            path,
            "is a pointer of Git LFS in the place of a file of the database",
        ),
        OpenError::Unreadable(error) => WorldError::Unreadable(folder.join(FOLDER), error),
    })
}

/// Returns the dimensions that have chunks in the database, or an empty overworld if it has none of
/// any dimension.
pub(crate) fn dimensions(database: &Arc<Database>, tables: &WorldTables) -> Vec<Dimension> {
    match database.dimensions() {
        [] => vec![stored_dimension(
            database,
            tables,
            0,
            &DimensionChunks::default(),
        )],
        dimensions => dimensions
            .iter()
            .map(|(number, chunks)| stored_dimension(database, tables, *number, chunks))
            .collect(),
    }
}

/// Makes the dimension with this number from its chunks in the database.
fn stored_dimension(
    database: &Arc<Database>,
    tables: &WorldTables,
    number: i32,
    chunks: &DimensionChunks,
) -> Dimension {
    let store = RegionStore::Database {
        database: database.clone(),
        dimension: number,
        lowest_sections: tables.lowest_sections.clone(),
    };
    let regions = chunks
        .regions()
        .map(|region| RegionEntry::in_database(region.region, region.bytes))
        .collect();

    Dimension {
        id: tables.dimensions.id(number),
        store,
        regions,
        unreadable: None,
    }
}

/// Calls `visit` with all values whose keys begin with `prefix`. Warns of values that a bound
/// leaves out; `what` names one of them. Damaged tables cost the values stored in them, and are
/// reported with the chunks.
pub(crate) fn visit_values(
    database: &Database,
    prefix: &[u8],
    what: &str,
    warnings: &mut Vec<String>,
    visit: impl FnMut(&[u8], &[u8]),
) {
    warn_beyond(database, &database.values(prefix, visit), what, warnings);
}

/// Calls `visit` with all keys that begin with `prefix` and have a value, like [`visit_values`].
pub(crate) fn visit_keys(
    database: &Database,
    prefix: &[u8],
    what: &str,
    warnings: &mut Vec<String>,
    visit: impl FnMut(&[u8]),
) {
    warn_beyond(database, &database.keys(prefix, visit), what, warnings);
}

/// Warns of the values that a lookup left out.
fn warn_beyond(database: &Database, found: &FoundValues, what: &str, warnings: &mut Vec<String>) {
    let FoundValues { beyond, .. } = *found;
    let mut left_out = LeftOut::default();
    left_out.add(beyond, || database.folder().display().to_string());

    left_out.warn(
        what,
        &format!("only {} MiB of them are read", MAX_VALUES >> 20),
        warnings,
    );
}

/// Reads the players. Damaged values are left out. Warns of players beyond the bound.
pub(crate) fn players(
    database: &Database,
    names: &DimensionNames,
    warnings: &mut Vec<String>,
) -> Vec<Player> {
    let local = database.value(LOCAL_PLAYER).ok().flatten();
    let mut players: Vec<Player> = local
        .and_then(|value| player(&value, None, names))
        .into_iter()
        .collect();

    let mut left_out = LeftOut::default();
    visit_values(database, PLAYER, "player", warnings, |key, value| {
        let name = key
            .strip_prefix(PLAYER)
            .and_then(|name| str::from_utf8(name).ok())
            .unwrap_or_default();

        let uuid = Some(name.trim_start_matches(SERVER))
            .filter(|name| is_uuid(name))
            .map(str::to_owned);
        match player(value, uuid, names) {
            Some(player) if players.len() < MAX_PLAYERS => players.push(player),
            Some(_) => left_out.add(1, || name.to_owned()),
            None => {}
        }
    });

    left_out.warn("player", &format!("only {MAX_PLAYERS} are read"), warnings);
    players
}

fn player(value: &[u8], uuid: Option<String>, names: &DimensionNames) -> Option<Player> {
    let dat = Dat::from_little_endian(value.to_vec()).ok()?;
    let place: Vec<f32> = dat.get("Pos")?;
    let at = <[f32; 3]>::try_from(place)
        .ok()?
        .map(|along| along.floor() as i32);

    // Until 1.16 the game stored the block under the bed as `Spawn`.
    let bed = ["SpawnBlockPosition", "Spawn"]
        .iter()
        .find_map(|field| bed_block(&dat, field));

    Some(Player {
        name: None,
        uuid,
        at: (dimension_in(&dat, "DimensionId", names), at),
        bed: bed.map(|bed| (dimension_in(&dat, "SpawnDimension", names), bed)),
        seen: None,
    })
}

/// Returns the block `[x, y, z]` whose coordinates are in three fields that begin with `field`.
fn bed_block(dat: &Dat, field: &str) -> Option<[i32; 3]> {
    let [x, y, z] = ["X", "Y", "Z"].map(|along| {
        dat.get::<i32>(&format!("{field}{along}"))
            .filter(|&at| at != NO_BED)
    });
    Some([x?, y?, z?])
}

/// Returns the id of the dimension whose number is in a field; the overworld if it is missing.
fn dimension_in(dat: &Dat, field: &str, names: &DimensionNames) -> String {
    names.id(dat.get(field).unwrap_or(0))
}

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
    cut_places(&mut villages, "village", database, warnings);
    villages.sort_unstable();
    villages
}

/// Drops the places beyond the bound, and warns of them.
fn cut_places<T>(places: &mut Vec<T>, what: &str, database: &Database, warnings: &mut Vec<String>) {
    let mut left_out = LeftOut::default();
    left_out.add(places.len().saturating_sub(MAX_PLACES), || {
        database.folder().display().to_string()
    });
    left_out.warn(
        what,
        &format!("a dimension shows at most {MAX_PLACES}"),
        warnings,
    );
    places.truncate(MAX_PLACES);
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
    cut_places(&mut portals, "portal", database, warnings);
    portals.sort_unstable();

    portals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_names_have_no_style_marks() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(stored_name(&Files::Disk, folder.path()), None);
        std::fs::write(folder.path().join("levelname.txt"), "§lSky§r Land\n").unwrap();
        assert_eq!(
            stored_name(&Files::Disk, folder.path()).as_deref(),
            Some("Sky Land")
        );
    }
}
