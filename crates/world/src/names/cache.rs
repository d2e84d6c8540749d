//! Holds the table of names that all workers share, and each worker's cache of it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::bedrock_ids::{BedrockIds, end_behind_dye};
use super::ids::{
    BiomeId, BlockId, MAX_NAMES, MAX_UNKNOWN_STATES, NameMap, NumberMap, bounded_name,
    bounded_value, full_name, text,
};
use super::network_ids::NetworkIds;
use super::numeric::{BiomeEra, NUMERIC_DATA, NumericNames, is_mods, split_state, state_pairs};
use super::traits::Traits;
use pixelmap_base::mutex;

/// The most biome names.
const MAX_BIOMES: usize = u16::MAX as usize;
/// The name that replaces all names beyond the limit.
const SHARED_NAME: &str = "pixelmap:too_many_names";

/// The name of [`BlockId::UNEXPLORED`], which only this program writes.
pub(crate) const UNEXPLORED: &str = "pixelmap:unexplored";

/// A property that no world stores, and its value. It marks a block named before `DataVersion` 1802
/// (1.14), when the present `smooth_stone_slab` was called `stone_slab`.
pub const BEFORE_RENAMING: (&str, &str) = ("before", "1802");

/// The property of a block with water in the same cell.
const WATERLOGGED: &str = "waterlogged";

/// Describes block and biome names to a column scan. The palette implements it.
pub trait Describe: Send + Sync {
    /// Returns the properties of `name` that change how it is drawn, sorted.
    fn drawn_properties(&self, name: &str) -> Vec<String>;

    /// Returns the traits of `name` in a state such as `axis=x,waterlogged=true`. The state
    /// contains only drawn properties, sorted. Missing properties have their defaults.
    fn traits(&self, name: &str, state: &str) -> Traits;

    /// Returns whether the biome `name` has colours of its own.
    fn knows_biome(&self, name: &str) -> bool;
}

/// A block's names, each with its namespace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Label<'a> {
    /// The name that the world stores.
    pub(super) stored: &'a str,
    /// The name that the palette describes. Bedrock's names differ from it.
    pub(super) name: &'a str,
    /// The drawn properties, such as `axis=x`. Empty means the default state.
    pub(super) state: &'a str,
    /// All stored properties of an unknown block: names and values by turns, with a zero between
    /// them. Empty for other blocks.
    pub(super) properties: &'a str,
}

impl<'a> Label<'a> {
    /// Makes a label for a block that is stored by the described name.
    const fn new(name: &'a str, state: &'a str) -> Self {
        Self {
            stored: name,
            name,
            state,
            properties: "",
        }
    }

    fn key(self) -> Vec<u8> {
        let stored = if self.stored == self.name {
            ""
        } else {
            self.stored
        };

        let mut key = Vec::with_capacity(self.name.len() + self.state.len() + stored.len() + 2);
        key.extend_from_slice(self.name.as_bytes());

        for more in [self.state, stored]
            .into_iter()
            .filter(|more| !more.is_empty())
        {
            key.push(0);
            key.extend_from_slice(more.as_bytes());
        }

        if !self.properties.is_empty() {
            // Two zeros occur nowhere before them, because the other parts of a key are never
            // empty.
            key.extend_from_slice(b"\0\0");
            key.extend_from_slice(self.properties.as_bytes());
        }

        key
    }

    /// Returns the label that stands for this one in a full table: a state counts as its block, and
    /// a block as one of all names beyond the limit.
    const fn in_full_table(self) -> Self {
        if !self.properties.is_empty() {
            Self {
                properties: "",
                ..self
            }
        } else if !self.state.is_empty() {
            Self { state: "", ..self }
        } else {
            Label::new(SHARED_NAME, "")
        }
    }
}

#[derive(Debug, Clone)]
struct NamedBlock {
    stored: Arc<str>,
    name: Arc<str>,
    state: Arc<str>,
    /// The same as in [`Label`].
    properties: Arc<str>,
    traits: Traits,
}

#[derive(Debug, Clone)]
struct NamedBiome {
    name: Arc<str>,
    known: bool,
}

