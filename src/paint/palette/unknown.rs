//! Chooses colours for names that are in none of the tables: blocks of mods, and of later versions of the game.
//!
//! A name is read as words (`BiomesOPlenty:leaves1` and `mod:Oak-Leaves` mean "leaves"). We try in this order: the same
//! name in the game; the longest end of the name that the game has; the block that a slab or stair is made of; words
//! that describe the block; a dye at the beginning of the name. Otherwise the block gets a muted colour that depends
//! only on its whole name, so that it has the same colour in every render. Names that are too long or have too many
//! words get such a colour at once.

use super::Tint;
use super::table::{Block, BlockTable, Flags, Row};

/// The guessed look of an unknown block.
pub(super) enum Guess {
    Like(Block),
    Row(Row),
}

/// Words after the name of a material, each with its coverage in percent.
const SHAPES: [(&str, u8); 9] = [
    ("_vertical_slab", 100),
    ("_doubleslab", 100),
    ("_slab", 100),
    ("_stairs", 100),
    ("_stair", 100),
    ("_fence_gate", 25),
    ("_fence", 25),
    ("_wall", 50),
    ("_pillar", 100),
];

/// Words that describe a block, each with the game's block that it is drawn like. The first word of this list that
/// occurs in the name counts.
const WORDS: [(&str, &str); 83] = [
    ("leaves", "oak_leaves"),
    ("leaf", "oak_leaves"),
    ("log", "oak_log"),
    ("trunk", "oak_log"),
    ("wood", "oak_wood"),
    ("bark", "oak_wood"),
    ("hyphae", "crimson_hyphae"),
    ("planks", "oak_planks"),
    ("plank", "oak_planks"),
    ("sapling", "oak_sapling"),
    ("flower", "poppy"),
    ("flowers", "poppy"),
    ("blossom", "poppy"),
    ("petals", "pink_petals"),
    ("rose", "poppy"),
    ("tulip", "red_tulip"),
    ("lily", "lily_pad"),
    ("lilypad", "lily_pad"),
    ("mushroom", "brown_mushroom"),
    ("fungus", "brown_mushroom"),
    ("toadstool", "red_mushroom"),
    ("fern", "fern"),
    ("bush", "dead_bush"),
    ("shrub", "dead_bush"),
    ("plant", "short_grass"),
    ("foliage", "short_grass"),
    ("weed", "short_grass"),
    ("sprout", "short_grass"),
    ("sprouts", "short_grass"),
    ("reed", "sugar_cane"),
    ("reeds", "sugar_cane"),
    ("cattail", "sugar_cane"),
    ("crop", "wheat"),
    ("crops", "wheat"),
    ("vine", "vine"),
    ("vines", "vine"),
    ("ivy", "vine"),
    ("coral", "tube_coral"),
    ("kelp", "kelp"),
    ("seagrass", "seagrass"),
    ("seaweed", "seagrass"),
    ("lichen", "glow_lichen"),
    ("moss", "moss_block"),
    ("carpet", "white_carpet"),
    ("wool", "white_wool"),
    ("rail", "rail"),
    ("track", "rail"),
    ("pressure", "stone_pressure_plate"),
    ("torch", "torch"),
    ("lantern", "lantern"),
    ("button", "stone_button"),
    ("lever", "lever"),
    ("ladder", "ladder"),
    ("sign", "oak_sign"),
    ("banner", "white_banner"),
    ("candle", "candle"),
    ("door", "oak_door"),
    ("trapdoor", "oak_trapdoor"),
    ("pane", "glass_pane"),
    ("glass", "glass"),
    ("chest", "chest"),
    ("farmland", "farmland"),
    ("dirt", "dirt"),
    ("soil", "dirt"),
    ("mud", "mud"),
    ("sand", "sand"),
    ("sandstone", "sandstone"),
    ("gravel", "gravel"),
    ("clay", "clay"),
    ("snow", "snow_block"),
    ("ice", "ice"),
    ("icicle", "ice"),
    ("obsidian", "obsidian"),
    ("basalt", "basalt"),
    ("marble", "calcite"),
    ("limestone", "calcite"),
    ("cobblestone", "cobblestone"),
    ("deepslate", "deepslate"),
    ("brick", "bricks"),
    ("bricks", "bricks"),
    ("stone", "stone"),
    ("rock", "stone"),
    ("tree", "oak_log"),
];

