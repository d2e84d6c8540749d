//! The files of a pack, by the names that the game gives them.

/// A file of a pack, with a namespace and a path as in the game.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// For example `minecraft:plains`.
    pub name: String,
    /// Its path in the pack, for example `data/minecraft/worldgen/biome/plains.json`.
    pub file: String,
}

/// Returns whether a name stays inside the pack.
pub(crate) fn is_inside(file: &str) -> bool {
    !file.contains(['\\', ':', '\0'])
        && file.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Returns the resource that a file contains. For example, `data/mod/worldgen/biome/heath.json` is
/// the biome `mod:heath`.
pub(crate) fn resource(file: &str, top: &str, kind: &str, ending: &str) -> Option<Resource> {
    let (space, rest) = file.strip_prefix(top)?.strip_prefix('/')?.split_once('/')?;
    let path = rest
        .strip_prefix(kind)?
        .strip_prefix('/')?
        .strip_suffix(ending)?;
    let name = format!("{space}:{path}");
    split(&name).is_some().then(|| Resource {
        name,
        file: file.to_owned(),
    })
}

/// Splits a name such as `mod:thing/part` into namespace and path. The default namespace is the
/// game's. `None`: the namespace or the path is not allowed in the game.
pub fn split(name: &str) -> Option<(&str, &str)> {
    let (space, path) = name.split_once(':').unwrap_or(("minecraft", name));
    let sound =
        !space.is_empty() && name.len() <= 256 && !space.contains(['/', '.']) && is_inside(path);
    (sound && has_plain_letters(space) && has_plain_letters(path)).then_some((space, path))
}

fn has_plain_letters(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-./".contains(&b))
}