#[derive(Default)]
struct SharedTable {
    blocks: Vec<NamedBlock>,
    block_ids: NameMap<BlockId>,
    /// The number of labels with properties of an unknown block.
    unknown_states: usize,
    biomes: Vec<NamedBiome>,
    biome_ids: NameMap<BiomeId>,
}

impl SharedTable {
    /// Adds a block that the table does not have.
    fn add(&mut self, label: Label<'_>, traits: Traits) -> BlockId {
        let new = BlockId(self.blocks.len() as u32);

        let [name, state, properties] = [label.name, label.state, label.properties].map(Arc::from);
        let stored = if label.stored == label.name {
            Arc::clone(&name)
        } else {
            label.stored.into()
        };

        self.blocks.push(NamedBlock {
            stored,
            name,
            state,
            properties,
            traits,
        });

        self.unknown_states += usize::from(!label.properties.is_empty());
        self.block_ids.insert(label.key().into(), new);
        new
    }
}

/// The table of all names met so far, shared by the workers of a run.
pub struct Names {
    describe: Arc<dyn Describe>,
    pub(super) numeric: Arc<NumericNames>,
    table: Mutex<SharedTable>,
    /// Whether a biome without colours of its own was met.
    unknown_biomes: AtomicBool,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").finish_non_exhaustive()
    }
}

impl SharedTable {
    /// Returns the block with this label, whose key is `key`, and whether the table is too full for
    /// it.
    fn find(&self, key: &[u8], label: Label<'_>) -> (Option<BlockId>, bool) {
        (self.block_ids.get(key).copied(), self.is_full(label))
    }

    /// Returns whether the table is too full for another label of this kind.
    fn is_full(&self, label: Label<'_>) -> bool {
        let is_last_resort =
            label.name == SHARED_NAME && label.state.is_empty() && label.properties.is_empty();
        self.blocks.len() >= MAX_NAMES && !is_last_resort
            || self.unknown_states >= MAX_UNKNOWN_STATES && !label.properties.is_empty()
    }
}

impl Names {
    /// Makes a table that holds air, the land that nobody has seen, the missing biome and plains.
    pub fn new(describe: Arc<dyn Describe>, numeric: impl Into<Arc<NumericNames>>) -> Self {
        let names = Self {
            describe,
            numeric: numeric.into(),
            table: Mutex::default(),
            unknown_biomes: AtomicBool::new(false),
        };
        names.add_block(Label::new("minecraft:air", ""));
        names
            .table()
            .add(Label::new(UNEXPLORED, ""), Traits::GROUND);

        names.table().biomes.push(NamedBiome {
            name: "".into(),
            known: true,
        });
        names.add_biome("minecraft:plains");

        names
    }

    fn table(&self) -> std::sync::MutexGuard<'_, SharedTable> {
        // A worker that panicked while it held the lock left at worst a name without an id.
        mutex::lock(&self.table)
    }

    pub(super) fn add_block(&self, label: Label<'_>) -> BlockId {
        let key = label.key();
        let (mut id, mut full) = self.table().find(&key, label);
        if id.is_none() && !full {
            // The lock is not held here, because describing a name takes time and no other worker
            // should wait for it.
            let mut traits = self.describe.traits(label.name, label.state);
            if end_behind_dye(label.stored).is_some() {
                traits = traits.with(Traits::DYED);
            }

            let mut table = self.table();
            (id, full) = table.find(&key, label);

            if id.is_none() && !full {
                return table.add(label, traits);
            }
        }

        id.unwrap_or_else(|| self.add_block(label.in_full_table()))
    }

    fn add_biome(&self, name: &str) -> BiomeId {
        let known = self.describe.knows_biome(name);
        if !known {
            self.unknown_biomes.store(true, Ordering::Relaxed);
        }

        {
            let mut table = self.table();
            if let Some(&id) = table.biome_ids.get(name.as_bytes()) {
                return id;
            }

            if table.biomes.len() < MAX_BIOMES || name == SHARED_NAME {
                let id = BiomeId(table.biomes.len() as u16);
                table.biomes.push(NamedBiome {
                    name: name.into(),
                    known,
                });
                table.biome_ids.insert(name.as_bytes().into(), id);
                return id;
            }
        }

        self.add_biome(SHARED_NAME)
    }
}

