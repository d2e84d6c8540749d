//! Searches a chunk for blocks by their names.
//!
//! Most sections do not hold a block that somebody looks for, and resolving their palettes would
//! take longer than drawing them. So a section is skipped unless its stored palette contains the
//! letters of a name, or unless one of its numeric ids is wanted.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2, memchr3};

use super::chunk::Chunk;
use crate::bytes::Form;
use crate::chunk::cells::Block;
use crate::chunk::forms::java::wide::Wide;
use crate::chunk::forms::stored::blocks::{BlockPalette, StoredBlocks};
use crate::chunk::forms::stored::buffers::ChunkBuffers;
use crate::chunk::mask::Mask;
use crate::names::{BlockId, NameCache, NamePattern};
use crate::nbt::Span;
use pixelmap_base::coord::CHUNK_AREA;

/// With more texts than this, comparing resolved names is faster than searching for all of them.
const MAX_NEEDLES: usize = 32;

/// The blocks that a user looks for, as one worker has met them so far.
#[derive(Debug)]
pub struct BlockSearch {
    patterns: Arc<[NamePattern]>,
    /// For Java Edition and for Bedrock Edition, once a chunk needs them.
    texts: [Option<Texts>; 2],
    low_bytes: [Option<LowBytes>; 2],
    /// Indexed by block id: whether the block is wanted, once that is known.
    wanted: Vec<Option<bool>>,
}

/// Every palette that holds a wanted block contains one of these texts; `None`: any palette may
/// hold one.
#[derive(Debug)]
struct Texts(Option<Vec<Finder<'static>>>);

/// The lowest bytes of the wanted numeric ids.
#[derive(Debug)]
struct LowBytes(Vec<u8>);

impl BlockSearch {
    pub fn new(patterns: Arc<[NamePattern]>) -> Self {
        Self {
            patterns,
            texts: [None, None],
            low_bytes: [None, None],
            wanted: Vec::new(),
        }
    }

    /// Returns the name of a block if it is wanted: the name that the world stores, or its name in
    /// Java Edition if only that one matches.
    pub fn wanted_name(&mut self, id: BlockId, name_cache: &mut NameCache) -> Option<Arc<str>> {
        if self.known(id) == Some(false) {
            return None;
        }

        let stored = name_cache.stored_name(id);
        let names = [stored, name_cache.name_at(id.index()).0];
        let name = names
            .into_iter()
            .find(|name| self.patterns.iter().any(|pattern| pattern.matches(name)));

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

    fn texts(&mut self, form: Form) -> &Texts {
        self.texts[edition(form)].get_or_insert_with(|| Texts::new(&self.patterns, form))
    }

    fn low_bytes(&mut self, form: Form, name_cache: &NameCache) -> &LowBytes {
        self.low_bytes[edition(form)]
            .get_or_insert_with(|| LowBytes::new(&self.patterns, form, name_cache))
    }
}

fn edition(form: Form) -> usize {
    usize::from(matches!(form, Form::Values))
}

fn is_wanted(patterns: &[NamePattern], name: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(name))
}

/// Returns the names by which Bedrock Edition stores the wanted blocks, besides their names in Java
/// Edition.
fn bedrock_names(patterns: &[NamePattern]) -> BTreeSet<&'static str> {
    NameCache::bedrock_names(|name| is_wanted(patterns, name))
}

impl Texts {
    fn new(patterns: &[NamePattern], form: Form) -> Self {
        let mut texts = match form {
            Form::Nbt | Form::Network => BTreeSet::new(),
            Form::Values => bedrock_names(patterns),
        };

        texts.extend(patterns.iter().map(NamePattern::literal));

        // A text that contains another one is found with that one.
        let shortest: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|&text| {
                !texts
                    .iter()
                    .any(|&other| other != text && text.contains(other))
            })
            .collect();

        let is_usable = shortest.len() <= MAX_NEEDLES && !texts.contains("");
        Self(is_usable.then(|| {
            shortest
                .iter()
                .map(|text| Finder::new(text).into_owned())
                .collect()
        }))
    }

    fn may_be_in(&self, palette: &[u8]) -> bool {
        self.0
            .as_ref()
            .is_none_or(|texts| texts.iter().any(|text| text.find(palette).is_some()))
    }
}

