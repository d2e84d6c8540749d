//! Translates the blocks and biomes of Bedrock worlds to the Java blocks and biomes that describe
//! them.
//!
//! Bedrock has its own names and states, and often changed them. The table of blocks has one line
//! per name of any version that means another block than in Java: `name<TAB>block`. Further lines
//! of a name, `name[state=a|b,...]<TAB>block`, apply if the states have one of the values. The
//! block may have properties in brackets, and its name is left out if it is the same. Its other
//! properties are derived from the states. The numeric data that was stored before there were
//! states counts as a state `val`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::bedrock_ids::{BED, DYED, end_behind_dye};
use super::bedrock_states::{STATES, java_property};
use super::cache::NameCache;
use super::ids::{
    BiomeId, BlockId, MAX_NAMES, MAX_VALUE, bounded_name, bounded_value, full_name, text,
};
use super::numeric::{split_state, state_pairs};
use crate::nbt::{Error, LittleReader, Tag};
use pixelmap_base::name_lines::lines_with_name;

/// Lines sorted by name. Names have no `minecraft:`.
const BLOCKS: &str = include_str!("bedrock_blocks.tsv");

/// Names of the numeric ids of blocks: `id<TAB>name`.
const BLOCK_IDS: &str = include_str!("bedrock_block_ids.tsv");

/// Names of biomes in Java, by numeric id: `id<TAB>name`.
const BIOMES: &str = include_str!("bedrock_biomes.tsv");

/// All tables that decide which block or biome of Java is drawn.
pub const BEDROCK_TABLES: [&str; 4] = [BLOCKS, STATES, BLOCK_IDS, BIOMES];

const NAMESPACE: &str = "minecraft:";

/// The state that stands for the numeric data of a block.
const DATA: &[u8] = b"val";

/// The bit of a bed's data that is set in its head.
pub const BED_HEAD: u8 = 8;

/// Names of the dyes by number.
const DYES: [&str; 16] = [
    "white",
    "orange",
    "magenta",
    "light_blue",
    "yellow",
    "lime",
    "pink",
    "gray",
    "light_gray",
    "cyan",
    "purple",
    "blue",
    "brown",
    "green",
    "red",
    "black",
];

/// The most states that are read. The game's blocks have at most six; further ones are skipped.
const MAX_STATES: usize = 64;

/// The longest entry that is cached, so that a cache's size is bounded. Longer entries are parsed
/// each time.
const MAX_ENTRY: usize = 1 << 10;

/// A block as a world stores it.
#[derive(Debug, Default)]
struct StoredBlock<'a> {
    name: Cow<'a, str>,
    states: Vec<(&'a [u8], Cow<'a, [u8]>)>,
}

impl<'a> StoredBlock<'a> {
    /// Reads the payload of a palette's entry: `{name, states}`, or `{name, val}` before 1.13.
    fn read(entry: &'a [u8]) -> Result<Self, Error> {
        let mut block = Self::default();
        let mut reader = LittleReader::in_compound(entry);
        while let Some((tag, key)) = reader.entry()? {
            match key {
                b"name" => {
                    let name = reader.string(tag)?;
                    block.name =
                        name.map_or(block.name, |name| full_name(&bounded_name(name)).into());
                }
                b"val" => block
                    .states
                    .extend(number(&mut reader, tag)?.map(|value| (DATA, value))),
                b"states" if reader.compound(tag)? => block.read_states(&mut reader)?,
                b"states" => {}
                _ => reader.skip(tag)?,
            }
        }

        Ok(block)
    }

    fn read_states(&mut self, reader: &mut LittleReader<'a>) -> Result<(), Error> {
        while let Some((tag, key)) = reader.entry()? {
            let value = match tag {
                Tag::String => reader.string(tag)?.map(bounded_value),
                _ => number(reader, tag)?,
            };
            let has_room = self.states.len() < MAX_STATES && key.len() <= MAX_VALUE;
            if has_room && let Some(value) = value {
                self.states.push((key, value));
            }
        }

        Ok(())
    }

