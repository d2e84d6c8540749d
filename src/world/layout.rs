//! Which folders of a world hold the regions of which dimension.

use std::path::{Component, Path, PathBuf};

use super::{Dimension, WorldError, listing};

/// How many folders a dimension's path may have below its namespace.
const MAX_DEPTH: usize = 6;

/// Finds the dimensions of what the user gave: a world, a dimension or a region folder.
pub(super) fn find(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<Dimension>, WorldError> {
    let full = folder.canonicalize().map_err(|error| WorldError::Unreadable(folder.to_owned(), error))?;
    let name = full.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if matches!(name.as_str(), "entities" | "poi") {
        return Ok(Vec::new());
    }
    if listing::has_regions(folder) {
        let dimension = full.parent().filter(|_| name == "region").unwrap_or(&full);
        return Ok(dimension_at(&id_of_path(dimension), folder).into_iter().collect());
    }
    let id = id_of_path(&full);
    if id != "overworld" || is_inside_dimensions(&full) {
        let dimension = dimension_at(&id, &folder.join("region"));
        if dimension.is_some() {
            return Ok(dimension.into_iter().collect());
        }
    }
    let mut found = Vec::new();
    in_world(folder, &mut found, notes);
    bukkit(folder, &full, &mut found, notes);
    found.sort_by(|a, b| rank(&a.id).cmp(&rank(&b.id)).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

fn rank(id: &str) -> u8 {
    match id {
        "overworld" => 0,
        "the_nether" => 1,
        "the_end" => 2,
        _ => 3,
    }
}

/// What a dimension folder's path says it is.
fn id_of_path(folder: &Path) -> String {
    let parts: Vec<String> = folder
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    let below = parts.iter().rposition(|part| part == "dimensions").map(|at| &parts[at + 1..]);
    if let Some([namespace, path @ ..]) = below.filter(|below| below.len() > 1) {
        return id_of(namespace, &path.join("/"));
    }
    match parts.last() {
        Some(last) if is_numbered(last) => super::canonical_id(last),
        _ => "overworld".to_owned(),
    }
}

fn is_inside_dimensions(folder: &Path) -> bool {
    folder.iter().any(|part| part == "dimensions") && folder.join("region").is_dir()
}

fn is_numbered(name: &str) -> bool {
    name.strip_prefix("DIM").is_some_and(|number| number.parse::<i32>().is_ok_and(|n| n.to_string() == number))
}

fn id_of(namespace: &str, path: &str) -> String {
    super::canonical_id(&format!("{namespace}:{path}"))
}

fn dimension_at(id: &str, region: &Path) -> Option<Dimension> {
    let regions = listing::list(region);
    (!regions.is_empty()).then(|| Dimension { id: id.to_owned(), folder: region.to_owned(), regions })
}

/// The dimensions below one world folder, in the layouts before and from 26.1. Where both hold a dimension, as in a
/// world whose move was broken off, the newer place counts.
fn in_world(world: &Path, found: &mut Vec<Dimension>, notes: &mut Vec<String>) {
    let dimensions = world.join("dimensions");
    for namespace in folders(&dimensions) {
        below(&dimensions.join(&namespace), &namespace, "", 0, found);
    }
    let mut old = vec![("overworld".to_owned(), world.join("region"))];
    for name in folders(world).into_iter().filter(|name| is_numbered(name)) {
        old.push((super::canonical_id(&name), world.join(&name).join("region")));
    }
    for (id, region) in old {
        if let Some(newer) = found.iter().find(|dimension| dimension.id == id) {
            if listing::has_regions(&region) {
                notes.push(format!(
                    "{id} is stored in two places; {} is drawn and {} is not",
                    newer.folder.display(),
                    region.display()
                ));
            }
        } else {
            found.extend(dimension_at(&id, &region));
        }
    }
}

fn below(folder: &Path, namespace: &str, path: &str, depth: usize, found: &mut Vec<Dimension>) {
    for name in folders(folder) {
        let inner = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        if depth > 0 || !path.is_empty() || name != "region" {
            let id = id_of(namespace, &inner);
            found.extend(dimension_at(&id, &folder.join(&name).join("region")));
        }
        if depth < MAX_DEPTH && !matches!(name.as_str(), "region" | "entities" | "poi" | "data") {
            below(&folder.join(&name), namespace, &inner, depth + 1, found);
        }
    }
}

/// Bukkit and its kin keep each dimension in a world folder of its own, `world_nether` and `world_the_end` beside
/// `world`. They are looked for beside the folder that was given, and inside it in case it is the server's.
fn bukkit(folder: &Path, full: &Path, found: &mut Vec<Dimension>, notes: &mut Vec<String>) {
    let mut roots = Vec::new();
    if let (Some(parent), Some(name)) = (full.parent(), full.file_name().and_then(|name| name.to_str())) {
        roots.extend(SPLIT.map(|(ending, _)| parent.join(format!("{name}{ending}"))));
    }
    for name in folders(folder) {
        if let Some(base) = SPLIT.iter().find_map(|(ending, _)| name.strip_suffix(ending)) {
            roots.push(folder.join(&name));
            roots.push(folder.join(base));
        }
    }
    for root in roots.iter().filter(|root| root.is_dir()) {
        let mut inside = Vec::new();
        in_world(root, &mut inside, notes);
        for dimension in inside {
            if !found.iter().any(|other| other.id == dimension.id) {
                found.push(renamed_if_split(root, dimension));
            }
        }
    }
}

/// The endings of the split folders and what is in them.
const SPLIT: [(&str, &str); 2] = [("_nether", "the_nether"), ("_the_end", "the_end")];

/// Some servers keep the nether's regions right in `world_nether/region`.
fn renamed_if_split(root: &Path, dimension: Dimension) -> Dimension {
    let name = root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    match SPLIT.iter().find(|(ending, _)| name.ends_with(ending)) {
        Some((_, id)) if dimension.id == "overworld" => Dimension { id: (*id).to_owned(), ..dimension },
        _ => dimension,
    }
}

/// The folders in a folder, by name.
fn folders(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| folder.join(entry.file_name()).is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Worlds one folder further in, to name them to a user who gave the folder around them.
pub(super) fn worlds_inside(folder: &Path) -> Vec<PathBuf> {
    let inner = folders(folder).into_iter().map(|name| folder.join(name));
    inner.filter(|folder| folder.join("level.dat").is_file()).take(5).collect()
}
