//! Chooses colours for names that are in none of the tables: blocks of mods, and of later versions
//! of the game.
//!
//! A name is read as words (`BiomesOPlenty:leaves1` and `mod:Oak-Leaves` mean "leaves",
//! `mod:holystone` means "holy" and "stone"). First we look for the material: the same name in the
//! game; the longest end of the name that the game has; the block that a slab or stair is made of;
//! or a word for a material. Then we look for a word that gives it another colour. If there is
//! neither, the block gets a muted colour that depends only on its whole name, so that it has the
//! same colour in every render. Names that are too long or have too many words get such a colour at
//! once. The air of mods is not drawn.

use std::borrow::Cow;

use crate::palette::table::{BlockTable, Flags, Row, TableBlock};
use crate::palette::tint::Tint;
use crate::palette::unknown::words::{
    AIRS, BRICKS, GROWN, GROWN_FIRST, GROWN_SHORT, HANDLES, MATERIALS, NEVER_LEAVES, NOT_GROWN, On,
    SHAPES, TONES, TREES, Tone, WORKED, WordLook,
};

/// The guessed look of an unknown block.
#[derive(Debug)]
pub(in crate::palette) enum Guess {
    Like(TableBlock),
    Row(Row),
    /// The air of a mod, which is invisible.
    Air,
}

/// Names with more bytes than this are not read as words.
const MAX_NAME: usize = 96;
/// Names with more words than this are not read, because each word is looked up in all the lists.
const MAX_WORDS: usize = 16;

/// Guesses the look of a name that is not in the table. The limits above bound the work for every
/// name.
pub(in crate::palette) fn guess(table: &BlockTable<'_>, name: &str) -> Guess {
    if name.len() > MAX_NAME {
        return Guess::Row(by_hash(name, 100));
    }

    let (namespace, path) = name.split_once(':').unwrap_or(("", name));
    let mut path = split_words(table, path);
    if is_ore(&path)
        && !path.split('_').any(|word| word == "end")
        && namespace.to_ascii_lowercase().contains("nether")
    {
        path = format!("nether_{path}");
    }

    if path.split('_').count() > MAX_WORDS {
        return Guess::Row(by_hash(name, 100));
    }
    if is_air(&path) {
        return Guess::Air;
    }

    if by_end(table, &path).is_none()
        && let Some((base, coverage)) = SHAPES
            .into_iter()
            .find_map(|(end, coverage)| Some((path.strip_suffix(end)?, coverage)))
    {
        let flags = Flags::WETTABLE;
        let may_be_wooden = !path.ends_with("_wall") && !path.ends_with("_pillar");
        return Guess::Row(match by_shape(table, base, may_be_wooden) {
            Some(look) => Row {
                coverage,
                flags,
                ..look.row()
            },
            None => by_hash(name, coverage),
        });
    }

    by_path(table, &path).unwrap_or_else(|| Guess::Row(by_hash(name, 100)))
}

impl Guess {
    fn row(&self) -> Row {
        match self {
            Self::Like(block) => block.row,
            Self::Row(row) => *row,
            Self::Air => AIR,
        }
    }
}

/// The look of air. Unlike the game's own air it counts as a block, because `query` answers with
/// the stored name.
pub(in crate::palette) const AIR: Row = Row {
    rgb: [0; 3],
    coverage: 0,
    tint: Tint::None,
    flags: Flags::NONE,
    map: 0,
};

/// Returns whether a path is a name of air: the word itself, after words that describe air and
/// nothing else. Any other word makes it a visible block, such as `rune_of_air`.
fn is_air(path: &str) -> bool {
    let mut words = path.rsplit('_');
    let Some(first) = words.next().and_then(|last| last.strip_suffix("air")) else {
        return false;
    };

    // Old mods write the words together, or begin with the name of their class.
    let describes = |word: &str| word.is_empty() || AIRS.contains(&word);
    describes(first)
        && words
            .take_while(|word| !matches!(*word, "block" | "tile"))
            .all(describes)
}

