//! Finds named dimensions: the ones below a world's `dimensions` folder, and the ones that old mods
//! put into the world's folder (`RFTOOLS2`) or into a folder of their own (`advRocketry/DIM2`).
//! Numbered dimensions are found by `layout`.
//!
//! A world may come from anyone. Its folder names become paths of the map, so only names that the
//! game itself allows are used. Links may form a circle, so no folder is searched twice.

use std::collections::{HashSet, VecDeque};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::save::dimensions::dimension::{Dimension, canonical_id, is_numbered};
use crate::save::dimensions::listing;
use crate::save::entries;
use crate::save::error::WorldError;
use crate::save::level_files::has_level;
use pixelmap_base::files::{Files, FolderEntry};

/// The most folders in a dimension's path below its namespace.
const MAX_DEPTH: usize = 7;
/// The most folders that are searched for dimensions, in all worlds of a search together.
const MAX_FOLDERS: usize = 10_000;
/// The most left-out dimensions that get a warning of their own.
const MAX_NAMED: usize = 20;

/// The names that a map uses for its own files and folders, so that no dimension can have them in
/// its path. The caller supplies them, because it decides where a map has its files.
#[derive(Debug, Clone, Copy)]
pub struct ReservedNames {
    /// Whether a map uses a name next to the folders of dimensions. No namespace may have such a
    /// name.
    pub at_top: fn(&str) -> bool,
    /// Whether the folder of a layer may have a file with a name, next to the folders of its tiles
    /// or in one of them.
    pub in_layer: fn(&str) -> bool,
}

/// The game's own dimensions, by their names in the namespace `minecraft`.
const GAMES: [&str; 3] = ["overworld", "the_nether", "the_end"];

/// The number of the overworld in some programs; no folder of a world has this name.
const OVERWORLD_BY_NUMBER: &str = "DIM0";

/// The fewest names in the path of a layer's folder: a dimension without a namespace, and the
/// layer.
const MIN_LAYER_NAMES: usize = 2;
/// Folders of the game in a world that contain other things than a dimension.
const WORLD_FOLDERS: [&str; 4] = ["region", "entities", "poi", "dimensions"];
/// Folders of a world that contain no dimensions, but may contain very many files.
const FILE_FOLDERS: [&str; 7] = [
    "advancements",
    "data",
    "datapacks",
    "generated",
    "playerdata",
    "players",
    "stats",
];
/// The reason for leaving out a name that the game would not write.
const ODD_LETTERS: &str =
    "the game allows only letters, digits and _ - . in the names of dimensions";

/// Returns the id of the dimension with these names below `dimensions`, or below the folder of a
/// world: its namespace, or the name of its mod's folder, and the parts of its path.
///
/// # Errors
/// Returns the reason why a map cannot show the dimension under that name.
pub(crate) fn id(names: &[String], reserved: ReservedNames) -> Result<String, &'static str> {
    let [namespace, path @ ..] = names else {
        return Err("it has no namespace");
    };
    if path.is_empty() {
        return Err("it has no namespace");
    }
    if !names.iter().all(|name| is_allowed(name)) {
        return Err(ODD_LETTERS);
    }
    if reserved.is_at_top(namespace) {
        return Err("a map has a file or folder with the name of its namespace");
    }

    if names
        .iter()
        .skip(MIN_LAYER_NAMES)
        .any(|name| (reserved.in_layer)(name))
    {
        return Err("the layers of other dimensions have files of that name");
    }

    Ok(canonical_id(&format!("{namespace}:{}", path.join("/"))))
}

