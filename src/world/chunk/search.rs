//! Searches a chunk for blocks by their names.
//!
//! Most sections do not hold a block that somebody looks for, and resolving their palettes would take longer than
//! drawing them. So a section is skipped unless its stored palette contains the letters of a name, or unless one of its
//! numeric ids is wanted.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2, memchr3};

use super::forms::blocks::Blocks;
use super::forms::wide::Wide;
use super::{Block, Buffers, Chunk, Mask};
use crate::base::coord::CHUNK_AREA;
use crate::world::bytes::Form;
use crate::world::names::{BlockId, NameCache, NamePattern};
use crate::world::nbt::Span;

/// With more texts than this, comparing resolved names is faster than searching for all of them.
const MAX_NEEDLES: usize = 32;

/// The blocks that a user looks for, as one worker has met them so far.
#[derive(Debug)]
pub struct BlockSearch {
    patterns: Arc<[NamePattern]>,
    /// The texts and numbers of Java Edition, and the ones of Bedrock Edition once a chunk needs them.
    editions: [Option<Needles>; 2],
    /// Indexed by block id: whether the block is wanted, once that is known.
    wanted: Vec<Option<bool>>,
}

/// The stored forms of the wanted blocks.
#[derive(Debug)]
struct Needles {
    /// Every palette that holds a wanted block contains one of these texts. `None`: any palette may.
    texts: Option<Vec<Finder<'static>>>,
    /// The lowest bytes of the wanted numeric ids.
    low_bytes: Vec<u8>,
}

impl BlockSearch {
    pub fn new(patterns: Arc<[NamePattern]>) -> Self {
        Self { patterns, editions: [None, None], wanted: Vec::new() }
    }

    /// Returns the name of a block if it is wanted: the name that the world stores, or its name in Java Edition if only
    /// that one matches.
    pub fn wanted_name(&mut self, id: BlockId, name_cache: &mut NameCache) -> Option<Arc<str>> {
        if self.known(id) == Some(false) {
            return None;
        }
        let stored = name_cache.stored_name(id);
        let names = [stored, name_cache.name_at(id.index()).0];
        let name = names.into_iter().find(|name| self.patterns.iter().any(|pattern| pattern.matches(name)));
        if self.wanted.len() <= id.index() {
            self.wanted.resize(id.index() + 1, None);
        }
        self.wanted[id.index()] = Some(name.is_some());
        name
    }

    /// Returns whether a block is wanted, if this was asked before.
    #[inline]
    fn known(&self, id: BlockId) -> Option<bool> {
        self.wanted.get(id.index()).copied().flatten()
    }

    fn any_wanted(&mut self, blocks: &[Block], name_cache: &mut NameCache) -> bool {
        blocks.iter().any(|block| match self.known(block.id) {
            Some(is_wanted) => is_wanted,
            None => self.wanted_name(block.id, name_cache).is_some(),
        })
    }

    fn needles(&mut self, form: Form, name_cache: &NameCache) -> &Needles {
        let edition = &mut self.editions[usize::from(matches!(form, Form::Values))];
        edition.get_or_insert_with(|| match form {
            Form::Nbt => Needles::of_java(&self.patterns, name_cache),
            Form::Values => Needles::of_bedrock(&self.patterns),
        })
    }
}

impl Needles {
    fn of_java(patterns: &[NamePattern], name_cache: &NameCache) -> Self {
        let ids = name_cache.numeric_ids(|name| patterns.iter().any(|pattern| pattern.matches(name)));
        Self::new(patterns, BTreeSet::new(), &ids)
    }

    fn of_bedrock(patterns: &[NamePattern]) -> Self {
        let is_wanted = |name: &str| patterns.iter().any(|pattern| pattern.matches(name));
        let stored = NameCache::bedrock_names(is_wanted);
        let has_id =
            |name: &str| is_wanted(name) || name.strip_prefix("minecraft:").is_some_and(|name| stored.contains(name));
        let ids = NameCache::bedrock_ids(has_id);
        Self::new(patterns, stored, &ids)
    }