/// Finds the block that a slab, stair or wall is made of.
fn by_shape(table: &BlockTable<'_>, base: &str, may_be_wooden: bool) -> Option<Guess> {
    let planks = format!("{base}_planks");

    // Planks alone are a name of the game, so they do not decide the material of the base.
    let is_whole = |form: &&String| {
        by_end(table, form).is_some_and(|(_, others)| **form != planks || others != base)
    };

    let forms = [
        base.to_owned(),
        format!("{base}s"),
        format!("{base}_block"),
        planks.clone(),
    ];
    let whole = forms.iter().find(is_whole).map_or(base, String::as_str);

    by_path(table, whole).or_else(|| by_path(table, may_be_wooden.then_some(&*planks)?))
}

/// Finds the material of a path, and gives it the colour that other words of the path name.
fn by_path(table: &BlockTable<'_>, path: &str) -> Option<Guess> {
    if let Some((block, others)) = by_end(table, path) {
        return Some(with_tone(Guess::Like(block), path, others));
    }

    if let Some(whole) = path
        .strip_suffix("_block")
        .or_else(|| path.strip_suffix("_blocks"))
        && let Some((block, others)) = by_end(table, whole)
    {
        return Some(with_tone(Guess::Like(block), path, others));
    }

    // Some mods name the kind of wood or the dye last: `log_spruce`, `wool_red`.
    if let Some((kind, last)) = path.rsplit_once('_')
        && let Some(block) = like(table, &format!("{last}_{kind}"))
    {
        return Some(block);
    }

    match by_words(table, path) {
        Some(look) => Some(with_tone(look, path, path)),
        None if has_handle(path) => None,
        None => match tone(path, path, None) {
            Some(rgb) => Some(Guess::Row(plain(rgb))),
            // If a name has only the word for a tree, the map shows its leaves.
            None if path.split('_').any(|word| TREES.contains(&word)) => like(table, "oak_leaves"),
            None => None,
        },
    }
}

/// Returns a path in small letters with `_` between its words, without numbers at the ends of
/// words. Words that are written together are split at a material at their end.
fn split_words(table: &BlockTable<'_>, path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 4);
    let letters: Vec<char> = path.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let is_small = |other: Option<&char>| other.is_some_and(char::is_ascii_lowercase);

        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let begins = is_small(before)
            || before.is_some_and(char::is_ascii_uppercase) && is_small(letters.get(at + 1));
        if letter.is_ascii_uppercase() && begins {
            out.push('_');
        }

        out.push(if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '_'
        });
    }

    let words = out
        .split('_')
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
    words
        .filter(|word| !word.is_empty())
        .map(|word| split_grown(table, word))
        .collect::<Vec<_>>()
        .join("_")
}

/// Splits words that are written together: `fusedabyssalsand`, `blockmarble`, `darkbrickstairs`.
fn split_grown<'a>(table: &BlockTable<'_>, word: &'a str) -> Cow<'a, str> {
    if table.find(word).is_some() || is_word(word) || NOT_GROWN.contains(&word) {
        return Cow::Borrowed(word);
    }

    for first in GROWN_FIRST {
        if let Some(rest) = word.strip_prefix(first)
            && rest.len() > 2
        {
            return Cow::Owned(format!("{first}_{}", split_grown(table, rest)));
        }
    }

    let tones = TONES
        .iter()
        .map(|(tone, _, _)| *tone)
        .filter(|tone| tone.len() > 4);
    let ends = GROWN.into_iter().chain(GROWN_SHORT).chain(tones);

    match ends
        .filter(|end| word.len() > end.len() + 2 && word.ends_with(end))
        .max_by_key(|end| end.len())
    {
        Some(end) => Cow::Owned(format!(
            "{}_{end}",
            split_grown(table, &word[..word.len() - end.len()])
        )),
        None => Cow::Borrowed(word),
    }
}

/// Returns whether one of the lists has this word.
fn is_word(word: &str) -> bool {
    MATERIALS.iter().any(|(material, _)| *material == word)
        || TONES.iter().any(|(tone, _, _)| *tone == word)
}