/// Returns the id of the dimension that other programs know by this name: one of the game's own, a
/// number such as `DIM7`, `namespace:path`, or a name without a namespace.
///
/// # Errors
/// Returns the reason why a map cannot show the dimension.
pub fn dimension_id(name: &str, reserved: ReservedNames) -> Result<String, &'static str> {
    let canonical = canonical_id(if name == OVERWORLD_BY_NUMBER {
        "overworld"
    } else {
        name
    });
    if GAMES.contains(&&*canonical) || is_numbered(&canonical) {
        return Ok(canonical);
    }
    let Some((namespace, path)) = name.split_once(':') else {
        return id_in_world(name, reserved);
    };

    let names: Vec<String> = std::iter::once(namespace)
        .chain(path.split('/'))
        .map(str::to_owned)
        .collect();

    id(&names, reserved)
}

/// Returns the id of the dimension in a world's direct subfolder, which is the name of that folder.
///
/// # Errors
/// Returns the reason why a map cannot show the dimension under that name.
fn id_in_world(name: &str, reserved: ReservedNames) -> Result<String, &'static str> {
    match name {
        _ if !is_allowed(name) => Err(ODD_LETTERS),
        _ if reserved.is_at_top(name) || (reserved.in_layer)(name) => {
            Err("a map has a file or folder of its name")
        }
        _ if name == "all" || canonical_id(name) != name => {
            Err("its name stands for another dimension")
        }
        _ => Ok(name.to_owned()),
    }
}

/// Applies the game's rule for resource locations (`[a-z0-9_.-]+`), but also allows capitals, which
/// older mods use.
fn is_allowed(name: &str) -> bool {
    let has_odd_letter = name
        .bytes()
        .any(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'.' | b'-'));
    !name.is_empty() && name != "." && name != ".." && !has_odd_letter
}

impl ReservedNames {
    /// Returns whether a map uses the name next to the folders of namespaces: for something else,
    /// or for one of the dimensions without a namespace. Case is ignored, because some file systems
    /// ignore it.
    fn is_at_top(self, name: &str) -> bool {
        (self.at_top)(name)
            || GAMES.iter().any(|id| id.eq_ignore_ascii_case(name))
            || is_numbered(name)
    }
}

/// A search for named dimensions in one world, or in several that belong together.
#[derive(Debug)]
pub(crate) struct DimensionSearch {
    files: Files,
    reserved: ReservedNames,
    /// The folders that were searched, with links followed.
    searched: HashSet<PathBuf>,
    is_full: bool,
    left_out: usize,
}

/// A folder to search, and its names below `dimensions` or below the world's folder.
struct Step {
    path: PathBuf,
    names: Vec<String>,
}

impl DimensionSearch {
    pub(crate) fn new(files: &Files, reserved: ReservedNames) -> Self {
        Self {
            files: files.clone(),
            reserved,
            searched: HashSet::new(),
            is_full: false,
            left_out: 0,
        }
    }

    /// Finds the dimensions below `world/dimensions`. Warns of each one that is left out.
    pub(crate) fn find_named(
        &mut self,
        world: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<Dimension>, WorldError> {
        let mut dimensions = Vec::new();
        let full = self
            .files
            .full_path(world)
            .unwrap_or_else(|_| world.to_owned());

        // Links are searched after folders, so that a dimension gets the name of its real folder.
        let mut links = VecDeque::new();
        let mut steps = VecDeque::from([Step {
            path: world.join("dimensions"),
            names: Vec::new(),
        }]);

        while let Some(step) = steps.pop_front().or_else(|| links.pop_front()) {
            let target = match self.files.full_path(&step.path) {
                Ok(target) => target,
                // Any dimension may be inside, so none of them may count as absent.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::PermissionDenied | ErrorKind::InvalidFilename
                    ) =>
                {
                    return Err(WorldError::Unreadable(step.path, error));
                }
                Err(_) => {
                    if self.files.is_link(&step.path) {
                        self.leave_out(warnings, || broken_link(&step.path));
                    }
                    continue;
                }
            };

            // A link may lead back to a folder around the world. The folders there are not
            // dimensions of this world.
            if full.starts_with(&target) || self.searched.contains(&target) {
                continue;
            }
            if self.searched.len() == MAX_FOLDERS {
                self.stop(warnings);
                break;
            }

            self.searched.insert(target);
            dimensions.extend(self.dimension(&step, warnings)?);

            if step.names.len() > MAX_DEPTH {
                continue;
            }

            for child in children(&self.files, &step)? {
                let mut names = step.names.clone();
                names.push(child.name);
                let next = Step {
                    path: child.path,
                    names,
                };

                if !child.is_folder {
                    dimensions.extend(self.find_at_file(&next, child.is_link, warnings)?);
                } else if is_worth_a_search(&self.files, &next) {
                    if child.is_link {
                        links.push_back(next);
                    } else {
                        steps.push_back(next);
                    }
                }
            }
        }

        Ok(dimensions)
    }

