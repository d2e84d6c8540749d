//! Opens packs together with the jars inside them. Mods contain the mods that they need as jars:
//! mods for Forge in `META-INF/jarjar`, mods for Fabric and Quilt in `META-INF/jars`.
//!
//! A jar in a zip is read into memory, and jars may contain jars. So their number, their depth and
//! their bytes are limited, and only jars with files that we use are kept.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::pack::budget::Budget;
use crate::pack::error::PackError;
use crate::pack::jars::MAX_JARS;
use crate::pack::reader::Pack;
use pixelmap_base::files::PathFacts;

const FOLDERS: [&str; 2] = ["META-INF/jarjar", "META-INF/jars"];
/// The deepest nesting of jars.
const MAX_DEPTH: usize = 16;
/// The most bytes of inner jars that are kept in memory.
const MAX_KEPT: u64 = 256 << 20;
/// Folders of a namespace with files that we use.
const USED: [(&str, &[&str]); 2] = [
    ("assets", &["blockstates", "models", "textures"]),
    ("data", &["dimension", "dimension_type", "worldgen"]),
];

/// Opens packs. The limits of inner jars count for all packs that one opener opens.
#[derive(Debug, Default)]
pub struct PackOpener {
    /// The names, lengths and checksums of the inner jars that were opened. Many mods contain the
    /// same ones.
    opened: HashSet<(String, u64, u32)>,
    jars: usize,
    kept: u64,
    problems: Vec<PackError>,
}

/// A jar inside a pack.
#[derive(Debug)]
struct InnerJar {
    name: String,
    path: PathBuf,
    len: u64,
    crc: u32,
}

impl PackOpener {
    /// Opens a pack on the disk, and the jars inside it. The pack is the first one; inner jars
    /// without files that we use are left out.
    ///
    /// # Errors
    /// Fails if the pack cannot be opened, or an inner jar cannot be read now, but perhaps later.
    pub fn open(&mut self, path: &Path) -> Result<Vec<Pack>, PackError> {
        let outer = Pack::open(path, &Budget::default())?;
        let mut packs = Vec::new();
        self.open_inner(&outer, 1, &mut packs)?;
        packs.insert(0, outer);
        Ok(packs)
    }

    /// Removes and returns the reasons why inner jars are left out.
    pub fn drain_problems(&mut self) -> impl Iterator<Item = PackError> {
        std::mem::take(&mut self.problems).into_iter()
    }

    /// Adds the jars inside a pack, each followed by the jars inside it.
    fn open_inner(
        &mut self,
        outer: &Pack,
        depth: usize,
        packs: &mut Vec<Pack>,
    ) -> Result<(), PackError> {
        for jar in inner_jars(outer)? {
            if !self.opened.insert((jar.name, jar.len, jar.crc)) {
                continue;
            }

            let limit = self.limit(&jar.path, jar.len, depth);
            match limit.and_then(|()| Pack::open_in(&outer.files, &jar.path, &outer.budget)) {
                Ok(inner) => {
                    let index = packs.len();
                    self.open_inner(&inner, depth + 1, packs)?;
                    if is_used(&inner) {
                        self.kept += jar.len;
                        packs.insert(index, inner);
                    }
                }
                Err(error) if error.retryable => return Err(error),
                Err(error) => self.problems.push(error),
            }
        }

        Ok(())
    }

    /// Counts a jar.
    ///
    /// # Errors
    /// Fails if a limit is exceeded.
    fn limit(&mut self, path: &Path, len: u64, depth: usize) -> Result<(), PackError> {
        self.jars += 1;
        let reason = if self.jars > MAX_JARS {
            format!("more than {MAX_JARS} jars inside jars")
        } else if depth > MAX_DEPTH {
            format!("jars inside jars to a depth of more than {MAX_DEPTH}")
        } else if self.kept + len > MAX_KEPT {
            format!("the jars inside jars have more than {} MiB", MAX_KEPT >> 20)
        } else {
            return Ok(());
        };
        Err(PackError::new(path.display(), reason))
    }
}

/// Lists the jars inside a pack, sorted by folder and name.
fn inner_jars(pack: &Pack) -> Result<Vec<InnerJar>, PackError> {
    let mut jars = Vec::new();
    for folder in FOLDERS {
        for entry in pack.entries("", folder, &mut 0)? {
            let is_jar = Path::new(&entry.name)
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("jar"));
            if !is_jar || entry.is_folder || entry.is_link {
                continue;
            }

            let facts = pack
                .files
                .facts(&entry.path)
                .map_err(|error| PackError::io(entry.path.display(), &error))?;

            let crc = if let PathFacts::Packed { crc, .. } = facts {
                crc
            } else {
                0
            };

            jars.push(InnerJar {
                name: entry.name,
                path: entry.path,
                len: facts.bytes(),
                crc,
            });
        }
    }

    jars.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(jars)
}

/// Returns whether a pack has files from which colours, textures, biomes or dimensions come.
fn is_used(pack: &Pack) -> bool {
    USED.iter().any(|(top, kinds)| {
        // The namespaces of a pack that cannot be listed are reported when the pack is used.
        let Ok(spaces) = pack.entries("", top, &mut 0) else {
            return true;
        };
        spaces.iter().any(|space| {
            kinds
                .iter()
                .any(|kind| pack.has(&format!("{top}/{}/{kind}", space.name)))
        })
    })
}