/// Returns the game's block whose name is the longest end of the path, and the words before it.
/// Names of air do not count, because they would hide the block.
fn by_end<'a>(table: &BlockTable<'_>, path: &'a str) -> Option<(TableBlock, &'a str)> {
    let mut end = path;
    loop {
        let others = path[..path.len() - end.len()].trim_end_matches('_');

        // Most bricks of mods are not made of clay, and stairs without a wood are not made of oak.
        let is_other_brick = end.starts_with("brick") && brick(path) != "bricks";
        let is_shape = !others.is_empty() && matches!(end, "stairs" | "slab" | "fence" | "wall");
        if let Some((block, _)) = table
            .find(end)
            .filter(|(block, _)| !block.row.flags.has(Flags::NOTHING))
            && !is_other_brick
            && !is_shape
        {
            let liquid = block.row.flags.has(Flags::WATER) || block.row.flags.has(Flags::LAVA);
            return if liquid && has_handle(path) {
                None
            } else {
                Some((block, others))
            };
        }

        end = end.split_once('_')?.1;
    }
}

/// Returns whether a path names a tool for a liquid.
fn has_handle(path: &str) -> bool {
    path.split('_').any(|word| HANDLES.contains(&word))
}

fn like(table: &BlockTable<'_>, name: &str) -> Option<Guess> {
    table.find(name).map(|(block, _)| Guess::Like(block))
}

fn is_ore(path: &str) -> bool {
    path.split('_').any(|word| matches!(word, "ore" | "ores"))
}

fn by_words(table: &BlockTable<'_>, path: &str) -> Option<Guess> {
    let like = |name: &str| like(table, name);
    let has = |wanted: &str| path.split('_').any(|word| word == wanted);

    if path.contains("grass_block") {
        return like("grass_block");
    }

    if let Some(liquid) = ["water", "lava"]
        .into_iter()
        .find(|liquid| path.contains(liquid) && !has_handle(path))
    {
        return like(liquid);
    }

    if is_ore(path) {
        let rocks = [
            ("deepslate", "deepslate"),
            ("nether", "netherrack"),
            ("end", "end_stone"),
        ];

        return like(
            rocks
                .into_iter()
                .find(|(word, _)| has(word))
                .map_or("stone", |(_, rock)| rock),
        );
    }

    if has("brick") || has("bricks") {
        return like(brick(path));
    }

    // The block of a giant mushroom hides the ground, unlike a mushroom.
    if ["mushroom", "shroom", "fungus"].into_iter().any(has) && (has("block") || has("cap")) {
        return like("brown_mushroom_block");
    }

    if let Some((_, look)) = MATERIALS.iter().find(|(word, _)| has(word)) {
        return match *look {
            WordLook::Like(name) => like(name),
            WordLook::Own(rgb, coverage) => Some(Guess::Row(Row {
                coverage,
                ..plain(rgb_of(rgb))
            })),
        };
    }

    // In old mods the words of a name are often written together.
    let grown = [
        ("leaves", "oak_leaves"),
        ("sapling", "oak_sapling"),
        ("planks", "oak_planks"),
        ("glass", "glass"),
    ];

    let grass = [("flower", "poppy"), ("grass", "short_grass")];
    grown
        .into_iter()
        .chain(grass)
        .find(|(part, _)| path.contains(part))
        .and_then(|(_, name)| like(name))
}

/// Returns the game's brick for a path with the word `brick`.
fn brick(path: &str) -> &'static str {
    let mut words = path
        .split('_')
        .filter(|word| !word.starts_with("brick") && !WORKED.contains(word));
    let known = BRICKS
        .into_iter()
        .find(|(material, _)| path.split('_').any(|word| word == *material));
    match known {
        Some((_, brick)) => brick,
        None if words.all(|word| TONES.iter().any(|(tone, _, _)| *tone == word)) => "bricks",
        None => "stone_bricks",
    }
}

