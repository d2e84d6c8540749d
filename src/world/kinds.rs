//! What kind of dimension a dimension is: whether a ceiling closes it, and at what height.
//!
//! The game's own kinds are known. Those of data packs and mods are in `data/*/dimension_type/`, and which dimension is
//! of which kind in `data/*/dimension/` and in level.dat. What is damaged there costs itself alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::layout::Inner;
use super::level::Level;
use super::{WorldError, canonical_id, layout};
use crate::pack::{Pack, PackError, Resource};

/// The most packs of a world that are looked into.
const MAX_PACKS: usize = 256;
/// The most kinds, and the most dimensions, that are told apart.
const MAX_KINDS: usize = 10_000;
/// The largest file about a dimension that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// The heights that the game can store.
const HEIGHTS: std::ops::RangeInclusive<i32> = -2032..=2032;

/// A kind of dimension. The game's own words for it are its dimension types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Kind {
    /// The lowest height of a block.
    pub min_y: i32,
    /// How many blocks are above each other.
    pub height: i32,
    /// How many of these players can get to; none: all.
    pub logical_height: Option<i32>,
    /// Whether it is closed at the top.
    pub has_ceiling: bool,
}

impl Default for Kind {
    /// What holds where nothing is said: the heights before 1.17.
    fn default() -> Self {
        Self { min_y: 0, height: 256, logical_height: None, has_ceiling: false }
    }
}

impl Kind {
    /// The height of the ceiling, if there is one.
    pub fn ceiling_y(self) -> Option<i32> {
        let height = self.logical_height.unwrap_or(self.height).min(self.height);
        self.has_ceiling.then(|| self.min_y.saturating_add(height) - 1)
    }

    /// Heights that the game refuses are none to rely on.
    fn is_sound(self) -> bool {
        let top = self.min_y.saturating_add(self.height);
        self.height > 0 && HEIGHTS.contains(&self.min_y) && HEIGHTS.contains(&top) && self.logical_height != Some(0)
    }
}

/// A kind by its name, or in full.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum KindOf {
    /// The name of a kind.
    Named(String),
    /// The kind itself.
    Here(Kind),
}

/// A file of `data/*/dimension/`.
#[derive(Deserialize)]
struct DimensionFile {
    #[serde(rename = "type")]
    kind: KindOf,
}

/// The kinds of a world's dimensions.
#[derive(Debug, Clone)]
pub struct Kinds {
    kinds: BTreeMap<String, Kind>,
    /// By dimension.
    of: BTreeMap<String, KindOf>,
}

impl Default for Kinds {
    /// The game's own dimensions.
    fn default() -> Self {
        let kind = |name: &str, min_y, height, logical_height, has_ceiling| {
            (format!("minecraft:{name}"), Kind { min_y, height, logical_height: Some(logical_height), has_ceiling })
        };
        let kinds = [
            kind("overworld", -64, 384, 384, false),
            kind("overworld_caves", -64, 384, 384, true),
            kind("the_nether", 0, 256, 128, true),
            kind("the_end", 0, 256, 256, false),
        ];
        let own = ["overworld", "the_nether", "the_end"];
        let of = own.map(|name| (name.to_owned(), KindOf::Named(format!("minecraft:{name}"))));
        Self { kinds: BTreeMap::from(kinds), of: BTreeMap::from(of) }
    }
}

impl Kinds {
    /// The kinds that level.dat speaks of.
    pub fn of_level(level: &Level) -> Self {
        let mut kinds = Self::default();
        kinds.of.extend(level.kinds.iter().map(|(id, kind)| (canonical_id(id), kind.clone())));
        kinds
    }

    /// Adds what a pack says, over what is there. Notes what is damaged.
    ///
    /// # Errors
    /// Those that pass by.
    pub fn add(&mut self, pack: &Pack, notes: &mut Vec<String>) -> Result<(), PackError> {
        for (name, kind) in each::<Kind>(pack, "dimension_type", notes)? {
            if !kind.is_sound() {
                notes.push(format!(
                    "{}: the dimension type {name} has heights that the game does not have; it is left out",
                    pack.path().display()
                ));
            } else if self.kinds.len() < MAX_KINDS {
                self.kinds.insert(name, kind);
            }
        }
        for (id, file) in each::<DimensionFile>(pack, "dimension", notes)? {
            if self.of.len() < MAX_KINDS {
                self.of.insert(canonical_id(&id), file.kind);
            }
        }
        Ok(())
    }

