//! The dimensions below a world's `dimensions` folder: which names count, and how the tree is walked.
//!
//! A world may come from anyone. Its folder names become paths of the map, so only names that the game itself allows
//! are taken, and links may make of the tree a circle, so no folder is gone through twice. Knows nothing of the layouts
//! that number their dimensions.

use std::collections::{HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::layout::Inner;
use super::{Dimension, WorldError, layout, listing};

/// How many folders a dimension's path may have below its namespace.
const MAX_DEPTH: usize = 7;
/// How many folders are gone through in search of dimensions, in all worlds of a call together.
pub(super) const MAX_FOLDERS: usize = 10_000;
/// How many dimensions that are left out are named; of the others the number is told.
const MAX_NAMED: usize = 20;

/// What a map has beside the folders of dimensions: their namespaces may not be called so.
const RESERVED: [&str; 16] = [
    "custom",
    "markers",
    "index.html",
    "map.json",
    "map.js",
    "regions.json",
    "pmtiles.js",
    "viewer.js",
    "viewer.css",
    "leaflet.js",
    "leaflet.css",
    "leaflet.license.txt",
    "tilejson.json",
    // Dimensions without a namespace.
    "overworld",
    "the_nether",
    "the_end",
];

/// The game's own dimensions, as it calls them in its own namespace.
const GAMES: [&str; 3] = ["overworld", "the_nether", "the_end"];

/// What lies in the folder of each layer beside its pictures.
const OF_LAYERS: [&str; 2] = ["tiles.tsv", "tilejson.json"];
/// How its pictures end, and what stands beside them.
const PICTURES: [&str; 3] = [".png", ".webp", ".pgw"];
/// So many names lead to the folder of a layer at least: a namespace, a dimension and the layer, whatever it is called.
const NAMES_OF_LAYER: usize = 3;

/// The id of the dimension with these names below `dimensions`: its namespace and the parts of its path.
///
/// # Errors
/// Why a map cannot show it under that name.
pub(super) fn id(names: &[String]) -> Result<String, &'static str> {
    let [namespace, path @ ..] = names else { return Err("it has no namespace") };
    if path.is_empty() {
        return Err("it has no namespace");
    }
    if !names.iter().all(|name| is_allowed(name)) {
        return Err("the game allows only letters, digits and _ - . in the names of dimensions");
    }
    if is_reserved(namespace) {
        return Err("a map has something else by the name of its namespace");
    }
    if names.iter().skip(NAMES_OF_LAYER).any(|name| is_of_layer(name)) {
        return Err("the layers of other dimensions have files by such a name");
    }
    Ok(super::canonical_id(&format!("{namespace}:{}", path.join("/"))))
}

/// The game's own rule (`[a-z0-9_.-]+` in a resource location), and capitals, which older mods have.
fn is_allowed(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    !name.is_empty() && name != "." && name != ".." && name.bytes().all(is_allowed)
}

/// Capitals make no difference: on some file systems they make none either.
fn is_reserved(namespace: &str) -> bool {
    let lower = namespace.to_ascii_lowercase();
    lower.starts_with('.') || RESERVED.contains(&&*lower) || layout::is_numbered(namespace)
}

/// Whether a layer may have a file of this name. That of a dimension in whose folder it lies need not be there: it may
/// have been yesterday, or be tomorrow.
fn is_of_layer(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    OF_LAYERS.contains(&&*lower) || PICTURES.iter().any(|ending| lower.ends_with(ending))
}

/// A search through the `dimensions` folders of one world or of several that belong together.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The folders that were gone through, with links followed.
    seen: HashSet<PathBuf>,
    is_full: bool,
    left_out: usize,
}

/// A folder to go through: where it is and its names below `dimensions`.
struct Step {
    path: PathBuf,
    names: Vec<String>,
}