    /// Adds the dimensions that old mods put into the world's folder to the other `dimensions` of
    /// the world. Warns of each one that is left out.
    pub(crate) fn find_in_world(
        &mut self,
        world: &Path,
        dimensions: &mut Vec<Dimension>,
        warnings: &mut Vec<String>,
    ) -> Result<(), WorldError> {
        let mut regions: HashSet<PathBuf> = dimensions
            .iter()
            .filter_map(|other| self.files.full_path(other.folder()).ok())
            .collect();

        for Step { path, names } in self.steps_in_world(world, warnings)? {
            let region = path.join("region");
            let is_new = self
                .files
                .full_path(&region)
                .is_ok_and(|target| regions.insert(target));

            let dimension = if is_new {
                Dimension::find(&self.files, "", &region, warnings)?
            } else {
                None
            };

            let Some(dimension) = dimension else { continue };
            let id = match &*names {
                [name] => id_in_world(name, self.reserved),
                names => id(names, self.reserved),
            };

            let id = id.and_then(|id| {
                let is_taken = dimensions
                    .iter()
                    .any(|other| other.id.eq_ignore_ascii_case(&id));
                if is_taken {
                    Err("another dimension has the same name except for capital letters")
                } else {
                    Ok(id)
                }
            });

            match id {
                Ok(id) => dimensions.push(Dimension { id, ..dimension }),
                Err(reason) => self.leave_out(warnings, || left_out(&path, reason)),
            }
        }

        Ok(())
    }