/// Words next to `water` and `lava` that mean a tool for the liquid, not the liquid itself.
const HANDLES: [&str; 14] = [
    "wheel",
    "mill",
    "pump",
    "tank",
    "barrel",
    "pipe",
    "trough",
    "bucket",
    "bottle",
    "collector",
    "turbine",
    "fountain",
    "drain",
    "cannon",
];

/// The dyes. Dyes of two words are first, because the first match counts.
const DYES: [&str; 17] = [
    "light_blue",
    "light_gray",
    "white",
    "orange",
    "magenta",
    "yellow",
    "lime",
    "pink",
    "gray",
    "silver",
    "cyan",
    "purple",
    "blue",
    "brown",
    "green",
    "red",
    "black",
];

/// Names with more bytes than this are not read as words.
const MAX_NAME: usize = 96;
/// Names with more words than this are not read, because each word is looked up in all the lists.
const MAX_WORDS: usize = 16;

/// Guesses the look of a name that is not in the table. The limits above bound the work for every name.
pub(super) fn guess(table: &BlockTable<'_>, name: &str) -> Guess {
    if name.len() > MAX_NAME {
        return Guess::Row(by_hash(name, 100));
    }
    let path = split_words(name.split_once(':').map_or(name, |(_, path)| path));
    if path.split('_').count() > MAX_WORDS {
        return Guess::Row(by_hash(name, 100));
    }
    if let Some(block) = by_end(table, &path) {
        return Guess::Like(block);
    }
    for (ending, coverage) in SHAPES {
        let Some(base) = path.strip_suffix(ending) else { continue };
        let forms = [base.to_owned(), format!("{base}s"), format!("{base}_block"), format!("{base}_planks")];
        let whole = forms.iter().find_map(|form| by_end(table, form));
        if let Some(block) = whole.or_else(|| by_words(table, base)).or_else(|| by_dye(table, base)) {
            let flags = Flags::WETTABLE;
            return Guess::Row(Row { coverage, flags, ..block.row });
        }
        return Guess::Row(by_hash(name, coverage));
    }
    match by_words(table, &path).or_else(|| by_dye(table, &path)) {
        Some(block) => Guess::Like(block),
        None => Guess::Row(by_hash(name, 100)),
    }
}

/// Returns a path in small letters with `_` between its words, without numbers at the ends of words.
fn split_words(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 4);
    let mut before = '_';
    for letter in path.chars() {
        if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
            out.push('_');
        }
        out.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' });
        before = letter;
    }
    let words = out.split('_').map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// Returns the game's block whose name is the longest end of the path. Names of air do not count, because they would
/// hide the block.
fn by_end(table: &BlockTable<'_>, path: &str) -> Option<Block> {
    let mut end = path;
    loop {
        if let Some((block, _)) = table.find(end).filter(|(block, _)| !block.row.flags.has(Flags::NOTHING)) {
            let liquid = block.row.flags.has(Flags::WATER) || block.row.flags.has(Flags::LAVA);
            return if liquid && !is_liquid(path) { None } else { Some(block) };
        }
        end = end.split_once('_')?.1;
    }
}

fn is_liquid(path: &str) -> bool {
    !path.split('_').any(|word| HANDLES.contains(&word))
}