    fn state(&self, key: &[u8]) -> Option<&[u8]> {
        self.states
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| &**value)
    }

    fn state_text(&self, key: &str) -> Option<Cow<'_, str>> {
        self.state(key.as_bytes()).map(text)
    }

    /// Returns the table's block for this one, such as `oak_log[axis=x]` or `[axis=x]`. If several
    /// lines match, the one with the most states wins. Returns `None` if it has the same name in
    /// Java, or belongs to an add-on.
    fn translation(&self) -> Option<&'static str> {
        let name = self.name.strip_prefix(NAMESPACE)?;
        let fitting = lines_with_name(BLOCKS, name).filter_map(|line| {
            let (from, to) = line.split_once('\t')?;
            let when = from[name.len()..].trim_matches(['[', ']']);
            let fits = state_pairs(when).all(|(key, values)| self.has_state(key, values));
            fits.then(|| (state_pairs(when).count(), to))
        });
        fitting.max_by_key(|(states, _)| *states).map(|(_, to)| to)
    }

    /// Returns whether a state has one of these values, which have `|` between them.
    fn has_state(&self, key: &str, values: &str) -> bool {
        values
            .split('|')
            .any(|value| self.state(key.as_bytes()) == Some(value.as_bytes()))
    }

    /// Returns the data that a block before 1.13 has instead of states; `None`: it has states, or
    /// impossible data.
    fn data(&self) -> Option<u8> {
        std::str::from_utf8(self.state(DATA)?).ok()?.parse().ok()
    }
}

/// Reads a whole number as text. Skips any other payload.
fn number<'a>(reader: &mut LittleReader<'a>, tag: Tag) -> Result<Option<Cow<'a, [u8]>>, Error> {
    Ok(reader
        .int(tag)?
        .map(|value| value.to_string().into_bytes().into()))
}

impl NameCache {
    /// Returns the id of a Bedrock block. `entry` is the payload of its compound in a palette, in
    /// little-endian NBT including its end tag. `is_wet` means that there is water in the same
    /// cell. An entry without a name is air.
    pub fn bedrock_block(&mut self, entry: &[u8], is_wet: bool) -> BlockId {
        if let Some(&id) = self.bedrock.entries[usize::from(is_wet)].get(entry) {
            return id;
        }

        let block = StoredBlock::read(entry).unwrap_or_default();
        let id = if block.name.is_empty() {
            BlockId::AIR
        } else {
            self.translate(&block, is_wet)
        };

        let id = self.with_properties(
            id,
            block
                .states
                .iter()
                .map(|(name, value)| (*name, &**value))
                .collect(),
        );

        let known = &mut self.bedrock.entries[usize::from(is_wet)];
        if entry.len() <= MAX_ENTRY && known.len() < MAX_NAMES {
            known.insert(entry.into(), id);
        }

        id
    }

    /// Returns the id of a numeric Bedrock block, as used before 1.2.13.
    pub fn bedrock_numeric_block(&mut self, id: u32, data: u8) -> BlockId {
        let index = (id as usize) << 4 | usize::from(data & 15);
        if let Some(&Some(known)) = self.bedrock.numeric.get(index) {
            return known;
        }

        let name = with_id(BLOCK_IDS, id).map_or_else(
            || format!("numeric:{id}:{data}"),
            |name| full_name(name.as_bytes()),
        );

        let value = (data & 15).to_string().into_bytes();
        let block = self.translate(
            &StoredBlock {
                name: name.into(),
                states: vec![(DATA, value.into())],
            },
            false,
        );

        let block = self.with_data(block, u16::from(data & 15));
        if index < 1 << 12 {
            self.bedrock.numeric.resize(1 << 12, None);
            self.bedrock.numeric[index] = Some(block);
        }

        block
    }

    /// Returns a Bedrock block in a dye, 0 (white) to 15 (black). Returns the block itself if it
    /// cannot be dyed or the dye does not exist.
    pub fn bedrock_dyed(&mut self, id: BlockId, dye: u8) -> BlockId {
        if let Some(&known) = self.bedrock.dyed.get(&(id, dye)) {
            return known;
        }

        let stored = self.stored_name(id);
        let Some((end, dye_name)) = end_behind_dye(&stored).zip(DYES.get(usize::from(dye))) else {
            return id;
        };

        let (_, state) = self.name_at(id.index());
        let is_wet = state_pairs(&state).any(|pair| pair == ("waterlogged", "true"));

        let properties = self.unknown_properties(id);
        let dyed = self.add_described(
            &stored,
            &format!("{NAMESPACE}{dye_name}_{end}"),
            is_wet,
            |key| {
                state_pairs(&state)
                    .find(|(name, _)| *name == key)
                    .map(|(_, value)| value.into())
            },
        );
        let dyed = self.with_properties(
            dyed,
            properties
                .iter()
                .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
                .collect(),
        );
        self.bedrock.dyed.insert((id, dye), dyed);

        dyed
    }

    /// Returns the names by which worlds of Bedrock Edition may store a block whose name in Java
    /// Edition passes the test.
    pub fn bedrock_names(test: impl Fn(&str) -> bool) -> BTreeSet<&'static str> {
        let mut names = BTreeSet::new();
        for line in BLOCKS.lines() {
            let java = line
                .split_once('\t')
                .map_or("", |(_, to)| split_state(to).0);

            if !java.is_empty() && test(&full_name(java.as_bytes())) {
                names.extend(line.split(['[', '\t']).next());
            }
        }