    /// Returns the folders with region files that old mods made in a world's folder, directly or in
    /// a folder of the mod. Their names are the names below the world's folder. Links are after
    /// folders, so that a dimension gets the name of its real folder.
    fn steps_in_world(
        &mut self,
        world: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<Step>, WorldError> {
        let mut folders = entries::folders(&self.files, world)?;
        folders.retain(|inner| !WORLD_FOLDERS.contains(&&*inner.name) && !is_numbered(&inner.name));
        folders.sort_by_key(|inner| inner.is_link);

        let (mut steps, mut links) = (Vec::new(), Vec::new());
        for inner in folders {
            if self.has_region_folder(&inner) {
                steps.push(Step {
                    path: inner.path,
                    names: vec![inner.name],
                });
                continue;
            }

            if !self.is_first_search(&inner, warnings) {
                continue;
            }

            for own in entries::folders(&self.files, &inner.path)? {
                if !self.has_region_folder(&own) || has_level(&self.files, &own.path) {
                    continue;
                }

                let is_link = inner.is_link || own.is_link;
                let found = if is_link { &mut links } else { &mut steps };
                found.push(Step {
                    path: own.path,
                    names: vec![inner.name.clone(), own.name],
                });
            }
        }

        steps.append(&mut links);
        Ok(steps)
    }

    fn has_region_folder(&self, entry: &FolderEntry) -> bool {
        self.files.is_folder(&entry.path.join("region"))
    }

    /// Returns whether a folder in a world's folder may be the folder of a mod that has not been
    /// searched yet.
    fn is_first_search(&mut self, inner: &FolderEntry, warnings: &mut Vec<String>) -> bool {
        // A folder with a level.dat is another world, such as a backup.
        if FILE_FOLDERS.contains(&&*inner.name) || has_level(&self.files, &inner.path) {
            return false;
        }
        if self.searched.len() == MAX_FOLDERS {
            self.stop(warnings);
            return false;
        }

        self.files
            .full_path(&inner.path)
            .is_ok_and(|target| self.searched.insert(target))
    }

    /// Handles an entry other than a folder. If it is in the place of one of the game's own
    /// dimensions, it counts as that dimension, which then cannot be listed. A broken link
    /// elsewhere only causes a warning.
    fn find_at_file(
        &mut self,
        step: &Step,
        is_link: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Dimension>, WorldError> {
        let is_own = matches!(&*step.names, [space, name] if space == "minecraft" && GAMES.contains(&&**name));
        if is_own {
            return self.dimension(step, warnings);
        }

        if is_link && step.names.len() <= 2 && self.files.facts(&step.path).is_err() {
            self.leave_out(warnings, || broken_link(&step.path));
        }

        Ok(None)
    }

    fn stop(&mut self, warnings: &mut Vec<String>) {
        if !self.is_full {
            warnings.push(format!(
                "only the first {MAX_FOLDERS} folders are searched for dimensions; the rest is left \
                 out"
            ));
        }
        self.is_full = true;
    }

    fn dimension(
        &mut self,
        step: &Step,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Dimension>, WorldError> {
        if step.names.len() < 2 {
            return Ok(None);
        }

        let region = step.path.join("region");
        let Some(dimension) = Dimension::find(&self.files, "", &region, warnings)? else {
            return Ok(None);
        };

        match id(&step.names, self.reserved) {
            Ok(id) => return Ok(Some(Dimension { id, ..dimension })),
            Err(reason) => self.leave_out(warnings, || left_out(&step.path, reason)),
        }

        Ok(None)
    }

    /// Warns of a dimension that is left out, or of an entry that may contain dimensions.
    fn leave_out(&mut self, warnings: &mut Vec<String>, warning: impl Fn() -> String) {
        match self.left_out {
            ..MAX_NAMED => warnings.push(warning()),
            MAX_NAMED => warnings.push("more folders of dimensions are left out".to_owned()),
            _ => {}
        }
        self.left_out += 1;
    }
}

/// Returns the warning about a dimension that is left out.
fn left_out(folder: &Path, reason: &str) -> String {
    let folder = folder.display();
    format!(
        "{folder} is left out: {reason}; to draw it, give this folder as the world and another \
         output"
    )
}

/// Returns the warning about a broken link in a place where dimensions may be.
fn broken_link(link: &Path) -> String {
    format!(
        "{} is a broken link: dimensions in it are not drawn; perhaps a disk is not mounted",
        link.display()
    )
}

/// Lists the entries of a folder that is searched. Ignores a folder below a namespace that cannot
/// be listed: if it belongs to a dimension, listing the region files fails as well.
fn children(files: &Files, step: &Step) -> Result<Vec<FolderEntry>, WorldError> {
    if step.names.len() >= 2 {
        return entries::folders(files, &step.path);
    }

    match entries::list(files, &step.path, |entry| {
        entry.is_folder || entry.is_link || GAMES.contains(&&*entry.name)
    }) {
        Err(error) if listing::is_nothing(&error) => Ok(Vec::new()),
        listed => listed.map_err(|error| WorldError::Unreadable(step.path.clone(), error)),
    }
}

/// Returns whether a folder may be or contain a dimension. Folders for a dimension's own files
/// usually do not.
fn is_worth_a_search(files: &Files, step: &Step) -> bool {
    match step.names.last().map(String::as_str) {
        Some("region") if step.names.len() == 2 => false,
        Some("region" | "entities" | "poi" | "data") if step.names.len() > 1 => {
            files.is_folder(&step.path.join("region"))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map that uses `file.json` and, in each layer, `0.png`.
    const RESERVED: ReservedNames = ReservedNames {
        at_top: |name| name == "file.json",
        in_layer: |name| name == "0.png",
    };

    fn id_of(path: &str) -> Result<String, &'static str> {
        id(
            &path.split('/').map(str::to_owned).collect::<Vec<_>>(),
            RESERVED,
        )
    }

    #[test]
    fn only_names_the_game_allows_are_dimensions() {
        assert_eq!(id_of("minecraft/the_nether").unwrap(), "the_nether");
        assert_eq!(id_of("Mod.a-b/x_1/y").unwrap(), "Mod.a-b:x_1/y");

        for path in [
            "a",
            "a:b/c",
            "..:..:evil_out/p",
            "a/..",
            "a/./b",
            "../b",
            "a/",
            "a/b\\c",
            "a/ö",
            "a/b\n",
            "a/ ",
        ] {
            assert!(id_of(path).is_err(), "{path}");
        }
    }

    #[test]
    fn no_namespace_replaces_a_file_of_a_map() {
        for namespace in ["file.json", "overworld", "The_End", "DIM7", "DIM-1"] {
            assert!(id_of(&format!("{namespace}/p")).is_err(), "{namespace}");
            assert!(id_of(&format!("mod/{namespace}")).is_ok(), "{namespace}");
        }
        assert!(id_of("DIM07/p").is_ok());
    }

    #[test]
    fn world_folders_avoid_names_of_other_dimensions() {
        for name in [
            "RFTOOLS14",
            "The_Beneath",
            "DIM_MYST2",
            "DIM07",
            "a.b-c",
            "dim7",
        ] {
            assert_eq!(id_in_world(name, RESERVED).unwrap(), name);
        }

        let others = [
            "all",
            "0",
            "17",
            "DIM7",
            "nether",
            "end",
            "Overworld",
            "the_END",
            "file.json",
            "0.png",
        ];

        for name in others.iter().chain(&["Deep Dark", "a:b", "ö", "..", ""]) {
            assert!(id_in_world(name, RESERVED).is_err(), "{name}");
        }
    }

    #[test]
    fn no_dimension_replaces_a_file_of_a_layer() {
        // A folder `a` directly in the world may also be a dimension, and `x` its layer.
        for path in [
            "a/x/0.png",
            "a/x/day/0.png",
            "a/x/day/17/0/0.png",
            "a/x/deeper/day/0.png/y",
        ] {
            assert!(id_of(path).is_err(), "{path}");
        }

        // A map has no files there.
        for path in ["a/0.png", "a/x/17", "a/x/day/17/0/0"] {
            assert!(id_of(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn folders_without_end_give_one_warning() {
        let world = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir_all(world.path().join("dimensions/ns").join(name).join("region"))
                .unwrap();
            std::fs::File::create(
                world
                    .path()
                    .join("dimensions/ns")
                    .join(name)
                    .join("region/r.0.0.mca"),
            )
            .unwrap();
        }

        // The limit is nearly used up: only `dimensions`, `ns` and two dimensions can still be
        // searched.
        let seen = (4..MAX_FOLDERS)
            .map(|n| PathBuf::from(n.to_string()))
            .collect();
        let mut search = DimensionSearch {
            searched: seen,
            ..DimensionSearch::new(&Files::default(), RESERVED)
        };

        let mut warnings = Vec::new();
        let found = search.find_named(world.path(), &mut warnings).unwrap();
        assert_eq!(
            found
                .iter()
                .map(|dimension| &*dimension.id)
                .collect::<Vec<_>>(),
            ["ns:a", "ns:b"]
        );

        std::fs::create_dir_all(world.path().join("other/dimensions")).unwrap();
        assert!(
            search
                .find_named(&world.path().join("other"), &mut warnings)
                .unwrap()
                .is_empty()
        );

        assert_eq!(
            warnings,
            ["only the first 10000 folders are searched for dimensions; the rest is left out"]
        );
    }
}
