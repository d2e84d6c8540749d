//! Reads the tables in which a Bedrock world stores the names of dimensions and biomes of add-ons,
//! and the heights of these dimensions.
//!
//! A table that is not NBT gives one warning and counts as absent. Then the dimensions and biomes
//! have numbers for names. Sources: Mojang's creator tools (`MCWorld.ts`), and the sources of
//! Chunker and Amulet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::bedrock::{Database, LowestSections, OpenedDatabase};
use crate::nbt::{Error, LittleReader, Tag};
use crate::save::dimensions::dimension::canonical_id;
use crate::save::dimensions::namespaced::{ReservedNames, dimension_id};
use crate::save::left_out::LeftOut;

/// The keys of the tables in the database.
const DIMENSION_NAMES: &str = "DimensionNameIdTable";
const BIOME_NAMES: &str = "BiomeIdsTable";
const CHUNK_FACTS: &str = "LevelChunkMetaDataDictionary";

/// The most dimensions, and the most biomes, that are read.
const MAX_NAMES: usize = 10_000;
/// The longest name that is read, in bytes. Names of dimensions become paths of the map.
const MAX_NAME: usize = 128;
/// The most entries with heights that are read. A world has a few for each version of the game.
const MAX_HEIGHTS: usize = 100_000;
/// The greatest number of the game's own dimensions.
const LAST_OWN: u32 = 2;
/// Blocks along a side of a section.
const SECTION: i64 = 16;

/// The tables of a world. Each is empty if the world does not have it.
#[derive(Debug)]
pub(crate) struct WorldTables {
    pub(crate) dimensions: DimensionNames,
    /// Names of the biomes of add-ons, by number.
    pub(crate) biomes: BTreeMap<u32, String>,
}

impl WorldTables {
    /// Reads the tables. Warns of tables that cannot be read, and of entries beyond the bounds.
    pub(crate) fn read(
        database: &OpenedDatabase,
        reserved: ReservedNames,
        warnings: &mut Vec<String>,
    ) -> Self {
        let names = read_table(database, DIMENSION_NAMES, dimension_names, warnings);
        let biomes = read_table(database, BIOME_NAMES, biome_names, warnings);

        Self {
            dimensions: DimensionNames::new(names, reserved, warnings),
            biomes,
        }
    }
}

/// Reads the table of the lowest sections of chunks. The heights of the game's own dimensions are
/// known without it, so it is read only if there are other dimensions.
pub(crate) fn read_lowest_sections(
    database: &Database,
    warnings: &mut Vec<String>,
) -> Arc<LowestSections> {
    let mut dimensions = database.dimensions().iter();
    let has_other = dimensions.any(|(number, _)| number.unsigned_abs() > LAST_OWN);
    if !has_other {
        return Arc::default();
    }

    let opened = database.opened();
    Arc::new(read_table(opened, CHUNK_FACTS, lowest_sections, warnings))
}

/// The ids of the dimensions of add-ons, by number.
#[derive(Debug, Default)]
pub(crate) struct DimensionNames(BTreeMap<u32, String>);

impl DimensionNames {
    /// Keeps the names under which a map can show the dimensions. Warns of the others.
    fn new(
        stored: BTreeMap<u32, String>,
        reserved: ReservedNames,
        warnings: &mut Vec<String>,
    ) -> Self {
        let mut ids = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let mut left_out = LeftOut::default();
        for (number, name) in stored {
            match shown_id(&name, reserved) {
                // Some file systems ignore case.
                Ok(id) if taken.insert(id.to_ascii_lowercase()) => drop(ids.insert(number, id)),
                Ok(_) => left_out.add(1, || format!("{name:?}, which two dimensions have")),
                Err(reason) => left_out.add(1, || format!("{name:?} ({reason})")),
            }
        }

        let reason = "a map cannot have it in its paths, so the dimension has its number";
        left_out.warn("dimension name", reason, warnings);
        Self(ids)
    }

    /// Returns the id of the dimension with this number. A dimension above 2 without a name has an
    /// id such as `DIM3`, like the numbered dimensions of Java mods.
    pub(crate) fn id(&self, number: i32) -> String {
        match number {
            1 => "the_nether".to_owned(),
            2 => "the_end".to_owned(),
            number => {
                let name = u32::try_from(number).ok().and_then(|own| self.0.get(&own));
                name.cloned()
                    .unwrap_or_else(|| canonical_id(&number.to_string()))
            }
        }
    }
}