impl LowBytes {
    fn new(patterns: &[NamePattern], form: Form, name_cache: &NameCache) -> Self {
        // Ids that no table names are called numeric:ID:DATA.
        if patterns
            .iter()
            .any(|pattern| pattern.may_match_namespace("numeric"))
        {
            return Self((0..=u8::MAX).collect());
        }

        let ids = match form {
            Form::Nbt | Form::Network => name_cache.numeric_ids(|name| is_wanted(patterns, name)),
            Form::Values => {
                let stored = bedrock_names(patterns);
                NameCache::bedrock_ids(|name| {
                    let short = name.strip_prefix("minecraft:");
                    is_wanted(patterns, name) || short.is_some_and(|short| stored.contains(short))
                })
            }
        };

        let lowest: BTreeSet<u8> = ids.iter().map(|id| *id as u8).collect();
        Self(lowest.into_iter().collect())
    }

    fn has_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns whether one of the ids may be wanted, judged by their lowest bytes.
    fn may_be_among(&self, ids: &[u8]) -> bool {
        match *self.0 {
            [] => false,
            [a] => memchr(a, ids).is_some(),
            [a, b] => memchr2(a, b, ids).is_some(),
            [a, b, c] => memchr3(a, b, c, ids).is_some(),
            _ => ids.iter().any(|id| self.0.contains(id)),
        }
    }
}

impl Chunk<'_> {
    /// Returns whether any section may hold a wanted block at these heights.
    pub fn may_hold(&mut self, search: &mut BlockSearch, heights: &RangeInclusive<i32>) -> bool {
        (0..self.sections()).any(|section| self.section_may_hold(section, search, heights))
    }

    /// Visits the cells at these heights that may hold a wanted block, from the highest layer down:
    /// the height, the column `[z][x]` and the block. The caller asks [`BlockSearch::wanted_name`]
    /// about the block.
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

    fn section_may_hold(
        &mut self,
        section: usize,
        search: &mut BlockSearch,
        heights: &RangeInclusive<i32>,
    ) -> bool {
        let bottom = self.section_y(section);
        if bottom > *heights.end() || bottom + 15 < *heights.start() {
            return false;
        }

        let stored = self.section(section);

        let (blocks, is_resolved) = (stored.blocks, stored.table.is_some());
        let bytes = self.bytes;
        let (form, name_cache) = (self.form, &*self.name_cache);
        match blocks {
            StoredBlocks::Air => return false,
            StoredBlocks::Palette { .. } | StoredBlocks::Subchunk(_) if is_resolved => {}
            StoredBlocks::Palette {
                palette: BlockPalette::Numbers(_),
                ..
            } => {}
            StoredBlocks::Palette {
                palette: BlockPalette::Names(names),
                ..
            } => {
                if !search.texts(form).may_be_in(names.stored.slice(bytes)) {
                    return false;
                }
            }
            StoredBlocks::Subchunk(stored) => {
                if !search.texts(form).may_be_in(stored.palettes(bytes)) {
                    return false;
                }
            }
            StoredBlocks::Numeric { ids, .. } => {
                return search
                    .low_bytes(form, name_cache)
                    .may_be_among(ids.slice(bytes));
            }
            StoredBlocks::Column { ids, .. } => return self.column_may_hold(section, ids, search),
            StoredBlocks::Wide(wide) => {
                let has_any = search.low_bytes(form, name_cache).has_any();
                if !has_any || !matches!(wide, Wide::Palette { .. }) {
                    return has_any;
                }
            }
        }

        let table = self.resolve(section);
        let ChunkBuffers { blocks, .. } = &*self.buffers;
        search.any_wanted(
            &blocks[table.start..table.start + table.len - 1],
            self.name_cache,
        )
    }

    /// Returns whether a section may hold a wanted id. All sections of a chunk before 1.2 share one
    /// array, so only this section's part of it is searched.
    fn column_may_hold(&mut self, section: usize, ids: Span, search: &mut BlockSearch) -> bool {
        let y = self.section(section).y as usize;
        let stored = ids.slice(self.bytes);
        let height = stored.len() / CHUNK_AREA;
        let low_bytes = search.low_bytes(self.form, self.name_cache);
        let start = y * 16 % height.max(16);
        stored
            .chunks_exact(height.max(16))
            .any(|column| low_bytes.may_be_among(&column[start..start + 16]))
    }
}