/// Number of keys for ids of 12 bits and data of 4 bits, which is enough for all but some modded
/// worlds.
const NUMERIC_IDS: usize = 1 << 16;

/// A block name that a worker has met.
#[derive(Debug)]
struct MetName {
    plain: BlockId,
    drawn_properties: Arc<[Box<[u8]>]>,
}

/// One worker's cache of [`Names`]. It locks the shared table only for names that are new to this
/// worker.
#[derive(Debug)]
pub struct NameCache {
    pub(super) names: Arc<Names>,
    known: NameMap<MetName>,
    states: NameMap<BlockId>,
    /// States of unknown blocks by the block's id and the stored bytes.
    pub(super) unknown_states: NameMap<BlockId>,
    biomes: NameMap<BiomeId>,
    /// Numeric blocks with ids below 4096, by `id << 4 | data`, filled when a block is first met.
    numeric: Vec<Option<BlockId>>,
    /// Numeric blocks with higher ids or more data, which only mods have, by `id << 16 | data`.
    wide_numeric: NumberMap<u64, BlockId>,
    numeric_biomes: NumberMap<(u32, BiomeEra), BiomeId>,
    pub(super) bedrock: BedrockIds,
    pub(super) network: NetworkIds,
    blocks: Vec<NamedBlock>,
    named_biomes: Vec<NamedBiome>,
    /// Blocks whose name meant another block before the renaming, with that block. Complete for ids
    /// below `checked_for_renaming`.
    renamed: Vec<(BlockId, BlockId)>,
    checked_for_renaming: u32,
    pub(super) key: Vec<u8>,
}

/// Returns the index of a block in the table for 12 bits of id and 4 of data, or an index past its
/// end for other blocks.
#[inline]
fn narrow_key(id: u32, data: u16) -> usize {
    if data < 16 {
        (id as usize) << 4 | usize::from(data)
    } else {
        usize::MAX
    }
}

#[inline]
fn wide_key(id: u32, data: u16) -> u64 {
    u64::from(id) << 16 | u64::from(data)
}

impl NameCache {
    pub fn new(names: Arc<Names>) -> Self {
        Self {
            names,
            known: NameMap::default(),
            states: NameMap::default(),
            unknown_states: NameMap::default(),
            biomes: NameMap::default(),
            numeric: Vec::new(),
            wide_numeric: NumberMap::default(),
            numeric_biomes: NumberMap::default(),
            bedrock: BedrockIds::default(),
            network: NetworkIds::default(),
            blocks: Vec::new(),
            named_biomes: Vec::new(),
            renamed: Vec::new(),
            checked_for_renaming: 0,
            key: Vec::new(),
        }
    }

    /// Returns whether half of the room for names, states or biomes in the shared table is used.
    pub fn is_half_full(&self) -> bool {
        let table = self.names.table();
        table.blocks.len() > MAX_NAMES / 2
            || table.unknown_states > MAX_UNKNOWN_STATES / 2
            || table.biomes.len() > MAX_BIOMES / 2
    }