/// Returns the id of the dimension with this stored name.
///
/// # Errors
/// Returns the reason why a map cannot show the dimension under that name.
fn shown_id(name: &str, reserved: ReservedNames) -> Result<String, &'static str> {
    if !name.contains(':') {
        return Err("it has no namespace");
    }

    let id = dimension_id(name, reserved)?;
    if id.contains(':') {
        Ok(id)
    } else {
        Err("it is the name of one of the game's own dimensions")
    }
}

/// Reads the table under a key. A missing table counts as empty. So does a table in a damaged
/// block, because the warnings about the database include that block.
fn read_table<T: Default>(
    database: &OpenedDatabase,
    key: &str,
    parse: fn(&[u8], &mut LeftOut) -> Result<T, Error>,
    warnings: &mut Vec<String>,
) -> T {
    let Ok(Some(value)) = database.value(key.as_bytes()) else {
        return T::default();
    };

    let mut left_out = LeftOut::default();
    match parse(&value, &mut left_out) {
        Ok(table) => {
            let bounds = format!(
                "only {MAX_NAMES} names of at most {MAX_NAME} bytes and {MAX_HEIGHTS} heights are \
                 read"
            );
            left_out.warn(&format!("entry of {key}"), &bounds, warnings);
            table
        }
        Err(error) => {
            warnings.push(format!(
                "{}: the table {key} cannot be read, so its entries are left out: {error}",
                database.folder().display()
            ));
            T::default()
        }
    }
}

/// Reads the names of dimensions by number. They are in a compound, or in some versions directly in
/// the root.
fn dimension_names(bytes: &[u8], left_out: &mut LeftOut) -> Result<BTreeMap<u32, String>, Error> {
    let mut reader = LittleReader::root(bytes)?;
    let mut in_root = NumberedNames::default();
    let mut in_entries = None;
    while let Some((tag, name)) = reader.entry()? {
        if name != b"entries" || tag != Tag::Compound {
            in_root.add_dimension(reader.int(tag)?, name);
            continue;
        }

        let mut names = NumberedNames::default();
        reader.compound(tag)?;
        while let Some((tag, name)) = reader.entry()? {
            names.add_dimension(reader.int(tag)?, name);
        }
        in_entries = Some(names);
    }

    let found = in_entries.unwrap_or(in_root);
    left_out.add(found.beyond, || DIMENSION_NAMES.to_owned());
    Ok(found.names)
}

/// Reads the names of biomes by number from the table's list.
fn biome_names(bytes: &[u8], left_out: &mut LeftOut) -> Result<BTreeMap<u32, String>, Error> {
    let mut reader = LittleReader::root(bytes)?;
    let mut biomes = NumberedNames::default();
    while let Some((tag, name)) = reader.entry()? {
        if name != b"list" {
            reader.skip(tag)?;
        } else if let Some(list) = reader.list(tag)? {
            for _ in 0..list.len {
                biomes.add_biome(&mut reader, list.tag)?;
            }
            reader.leave();
        }
    }

    left_out.add(biomes.beyond, || BIOME_NAMES.to_owned());
    Ok(biomes.names)
}

/// Names by number.
#[derive(Default)]
struct NumberedNames {
    names: BTreeMap<u32, String>,
    /// The number of names that the bounds leave out.
    beyond: usize,
}

impl NumberedNames {
    /// Adds a name. The first name of a number counts.
    fn add(&mut self, number: u32, name: &[u8]) {
        match str::from_utf8(name) {
            Ok(name) if (1..=MAX_NAME).contains(&name.len()) && self.names.len() < MAX_NAMES => {
                self.names.entry(number).or_insert_with(|| name.to_owned());
            }
            _ => self.beyond += 1,
        }
    }

    /// Adds the name of a dimension, unless the number belongs to one of the game's own.
    fn add_dimension(&mut self, number: Option<i64>, name: &[u8]) {
        let number = number.and_then(|number| u32::try_from(number).ok());
        if let Some(number) = number.filter(|number| *number > LAST_OWN) {
            self.add(number, name);
        }
    }

