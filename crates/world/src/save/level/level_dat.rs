//! Reads level.dat: the world's name, version, spawn, seed and data packs, and the numeric ids that
//! were assigned to mods. A render can do without all of these, so values that are missing or
//! damaged are left out.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use fastnbt::IntArray;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::save::dat::Dat;
use crate::save::dimensions::dimension::{Dimension, canonical_id};
use crate::save::dimensions::dimension_type::MAX_NAME_BYTES;
use crate::save::dimensions::world_gen::{DescribedDimensions, MAX_DIMENSIONS, within_bounds};
use crate::save::error::WorldError;
use crate::save::formatting_codes::unformatted;
use crate::save::left_out::LeftOut;
use crate::save::level::border::WorldBorder;
use crate::save::level::seed::Seed;
use crate::save::level_files::LEVEL_FILES;
use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;

/// The most entries of a mod loader's table that are read. A chunk can store 65,536 different ids.
pub const MAX_MOD_IDS: usize = 70_000;

/// The most data packs, and the most mods, that are read.
const MAX_LIST: usize = 1000;

/// The first `DataVersion` in which blocks have names instead of numbers.
const FIRST_NAMES: i32 = 1451;

/// Values of `LastPlayed` that are in seconds: from 2001 on. As milliseconds they would be times
/// before 1974, when the game did not exist.
const SECONDS: RangeInclusive<i64> = 1_000_000_000..=99_999_999_999;

#[derive(Debug, Default)]
pub struct Level {
    /// The folder whose level.dat was read; absent: none could be read.
    pub folder: Option<PathBuf>,
    pub name: Option<String>,
    /// The version of the game that last saved level.dat; chunks may have other versions.
    pub data_version: Option<i32>,
    /// The name of that version, such as `1.17.1`; absent before 15w32a. Bedrock Edition has no
    /// `DataVersion`; there it is the version that last opened the world.
    pub version_name: Option<String>,
    /// When the world was last saved, in milliseconds since 1970.
    pub last_played: Option<i64>,
    /// The dimension and the block where new players start.
    pub spawn: Option<(String, [i32; 3])>,
    /// The dimension where new players start, if Paper names it apart from the block.
    pub(crate) spawn_dimension: Option<String>,
    /// Names of the blocks of mods, by numeric id.
    pub block_ids: BTreeMap<u32, String>,
    /// Names of the biomes of mods, by numeric id.
    pub biome_ids: BTreeMap<u32, String>,
    /// The data packs in use, in the order in which the game applies them, and the unused ones:
    /// names such as `file/pack.zip`.
    pub data_packs: [Vec<String>; 2],
    /// The ids of the mods with which the world was last saved, if Forge or `NeoForge` listed them.
    pub(crate) mods: Vec<String>,
    /// The dimensions that it lists (1.16 to 1.21).
    pub(crate) dimensions: DescribedDimensions,
    /// The world border of the overworld, if it is in level.dat.
    pub(crate) border: Option<WorldBorder>,
    /// level.dat contains the seed until 1.21.
    pub(crate) seed: Option<Seed>,
}

impl Level {
    /// Reads the world's level.dat, or the backup next to it. For a dimension or region folder,
    /// searches the folders around it.
    ///
    /// # Errors
    /// Fails if a file cannot be read now, but perhaps later.
    pub(crate) fn find(
        files: &Files,
        folder: &Path,
        dimensions: &[Dimension],
        warnings: &mut Vec<String>,
    ) -> Result<Self, WorldError> {
        let full = files
            .full_path(folder)
            .unwrap_or_else(|_| folder.to_owned());
        let around = full.ancestors().take(6).map(Path::to_owned);

        // If the given folder is a server's, the world is inside it. In the layout of 26.1 a
        // world's folder is four levels above its region files.
        let regions = dimensions
            .iter()
            .filter_map(|dimension| files.full_path(dimension.folder()).ok());

        let above_regions = regions.flat_map(|full| {
            full.ancestors()
                .skip(1)
                .take(4)
                .map(Path::to_owned)
                .collect::<Vec<_>>()
        });

        let mut seen = HashSet::new();
        let folders = around
            .chain(above_regions)
            .filter(|folder| seen.insert(folder.clone()));

        Self::find_in(files, folders, |_| true, warnings)
    }