    /// Returns the id of the block `name`, given as the world stores it (no namespace means
    /// `minecraft:`). `property` returns the value of a property, or `None` if the world left it
    /// out.
    ///
    /// Names above 256 bytes and values above 64 are shortened; a hash keeps them distinct.
    pub fn block<'a>(
        &mut self,
        name: &[u8],
        property: impl Fn(&[u8]) -> Option<&'a [u8]>,
    ) -> BlockId {
        let name = &*bounded_name(name);
        match self.known.get(name) {
            Some(known) if known.drawn_properties.is_empty() => return known.plain,
            Some(_) => {}
            None => self.meet(name),
        }

        let Some(known) = self.known.get(name) else {
            return BlockId::AIR;
        };

        self.key.clear();
        self.key.extend_from_slice(name);

        let mut separator = 0;
        for key in known.drawn_properties.iter() {
            if let Some(value) = property(key) {
                self.key.push(separator);
                self.key.extend_from_slice(key);
                self.key.push(b'=');
                self.key.extend_from_slice(&bounded_value(value));
                separator = b',';
            }
        }

        if self.key.len() == name.len() {
            return known.plain;
        }
        if let Some(&id) = self.states.get(self.key.as_slice()) {
            return id;
        }

        let state = text(&self.key[name.len() + 1..]).into_owned();
        let id = self.names.add_block(Label::new(&full_name(name), &state));
        if self.states.len() < MAX_NAMES {
            self.states.insert(self.key.as_slice().into(), id);
        }

        id
    }

    fn meet(&mut self, name: &[u8]) {
        let full = full_name(name);
        let plain = self.names.add_block(Label::new(&full, ""));
        let keys = self
            .names
            .describe
            .drawn_properties(&full)
            .iter()
            .map(|key| key.as_bytes().into())
            .collect();

        if self.known.len() >= MAX_NAMES {
            self.known.clear();
        }

        self.known.insert(
            name.into(),
            MetName {
                plain,
                drawn_properties: keys,
            },
        );
    }

    /// Returns the id of a block that the world stores by another name (`stored`) than the
    /// described `name`. `property` returns the value of a property of `name`. A block is
    /// waterlogged if it `is_wet`.
    pub(super) fn add_described<'a>(
        &mut self,
        stored: &str,
        name: &str,
        is_wet: bool,
        property: impl Fn(&str) -> Option<Cow<'a, str>>,
    ) -> BlockId {
        let mut keys = self.names.describe.drawn_properties(name);
        if is_wet && !keys.iter().any(|key| key == WATERLOGGED) {
            keys.push(WATERLOGGED.to_owned());
            keys.sort_unstable();
        }

        let pairs = keys.iter().filter_map(|key| {
            let value = if key == WATERLOGGED {
                is_wet.to_string().into()
            } else {
                property(key)?
            };
            Some(format!("{key}={value}"))
        });

        let state = pairs.collect::<Vec<_>>().join(",");
        self.names.add_block(Label {
            stored,
            name,
            state: &state,
            properties: "",
        })
    }

    /// Returns the id of the biome `name`, given as the world stores it. Long names are shortened.
    pub fn biome(&mut self, name: &[u8]) -> BiomeId {
        let name = &*bounded_name(name);
        if let Some(&id) = self.biomes.get(name) {
            return id;
        }

        let id = self.names.add_biome(&full_name(name));
        if self.biomes.len() < MAX_NAMES {
            self.biomes.insert(name.into(), id);
        }

        id
    }

    /// Returns the id of a numeric block of worlds before 1.13. Ids have at most 28 bits. Only
    /// blocks of mods have data of more than 4 bits.
    pub fn numeric_block(&mut self, id: u32, data: u16) -> BlockId {
        let known = match self.numeric.get(narrow_key(id, data)) {
            Some(known) => *known,
            None => self.wide_numeric.get(&wide_key(id, data)).copied(),
        };
        known.unwrap_or_else(|| self.meet_numeric(id, data))
    }

    #[cold]
    fn meet_numeric(&mut self, id: u32, data: u16) -> BlockId {
        let text = self.names.numeric.block(id, data);
        let (name, property) = split_state(&text);

        // A colour file may give the data of a mod's block as a property.
        let value = data.to_string();
        let block = self.block(name.as_bytes(), |key| {
            property(key).or_else(|| (key == NUMERIC_DATA).then_some(value.as_bytes()))
        });

        // The table has the properties of the game's own blocks, so their data adds nothing.
        let block = if self.names.numeric.lists(id) && !is_mods(name) {
            let pairs = text.split_once('[').map_or("", |(_, pairs)| pairs);
            let pairs = state_pairs(pairs.trim_end_matches(']'));
            self.with_properties(
                block,
                pairs
                    .map(|(name, value)| (name.as_bytes(), value.as_bytes()))
                    .collect(),
            )
        } else {
            self.with_data(block, data)
        };

        if self.numeric.is_empty() {
            // Allocated only now, because worlds since 1.13 never need this half megabyte.
            self.numeric.resize(NUMERIC_IDS, None);
        }

        if let Some(slot) = self.numeric.get_mut(narrow_key(id, data)) {
            *slot = Some(block);
        } else if self.wide_numeric.len() < MAX_NAMES {
            self.wide_numeric.insert(wide_key(id, data), block);
        }

        block
    }

    /// Returns the name of a numeric block of worlds before 1.13, without its properties.
    pub fn numeric_name(&self, id: u32, data: u16) -> String {
        split_state(&self.names.numeric.block(id, data))
            .0
            .to_owned()
    }

    /// Returns the id of a numeric biome of worlds before 1.18.
    pub fn numeric_biome(&mut self, id: u32, era: BiomeEra) -> BiomeId {
        if let Some(&biome) = self.numeric_biomes.get(&(id, era)) {
            return biome;
        }

        let name = self.names.numeric.biome(id, era);
        let biome = self.biome(name.as_bytes());
        if self.numeric_biomes.len() < MAX_NAMES {
            self.numeric_biomes.insert((id, era), biome);
        }

        biome
    }

    /// Returns the numeric ids of blocks of Java Edition whose name passes the test.
    pub fn numeric_ids(&self, test: impl Fn(&str) -> bool) -> BTreeSet<u32> {
        self.names.numeric.ids(test)
    }

    /// Returns the traits of a block. Blocks that other workers met first are copied from the
    /// shared table.
    pub fn traits(&mut self, id: BlockId) -> Traits {
        self.named(id).traits
    }

    /// Returns the described name and state of the block with this index, which some worker must
    /// have made.
    pub fn name_at(&mut self, index: usize) -> (Arc<str>, Arc<str>) {
        let named = self.named(BlockId(index as u32));
        (named.name.clone(), named.state.clone())
    }

    /// Returns the name of the biome with this index, which some worker must have made.
    pub fn biome_name_at(&mut self, index: usize) -> Arc<str> {
        self.biome_name(BiomeId(index as u16))
    }

    /// Returns the name by which the world stores a block, with its namespace.
    pub fn stored_name(&mut self, id: BlockId) -> Arc<str> {
        self.named(id).stored.clone()
    }

    /// Returns the properties in the label of an unknown block.
    pub(super) fn stored_properties(&mut self, id: BlockId) -> Arc<str> {
        self.named(id).properties.clone()
    }

    /// Borrows the stored name, without writing to shared memory. Returns `None` if this cache has
    /// not copied the block from the shared table yet.
    pub fn known_name(&self, id: BlockId) -> Option<&str> {
        self.blocks.get(id.index()).map(|named| &*named.stored)
    }

    fn named(&mut self, id: BlockId) -> &NamedBlock {
        if id.index() >= self.blocks.len() {
            self.fetch();
        }
        &self.blocks[id.index()]
    }

    /// Returns the blocks that mean another block in a chunk stored before [`BEFORE_RENAMING`],
    /// each with that block. Covers all blocks whose traits this worker has used.
    pub fn old_names(&mut self) -> &[(BlockId, BlockId)] {
        while (self.checked_for_renaming as usize) < self.blocks.len() {
            let id = BlockId(self.checked_for_renaming);
            self.checked_for_renaming += 1;
            let before = self.before_renaming(id);
            self.renamed.extend(before.map(|before| (id, before)));
        }
        &self.renamed
    }

    /// Returns the block that had the name of `id` before the renaming, if there was one.
    fn before_renaming(&mut self, id: BlockId) -> Option<BlockId> {
        let (name, state) = self.name_at(id.index());
        let (key, value) = BEFORE_RENAMING;
        if state.starts_with(key)
            || !self
                .names
                .describe
                .drawn_properties(&name)
                .iter()
                .any(|drawn| drawn == key)
        {
            return None;
        }

        let separator = if state.is_empty() { "" } else { "," };
        Some(self.names.add_block(Label::new(
            &name,
            &format!("{key}={value}{separator}{state}"),
        )))
    }

    /// Copies the new blocks of the shared table.
    #[cold]
    fn fetch(&mut self) {
        let table = self.names.table();
        self.blocks
            .extend_from_slice(&table.blocks[self.blocks.len()..]);
    }

    /// Returns the name of a biome with its namespace, or an empty name for [`BiomeId::NONE`].
    pub fn biome_name(&mut self, id: BiomeId) -> Arc<str> {
        self.named_biome(id).name.clone()
    }

    /// Returns whether any worker has met a biome without colours of its own.
    pub fn has_unknown_biomes(&self) -> bool {
        self.names.unknown_biomes.load(Ordering::Relaxed)
    }

    /// Returns whether a biome has colours of its own.
    pub fn knows_biome(&mut self, id: BiomeId) -> bool {
        self.named_biome(id).known
    }

    fn named_biome(&mut self, id: BiomeId) -> &NamedBiome {
        if id.index() >= self.named_biomes.len() {
            let table = self.names.table();
            self.named_biomes
                .extend_from_slice(&table.biomes[self.named_biomes.len()..]);
        }
        &self.named_biomes[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct AxisNames(Vec<String>);

    impl Describe for AxisNames {
        fn drawn_properties(&self, name: &str) -> Vec<String> {
            if name.ends_with("_log") {
                self.0.clone()
            } else {
                Vec::new()
            }
        }

        fn traits(&self, name: &str, _: &str) -> Traits {
            if name == "minecraft:air" {
                Traits::NOTHING
            } else {
                Traits::GROUND
            }
        }

        fn knows_biome(&self, name: &str) -> bool {
            name.starts_with("minecraft:")
        }
    }

    #[test]
    fn a_name_with_a_zero_is_refused() {
        let mut names = name_cache();
        let log = names.block(b"a:oak_log", |_| Some(&b"x"[..]));
        let strange = names.block(b"a:oak_log\0axis=x", |_| None);
        assert_ne!(log, strange);
        assert_eq!(&*names.stored_name(strange), "a:oak_log\u{fffd}axis=x");
        assert_eq!(&*names.stored_name(log), "a:oak_log");
        let value = names.block(b"a:oak_log", |_| Some(&b"x\0a:stone"[..]));
        assert_eq!(&*names.name_at(value.index()).1, "axis=x\u{fffd}a:stone");
    }

    fn name_cache() -> NameCache {
        NameCache::new(Arc::new(Names::new(
            Arc::new(AxisNames(vec!["axis".to_owned()])),
            NumericNames::default(),
        )))
    }

    #[test]
    fn names_without_a_namespace_are_the_games() {
        let mut name_cache = name_cache();
        let stone = name_cache.block(b"stone", |_| None);
        assert_eq!(name_cache.block(b"minecraft:stone", |_| None), stone);
        assert_ne!(name_cache.block(b"mod:stone", |_| None), stone);
        assert_eq!(&*name_cache.stored_name(stone), "minecraft:stone");
        assert_eq!(name_cache.block(b"air", |_| None), BlockId::AIR);
    }

    #[test]
    fn only_kept_properties_make_a_new_id() {
        let mut name_cache = name_cache();
        let lying: &dyn Fn(&[u8]) -> Option<&'static [u8]> =
            &|key| (key == b"axis").then_some(b"x");
        let log = name_cache.block(b"oak_log", |_| None);
        let lying_log = name_cache.block(b"oak_log", lying);
        assert_ne!(log, lying_log);
        assert_eq!(&*name_cache.name_at(lying_log.index()).1, "axis=x");
        assert_eq!(
            name_cache.block(b"stone", |_| None),
            name_cache.block(b"stone", lying)
        );
    }

    #[test]
    fn ids_of_other_workers_are_understood() {
        let names = Arc::new(Names::new(
            Arc::new(AxisNames(Vec::new())),
            NumericNames::default(),
        ));
        let (mut one, mut two) = (NameCache::new(names.clone()), NameCache::new(names));
        let id = one.block(b"mod:thing", |_| None);
        assert_eq!(&*two.stored_name(id), "mod:thing");

        let biome = one.biome(b"plains");
        assert_eq!(&*two.biome_name(biome), "minecraft:plains");

        let modded = one.biome(b"mod:heath");
        assert!(
            two.knows_biome(biome) && two.knows_biome(BiomeId::NONE) && !two.knows_biome(modded)
        );
    }

    #[test]
    fn shortened_names_and_values_stay_distinct() {
        let mut name_cache = name_cache();
        let name = |last: &str| format!("mod:{}{last}", "é".repeat(30_000));
        let (one, two) = (
            name_cache.block(name("1").as_bytes(), |_| None),
            name_cache.block(name("2").as_bytes(), |_| None),
        );
        assert_ne!(one, two);
        assert_eq!(name_cache.block(name("1").as_bytes(), |_| None), one);
        let text = name_cache.stored_name(one);
        let (start, hash) = text.split_once('~').unwrap();
        assert_eq!(
            (start, hash.len()),
            (format!("mod:{}", "é".repeat(98)).as_str(), 16)
        );
        assert!(hash.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let (longest, longer) = ([b'a'; 256], [b'a'; 257]);
        let (longest, longer) = (name_cache.biome(&longest), name_cache.biome(&longer));
        assert_eq!(
            name_cache.biome_name(longest).len(),
            "minecraft:".len() + 256
        );
        assert_eq!(
            name_cache.biome_name(longer).len(),
            "minecraft:".len() + 217
        );
        let cut = [0x80; 300];
        assert_eq!(bounded_name(&cut)[..200], cut[..200], "no text at all");

        let (x, y) = ([b'x'; 65], [b'x'; 66]);
        let long_x = name_cache.block(b"oak_log", |_| Some(&x));
        assert_ne!(name_cache.block(b"oak_log", |_| Some(&y)), long_x);
        assert_eq!(
            name_cache.name_at(long_x.index()).1.len(),
            "axis=".len() + 40 + 17
        );
        assert!(
            name_cache
                .known
                .keys()
                .chain(name_cache.states.keys())
                .all(|key| key.len() < 300)
        );
    }

    #[test]
    fn biomes_past_the_bound_share_an_unknown_id() {
        let mut name_cache = name_cache();
        assert_eq!(name_cache.biome(b"plains"), BiomeId::PLAINS);

        for n in 2..u16::MAX {
            assert_eq!(name_cache.biome(format!("b{n}").as_bytes()), BiomeId(n));
        }

        assert!(!name_cache.has_unknown_biomes());

        let late = name_cache.biome(b"one_more");
        assert_eq!(
            (late, name_cache.biome(b"and_one")),
            (BiomeId(u16::MAX), late)
        );

        assert_eq!(
            (&*name_cache.biome_name(late), name_cache.knows_biome(late)),
            (SHARED_NAME, false)
        );
        assert!(name_cache.has_unknown_biomes(), "so it is reported");
    }

    #[test]
    fn names_past_the_bound_share_an_id() {
        let mut name_cache = name_cache();
        for n in 2..MAX_NAMES {
            assert_eq!(
                name_cache
                    .block(format!("b{n}").as_bytes(), |_| None)
                    .index(),
                n
            );
        }

        let late = name_cache.block(b"late", |_| None);
        assert_eq!(
            (
                &*name_cache.stored_name(late),
                name_cache.block(b"later", |_| None)
            ),
            (SHARED_NAME, late)
        );
        assert_eq!(name_cache.block(b"late_log", |_| Some(b"x")), late);
    }

    /// Checks that the table is free while a name is described.
    struct LockWatcher(std::sync::OnceLock<std::sync::Weak<Names>>);

    impl Describe for LockWatcher {
        fn drawn_properties(&self, _: &str) -> Vec<String> {
            Vec::new()
        }

        fn traits(&self, _: &str, _: &str) -> Traits {
            let names = self.0.get().and_then(std::sync::Weak::upgrade);
            assert!(
                names.is_none_or(|names| names.table.try_lock().is_ok()),
                "other workers have to wait"
            );
            Traits::GROUND
        }

        fn knows_biome(&self, _: &str) -> bool {
            let names = self.0.get().and_then(std::sync::Weak::upgrade);
            assert!(
                names.is_none_or(|names| names.table.try_lock().is_ok()),
                "other workers have to wait"
            );
            true
        }
    }

    #[test]
    fn no_worker_waits_while_a_name_is_described() {
        let describe = Arc::new(LockWatcher(std::sync::OnceLock::new()));
        let names = Arc::new(Names::new(describe.clone(), NumericNames::default()));
        describe.0.set(Arc::downgrade(&names)).unwrap();
        let mut name_cache = NameCache::new(names);
        assert_eq!(name_cache.block(b"mod:thing", |_| None).index(), 2);
        assert_eq!(name_cache.biome(b"mod:land").index(), 2);
    }
}