    /// Reads and adds the next biome of a list, whose elements have the tag `tag`.
    fn add_biome(&mut self, reader: &mut LittleReader<'_>, tag: Tag) -> Result<(), Error> {
        if !reader.compound(tag)? {
            return Ok(());
        }

        let (mut number, mut name) = (None, None);
        while let Some((tag, key)) = reader.entry()? {
            match key {
                b"id" => number = reader.int(tag)?,
                b"name" => name = reader.string(tag)?,
                _ => reader.skip(tag)?,
            }
        }

        if let (Some(number), Some(name)) = (number, name) {
            // The number is stored as a signed short, but chunks store it as a positive one.
            self.add(u32::from(number as u16), name);
        }

        Ok(())
    }
}

/// Reads the lowest sections of chunks by the hashes under which chunks refer to their facts.
fn lowest_sections(bytes: &[u8], left_out: &mut LeftOut) -> Result<LowestSections, Error> {
    let (count, mut rest) = bytes.split_first_chunk().ok_or(Error::Truncated(0))?;
    let mut lowest = LowestSections::default();
    for _ in 0..u32::from_le_bytes(*count) {
        let at = bytes.len() - rest.len();
        let (hash, facts) = rest
            .split_first_chunk()
            .ok_or(Error::Truncated(at as u32))?;

        let mut reader = LittleReader::root(facts)?;
        let section = lowest_section(&mut reader)?;
        rest = &facts[reader.position()..];

        if lowest.len() >= MAX_HEIGHTS {
            left_out.add(1, || format!("byte {at}"));
        } else if let Some(section) = section {
            lowest.insert(u64::from_le_bytes(*hash), section);
        }
    }

    Ok(lowest)
}

/// Reads the facts about a chunk, and returns its lowest section. The range of heights at its last
/// change counts. A chunk that never changed has only its first range.
fn lowest_section(reader: &mut LittleReader<'_>) -> Result<Option<i8>, Error> {
    let (mut last, mut first) = (None, None);
    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"LastSavedDimensionHeightRange" => last = lowest_block(reader, tag)?,
            b"OriginalDimensionHeightRange" => first = lowest_block(reader, tag)?,
            _ => reader.skip(tag)?,
        }
    }

    let section = last.or(first).map(|block| block.div_euclid(SECTION));
    Ok(section.and_then(|section| i8::try_from(section).ok()))
}