/// Gives a material of a path the colour that these words of the path name, if they name one.
fn with_tone(look: Guess, path: &str, words: &str) -> Guess {
    let row = look.row();
    let is_liquid = row.flags.has(Flags::WATER) || row.flags.has(Flags::LAVA);

    // An ore is mostly rock, and a barrel of oil is a barrel.
    if is_liquid || is_ore(path) || has_handle(path) {
        return look;
    }
    let Some(rgb) = tone(path, words, Some(row)) else {
        return look;
    };

    // A cloud of a colour is still pale, and obsidian of a colour is still dark.
    let is_pale = row.coverage <= 50
        && row.tint == Tint::None
        && row.rgb.iter().all(|&channel| channel > 220);

    let is_dark = row.rgb.iter().all(|&channel| channel < 48);
    let rgb = if is_pale || is_dark {
        [0, 1, 2].map(|at| rgb[at].midpoint(row.rgb[at]))
    } else {
        rgb
    };

    Guess::Row(Row {
        rgb,
        tint: Tint::None,
        map: 0,
        ..row
    })
}

/// Returns the colour that words, with which the path begins, name for a material, or for a block
/// of an unknown material.
fn tone(path: &str, words: &str, material: Option<Row>) -> Option<[u8; 3]> {
    let is_green = material
        .is_some_and(|row| row.tint != Tint::None || row.rgb[1] > row.rgb[0].max(row.rgb[2]));
    let is_leaves = material.is_some_and(|row| row.flags.has(Flags::LEAVES));
    let is_of_a_tree = [
        "leaves", "leaf", "log", "wood", "planks", "plank", "bark", "sapling",
    ]
    .into_iter()
    .any(|part| path.split('_').any(|word| word == part))
        || is_leaves;

    let counts = |name: &str, on: On| {
        let Some(at) = position(words, name) else {
            return false;
        };

        let next = path[at + name.len()..]
            .trim_start_matches('_')
            .split('_')
            .next()
            .unwrap_or_default();
        let is_part_of_a_tree =
            TREES.contains(&next) && (!is_leaves || NEVER_LEAVES.contains(&name));

        let fits = match on {
            On::All => true,
            On::Green => is_green,
            On::NotGreen => !is_green,
            On::Grown => is_green || is_of_a_tree,
            On::NotTrees => !is_of_a_tree,
        };

        fits && !is_part_of_a_tree
    };

    let (_, _, tone) = TONES.iter().find(|(name, on, _)| counts(name, *on))?;
    match (*tone, material) {
        (Tone::Colour(rgb), _) => Some(rgb_of(rgb)),
        (Tone::Dim(percent), Some(row)) => {
            // A biome's tint is left out, because the result would depend on two colours.
            let rgb = if row.tint == Tint::None {
                row.rgb
            } else {
                GREEN
            };
            Some(rgb.map(|channel| (u32::from(channel) * percent / 100) as u8))
        }
        (Tone::Dim(_), None) => None,
    }
}

/// The green of plants in plains.
const GREEN: [u8; 3] = [0x4c, 0x68, 0x28];

/// Returns the place of whole words in others.
fn position(words: &str, wanted: &str) -> Option<usize> {
    let is_edge = |at: Option<u8>| at.is_none_or(|byte| byte == b'_');
    let bytes = words.as_bytes();
    words.match_indices(wanted).map(|(at, _)| at).find(|&at| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        is_edge(before) && is_edge(bytes.get(at + wanted.len()).copied())
    })
}

fn rgb_of(value: u32) -> [u8; 3] {
    let [_, r, g, b] = value.to_be_bytes();
    [r, g, b]
}

fn plain(rgb: [u8; 3]) -> Row {
    Row {
        rgb,
        coverage: 100,
        tint: Tint::None,
        flags: Flags::WETTABLE,
        map: 0,
    }
}