    /// The kind of a dimension, where anything says it.
    pub fn of(&self, id: &str) -> Option<Kind> {
        match self.of.get(id)? {
            KindOf::Here(kind) => Some(*kind).filter(|kind| kind.is_sound()),
            KindOf::Named(name) if name.contains(':') => self.kinds.get(name).copied(),
            KindOf::Named(name) => self.kinds.get(&format!("minecraft:{name}")).copied(),
        }
    }
}

/// What the files of a pack about one thing say, by name.
fn each<T: DeserializeOwned>(pack: &Pack, what: &str, notes: &mut Vec<String>) -> Result<Vec<(String, T)>, PackError> {
    let listed = match pack.list("data", what, ".json") {
        Err(error) if error.retryable => return Err(error),
        Err(error) => {
            notes.push(format!("{error}; it is left out"));
            Vec::new()
        }
        Ok(listed) => listed,
    };
    let mut found = Vec::new();
    for Resource { name, file } in listed {
        let read = match pack.read(&file, MAX_FILE) {
            Err(error) if error.retryable => return Err(error),
            Err(error) => Err(error.to_string()),
            Ok(bytes) => serde_json::from_slice(&bytes.unwrap_or_default())
                .map_err(|error| format!("{}, {file}: {error}", pack.path().display())),
        };
        match read {
            Ok(read) => found.push((name, read)),
            Err(error) => notes.push(format!("{error}; it is left out")),
        }
    }
    Ok(found)
}