        for (name, end) in DYED {
            let is_dyed = DYES
                .iter()
                .any(|dye| test(&format!("{NAMESPACE}{dye}_{end}")));

            if is_dyed {
                names.extend(name.strip_prefix(NAMESPACE));
            }
        }

        names
    }

    /// Returns the numeric ids of Bedrock Edition whose stored name passes the test.
    pub fn bedrock_ids(test: impl Fn(&str) -> bool) -> BTreeSet<u32> {
        let lines = BLOCK_IDS.lines().filter_map(|line| line.split_once('\t'));
        let ids = lines.filter_map(|(id, name)| Some((id.parse().ok()?, name)));
        ids.filter(|(_, name)| test(&full_name(name.as_bytes())))
            .map(|(id, _)| id)
            .collect()
    }

    /// Returns the id of a Bedrock biome.
    pub fn bedrock_biome(&mut self, id: u32) -> BiomeId {
        if let Some(&biome) = self.bedrock.biomes.get(&id) {
            return biome;
        }

        let names = Arc::clone(&self.names);
        let known = with_id(BIOMES, id).or_else(|| names.numeric.registered_biome(id));
        let name = known.map_or_else(|| format!("numeric:{id}").into(), Cow::Borrowed);
        let biome = self.biome(name.as_bytes());
        if self.bedrock.biomes.len() < MAX_NAMES {
            self.bedrock.biomes.insert(id, biome);
        }

        biome
    }

    fn translate(&mut self, block: &StoredBlock<'_>, is_wet: bool) -> BlockId {
        if !block.name.starts_with(NAMESPACE) {
            return self.add_described(&block.name, &block.name, is_wet, |key| {
                block.state_text(key)
            });
        }

        let (name, property) = split_state(block.translation().unwrap_or_default());
        let name = if name.is_empty() {
            block.name.clone()
        } else {
            full_name(name.as_bytes()).into()
        };

        let short = name.strip_prefix(NAMESPACE).unwrap_or(&name);
        self.add_described(&block.name, &name, is_wet, |key| {
            let named = property(key.as_bytes()).map(String::from_utf8_lossy);
            named.or_else(|| java_property(short, key, |state| block.state_text(state)))
        })
    }
}

/// Returns whether an entry of a palette, as in [`NameCache::bedrock_block`], is the half of a bed
/// with the pillow.
pub fn is_bed_head(entry: &[u8]) -> bool {
    let Ok(block) = StoredBlock::read(entry) else {
        return false;
    };

    block.name == BED
        && (block.state(b"head_piece_bit") == Some(b"1")
            || block.data().is_some_and(|data| data & BED_HEAD != 0))
}