fn by_words(table: &BlockTable<'_>, path: &str) -> Option<Block> {
    let block = |name: &str| table.find(name).map(|(block, _)| block);
    let has = |wanted: &str| path.split('_').any(|word| word == wanted);
    if path.contains("grass_block") {
        return block("grass_block");
    }
    if let Some(liquid) = ["water", "lava"].into_iter().find(|liquid| path.contains(liquid) && is_liquid(path)) {
        return block(liquid);
    }
    if has("ore") || has("ores") {
        let rocks = [("deepslate", "deepslate"), ("nether", "netherrack"), ("end", "end_stone")];
        return block(rocks.into_iter().find(|(word, _)| has(word)).map_or("stone", |(_, rock)| rock));
    }
    if let Some((_, name)) = WORDS.iter().find(|(word, _)| has(word)) {
        return block(name);
    }
    // In old mods the words of a name are often written together.
    let grown = [("leaves", "oak_leaves"), ("sapling", "oak_sapling"), ("planks", "oak_planks"), ("glass", "glass")];
    let grass = [("flower", "poppy"), ("grass", "short_grass")];
    grown.into_iter().chain(grass).find(|(part, _)| path.contains(part)).and_then(|(_, name)| block(name))
}

fn by_dye(table: &BlockTable<'_>, path: &str) -> Option<Block> {
    let dye = DYES.into_iter().find(|dye| path.strip_prefix(dye).is_some_and(|rest| rest.starts_with('_')))?;
    table.find(&format!("{dye}_wool")).map(|(block, _)| block)
}

/// Computes a muted colour from FNV-1a of the whole name: one of 1536 hues, a third of full saturation, a medium
/// brightness.
fn by_hash(name: &str, coverage: u8) -> Row {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let hash = hash ^ hash >> 29;
    let sector = hash % 1536 / 256;
    let rising = (hash % 256) as u32;
    let pure = match sector {
        0 => [255, rising, 0],
        1 => [255 - rising, 255, 0],
        2 => [0, 255, rising],
        3 => [0, 255 - rising, 255],
        4 => [rising, 0, 255],
        _ => [255, 0, 255 - rising],
    };
    let brightness = 118 + ((hash >> 32) % 48) as u32;
    let rgb = pure.map(|channel| (brightness * (170 + channel / 3) / 255) as u8);
    Row { rgb, coverage, tint: Tint::None, flags: Flags::WETTABLE, map: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_words() {
        assert_eq!(split_words("leaves1"), "leaves");
        assert_eq!(split_words("OreCopper.Block"), "ore_copper_block");
        assert_eq!(split_words("Tinkers-Anvil/2"), "tinkers_anvil");
    }

    #[test]
    fn overlong_names_get_the_last_resort() {
        let table = BlockTable::new(crate::paint::palette::BLOCKS);
        let like_stone = |name: &str| matches!(guess(&table, name), Guess::Like(_));
        let by_hash = |name: &str| matches!(guess(&table, name), Guess::Row(row) if row == by_hash(name, 100));
        let (short, long) = (format!("m:{}_stone", "x".repeat(88)), format!("m:{}_stone", "x".repeat(89)));
        assert_eq!((short.len(), long.len()), (96, 97));
        assert!(like_stone(&short) && by_hash(&long));
        assert!(like_stone(&format!("m:{}stone", "x_".repeat(15))));
        assert!(by_hash(&format!("m:{}stone", "x_".repeat(16))));
        assert!(by_hash(&format!("m:{}slab", "x_".repeat(16))), "a shape too");
    }

    #[test]
    fn the_last_resort_depends_on_the_name_alone() {
        assert_eq!(by_hash("mod:thing", 100).rgb, by_hash("mod:thing", 25).rgb);
        assert_ne!(by_hash("mod:thing", 100).rgb, by_hash("mod:thinh", 100).rgb);
        for name in ["a", "b", "mod:frobnicator", "numeric:4095:15"] {
            let rgb = by_hash(name, 100).rgb;
            assert!(rgb.iter().all(|&channel| (70..=170).contains(&channel)), "{name} {rgb:?}");
        }
    }
}
