//! Reads the structures of worlds before 1.13, which the game stores outside the chunks, in one
//! file per kind.

use std::path::PathBuf;

use serde::Deserialize;

use crate::region::RegionStore;
use crate::save::bedrock::points;
use crate::save::dat::Dat;
use crate::save::dimensions::dimension::{Dimension, is_numbered};
use crate::save::entries;
use crate::save::left_out::LeftOut;
use crate::save::stored_values::{FirstFields, FirstOf};
use crate::save::world::World;
use pixelmap_base::disk::is_absent;
use pixelmap_base::files::FolderEntry;

/// The structures that the game builds in only one of its dimensions. All other files in a folder
/// `data` belong to the dimension whose folder contains it.
const HOMES: [(&str, &str); 2] = [("Fortress.dat", "the_nether"), ("EndCity.dat", "the_end")];
/// The game's own dimensions. Vanilla keeps the structures of all three in the same folder `data`.
const GAMES: [&str; 3] = ["overworld", "the_nether", "the_end"];
/// The game's own kinds, which are also the names of their files.
const KINDS: [&str; 8] = [
    "EndCity",
    "Fortress",
    "Mansion",
    "Mineshaft",
    "Monument",
    "Stronghold",
    "Temple",
    "Village",
];

/// The most files of a dimension that are read.
const MAX_FILES: usize = 1000;

/// The most structures of a dimension that are read. A world of 40,000 regions has as many.
const MAX_STRUCTURES: usize = 1 << 18;
/// The longest id of a structure or a piece in bytes.
const MAX_ID: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OldStructure {
    /// Its kind in the stored form.
    pub id: String,
    pub chunk: (i32, i32),
    /// The id of its first piece.
    pub piece: Option<String>,
}

#[derive(Deserialize)]
struct StoredStructure {
    #[serde(default)]
    id: String,
    #[serde(rename = "ChunkX")]
    x: i32,
    #[serde(rename = "ChunkZ")]
    z: i32,
    #[serde(rename = "Children", default)]
    pieces: FirstOf<StructurePiece, 1>,
}

#[derive(Deserialize)]
struct StructurePiece {
    #[serde(default)]
    id: Option<String>,
}

impl World {
    /// Reads the structures of a dimension that are stored outside its chunks. Warns of structures
    /// and damaged files that are left out.
    pub fn old_structures(
        &self,
        dimension: &Dimension,
        warnings: &mut Vec<String>,
    ) -> Vec<OldStructure> {
        if let RegionStore::Database {
            database,
            dimension,
            ..
        } = &dimension.store
        {
            // Their first pieces are unknown.
            return points::villages(database, *dimension, warnings)
                .into_iter()
                .map(|chunk| OldStructure {
                    id: "Village".to_owned(),
                    chunk,
                    piece: None,
                })
                .collect();
        }

        let mut structures = Vec::new();
        let (mut left_out, mut unread) = (LeftOut::default(), LeftOut::default());
        for path in self.structure_files(dimension, warnings) {
            let Some(kind) = path.file_stem().and_then(|kind| kind.to_str()) else {
                continue;
            };

            match Dat::open(&self.files, &path) {
                Ok(dat) => {
                    let beyond = add_structures(&dat, kind, MAX_STRUCTURES, &mut structures);
                    left_out.add(beyond, || path.display().to_string());
                }
                Err(error) if is_absent(&error) => {}
                // A file of a mod may have any form, because most of them hold something other than
                // structures.
                Err(_) if !KINDS.contains(&kind) => {}
                Err(error) => unread.add(1, || format!("{}: {error}", path.display())),
            }
        }

        let bounds = format!(
            "a dimension shows at most {MAX_STRUCTURES}, with names of at most {MAX_ID} bytes"
        );
        left_out.warn("structure", &bounds, warnings);
        unread.warn("file of structures", "it cannot be read", warnings);
        structures.sort_unstable();

        // Forge copies the structures of the nether into its folder and keeps the old file, so
        // structures can occur twice.
        structures.dedup();

        structures
    }

    /// Returns the files that may contain structures of a dimension. Three layouts are in use:
    /// Forge has a folder `data` for each dimension, vanilla has one for all dimensions, and Bukkit
    /// servers have one for each world folder, next to `DIM-1`.
    fn structure_files(&self, dimension: &Dimension, warnings: &mut Vec<String>) -> Vec<PathBuf> {
        let id = &*dimension.id;

        let folder = self.around_regions(dimension).join("data");
        let own = entries::list_or_warn(&self.files, &folder, may_hold_structures, warnings);
        let mut files: Vec<PathBuf> = own.into_iter().map(|entry| entry.path).collect();
        if GAMES.contains(&id) {
            files.retain(|file| {
                HOMES
                    .iter()
                    .all(|&(name, home)| home == id || !file.ends_with(name))
            });

            let names = HOMES.iter().filter(|(_, home)| *home == id);
            files.extend(names.flat_map(|(name, _)| {
                self.game_data()
                    .into_iter()
                    .map(move |data| data.join(name))
            }));
            files.sort();
            files.dedup();
        }

        let mut left_out = LeftOut::default();
        left_out.add(files.len().saturating_sub(MAX_FILES), || {
            files[MAX_FILES].display().to_string()
        });

        left_out.warn(
            "data file",
            &format!("only {MAX_FILES} of a dimension are searched for structures"),
            warnings,
        );
        files.truncate(MAX_FILES);

        files
    }