impl Search {
    /// The dimensions below `world/dimensions`, and a note for each that is left out.
    pub(super) fn below(&mut self, world: &Path, notes: &mut Vec<String>) -> Result<Vec<Dimension>, WorldError> {
        let mut found = Vec::new();
        let full = world.canonicalize().unwrap_or_else(|_| world.to_owned());
        // Links wait until the folders themselves are through, so that a folder keeps its own name.
        let mut links = VecDeque::new();
        let mut steps = VecDeque::from([Step { path: world.join("dimensions"), names: Vec::new() }]);
        while let Some(step) = steps.pop_front().or_else(|| links.pop_front()) {
            let target = match step.path.canonicalize() {
                Ok(target) => target,
                // Any dimension may lie there.
                Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::InvalidFilename) => {
                    return Err(WorldError::Unreadable(step.path, error));
                }
                Err(_) => {
                    if step.path.is_symlink() {
                        self.leave_out(notes, || leads_nowhere(&step.path));
                    }
                    continue;
                }
            };
            // The world lies in it: a way back, whose folders are no dimensions of this world.
            if full.starts_with(&target) || self.seen.contains(&target) {
                continue;
            }
            if self.seen.len() == MAX_FOLDERS {
                self.stop(notes);
                break;
            }
            self.seen.insert(target);
            found.extend(self.dimension(&step, notes)?);
            if step.names.len() > MAX_DEPTH {
                continue;
            }
            for child in children(&step)? {
                let mut names = step.names.clone();
                names.push(child.name);
                let next = Step { path: child.path, names };
                if !child.is_folder {
                    found.extend(self.in_place_of(&next, child.is_link, notes)?);
                } else if is_worth_a_look(&next) {
                    if child.is_link { links.push_back(next) } else { steps.push_back(next) }
                }
            }
        }
        Ok(found)
    }

    /// What is no folder where one of the game's own dimensions is kept. Of a link where others are it is only said that it
    /// leads to no folder.
    fn in_place_of(
        &mut self,
        step: &Step,
        is_link: bool,
        notes: &mut Vec<String>,
    ) -> Result<Option<Dimension>, WorldError> {
        let is_own = matches!(&*step.names, [space, name] if space == "minecraft" && GAMES.contains(&&**name));
        if is_own {
            return self.dimension(step, notes);
        }
        if is_link && step.names.len() <= 2 && !step.path.exists() {
            self.leave_out(notes, || leads_nowhere(&step.path));
        }
        Ok(None)
    }

    fn stop(&mut self, notes: &mut Vec<String>) {
        if !self.is_full {
            notes
                .push(format!("more than {MAX_FOLDERS} folders below dimensions: what lies in the others is left out"));
        }
        self.is_full = true;
    }

    fn dimension(&mut self, step: &Step, notes: &mut Vec<String>) -> Result<Option<Dimension>, WorldError> {
        if step.names.len() < 2 {
            return Ok(None);
        }
        let region = step.path.join("region");
        let Some(dimension) = layout::dimension_at("", &region, notes)? else { return Ok(None) };
        match id(&step.names) {
            Ok(id) => return Ok(Some(Dimension { id, ..dimension })),
            Err(reason) => self.leave_out(notes, || {
                let path = step.path.display();
                format!("{path} is left out: {reason}; give this folder and an output of its own to draw it")
            }),
        }
        Ok(None)
    }

    /// Notes that a dimension is left out, or something in which there may be some.
    fn leave_out(&mut self, notes: &mut Vec<String>, says: impl Fn() -> String) {
        match self.left_out {
            ..MAX_NAMED => notes.push(says()),
            MAX_NAMED => notes.push("more of what is below dimensions is left out".to_owned()),
            _ => {}
        }
        self.left_out += 1;
    }
}

/// What is said of a link where dimensions may be kept.
fn leads_nowhere(link: &Path) -> String {
    format!("{} is a link that leads nowhere: whether there are dimensions in it is not known", link.display())
}