/// Computes a muted colour from FNV-1a of the whole name: one of 1536 hues, a third of full
/// saturation, a medium brightness.
fn by_hash(name: &str, coverage: u8) -> Row {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });

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
    Row {
        rgb,
        coverage,
        tint: Tint::None,
        flags: Flags::WETTABLE,
        map: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::sources::BLOCKS;

    #[test]
    fn names_are_read_as_words() {
        let table = BlockTable::new(BLOCKS);
        for (path, words) in [
            ("leaves1", "leaves"),
            ("OreCopper.Block", "ore_copper_block"),
            ("Tinkers-Anvil/2", "tinkers_anvil"),
            ("tile.TFDeadrock", "tile_tf_dead_rock"),
            ("fusedabyssalsand", "fused_abyssal_sand"),
            ("darkebonybrickstairs2", "darkebony_brick_stairs"),
            ("blockOil", "block_oil"),
            ("blockmarble", "block_marble"),
            ("redstone", "redstone"),
            ("catalog", "catalog"),
            ("NetherBerryBush", "nether_berry_bush"),
            ("netherquartz", "nether_quartz"),
            ("endtallgrass", "end_tallgrass"),
            ("netherite", "netherite"),
            ("glowstone", "glowstone"),
        ] {
            assert_eq!(split_words(&table, path), words);
        }
    }

    #[test]
    fn words_for_colours_change_the_look_of_materials() {
        let table = BlockTable::new(BLOCKS);
        let row = |name: &str| guess(&table, &format!("mod:{name}")).row();
        let game = |name: &str| table.find(name).unwrap().0.row;

        for cloud in ["cloud", "cold_aercloud", "WispyCloud", "blue_cloud"] {
            let Row { rgb, coverage, .. } = row(cloud);
            assert!(
                coverage == 50 && rgb.iter().all(|&channel| channel > 140),
                "{cloud} {rgb:?}"
            );
        }

        let red = row("red_rock").rgb;
        assert!(red[0] > 2 * red[1], "{red:?}");

        for same in [
            "tall_red_leaves",
            "red_brick",
            "red_oak_leaves",
            "red_frobnicator",
            "red_sludge",
        ] {
            assert_eq!((row(same).rgb, row(same).tint), (red, Tint::None), "{same}");
        }

        let [r, g, b] = row("turquoise_grass_block").rgb;
        assert!(g > r && b > r, "{r} {g} {b}");

        // Here the material is visible, and the colour is part of a name.
        assert_eq!(row("red_oak_log"), game("oak_log"));
        assert_eq!(row("black_walnut_planks"), game("oak_planks"));
        assert_eq!(row("white_oak_leaves"), game("oak_leaves"));
        assert_eq!(row("ash_leaves"), game("oak_leaves"));
        assert_eq!(row("red_garnet_ore"), game("stone"));

        assert_eq!(row("crimson_iron_ore"), game("iron_ore"));
        assert_eq!(row("oil_barrel").rgb, game("barrel").rgb);
        assert_eq!(
            (row("log_spruce2"), row("WoolRed")),
            (game("spruce_log"), game("red_wool"))
        );
    }

    #[test]
    fn substances_and_places_have_their_own_colours() {
        let table = BlockTable::new(BLOCKS);
        let brightness = |name: &str| {
            guess(&table, &format!("mod:{name}"))
                .row()
                .rgb
                .iter()
                .max()
                .copied()
                .unwrap()
        };

        assert!(
            ["blockOil", "ash_block", "coal_sand", "tar"]
                .into_iter()
                .all(|name| brightness(name) < 70)
        );

        assert!(
            ["saltblock", "block_salt", "bone_tile", "chalk", "soymilk"]
                .into_iter()
                .all(|name| brightness(name) > 200)
        );

        assert!(
            ["Unraveled Fabric", "Fabric of Reality", "peat", "scorchia"]
                .into_iter()
                .all(|name| brightness(name) < 70)
        );

        let rgb = |name: &str| guess(&table, &format!("mod:{name}")).row().rgb;
        for grey in ["eris", "ceres", "mercury", "cube"] {
            let rgb = rgb(grey);
            assert!(
                rgb.iter().max().unwrap() - rgb.iter().min().unwrap() < 12,
                "{grey} {rgb:?}"
            );
        }

        let [r, g, b] = rgb("pluto");
        assert!(r > g && g > b, "{r} {g} {b}");

        assert_eq!(
            (rgb("bloodwood_leaves"), rgb("hell_blood")),
            (rgb("blood"), rgb("blood"))
        );

        assert_eq!(rgb("limestone_gravel"), rgb("limestone"));
        assert_ne!(rgb("nether_grass"), rgb("grass"));
        assert_eq!(
            rgb("nether_stone"),
            rgb("stone"),
            "only what would be green"
        );
        assert_eq!(rgb("castle_brick_stairs"), rgb("stone_bricks"));
        assert_eq!(rgb("red_elder_mushroom_cap"), rgb("red_rock"));
    }

    #[test]
    fn only_names_of_air_are_air() {
        let table = BlockTable::new(BLOCKS);
        let is_air = |name: &str| matches!(guess(&table, name), Guess::Air);

        for air in [
            "galacticraftcore:bright_air",
            "GalacticraftCore:tile.brightAir",
            "mod:breatheableAir",
            "mod:bright_breathable_air",
            "mod:concentrated_void_air",
            "mod:voidair",
            "mod:air",
            "mod:blockAir2",
            "GalacticraftCore:GCCoreBlockBreathableAir_0",
        ] {
            assert!(is_air(air), "{air}");
        }

        for block in [
            "mod:oak_stair",
            "mod:fairy",
            "mod:chair",
            "mod:airship",
            "mod:repair_table",
            "mod:dragon_lair",
            "mod:light_hair",
            "mod:armchair",
            "mod:air_block",
            "mod:airy",
            "mod:rune_air",
            "mod:rune_of_air",
            "mod:compressed_air",
            "mod:air_pump",
        ] {
            assert!(!is_air(block), "{block}");
        }
    }

    #[test]
    fn plants_on_rocks_stay_green() {
        let table = BlockTable::new(BLOCKS);
        let rgb = |name: &str| guess(&table, &format!("mod:{name}")).row().rgb;
        assert_eq!(rgb("chalk_grass_block"), rgb("grass_block"));
        assert_eq!(
            (rgb("marble_sand"), rgb("mossyHolystone")),
            (rgb("marble"), rgb("mossy_rock"))
        );

        let [cursed, dirt] = ["cursed_dirt", "dirt"].map(|name| u16::from(rgb(name)[1]));
        assert!(
            cursed * 3 < dirt * 4
                && rgb("endlog") == rgb("end_leaves")
                && rgb("willow") == rgb("leaves")
        );
    }

    #[test]
    fn ores_of_nether_mods_are_in_netherrack() {
        let table = BlockTable::new(BLOCKS);
        let rgb = |name: &str| guess(&table, name).row().rgb;

        let [netherrack, end_stone] =
            ["netherrack", "end_stone"].map(|name| table.find(name).unwrap().0.row.rgb);
        for name in [
            "netherores:tile.ore.1",
            "better_nether:odd_ore",
            "mod:ore_nethertopaz",
        ] {
            assert_eq!(rgb(name), netherrack, "{name}");
        }

        assert_eq!(rgb("netherendores:ore_end_topaz"), end_stone);
        assert_ne!(rgb("netherores:marble"), netherrack);
    }

    #[test]
    fn overlong_names_get_the_last_resort() {
        let table = BlockTable::new(BLOCKS);
        let like_stone = |name: &str| matches!(guess(&table, name), Guess::Like(_));
        let by_hash = |name: &str| matches!(guess(&table, name), Guess::Row(row) if row == by_hash(name, 100));
        let (short, long) = (
            format!("m:{}_stone", "x".repeat(88)),
            format!("m:{}_stone", "x".repeat(89)),
        );

        assert_eq!((short.len(), long.len()), (96, 97));
        assert!(like_stone(&short) && by_hash(&long));
        assert!(like_stone(&format!("m:{}stone", "x_".repeat(15))));
        assert!(by_hash(&format!("m:{}stone", "x_".repeat(16))));
        assert!(
            by_hash(&format!("m:{}slab", "x_".repeat(16))),
            "a shape too"
        );
    }

    #[test]
    fn the_last_resort_depends_on_the_name_alone() {
        assert_eq!(by_hash("mod:thing", 100).rgb, by_hash("mod:thing", 25).rgb);
        assert_ne!(by_hash("mod:thing", 100).rgb, by_hash("mod:thinh", 100).rgb);
        for name in ["a", "b", "mod:frobnicator", "numeric:4095:15"] {
            let rgb = by_hash(name, 100).rgb;
            assert!(
                rgb.iter().all(|&channel| (70..=170).contains(&channel)),
                "{name} {rgb:?}"
            );
        }
    }
}
