//! Looks down one column of a chunk by the rule of the mod: the first solid block ends it, and the
//! blocks above that are seen through cover it.

use crate::chunk::{Block, Chunk};
use crate::explored::xaero::overlays::MAX_OPACITY;
use crate::names::{BlockId, Traits};

/// The most overlays of a column.
const MAX_OVERLAYS: usize = 10;
/// Transparent blocks that are at least this far below the first overlay count as part of the last
/// one.
const MIXED_DEPTH: i32 = 5;
/// The light that a block of water takes.
const WATER_LIGHT: u8 = 1;

/// Equal blocks that are seen through, one below the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cover {
    /// The block; absent: water.
    pub(super) block: Option<BlockId>,
    /// The height of the highest.
    pub(super) y: i32,
    pub(super) opacity: i32,
}

/// The parts of a column that the mod stores.
#[derive(Debug, Default)]
pub(super) struct SeenColumn {
    /// The block that ends the column, and its height; absent in an empty column.
    pub(super) end: Option<(BlockId, i32)>,
    /// The highest first.
    pub(super) covers: Vec<Cover>,
}

impl SeenColumn {
    /// Looks down the column `[z][x]` of a chunk.
    pub(super) fn of(chunk: &mut Chunk<'_>, column: usize) -> Self {
        let mut seen = Self::default();
        for section in 0..chunk.sections() {
            let bottom = chunk.section_y(section);
            let has_ended = chunk.visit_down(section, column, 15, |y, block| {
                seen.visit(bottom + y as i32, block)
            });
            if has_ended {
                break;
            }
        }

        seen
    }

    /// Returns the height of the highest block that counts.
    pub(super) fn top(&self) -> Option<i32> {
        let cover = self.covers.first().map(|cover| cover.y);
        cover.or(self.end.map(|(_, y)| y))
    }

    /// Adds the next block. Returns whether it ends the column.
    fn visit(&mut self, y: i32, Block { id, traits }: Block) -> bool {
        if traits.any(Traits::NOTHING) {
            return false;
        }

        if traits.any(Traits::WATER.with(Traits::WET)) {
            self.cover(None, y, WATER_LIGHT);
        }

        if traits.any(Traits::WATER.with(Traits::HIDDEN)) {
            return false;
        }

        if traits.any(Traits::OVERLAY) {
            self.cover(Some(id), y, traits.light());
            return false;
        }

        self.end = Some((id, y));
        true
    }

    fn cover(&mut self, block: Option<BlockId>, y: i32, light: u8) {
        let first = self.covers.first().map_or(y, |first| first.y);
        let is_full = self.covers.len() >= MAX_OVERLAYS || y <= first - MIXED_DEPTH;
        match self.covers.last_mut() {
            Some(last) if last.block == block || is_full => {
                last.opacity = (last.opacity + i32::from(light)).min(MAX_OPACITY);
            }
            _ => self.covers.push(Cover {
                block,
                y,
                opacity: light.into(),
            }),
        }
    }
}