    fn new<'a>(patterns: &'a [NamePattern], mut texts: BTreeSet<&'a str>, ids: &BTreeSet<u32>) -> Self {
        texts.extend(patterns.iter().map(NamePattern::literal));
        // A text that contains another one is found with that one.
        let shortest: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|text| !texts.iter().any(|other| other != text && text.contains(other)))
            .collect();
        let is_usable = shortest.len() <= MAX_NEEDLES && !texts.contains("");
        let texts = is_usable.then(|| shortest.iter().map(|text| Finder::new(text).into_owned()).collect());
        let lowest: BTreeSet<u8> = ids.iter().map(|id| *id as u8).collect();
        // Ids that no table names are called numeric:ID:DATA.
        let is_any = patterns.iter().any(|pattern| pattern.may_match_namespace("numeric"));
        let low_bytes = if is_any { (0..=u8::MAX).collect() } else { lowest.into_iter().collect() };
        Self { texts, low_bytes }
    }

    fn may_be_in(&self, palette: &[u8]) -> bool {
        self.texts.as_ref().is_none_or(|texts| texts.iter().any(|text| text.find(palette).is_some()))
    }

    fn has_ids(&self) -> bool {
        !self.low_bytes.is_empty()
    }

    /// Returns whether one of the ids may be wanted, judged by their lowest bytes.
    fn may_be_among(&self, ids: &[u8]) -> bool {
        match *self.low_bytes {
            [] => false,
            [a] => memchr(a, ids).is_some(),
            [a, b] => memchr2(a, b, ids).is_some(),
            [a, b, c] => memchr3(a, b, c, ids).is_some(),
            _ => ids.iter().any(|id| self.low_bytes.contains(id)),
        }
    }
}

impl Chunk<'_> {
    /// Returns whether any section may hold a wanted block at these heights.
    pub fn may_hold(&mut self, search: &mut BlockSearch, heights: &RangeInclusive<i32>) -> bool {
        (0..self.sections()).any(|section| self.section_may_hold(section, search, heights))
    }

    /// Visits the cells at these heights that may hold a wanted block, from the highest layer down: the height, the
    /// column `[z][x]` and the block. The caller asks [`BlockSearch::wanted_name`] about the block.
    pub fn find_blocks(
        &mut self,
        search: &mut BlockSearch,
        heights: &RangeInclusive<i32>,
        columns: Mask,
        mut visit: impl FnMut(i32, usize, Block),
    ) {
        for section in 0..self.sections() {
            if !self.section_may_hold(section, search, heights) {
                continue;
            }
            let bottom = self.section_y(section);
            for y in (bottom.max(*heights.start())..=(bottom + 15).min(*heights.end())).rev() {
                self.each(section, (y & 15) as usize, columns, |column, block| {
                    if search.known(block.id) != Some(false) {
                        visit(y, column, block);
                    }
                });
            }
        }
    }

    fn section_may_hold(&mut self, section: usize, search: &mut BlockSearch, heights: &RangeInclusive<i32>) -> bool {
        let bottom = self.section_y(section);
        if bottom > *heights.end() || bottom + 15 < *heights.start() {
            return false;
        }
        let stored = self.section(section);
        let (blocks, is_resolved) = (stored.blocks, stored.table.is_some());
        let bytes = self.bytes;
        let needles = search.needles(self.form, self.name_cache);
        match blocks {
            Blocks::Air => return false,
            Blocks::Palette { .. } | Blocks::Subchunk(_) if is_resolved => {}
            Blocks::Palette { names, .. } => {
                if !needles.may_be_in(names.stored.slice(bytes)) {
                    return false;
                }
            }
            Blocks::Subchunk(stored) => {
                if !needles.may_be_in(stored.palettes(bytes)) {
                    return false;
                }
            }
            Blocks::Numeric { ids, .. } => return needles.may_be_among(ids.slice(bytes)),
            Blocks::Column { ids, .. } => return needles.has_ids() && self.column_may_hold(section, ids, search),
            Blocks::Wide(Wide::Palette { .. }) => {
                if !needles.has_ids() {
                    return false;
                }
            }
            Blocks::Wide(_) => return needles.has_ids(),
        }
        let table = self.resolve(section);
        let Buffers { blocks, .. } = &*self.buffers;
        search.any_wanted(&blocks[table.start..table.start + table.len - 1], self.name_cache)
    }

    /// Returns whether a section may hold a wanted id. All sections of a chunk before 1.2 share one array, so only this
    /// section's part of it is searched.
    fn column_may_hold(&mut self, section: usize, ids: Span, search: &mut BlockSearch) -> bool {
        let y = self.section(section).y as usize;
        let stored = ids.slice(self.bytes);
        let height = stored.len() / CHUNK_AREA;
        let needles = search.needles(self.form, self.name_cache);
        let start = y * 16 % height.max(16);
        stored.chunks_exact(height.max(16)).any(|column| needles.may_be_among(&column[start..start + 16]))
    }
}