    /// Reads level.dat of Bedrock Edition, or the backup next to it, from the world's folder only.
    ///
    /// # Errors
    /// Fails if a file cannot be read now, but perhaps later.
    pub(crate) fn find_bedrock(
        files: &Files,
        folder: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Self, WorldError> {
        let full = files
            .full_path(folder)
            .unwrap_or_else(|_| folder.to_owned());
        Self::find_in(files, [full], |dat| dat.is_bedrock, warnings)
    }

    /// Reads the first file in the folders that can be read and belongs to the wanted edition.
    fn find_in(
        files: &Files,
        folders: impl IntoIterator<Item = PathBuf>,
        is_own: impl Fn(&Dat) -> bool,
        warnings: &mut Vec<String>,
    ) -> Result<Self, WorldError> {
        for candidate in folders {
            for name in LEVEL_FILES {
                let path = candidate.join(name);
                match files.is_taken(&path) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(error) => return Err(WorldError::Unreadable(path, error)),
                }

                match Dat::open(files, &path) {
                    Ok(dat) if is_own(&dat) => {
                        let mut left_out = LeftOut::default();
                        let level = Self::new(&dat, &mut left_out);
                        let bounds = format!(
                            "{name} may have {MAX_LIST} data packs and mods, {MAX_DIMENSIONS} \
                             dimensions and {MAX_MOD_IDS} ids of a kind, with names of at most \
                             {MAX_NAME_BYTES} bytes"
                        );
                        left_out.warn("list item", &bounds, warnings);
                        warnings.extend(bedrock_server_warning(&dat, name));

                        return Ok(Self {
                            folder: Some(candidate),
                            ..level
                        });
                    }
                    Ok(_) => warnings.push(format!(
                        "{name} belongs to the other edition and is left out"
                    )),
                    Err(error) if retryable(&error) => {
                        return Err(WorldError::Unreadable(path, error));
                    }
                    Err(error) => {
                        warnings.push(format!("{name} cannot be read and is left out: {error}"));
                    }
                }
            }
        }

        Ok(Self::default())
    }

    /// Reads the fields, and counts entries of its lists and tables that are left out.
    pub(crate) fn new(dat: &Dat, left_out: &mut LeftOut) -> Self {
        let list = "WorldGenSettings/dimensions";
        let dimensions = field(dat, list).unwrap_or_default();
        let seed: Option<i64> =
            field(dat, "WorldGenSettings/seed").or_else(|| field(dat, "RandomSeed"));
        Self {
            folder: None,
            name: name(dat, "LevelName").map(|name| unformatted(&name)),
            data_version: field(dat, "DataVersion"),
            version_name: name(dat, "Version/Name").or_else(|| bedrock_version(dat)),
            last_played: field(dat, "LastPlayed").map(|time: i64| {
                if dat.is_bedrock || SECONDS.contains(&time) {
                    time.saturating_mul(1000)
                } else {
                    time
                }
            }),
            spawn: spawn(dat).or_else(|| old_spawn(dat)),
            spawn_dimension: name(dat, "paperSpawnDimension").map(|id| canonical_id(&id)),
            // Forge wrote one of the three tables, depending on its version.
            block_ids: mod_ids(dat, "Registries/minecraft:blocks/ids", left_out)
                .chain(old_mod_ids(dat, left_out))
                .chain(oldest_mod_ids(dat, left_out))
                .collect(),
            biome_ids: mod_biome_ids(dat, left_out),
            data_packs: ["DataPacks/Enabled", "DataPacks/Disabled"]
                .map(|list| names(dat, list, left_out)),
            mods: mods(dat, left_out),
            dimensions: within_bounds(dimensions, list, left_out),
            border: WorldBorder::of_level(dat),
            seed: seed.map(Seed::new),
        }
    }
}

/// Reads a field of `Data`. Some tools put these fields into the root.
fn field<T: DeserializeOwned>(dat: &Dat, path: &str) -> Option<T> {
    dat.get(&format!("Data/{path}")).or_else(|| dat.get(path))
}

/// Returns the warning about a level.dat of a server for Bedrock Edition, such as Nukkit or
/// PocketMine-MP, which keeps its worlds in region files.
fn bedrock_server_warning(dat: &Dat, file: &str) -> Option<String> {
    let version: Option<i32> = field(dat, "DataVersion");
    if dat.is_bedrock || version.is_some_and(|version| version >= FIRST_NAMES) {
        return None;
    }

    // The game counts milliseconds, and has always written `MapFeatures` next to the generator.
    let has_seconds = field(dat, "LastPlayed").is_some_and(|time: i64| SECONDS.contains(&time));
    let lacks_features = version.is_none()
        && name(dat, "generatorName").is_some()
        && field::<i64>(dat, "MapFeatures").is_none();

    (has_seconds || lacks_features).then(|| {
        format!(
            "{file} seems to be from a server for Bedrock Edition, such as Nukkit or \
             PocketMine-MP: some blocks may have the ids of Bedrock Edition and be drawn as other \
             blocks; if so, convert the world to LevelDB, with convert-world.php of PocketMine-MP"
        )
    })
}

fn is_short(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
}