/// What is in a folder that is gone through. Below those of namespaces each may be a dimension's own, of which it is said
/// when its regions are looked for that it cannot be listed.
fn children(step: &Step) -> Result<Vec<Inner>, WorldError> {
    if step.names.len() >= 2 {
        return layout::folders(&step.path);
    }
    let is_of_use = |inner: &Inner| inner.is_folder || inner.is_link || GAMES.contains(&&*inner.name);
    match layout::entries(&step.path, is_of_use) {
        Err(error) if listing::is_nothing(&error) => Ok(Vec::new()),
        listed => listed.map_err(|error| WorldError::Unreadable(step.path.clone(), error)),
    }
}

/// What a dimension keeps its files in is seldom a dimension itself.
fn is_worth_a_look(step: &Step) -> bool {
    match step.names.last().map(String::as_str) {
        Some("region") if step.names.len() == 2 => false,
        Some("region" | "entities" | "poi" | "data") if step.names.len() > 1 => step.path.join("region").is_dir(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(path: &str) -> Result<String, &'static str> {
        id(&path.split('/').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn only_names_the_game_allows_are_dimensions() {
        assert_eq!(id_of("minecraft/the_nether").unwrap(), "the_nether");
        assert_eq!(id_of("Mod.a-b/x_1/y").unwrap(), "Mod.a-b:x_1/y");
        for path in ["a", "a:b/c", "..:..:evil_out/p", "a/..", "a/./b", "../b", "a/", "a/b\\c", "a/ö", "a/b\n", "a/ "]
        {
            assert!(id_of(path).is_err(), "{path}");
        }
    }

    #[test]
    fn no_namespace_takes_the_place_of_something_else_in_a_map() {
        let others = [".pixelmap", "Regions.json", ".git", "DIM7", "DIM-1", "Index.html", "leaflet.LICENSE.txt"];
        for namespace in others.iter().chain(&RESERVED) {
            assert!(id_of(&format!("{namespace}/p")).is_err(), "{namespace}");
            assert!(id_of(&format!("mod/{namespace}")).is_ok(), "{namespace}");
        }
        assert!(id_of("DIM07/p").is_ok());
    }

    #[test]
    fn no_dimension_takes_the_place_of_a_file_of_a_layer() {
        let files =
            ["tiles.tsv", "Tiles.TSV", "tilejson.json", "17/0/0.png", "17/-1/0.webp", "r.0.-1.PNG", "r.0.-1.pgw"];
        for file in files {
            for layer in ["day", "night", "one_to_come", "deeper/day"] {
                assert!(id_of(&format!("a/x/{layer}/{file}")).is_err(), "{layer}/{file}");
                assert!(id_of(&format!("a/x/{layer}/{file}/y")).is_err(), "{layer}/{file}");
            }
        }
        // Nothing of a map lies there.
        for path in ["a/tiles.tsv", "a/x/tiles.tsv", "a/x/0.png", "a/x/day/17", "a/x/day/17/0", "a/x/day/17/0/0"] {
            assert!(id_of(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn folders_without_end_are_given_up_with_one_note() {
        let world = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir_all(world.path().join("dimensions/ns").join(name).join("region")).unwrap();
            std::fs::File::create(world.path().join("dimensions/ns").join(name).join("region/r.0.0.mca")).unwrap();
        }
        // As if others had been gone through: `dimensions`, `ns` and two dimensions are all that still may be.
        let seen = (4..MAX_FOLDERS).map(|n| PathBuf::from(n.to_string())).collect();
        let mut search = Search { seen, ..Search::default() };
        let mut notes = Vec::new();
        let found = search.below(world.path(), &mut notes).unwrap();
        assert_eq!(found.iter().map(|dimension| &*dimension.id).collect::<Vec<_>>(), ["ns:a", "ns:b"]);
        std::fs::create_dir_all(world.path().join("other/dimensions")).unwrap();
        assert!(search.below(&world.path().join("other"), &mut notes).unwrap().is_empty());
        assert_eq!(notes, ["more than 10000 folders below dimensions: what lies in the others is left out"]);
    }
}
