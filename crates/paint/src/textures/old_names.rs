//! Finds the names that the game's blocks and textures have in packs for versions before 1.13,
//! which changed all names.

use crate::palette::resolver::parse_state;
use crate::palette::resolver::states::State;

const BLOCKS: &str = include_str!("old_blocks.tsv");
const TEXTURES: &str = include_str!("old_textures.tsv");

const BLOCK_FOLDERS: [&str; 2] = ["block/", "blocks/"];

/// The name and state that a block has in old packs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OldBlock {
    /// The old name, with its namespace.
    pub(super) name: String,
    /// Today's properties for which the block has this old name.
    pub(super) when: State,
    /// Properties that distinguish the block from other blocks in the same old block state file.
    pub(super) state: State,
}

impl OldBlock {
    /// Returns all names that a block may have in old packs; the first one whose properties match
    /// counts. Returns none if the block kept its name.
    pub(super) fn all(name: &str) -> impl Iterator<Item = Self> {
        let short = name.strip_prefix("minecraft:");
        short.into_iter().flat_map(|short| {
            lines(BLOCKS).filter_map(move |[now, old]| Self::read(short, now, old))
        })
    }

    /// Returns the old name of a block in a state.
    pub(super) fn find(name: &str, state: &State) -> Option<Self> {
        Self::all(name).find(|old| {
            old.when
                .iter()
                .all(|(key, value)| state.get(key) == Some(value))
        })
    }

    fn read(short: &str, now: &str, old: &str) -> Option<Self> {
        let [(now, when), (old, state)] = [now, old].map(|column| {
            let (name, state) = column.split_once('[').unwrap_or((column, ""));
            (name, parse_state(state.trim_end_matches(']')))
        });
        let old = translated(short, now, old)?;
        Some(Self {
            name: format!("minecraft:{old}"),
            when,
            state,
        })
    }
}

/// Returns the name of a texture such as `block/stone` in packs for versions before 1.13, and its
/// name since then.
pub(super) fn texture_names(name: &str) -> [String; 2] {
    let [now, old] = BLOCK_FOLDERS;
    let path = name.strip_prefix("minecraft:").unwrap_or(name);
    if let Some(short) = path.strip_prefix(now) {
        let before = lines(TEXTURES).find_map(|[now, old]| translated(short, now, old));
        return [
            format!("{old}{}", before.as_deref().unwrap_or(short)),
            name.to_owned(),
        ];
    }

    if let Some(short) = path.strip_prefix(old) {
        let since = lines(TEXTURES).find_map(|[now, old]| translated(short, old, now));
        return [
            name.to_owned(),
            format!("{now}{}", since.as_deref().unwrap_or(short)),
        ];
    }

    [name.to_owned(), name.to_owned()]
}

fn lines(table: &'static str) -> impl Iterator<Item = [&'static str; 2]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(now, old)| [now, old])
}

/// Translates a name from one column of a line to the other. `*` stands for the same letters in
/// both columns. Returns `None` if the line is for other names.
fn translated(name: &str, from: &str, to: &str) -> Option<String> {
    let Some((start, end)) = from.split_once('*') else {
        return (name == from).then(|| to.to_owned());
    };
    let letters = name.strip_prefix(start)?.strip_suffix(end)?;
    Some(to.replacen('*', letters, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_names_of_their_old_files() {
        for (name, state, old, old_state) in [
            ("grass_block", "snowy=true", "grass", ""),
            ("grass", "", "tall_grass", ""),
            ("tall_grass", "half=upper", "double_grass", ""),
            ("oak_slab", "type=double", "oak_double_slab", ""),
            ("oak_slab", "type=top", "oak_slab", "half=top"),
            (
                "light_gray_terracotta",
                "",
                "silver_stained_hardened_clay",
                "",
            ),
            ("red_terracotta", "", "red_stained_hardened_clay", ""),
            (
                "red_glazed_terracotta",
                "facing=east",
                "red_glazed_terracotta",
                "",
            ),
            ("light_gray_wool", "", "silver_wool", ""),
            ("birch_wood", "axis=y", "birch_log", "axis=none"),
            ("furnace", "facing=east,lit=true", "lit_furnace", ""),
        ] {
            let found = OldBlock::find(&format!("minecraft:{name}"), &parse_state(state)).unwrap();
            assert_eq!(
                (found.name.as_str(), found.state),
                (&*format!("minecraft:{old}"), parse_state(old_state))
            );
        }

        for (name, state) in [
            ("minecraft:stone", ""),
            ("minecraft:furnace", "lit=false"),
            ("mod:grass_block", ""),
        ] {
            assert_eq!(OldBlock::find(name, &parse_state(state)), None);
        }
    }

    #[test]
    fn textures_have_both_names() {
        for (name, old, now) in [
            ("block/stone", "blocks/stone", "block/stone"),
            (
                "minecraft:block/oak_planks",
                "blocks/planks_oak",
                "minecraft:block/oak_planks",
            ),
            (
                "blocks/planks_big_oak",
                "blocks/planks_big_oak",
                "block/dark_oak_planks",
            ),
            (
                "blocks/glass_pane_top",
                "blocks/glass_pane_top",
                "block/glass_pane_top",
            ),
            (
                "mod:blocks/planks_oak",
                "mod:blocks/planks_oak",
                "mod:blocks/planks_oak",
            ),
            ("entity/bed/red", "entity/bed/red", "entity/bed/red"),
        ] {
            assert_eq!(texture_names(name), [old, now], "{name}");
        }
    }
}