    /// Returns the folders `data` in which structures of the game's own dimensions may be.
    fn game_data(&self) -> Vec<PathBuf> {
        let games = self
            .dimensions
            .iter()
            .filter(|dimension| GAMES.contains(&&*dimension.id));

        let mut folders = Vec::new();
        for dimension in games {
            let own = self.around_regions(dimension);
            folders.push(own.join("data"));

            let is_inside = own
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(is_numbered);
            if is_inside && let Some(world) = own.parent() {
                folders.push(world.join("data"));
            }
        }

        folders
    }

    /// Returns the folder that contains a dimension's region folder, whichever of the two the user
    /// gave.
    fn around_regions(&self, dimension: &Dimension) -> PathBuf {
        let folder = dimension.folder();
        let full = self
            .files
            .full_path(folder)
            .unwrap_or_else(|_| folder.to_owned());
        match full.parent() {
            Some(around) if full.ends_with("region") => around.to_owned(),
            _ => full,
        }
    }
}

/// Returns whether an entry may contain structures. Map items are skipped, because a server may
/// have thousands of them.
fn may_hold_structures(entry: &FolderEntry) -> bool {
    !entry.is_folder
        && entry.path.extension().is_some_and(|ending| ending == "dat")
        && !entry.name.starts_with("map_")
}

/// Adds the structures in the file of a kind until there are `most`. Returns the number of
/// structures that are left out, because there are more or their ids are impossible.
fn add_structures(dat: &Dat, kind: &str, most: usize, structures: &mut Vec<OldStructure>) -> usize {
    let stored: Option<FirstFields<StoredStructure, MAX_STRUCTURES>> = dat.get("data/Features");
    let Some(FirstFields {
        first,
        mut left_out,
    }) = stored
    else {
        return 0;
    };

    for StoredStructure { id, x, z, pieces } in first {
        // Mods give their structures short codes such as `TFLT`, and give the names to the files.
        let id = if KINDS.contains(&kind) || id.contains(':') {
            id
        } else {
            kind.to_owned()
        };

        let piece = pieces.first.into_iter().next().and_then(|piece| piece.id);
        let is_possible =
            id.len() <= MAX_ID && piece.as_ref().is_none_or(|piece| piece.len() <= MAX_ID);

        if structures.len() < most && is_possible {
            structures.push(OldStructure {
                id,
                chunk: (x, z),
                piece,
            });
        } else {
            left_out += 1;
        }
    }

    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(tag: u8, name: &str, payload: &[u8]) -> Vec<u8> {
        [
            &[tag][..],
            &(name.len() as u16).to_le_bytes(),
            name.as_bytes(),
            payload,
        ]
        .concat()
    }

    /// A file with this number of structures, each with this id and these pieces without an id.
    fn file(count: i32, id: &str, pieces: i32) -> Dat {
        let mut features = Vec::new();
        for number in 0..count {
            let id = field(
                8,
                "id",
                &[&(id.len() as u16).to_le_bytes()[..], id.as_bytes()].concat(),
            );

            let place = [
                field(3, "ChunkX", &number.to_le_bytes()),
                field(3, "ChunkZ", &[0; 4]),
            ]
            .concat();
            let children = [&[10][..], &pieces.to_le_bytes(), &vec![0; pieces as usize]].concat();
            features.extend(field(
                10,
                &number.to_string(),
                &[id, place, field(9, "Children", &children), vec![0]].concat(),
            ));
        }

        let data = field(
            10,
            "data",
            &[
                field(10, "Features", &[features, vec![0]].concat()),
                vec![0],
            ]
            .concat(),
        );
        Dat::from_little_endian([vec![10, 0, 0], data, vec![0]].concat()).unwrap()
    }

    #[test]
    fn old_structures_beyond_the_bound_are_counted() {
        let read = |file: Dat, most| {
            let mut structures = Vec::new();
            let left_out =
                [(); 2].map(|()| add_structures(&file, "Village", most, &mut structures));
            (structures.len(), left_out)
        };
        assert_eq!(
            read(file(MAX_STRUCTURES as i32 + 9, "", 0), MAX_STRUCTURES),
            (MAX_STRUCTURES, [9, MAX_STRUCTURES + 9])
        );
        assert_eq!(read(file(3, "Village", 2), 5), (5, [0, 1]));
        assert_eq!(read(file(3, &"n".repeat(MAX_ID + 1), 0), 5), (0, [3, 3]));
    }

    #[test]
    fn only_the_first_piece_is_kept() {
        let many = "data/Features/0";
        let dat = file(1, "Village", 100_000);
        let StoredStructure { pieces, .. } = dat.get(many).unwrap();
        assert_eq!(pieces.first.len(), 1);
    }
}
