//! Lists the packs in the folder of a Bedrock world: behaviour packs, which define blocks, and
//! resource packs, which contain their textures.
//!
//! The game applies only packs that the world's own lists name by the id in their manifests. A pack
//! in the folder that no list names was switched off by its owner. If there is no list, as in a
//! folder that was copied without it, nobody has chosen, so all packs of that kind are used. The
//! first pack of a list overrides the others. Sources: next.endstone.dev, reference of
//! `world_behavior_packs.json`; `resources/resource_packs.yml` of PocketMine-MP, whose list clients
//! get in the same order ("applied from bottom to top").

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::pack::{Budget, Pack, PackError};
use crate::save::entries;
use crate::save::error::WorldError;
use pixelmap_base::edited_json;
use pixelmap_base::files::Files;

/// The folders of packs and the lists that activate them. Resource packs are last, because they
/// override the colours on maps that behaviour packs contain.
const KINDS: [(&str, &str); 2] = [
    ("behavior_packs", "world_behavior_packs.json"),
    ("resource_packs", "world_resource_packs.json"),
];

/// The most packs of each kind that are read.
const MAX_PACKS: usize = 64;

/// The largest list or manifest that is read, in bytes.
const MAX_JSON: u64 = 1 << 20;

/// Lists the packs of a world that the game applies; later ones override earlier ones.
///
/// # Errors
/// Fails if a folder, list or manifest cannot be read now, but perhaps later.
pub(crate) fn list(
    files: &Files,
    world: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<PathBuf>, WorldError> {
    let mut packs = Vec::new();
    for (folder, list) in KINDS {
        let folder = world.join(folder);
        let mut found = candidates(files, &folder, warnings)?;
        if found.is_empty() {
            continue;
        }

        if let Some(active) = active(files, &world.join(list), warnings)? {
            packs.extend(chosen(files, found, &active, warnings));
        } else {
            found.truncate(MAX_PACKS);
            packs.extend(found);
        }
    }

    Ok(packs)
}

/// Lists everything in a folder of packs that may be a pack, sorted by name.
fn candidates(
    files: &Files,
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<PathBuf>, WorldError> {
    let listed = entries::list(files, folder, |entry| {
        entry.is_folder || is_zip(&entry.path)
    });
    if files.is_taken(folder).unwrap_or(true)
        && let Err(error) = &listed
    {
        warnings.push(format!(
            "the packs in {} cannot be listed and are left out: {error}",
            folder.display()
        ));
    }

    let mut listed = WorldError::ok_unless_retryable(folder, listed)?.unwrap_or_default();

    // A zip in a zip would have to be held in memory.
    let mut inner = Vec::new();
    if files.are_in_zip() {
        (listed, inner) = listed.into_iter().partition(|entry| entry.is_folder);
    }

    for entry in inner.into_iter().take(MAX_PACKS) {
        let path = entry.path.display();
        warnings.push(format!(
            "the pack {path} is a zip in a zip and is left out: unpack the world first"
        ));
    }

    if listed.len() > MAX_PACKS {
        warnings.push(format!(
            "{}: at most {MAX_PACKS} of {} packs are read",
            folder.display(),
            listed.len()
        ));
    }

    Ok(listed.into_iter().map(|entry| entry.path).collect())
}

fn is_zip(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end == "mcpack" || end == "zip")
}

/// Reads the ids of the packs that a world's list activates, the topmost first. Returns `None` if
/// there is no list that can be read.
fn active(
    files: &Files,
    list: &Path,
    warnings: &mut Vec<String>,
) -> Result<Option<Vec<String>>, WorldError> {
    if !files.is_file(list) {
        return Ok(None);
    }

    let Some(bytes) = WorldError::ok_unless_retryable(list, files.read(list, MAX_JSON))? else {
        warnings.push(unused_list(list, "cannot be read"));
        return Ok(None);
    };
    let Ok(Value::Array(listed)) = edited_json::parse(&bytes) else {
        warnings.push(unused_list(list, "is not a list of packs"));
        return Ok(None);
    };

    Ok(Some(
        listed
            .iter()
            .filter_map(|pack| id(&pack["pack_id"]))
            .collect(),
    ))
}

/// Returns the warning about a list of packs that cannot be used.
fn unused_list(list: &Path, reason: &str) -> String {
    format!(
        "{} {reason}, so all packs in the world's folder are used",
        list.display()
    )
}

/// Returns the packs that a list activates; later ones override earlier ones.
fn chosen(
    files: &Files,
    found: Vec<PathBuf>,
    active: &[String],
    warnings: &mut Vec<String>,
) -> Vec<PathBuf> {
    let mut chosen = Vec::new();
    for path in found {
        match pack_id(files, &path) {
            Ok(id) => chosen.extend(
                active
                    .iter()
                    .position(|other| *other == id)
                    .map(|place| (place, path)),
            ),
            // The run fails when it opens this pack, so that a later run can read it.
            Err(error) if error.retryable => chosen.push((0, path)),
            Err(error) => warnings.push(format!("the pack {error}; it is left out")),
        }
    }

    chosen.sort_by(|(a, _), (b, _)| b.cmp(a));

    let rest = chosen.len().saturating_sub(MAX_PACKS);
    chosen
        .into_iter()
        .skip(rest)
        .map(|(_, path)| path)
        .collect()
}

/// Reads the id of a pack from its manifest.
fn pack_id(files: &Files, path: &Path) -> Result<String, PackError> {
    let pack = Pack::open_in(files, path, &Budget::default())?;

    let bytes = pack
        .read("manifest.json", MAX_JSON)?
        .ok_or_else(|| PackError::new(path.display(), "it has no manifest.json"))?;
    let manifest = edited_json::parse(&bytes)
        .map_err(|error| PackError::new(path.display(), format!("manifest.json: {error}")))?;

    id(&manifest["header"]["uuid"])
        .ok_or_else(|| PackError::new(path.display(), "its manifest.json has no uuid"))
}

fn id(value: &Value) -> Option<String> {
    value.as_str().map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(world: &Path, path: &str, id: &str) {
        let folder = world.join(path);
        std::fs::create_dir_all(&folder).unwrap();
        let manifest = format!("\u{feff}{{\"header\": {{\"uuid\": \"{id}\"}}}} // one of ours");
        std::fs::write(folder.join("manifest.json"), manifest).unwrap();
    }

    fn names(world: &Path) -> (Vec<String>, Vec<String>) {
        let mut warnings = Vec::new();
        let packs = list(&Files::Disk, world, &mut warnings).unwrap();
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        (packs.iter().map(name).collect(), warnings)
    }

    #[test]
    fn only_packs_that_the_lists_name_are_used() {
        let world = tempfile::tempdir().unwrap();
        let world = world.path();
        assert_eq!(names(world), Default::default());

        for (folder, id) in [("a", "A1"), ("b", "b2"), ("c", "c3"), ("off", "d4")] {
            pack(world, &format!("resource_packs/{folder}"), id);
        }

        pack(world, "behavior_packs/blocks", "e5");
        assert_eq!(
            names(world).0,
            ["blocks", "a", "b", "c", "off"],
            "without lists"
        );

        let list = r#"[{"pack_id": "c3", "version": [1, 0, 0]}, {"pack_id": "gone"}, {"pack_id": "a1"}, {"pack_id": "b2"}]"#;
        std::fs::write(world.join("world_resource_packs.json"), list).unwrap();
        assert_eq!(
            names(world),
            (
                ["blocks", "b", "a", "c"].map(str::to_owned).to_vec(),
                Vec::new()
            )
        );

        std::fs::write(world.join("world_behavior_packs.json"), "[]").unwrap();
        assert_eq!(names(world).0, ["b", "a", "c"], "an empty list names none");
        std::fs::write(world.join("world_behavior_packs.json"), "{}").unwrap();
        let (packs, warnings) = names(world);
        assert_eq!((packs.len(), warnings.len()), (4, 1), "{warnings:?}");
        assert!(
            warnings[0]
                .ends_with("is not a list of packs, so all packs in the world's folder are used")
        );
    }

    #[test]
    fn a_pack_without_an_id_is_named() {
        let world = tempfile::tempdir().unwrap();
        let world = world.path();
        std::fs::create_dir_all(world.join("resource_packs/odd")).unwrap();
        std::fs::write(world.join("resource_packs/half.mcpack"), "PK").unwrap();
        std::fs::write(world.join("world_resource_packs.json"), "[]").unwrap();
        let (packs, warnings) = names(world);
        assert_eq!((packs.len(), warnings.len()), (0, 2), "{warnings:?}");
        assert!(
            warnings[1].ends_with("odd: it has no manifest.json; it is left out"),
            "{warnings:?}"
        );
    }
}