/// The packs in a world's `datapacks`, in the order in which the game lays them over each other: those that level.dat
/// lists, then those that came since, by name. Those that were switched off are left out.
///
/// # Errors
/// Those that pass by.
pub(super) fn packs(world: &Path, level: &Level, notes: &mut Vec<String>) -> Result<Vec<PathBuf>, WorldError> {
    let folder = world.join("datapacks");
    let is_zip = |path: &Path| path.extension().is_some_and(|ending| ending == "zip" || ending == "jar");
    // What a link that leads nowhere would lead to is not known by its name.
    let is_one = |inner: &Inner| inner.is_folder || is_zip(&inner.path) || (inner.is_link && !inner.path.exists());
    let listed = layout::entries(&folder, is_one);
    if let (Err(error), true) = (&listed, folder.symlink_metadata().is_ok()) {
        notes.push(format!("the data packs in {} cannot be listed and are left out: {error}", folder.display()));
    }
    let listed = WorldError::passing(&folder, listed)?.unwrap_or_default();
    let mut names: Vec<String> = listed.into_iter().map(|inner| inner.name).collect();
    names.sort();
    let [used, unused] = &level.data_packs;
    let listed = |list: &[String], name: &str| list.iter().position(|other| other.strip_prefix("file/") == Some(name));
    names.retain(|name| listed(unused, name).is_none());
    names.sort_by_key(|name| listed(used, name).unwrap_or(usize::MAX));
    if names.len() > MAX_PACKS {
        notes.push(format!("{}: of {} packs the first {MAX_PACKS} are read", folder.display(), names.len()));
        names.truncate(MAX_PACKS);
    }
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;
    use crate::pack::Budget;

    fn pack(files: &[(&str, &str)]) -> (tempfile::TempDir, Pack) {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = place.path().join("data").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
        }
        let pack = Pack::open(place.path(), &Budget::default()).unwrap();
        (place, pack)
    }

    #[test]
    fn the_games_own_dimensions_are_of_known_kinds() {
        let kinds = Kinds::default();
        let ceiling = |id: &str| kinds.of(id).unwrap().ceiling_y();
        assert_eq!([ceiling("overworld"), ceiling("the_nether"), ceiling("the_end")], [None, Some(127), None]);
        assert_eq!(kinds.of("mod:deep"), None);
    }

    #[test]
    fn packs_and_level_dat_say_which_dimension_has_a_ceiling_and_where() {
        let (_low, low) = pack(&[
            (
                "mod/dimension_type/deep.json",
                r#"{"has_ceiling": true, "min_y": -64, "height": 128, "logical_height": 96}"#,
            ),
            ("mod/dimension/deep.json", r#"{"type": "mod:deep", "generator": {"type": "minecraft:noise"}}"#),
            ("mod/dimension/hell.json", r#"{"type": "minecraft:the_nether"}"#),
            ("mod/dimension/here.json", r#"{"type": {"has_ceiling": true, "min_y": 0, "height": 64}}"#),
            (
                "minecraft/dimension_type/the_nether.json",
                r#"{"has_ceiling": true, "height": 256, "logical_height": 256}"#,
            ),
        ]);
        let (_high, high) = pack(&[("mod/dimension_type/deep.json", r#"{"has_ceiling": false}"#)]);
        let mut level = Level::default();
        level.kinds.insert("mod:old".to_owned(), KindOf::Named("overworld_caves".to_owned()));
        level.kinds.insert("mod:here".to_owned(), KindOf::Named("minecraft:overworld".to_owned()));
        let mut notes = Vec::new();
        let ceiling = |kinds: &Kinds, id: &str| kinds.of(id).and_then(Kind::ceiling_y);
        let mut kinds = Kinds::of_level(&level);
        kinds.add(&low, &mut notes).unwrap();
        assert_eq!(ceiling(&kinds, "mod:deep"), Some(31));
        assert_eq!([ceiling(&kinds, "mod:hell"), ceiling(&kinds, "the_nether")], [Some(255); 2]);
        assert_eq!([ceiling(&kinds, "mod:here"), ceiling(&kinds, "mod:old")], [Some(63), Some(319)]);
        kinds.add(&high, &mut notes).unwrap();
        assert_eq!(ceiling(&kinds, "mod:deep"), None);
        assert_eq!(notes, Vec::<String>::new());
    }

    #[test]
    fn what_is_damaged_costs_itself_alone_and_is_noted() {
        let nested = "[".repeat(100_000);
        let (_place, pack) = pack(&[
            ("mod/dimension_type/torn.json", r#"{"has_ceiling": tr"#),
            ("mod/dimension_type/deep.json", &nested),
            ("mod/dimension_type/tall.json", r#"{"has_ceiling": true, "min_y": 2000000000, "height": 2000000000}"#),
            ("mod/dimension_type/good.json", r#"{"has_ceiling": true}"#),
            ("mod/dimension/good.json", r#"{"type": "mod:good"}"#),
            ("mod/dimension/torn.json", r#"{"type": "mod:torn"}"#),
            (
                "mod/dimension/huge.json",
                r#"{"type": {"has_ceiling": true, "min_y": 2147483647, "height": 2147483647}}"#,
            ),
            ("mod/dimension/typeless.json", "{}"),
        ]);
        let mut notes = Vec::new();
        let mut kinds = Kinds::default();
        kinds.add(&pack, &mut notes).unwrap();
        assert_eq!(kinds.of("mod:good").unwrap().ceiling_y(), Some(255));
        assert_eq!([kinds.of("mod:torn"), kinds.of("mod:huge"), kinds.of("mod:typeless")], [None; 3]);
        for (note, part) in notes.iter().zip(["deep.json", "torn.json", "mod:tall", "typeless.json"]) {
            assert!(note.contains(part), "{note}");
        }
        assert_eq!(notes.len(), 4);
    }

    #[test]
    fn packs_lie_as_level_dat_says() {
        let world = tempfile::tempdir().unwrap();
        let folder = world.path().join("datapacks");
        for name in ["b", "a", "off", "new"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        for name in ["z.zip", "notes.txt"] {
            File::create(folder.join(name)).unwrap();
        }
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let data_packs = [names(&["vanilla", "file/z.zip", "file/b", "file/a", "file/gone"]), names(&["file/off"])];
        let level = Level { data_packs, ..Level::default() };
        let found = packs(world.path(), &level, &mut Vec::new()).unwrap();
        let found: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(found, ["z.zip", "b", "a", "new"]);
    }
}
