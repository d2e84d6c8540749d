//! The tints of blocks and the colours of biomes.

/// The colour of a biome that a block's own colour is multiplied by. The numbers of the variants
/// are used as indices; `None` is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tint {
    #[default]
    None,
    Grass,
    /// Leaves and vines.
    Foliage,
    /// Leaves on the ground.
    DryFoliage,
    Water,
}

impl Tint {
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Grass => "grass",
            Self::Foliage => "foliage",
            Self::DryFoliage => "dry_foliage",
            Self::Water => "water",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let all = [
            Self::None,
            Self::Grass,
            Self::Foliage,
            Self::DryFoliage,
            Self::Water,
        ];
        all.into_iter().find(|tint| tint.name() == text)
    }
}

/// The colours of a biome, in straight sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BiomeTints {
    pub grass: [u8; 3],
    /// Leaves and vines.
    pub foliage: [u8; 3],
    pub water: [u8; 3],
    /// Leaves on the ground.
    pub dry_foliage: [u8; 3],
}

impl BiomeTints {
    /// Returns the text of the colours in fingerprints. It must not change, because all tiles would
    /// be drawn again.
    pub(super) fn key_text(self) -> String {
        let Self {
            grass,
            foliage,
            water,
            dry_foliage,
        } = self;
        format!(
            "BiomeTints \
             {{ grass: {grass:?}, foliage: {foliage:?}, water: {water:?}, dry_foliage: {dry_foliage:?} }}"
        )
    }
}