/// Returns the name of an id in a table with lines `id<TAB>name`.
fn with_id(table: &'static str, id: u32) -> Option<&'static str> {
    table
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .find(|(key, _)| key.parse() == Ok(id))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Describe, Names, NumericNames, Traits};

    /// Describes all blocks as having an axis.
    struct AxisState;

    impl Describe for AxisState {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            vec!["axis".to_owned()]
        }

        fn traits(&self, _: &str, _: &str) -> Traits {
            Traits::GROUND
        }

        fn knows_biome(&self, _: &str) -> bool {
            true
        }
    }

    fn name_cache() -> NameCache {
        NameCache::new(Arc::new(Names::new(
            Arc::new(AxisState),
            NumericNames::default(),
        )))
    }

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
    }

    fn tag(id: u8, name: &str, payload: &[u8]) -> Vec<u8> {
        [&[id][..], &text(name), payload].concat()
    }

    /// Returns the payload of a palette's entry, including its end tag.
    fn entry(name: &str, states: &[Vec<u8>]) -> Vec<u8> {
        let version = tag(3, "version", &17_694_720_i32.to_le_bytes());
        let states = tag(10, "states", &[states.concat(), vec![0]].concat());
        [tag(8, "name", &text(name)), states, version, vec![0]].concat()
    }

    fn label(name_cache: &mut NameCache, id: BlockId) -> [Arc<str>; 3] {
        let (name, state) = name_cache.name_at(id.index());
        [name_cache.stored_name(id), name, state]
    }

    #[test]
    fn an_add_on_block_keeps_name_and_states() {
        let mut name_cache = name_cache();
        let beam = entry(
            "mod:beam",
            &[tag(8, "axis", &text("x")), tag(1, "lit", &[1])],
        );

        let id = name_cache.bedrock_block(&beam, false);
        assert_eq!(
            label(&mut name_cache, id),
            ["mod:beam", "mod:beam", "axis=x"].map(Arc::from)
        );
        assert_eq!(name_cache.bedrock_block(&beam, false), id);

        let wet = name_cache.bedrock_block(&beam, true);
        assert_eq!(&*label(&mut name_cache, wet)[2], "axis=x,waterlogged=true");
    }

    #[test]
    fn an_entry_without_a_name_is_air() {
        for bytes in [&[][..], &[0], &[8, 4, 0, b'n'], &tag(3, "name", &[0; 4])] {
            assert_eq!(name_cache().bedrock_block(bytes, false), BlockId::AIR);
        }
    }

    #[test]
    fn long_names_do_not_fill_the_cache() {
        let mut name_cache = name_cache();
        let id =
            name_cache.bedrock_block(&entry(&format!("mod:{}", "x".repeat(60_000)), &[]), false);
        assert_eq!(name_cache.stored_name(id).len(), 217);
        assert_eq!(name_cache.bedrock.entries[0].len(), 0);
    }

    #[test]
    fn ids_beyond_the_tables_have_numbers_for_names() {
        let mut name_cache = name_cache();
        let (id, far) = (
            name_cache.bedrock_numeric_block(230, 3),
            name_cache.bedrock_numeric_block(70_000, 3),
        );
        assert_eq!(
            [id, far].map(|id| name_cache.stored_name(id)),
            ["numeric:230:3", "numeric:70000:3"].map(Arc::from)
        );
        let biome = name_cache.bedrock_biome(4_000_000_000);
        assert_eq!(&*name_cache.biome_name(biome), "numeric:4000000000");
    }

    #[test]
    fn names_of_every_version_are_translated() {
        let mut name_cache = name_cache();
        let mut java = |name: &str, states: &[Vec<u8>]| {
            let id = name_cache.bedrock_block(&entry(&format!("minecraft:{name}"), states), false);
            let [stored, name, state] = label(&mut name_cache, id);
            (
                stored["minecraft:".len()..].to_owned(),
                name["minecraft:".len()..].to_owned() + &state,
            )
        };

        let text = |key: &str, value: &str| tag(8, key, &text(value));

        for (name, states, wanted) in [
            ("stone", vec![], "stone"),
            ("stone", vec![text("stone_type", "granite")], "granite"),
            ("snow", vec![], "snow_block"),
            ("snow_layer", vec![tag(3, "height", &[2, 0, 0, 0])], "snow"),
            ("grass", vec![], "grass_block"),
            ("stone_stairs", vec![], "cobblestone_stairs"),
            (
                "log",
                vec![text("old_log_type", "spruce"), text("pillar_axis", "x")],
                "spruce_logaxis=x",
            ),
            (
                "log",
                vec![text("pillar_axis", "z"), text("old_log_type", "spruce")],
                "spruce_logaxis=z",
            ),
            ("oak_log", vec![text("pillar_axis", "x")], "oak_logaxis=x"),
            ("wool", vec![text("color", "silver")], "light_gray_wool"),
            ("concretePowder", vec![], "white_concrete_powder"),
            ("element_118", vec![], "white_concrete"),
        ] {
            assert_eq!(java(name, &states), (name.to_owned(), wanted.to_owned()));
        }
    }

    #[test]
    fn numeric_data_is_a_state_of_its_own() {
        let mut name_cache = name_cache();
        let data = tag(2, "val", &14_i16.to_le_bytes());
        let old = [tag(8, "name", &text("minecraft:wool")), data, vec![0]].concat();
        let (named, numeric) = (
            name_cache.bedrock_block(&old, false),
            name_cache.bedrock_numeric_block(35, 14),
        );

        assert_eq!(named, numeric);
        assert_eq!(
            label(&mut name_cache, named),
            ["minecraft:wool", "minecraft:red_wool", ""].map(Arc::from)
        );

        let beam = name_cache.bedrock_numeric_block(17, 5);
        assert_eq!(
            label(&mut name_cache, beam),
            ["minecraft:log", "minecraft:spruce_log", "axis=x"].map(Arc::from)
        );
    }

    #[test]
    fn biomes_have_bedrocks_ids() {
        let mut name_cache = name_cache();
        let names = [1, 10, 40, 178, 193].map(|id| {
            let biome = name_cache.bedrock_biome(id);
            name_cache.biome_name(biome)["minecraft:".len()..].to_owned()
        });

        assert_eq!(
            names,
            [
                "plains",
                "frozen_ocean",
                "warm_ocean",
                "soul_sand_valley",
                "pale_garden"
            ]
        );
    }
}
