//! Names of block states and biomes as dense ids, and the traits of a block that a column scan needs.
//!
//! An id stands for a name plus the values of the properties that change how the block is drawn. Ids are given out in
//! the order in which workers meet names, so they differ from run to run and never reach an output. Knows no colours
//! and no chunk layouts.

mod bedrock;
mod bedrock_states;
mod cache;
mod numeric;

pub use bedrock::{BED_HEAD, BEDROCK_TABLES, is_bed_head};
pub use bedrock_states::java_property;
pub use cache::{BEFORE_RENAMING, BiomeId, BlockId, Describe, NameCache, Names};
pub use numeric::{BiomeEra, NumericNames};

/// The traits of a block state that a column scan needs, as a set of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits(u16);

impl Traits {
    /// No flag: ground, opaque and counted for relief.
    pub const GROUND: Self = Self(0);
    /// Counts as nothing for a query: air of any kind, `structure_void`, `barrier`, `light`.
    pub const NOTHING: Self = Self(1);
    /// Too thin to be seen from above, or invisible: the scan continues below it.
    pub const HIDDEN: Self = Self(1 << 1);
    /// Transparent, or lying flat on what is below: blended over it and left out of the relief.
    pub const OVERLAY: Self = Self(1 << 2);
    pub const WATER: Self = Self(1 << 3);
    /// A water plant: skipped on the way to the floor, and its cell is wet.
    pub const SUBMERGED: Self = Self(1 << 4);
    /// Waterlogged: its cell is wet, and it is the floor of the water above it.
    pub const WET: Self = Self(1 << 5);
    /// Lava, which has no relief.
    pub const LAVA: Self = Self(1 << 6);
    /// Opaque, and a little darker than their texture.
    pub const LEAVES: Self = Self(1 << 7);
    /// A name that neither a table nor a rule knows.
    pub const UNKNOWN: Self = Self(1 << 8);
    /// On top of the land, but no roof over what is below it: trees, ice.
    pub const NO_ROOF: Self = Self(1 << 9);
    /// A bed or a banner of Bedrock Edition, whose dye is in its block entity.
    pub const DYED: Self = Self(1 << 10);
    /// The first bit of the light level.
    const LIGHT: u32 = 12;

    /// Returns whether the block is invisible from above.
    pub const fn is_unseen(self) -> bool {
        self.any(Self::NOTHING.with(Self::HIDDEN))
    }

    /// Returns whether the block wets a column without being its floor.
    pub const fn is_water(self) -> bool {
        self.any(Self::WATER.with(Self::SUBMERGED)) && !self.is_unseen()
    }

    /// Returns whether a column ends at this block, whatever is above it, and no other trait matters.
    pub const fn is_plain_ground(self) -> bool {
        const MORE: Traits = Traits::NOTHING
            .with(Traits::HIDDEN)
            .with(Traits::OVERLAY)
            .with(Traits::WATER)
            .with(Traits::SUBMERGED)
            .with(Traits::WET);
        !self.any(MORE)
    }

    /// Returns whether what is below shows through, and the block does not wet a column.
    pub const fn is_dry_overlay(self) -> bool {
        self.any(Self::OVERLAY) && !self.any(Self::WET) && !self.is_water()
    }

    /// Returns whether caves can be below it: it is neither skipped nor transparent, and no tree.
    pub const fn is_terrain(self) -> bool {
        !self.is_unseen() && !self.is_water() && !self.any(Self::OVERLAY.with(Self::NO_ROOF))
    }

    /// The light that the block emits, 0 to 15.
    pub const fn light(self) -> u8 {
        (self.0 >> Self::LIGHT) as u8
    }

    /// Sets the light level, 0 to 15.
    #[must_use]
    pub const fn with_light(self, level: u8) -> Self {
        Self(self.0 & ((1 << Self::LIGHT) - 1) | (level as u16) << Self::LIGHT)
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
