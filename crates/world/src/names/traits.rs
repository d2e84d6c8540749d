//! Defines the traits of block states that decide how a column is scanned.

/// The traits of a block state that a column scan needs, as a set of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits(u16);

impl Traits {
    /// No flag: the block is opaque ground and counts for relief.
    pub const GROUND: Self = Self(0);
    /// The block counts as empty in a query: air of any kind, `structure_void`, `barrier`, `light`.
    pub const NOTHING: Self = Self(1);
    /// The block is invisible, or too thin to be seen from above. The scan continues below it.
    pub const HIDDEN: Self = Self(1 << 1);
    /// The block is transparent or flat. It is blended over the block below and ignored in the
    /// relief.
    pub const OVERLAY: Self = Self(1 << 2);
    pub const WATER: Self = Self(1 << 3);
    /// The block is a water plant. The scan continues below it, and its cell is wet.
    pub const SUBMERGED: Self = Self(1 << 4);
    /// The block is waterlogged: its cell is wet, and it is the floor of the water above it.
    pub const WET: Self = Self(1 << 5);
    /// Lava. It is drawn without relief.
    pub const LAVA: Self = Self(1 << 6);
    /// The block is opaque, and a little darker than its texture.
    pub const LEAVES: Self = Self(1 << 7);
    /// The name is in no table and matches no rule.
    pub const UNKNOWN: Self = Self(1 << 8);
    /// The block is on top of the land, but does not count as a roof over the blocks below: trees,
    /// ice.
    pub const NO_ROOF: Self = Self(1 << 9);
    /// A bed or a banner of Bedrock Edition. Its dye is stored in its block entity.
    pub const DYED: Self = Self(1 << 10);
    /// The block is waterlogged, but its upper side is above the water in its own cell. So the water
    /// hides it only if the cell above is wet.
    pub const ABOVE_WATER: Self = Self(1 << 11);
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

    /// Returns whether a column ends at this block, whatever is above it, and no other trait
    /// matters.
    pub const fn is_plain_ground(self) -> bool {
        const MORE: Traits = Traits::NOTHING
            .with(Traits::HIDDEN)
            .with(Traits::OVERLAY)
            .with(Traits::WATER)
            .with(Traits::SUBMERGED)
            .with(Traits::WET);
        !self.any(MORE)
    }

    /// Returns whether the block below shows through, and this block does not wet a column.
    pub const fn is_dry_overlay(self) -> bool {
        self.any(Self::OVERLAY) && !self.any(Self::WET) && !self.is_water()
    }

    /// Returns whether caves can be below it: the scan does not skip it, and it is neither
    /// transparent nor a tree.
    pub const fn is_terrain(self) -> bool {
        !self.is_unseen() && !self.is_water() && !self.any(Self::OVERLAY.with(Self::NO_ROOF))
    }

    /// Returns whether water hides the block if the cell above it is dry.
    pub const fn is_under_own_water(self) -> bool {
        self.any(Self::WET) && !self.any(Self::ABOVE_WATER)
    }

    /// Returns the light that the block emits, 0 to 15.
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