/// Reads the spawn in the form stored since 1.21.9.
fn spawn(dat: &Dat) -> Option<(String, [i32; 3])> {
    let block = field::<IntArray>(dat, "spawn/pos")?
        .as_ref()
        .try_into()
        .ok()?;
    let dimension = name(dat, "spawn/dimension");
    Some((
        dimension
            .as_deref()
            .map_or_else(|| "overworld".to_owned(), canonical_id),
        block,
    ))
}

/// Returns the version of Bedrock Edition that last opened the world, such as `1.26.12`. Only three
/// numbers are used, as in the game.
fn bedrock_version(dat: &Dat) -> Option<String> {
    let numbers: Vec<i32> = dat.get("lastOpenedWithVersion")?;
    let [major, minor, patch, ..] = *numbers else {
        return None;
    };
    Some(format!("{major}.{minor}.{patch}"))
}

/// The height that Bedrock Edition stores while the height of the spawn is unknown.
const NO_SPAWN_Y: i32 = i16::MAX as i32;

/// Reads the spawn in the form stored until 1.21.8 and in Bedrock Edition.
fn old_spawn(dat: &Dat) -> Option<(String, [i32; 3])> {
    let y = field(dat, "SpawnY")
        .filter(|&y| y != NO_SPAWN_Y)
        .unwrap_or(64);
    let block = [field(dat, "SpawnX")?, y, field(dat, "SpawnZ")?];
    Some(("overworld".to_owned(), block))
}

fn name(dat: &Dat, path: &str) -> Option<String> {
    field(dat, path).filter(|name: &String| is_short(name))
}

fn names(dat: &Dat, list: &str, left_out: &mut LeftOut) -> Vec<String> {
    // The list may consist of millions of empty names, and a box needs less memory than a string.
    let names: Vec<Box<str>> = field(dat, list).unwrap_or_default();
    first(names, MAX_LIST, list, left_out, |name| is_short(name))
        .into_iter()
        .map(String::from)
        .collect()
}

/// Returns the first `most` possible entries of a list, and counts the others as left out.
fn first<T>(
    entries: impl IntoIterator<Item = T>,
    most: usize,
    list: &str,
    left_out: &mut LeftOut,
    is_possible: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut kept = Vec::new();
    for entry in entries {
        if kept.len() < most && is_possible(&entry) {
            kept.push(entry);
        } else {
            left_out.add(1, || list.to_owned());
        }
    }

    kept
}

/// An entry of a mod loader's list of mods.
#[derive(Deserialize)]
struct ListedMod {
    #[serde(rename = "ModId")]
    id: Box<str>,
}

/// Reads the mods that Forge and `NeoForge` list.
fn mods(dat: &Dat, left_out: &mut LeftOut) -> Vec<String> {
    let mut mods = Vec::new();
    for list in ["FML/ModList", "fml/LoadingModList"] {
        let listed: Vec<ListedMod> = dat.get(list).unwrap_or_default();
        let read = first(listed, MAX_LIST, list, left_out, |listed| {
            is_short(&listed.id)
        });
        mods.extend(read.into_iter().map(|listed| String::from(listed.id)));
    }

    mods
}

/// An entry of a mod loader's table.
#[derive(Deserialize)]
struct ModId {
    #[serde(rename = "K")]
    name: String,
    #[serde(rename = "V")]
    id: i64,
}

/// Reads one of Forge's tables, which map ids to names since 1.8.
fn mod_ids(
    dat: &Dat,
    table: &str,
    left_out: &mut LeftOut,
) -> impl Iterator<Item = (u32, String)> + use<> {
    table_entries(dat, &format!("FML/{table}"), left_out)
}

/// Reads the biome table of Forge 1.8 to 1.17, which has had three names. The newest table takes
/// precedence.
fn mod_biome_ids(dat: &Dat, left_out: &mut LeftOut) -> BTreeMap<u32, String> {
    const TABLES: [&str; 3] = [
        "FML/Registries/minecraft:biomes",
        "fml/Registries/minecraft:biome",
        "fml/Registries/minecraft:worldgen/biome",
    ];
    TABLES
        .into_iter()
        .flat_map(|table| table_entries(dat, &format!("{table}/ids"), left_out))
        .collect()
}

fn table_entries(
    dat: &Dat,
    path: &str,
    left_out: &mut LeftOut,
) -> impl Iterator<Item = (u32, String)> + use<> {
    let entries: Vec<ModId> = dat.get(path).unwrap_or_default();
    let short = first(entries, MAX_MOD_IDS, path, left_out, |entry| {
        is_short(&entry.name)
    })
    .into_iter();
    short.filter_map(|ModId { name, id }| Some((u32::try_from(id).ok()?, name)))
}