/// Reads the lower end of a range of heights. Returns `None` for anything else.
fn lowest_block(reader: &mut LittleReader<'_>, tag: Tag) -> Result<Option<i64>, Error> {
    if !reader.compound(tag)? {
        return Ok(None);
    }

    let mut lowest = None;
    while let Some((tag, name)) = reader.entry()? {
        if name == b"min" {
            lowest = reader.int(tag)?;
        } else {
            reader.skip(tag)?;
        }
    }

    Ok(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE_RESERVED: ReservedNames = ReservedNames {
        at_top: |name| name == "custom",
        in_layer: |_| false,
    };

    fn tag(id: u8, name: &str, payload: &[u8]) -> Vec<u8> {
        let len = (name.len() as u16).to_le_bytes();
        [&[id][..], &len, name.as_bytes(), payload].concat()
    }

    fn compound(name: &str, entries: &[Vec<u8>]) -> Vec<u8> {
        tag(10, name, &[entries.concat(), vec![0]].concat())
    }

    fn int(name: &str, number: i32) -> Vec<u8> {
        tag(3, name, &number.to_le_bytes())
    }

    fn biome(id: i16, name: &str) -> Vec<u8> {
        let len = (name.len() as u16).to_le_bytes();
        let text = [&len[..], name.as_bytes()].concat();
        [
            tag(2, "id", &id.to_le_bytes()),
            tag(8, "name", &text),
            vec![0],
        ]
        .concat()
    }

    fn facts(hash: u64, ranges: &[(&str, i16)]) -> Vec<u8> {
        let range = |(name, low): &(&str, i16)| {
            let ends = [("max", 512), ("min", *low)]
                .map(|(end, block)| tag(2, end, &i16::to_le_bytes(block)));
            compound(name, &ends)
        };
        let ranges: Vec<_> = ranges.iter().map(range).collect();
        [hash.to_le_bytes().to_vec(), compound("", &ranges)].concat()
    }

    #[test]
    fn both_forms_of_dimension_names_are_read() {
        let names = [int("a:b", 1000), int("own:end", 2), int("c:d", -7)];
        let nested = [int("x:y", 5), compound("entries", &names), int("u:v", 6)];
        for (root, expected) in [
            (&names[..], &[(1000, "a:b")][..]),
            (&nested, &[(1000, "a:b")]),
            (&[int("entries", 1001)], &[(1001, "entries")]),
        ] {
            let mut left_out = LeftOut::default();
            let read = dimension_names(&compound("", root), &mut left_out).unwrap();
            let read: Vec<_> = read.iter().map(|(&id, name)| (id, &**name)).collect();
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn only_safe_dimension_names_become_ids() {
        let stored = [
            "test:sky",
            "Test:Sky",
            "../x:y",
            "a:../b",
            "a b:c",
            "minecraft:the_end",
            "plain",
            "custom:x",
            "DIM7:x",
            "a:b/c",
            "a:",
        ];
        let stored = (1000..).zip(stored.map(str::to_owned)).collect();
        let mut warnings = Vec::new();
        let names = DimensionNames::new(stored, NONE_RESERVED, &mut warnings);

        let ids: Vec<String> = (1000..1012).map(|number| names.id(number)).collect();
        let expected = [
            "test:sky", "DIM1001", "DIM1002", "DIM1003", "DIM1004", "DIM1005", "DIM1006",
            "DIM1007", "DIM1008", "a:b/c", "DIM1010", "DIM1011",
        ];
        assert_eq!(ids, expected);
        assert_eq!(
            [0, 1, 2].map(|own| names.id(own)),
            ["overworld", "the_nether", "the_end"]
        );
        assert!(
            warnings.len() == 1 && warnings[0].starts_with("9 dimension names are left out"),
            "{warnings:?}"
        );
    }

    #[test]
    fn biomes_of_add_ons_have_names() {
        let biomes = [
            biome(30_000, "a:glade"),
            biome(30_000, "b:x"),
            biome(-1, "c:far"),
        ];
        let list = [&[10, 3, 0, 0, 0][..], &biomes.concat()].concat();
        let table = compound("", &[int("version", 1), tag(9, "list", &list)]);

        let names = biome_names(&table, &mut LeftOut::default()).unwrap();
        let names: Vec<_> = names.iter().map(|(&id, name)| (id, &**name)).collect();
        assert_eq!(names, [(30_000, "a:glade"), (65_535, "c:far")]);
    }

    #[test]
    fn names_beyond_the_bounds_are_counted() {
        let mut names = NumberedNames::default();
        names.add(0, "x".repeat(MAX_NAME + 1).as_bytes());
        names.add(0, &[0xff]);
        (0..=MAX_NAMES as u32).for_each(|number| names.add(number, b"a:b"));
        assert_eq!((names.names.len(), names.beyond), (MAX_NAMES, 3));
    }

    #[test]
    fn the_last_height_range_counts() {
        let (last, first) = (
            "LastSavedDimensionHeightRange",
            "OriginalDimensionHeightRange",
        );
        let table = [
            4_u32.to_le_bytes().to_vec(),
            facts(9, &[(first, -64)]),
            facts(u64::MAX, &[(last, -512), (first, 0)]),
            facts(3, &[]),
            facts(4, &[(first, i16::MIN)]),
        ]
        .concat();

        let lowest = lowest_sections(&table, &mut LeftOut::default()).unwrap();
        assert_eq!(lowest, BTreeMap::from([(9, -4), (u64::MAX, -32)]));
    }

    #[test]
    fn cut_tables_are_refused() {
        let left_out = &mut LeftOut::default();
        let list = [&[10, 1, 0, 0, 0][..], &biome(30_000, "a:b")].concat();
        let biomes = compound("", &[tag(9, "list", &list)]);
        let names = compound("", &[compound("entries", &[int("a:b", 1000)])]);
        let heights = [1_u32.to_le_bytes().to_vec(), facts(1, &[])].concat();

        for len in 0..biomes.len() {
            assert!(biome_names(&biomes[..len], left_out).is_err(), "{len}");
        }
        for len in 0..names.len() {
            assert!(dimension_names(&names[..len], left_out).is_err(), "{len}");
        }
        for len in 0..heights.len() {
            assert!(lowest_sections(&heights[..len], left_out).is_err(), "{len}");
        }
    }
}