/// Reads Forge's table of 1.7, which lists blocks and items together. Names of blocks begin with a
/// byte of 1, and an item may have the same number as a block.
fn old_mod_ids(dat: &Dat, left_out: &mut LeftOut) -> impl Iterator<Item = (u32, String)> + use<> {
    mod_ids(dat, "ItemData", left_out)
        .filter_map(|(id, name)| Some((id, name.strip_prefix('\u{1}')?.to_owned())))
}

/// Before 1.7 the numbers of blocks are below this limit. Items use the same range: an item with
/// such a number represents a block.
const OLD_BLOCKS: i64 = 4096;

/// An entry of Forge's table of 1.3 to 1.6: an item, or the item that represents a block and has
/// its number.
#[derive(Deserialize)]
struct OldModId {
    #[serde(rename = "ItemId")]
    id: i64,
    #[serde(rename = "ModId")]
    mod_id: String,
    /// The Java class of the item in the mod.
    #[serde(rename = "ItemType")]
    class: String,
    /// Distinguishes the items of a mod that have the same class.
    #[serde(default)]
    ordinal: i64,
    /// The mod that named the item, if it is another one.
    #[serde(rename = "ForcedModId", default)]
    named_by: String,
    /// The item's name; empty for most mods.
    #[serde(rename = "ForcedName", default)]
    name: String,
}

impl OldModId {
    /// Returns the block's number and its name: the name that the mod gave, or else its class,
    /// which often describes it.
    fn block_name(self) -> Option<(u32, String)> {
        let Self {
            id,
            mod_id,
            class,
            ordinal,
            named_by,
            name,
        } = self;

        // The game's own entries are left out, because its numbers are known and the names of its
        // classes mean nothing.
        let is_mods = mod_id != "Minecraft" && (0..OLD_BLOCKS).contains(&id);

        let mod_id = if named_by.is_empty() {
            mod_id
        } else {
            named_by
        };

        let class = class.rsplit('.').next().unwrap_or_default();
        let name = if name.is_empty() {
            format!("{mod_id}:{class}_{ordinal}")
        } else {
            format!("{mod_id}:{name}")
        };

        (is_mods && is_short(&name)).then_some((id as u32, name))
    }
}

/// Reads Forge's table of 1.3 to 1.6.
fn oldest_mod_ids(
    dat: &Dat,
    left_out: &mut LeftOut,
) -> impl Iterator<Item = (u32, String)> + use<> {
    let table = "FML/ModItemData";
    let entries: Vec<OldModId> = dat.get(table).unwrap_or_default();
    let kept = first(entries, MAX_MOD_IDS, table, left_out, |_| true).into_iter();
    kept.filter_map(OldModId::block_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_base::faults::{FailingOperations, run_with_failures};

    #[test]
    fn entries_beyond_the_bounds_are_counted() {
        let nbt = fastnbt::nbt!({ "Data": { "DataPacks": {
            "Enabled": vec!["file/a"; MAX_LIST + 3],
            "Disabled": vec!["n".repeat(MAX_NAME_BYTES + 1)],
        } } });
        let folder = tempfile::tempdir().unwrap();
        let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut file, &fastnbt::to_bytes(&nbt).unwrap()).unwrap();
        std::fs::write(folder.path().join("level.dat"), file.finish().unwrap()).unwrap();

        let mut warnings = Vec::new();
        let level = Level::find(&Files::Disk, folder.path(), &[], &mut warnings).unwrap();
        assert_eq!(level.data_packs.map(|list| list.len()), [MAX_LIST, 0]);
        assert!(
            warnings.len() == 1 && warnings[0].starts_with("4 list items are left out"),
            "{warnings:?}"
        );
    }

    #[test]
    fn one_unanswered_query_loses_no_name() {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/aligned-2586");
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(fixture.join("level.dat"), folder.path().join("level.dat")).unwrap();

        let find = || {
            let level = Level::find(&Files::Disk, folder.path(), &[], &mut Vec::new()).unwrap();
            (level.name, level.spawn)
        };
        let wanted = find();
        assert!(wanted.0.is_some() && wanted.1.is_some(), "{wanted:?}");

        for at in 0.. {
            let (found, count) =
                run_with_failures(folder.path(), FailingOperations::OneQuery(at), find);
            assert_eq!(found, wanted, "query {at}");
            if at == count {
                assert!(at > 2, "no query failed");
                break;
            }
        }
    }

    #[test]
    fn style_marks_are_removed_from_names() {
        for (name, text) in [
            ("§lSky§r §6Land", "Sky Land"),
            ("plain", "plain"),
            ("end§", "end"),
            ("§§a", "a"),
        ] {
            assert_eq!(unformatted(name), text);
        }
    }
}
