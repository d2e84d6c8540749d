//! Defines the facts of a chunk other than its blocks: its status, its generation and warnings.

use pixelmap_base::coord::ChunkPos;

/// How far the game has generated a chunk, the furthest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Finished, or so nearly finished that it looks finished.
    Finished,
    /// Bare terrain at the edge of the generated world: no trees, no structures.
    Raw,
    /// Nothing visible yet.
    Unborn,
}

/// The newest DataVersion whose form of chunks is known (26.4, snapshot 6).
const NEWEST_FORM: i32 = 5126;
/// The first DataVersion that stores the status as `status` (26.4, snapshot 1).
const FIRST_LOWER_CASE: i32 = 5119;

/// The stored facts that decide a chunk's [`Status`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StoredStatus<'a> {
    /// `Status`, from 1.13 to 26.3.
    pub(super) upper_case: Option<&'a [u8]>,
    /// `status`, since 26.4.
    pub(super) lower_case: Option<&'a [u8]>,
    /// `TerrainPopulated`, until 1.12.
    pub(super) populated: Option<bool>,
    /// `below_zero_retrogen`: the game has taken over a chunk from before 1.18 and has not deepened
    /// it yet.
    pub(super) is_below_zero: bool,
    /// `retrogen.target_status` of 26.4: the status that the chunk had in an earlier version. Its
    /// own status is lower, because the game will repeat some steps, but all of its blocks are
    /// there.
    pub(super) target: Option<&'a [u8]>,
}

impl StoredStatus<'_> {
    /// Decides the status, and returns warnings about a missing or unknown status.
    ///
    /// A chunk counts as finished if it is nearly finished, or if it was finished in an earlier
    /// version. It also counts as finished if its status is missing, because before 1.13 the game
    /// stored only whether trees and ores were placed, and some tools store neither. But if the
    /// status is missing from a chunk of a version newer than the known ones, the chunk counts as
    /// unfinished, because that version has probably renamed the status.
    pub(super) fn settle(self, version: Option<i32>) -> (Status, Warnings) {
        let mut warnings = Warnings::default();

        let is_new = version.is_some_and(|version| version >= FIRST_LOWER_CASE);
        let own = if is_new {
            self.lower_case.or(self.upper_case)
        } else {
            self.upper_case.or(self.lower_case)
        };

        if own.is_some() && self.is_below_zero {
            return (Status::Finished, warnings);
        }

        if own.is_none() && self.target.is_none() {
            if version.is_some_and(|version| version > NEWEST_FORM) {
                warnings.add(Warnings::NO_STATUS);
                return (Status::Raw, warnings);
            }

            return (
                if self.populated == Some(false) {
                    Status::Raw
                } else {
                    Status::Finished
                },
                warnings,
            );
        }

        let known = [own, self.target].into_iter().flatten().map(Status::parse);
        if known.clone().any(|status| status.is_none()) {
            warnings.add(Warnings::STATUS);
        }

        (known.flatten().min().unwrap_or(Status::Unborn), warnings)
    }
}

impl Status {
    /// Parses a status, or returns `None` if no known version of the game writes it.
    fn parse(status: &[u8]) -> Option<Self> {
        match status.strip_prefix(b"minecraft:").unwrap_or(status) {
            b"full" | b"fullchunk" | b"postprocessed" | b"mobs_spawned" | b"finalized"
            | b"heightmaps" | b"spawn" | b"light" | b"lighted" | b"initialize_light"
            | b"features" | b"decorated" => Some(Self::Finished),
            b"noise" | b"surface" | b"carvers" | b"liquid_carvers" | b"base" | b"carved"
            | b"liquid_carved" | b"terrain" => Some(Self::Raw),
            b"empty"
            | b"structure_starts"
            | b"structure_references"
            | b"biomes"
            | b"noise_biomes" => Some(Self::Unborn),
            _ => None,
        }
    }
}

/// The form in which a chunk is stored, by version of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// Beta 1.3 to 1.1: one array of ids for the whole chunk.
    Mcregion,
    /// 1.2 to 1.12: sections of numeric ids.
    Numeric,
    /// 1.13 to 1.15: palettes of names, indices that span longs.
    Spanning,
    /// 1.16 and 1.17: palettes of names, whole indices in each long.
    Aligned,
    /// Snapshots of 1.18: `block_states` under `Level`.
    LevelBlockStates,
    /// 1.18 and later: everything at the root.
    Root,
    /// Bedrock 0.9 to 0.16: one array of ids for the whole chunk.
    LegacyTerrain,
    /// Bedrock 1.0 to 1.2: sections of numeric ids.
    SubchunkIds,
    /// Bedrock 1.2.13 and later: sections with palettes of names.
    SubchunkPalette,
}

impl Generation {
    /// The generations of Java Edition, oldest first.
    pub const JAVA: [Self; 6] = [
        Self::Mcregion,
        Self::Numeric,
        Self::Spanning,
        Self::Aligned,
        Self::LevelBlockStates,
        Self::Root,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcregion => "mcregion",
            Self::Numeric => "numeric",
            Self::Spanning => "spanning",
            Self::Aligned => "aligned",
            Self::LevelBlockStates => "level_block_states",
            Self::Root => "root",
            Self::LegacyTerrain => "legacy_terrain",
            Self::SubchunkIds => "subchunk_ids",
            Self::SubchunkPalette => "subchunk_palette",
        }
    }
}

/// Faults that do not make a chunk unreadable, as a set of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Warnings(u16);

impl Warnings {
    /// An index past the end of its palette; drawn as air.
    pub const PALETTE_INDEX: Self = Self(1);
    /// `xPos` and `zPos` differ from the slot; drawn by the slot.
    pub const POSITION: Self = Self(1 << 1);
    /// A section is stored twice; the last one counts.
    pub const SECTION_TWICE: Self = Self(1 << 2);
    /// An entry of a section palette without a name; drawn as air.
    pub const NAMELESS: Self = Self(1 << 3);
    /// Either blocks seem to be stored under an unknown name, or no sections are stored at all.
    /// Reported only if few blocks of the chunk were found.
    pub const STRANGE: Self = Self(1 << 4);
    /// No light is stored, and a layer needs it.
    pub const NO_LIGHT: Self = Self(1 << 5);
    /// A section at a height that the game cannot store; ignored.
    pub const HEIGHT: Self = Self(1 << 6);
    /// Biomes in an array of an impossible length or type; ignored.
    pub const BIOMES: Self = Self(1 << 7);
    /// Bytes after the end of the NBT.
    pub const TRAILING: Self = Self(1 << 8);
    /// An unknown status. The chunk is not drawn, although it may be finished.
    pub const STATUS: Self = Self(1 << 9);
    /// The end of the compressed bytes is missing, although the NBT is complete.
    pub const CUT: Self = Self(1 << 10);
    /// A chunk of a newer version without a status. It counts as unfinished.
    pub const NO_STATUS: Self = Self(1 << 11);
    /// All warnings that concern every layer, with their texts.
    pub const ALL: [(Self, &'static str); 9] = [
        (
            Self::PALETTE_INDEX,
            "a palette index out of range, drawn as air",
        ),
        (
            Self::POSITION,
            "a position that differs from the chunk's slot, drawn by the slot",
        ),
        (
            Self::SECTION_TWICE,
            "a section stored twice, drawn as the last one",
        ),
        (
            Self::NAMELESS,
            "a palette entry without a name, drawn as air",
        ),
        (
            Self::HEIGHT,
            "a section at an impossible height, which is not drawn",
        ),
        (
            Self::BIOMES,
            "biomes of an impossible length or type, treated as missing",
        ),
        (
            Self::TRAILING,
            "bytes after the end of the NBT, which are not read",
        ),
        (
            Self::STATUS,
            "a status that is not known, treated as unfinished",
        ),
        (
            Self::CUT,
            "compressed bytes whose end is missing, drawn because the NBT is whole",
        ),
    ];

    pub const fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether the chunk may contain blocks that are not drawn.
    pub const fn may_hide_blocks(self) -> bool {
        self.0 & (Self::PALETTE_INDEX.0 | Self::NAMELESS.0 | Self::STRANGE.0 | Self::HEIGHT.0) != 0
    }
}

/// The facts of a chunk other than its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// `DataVersion`, absent before 15w32a.
    pub data_version: Option<i32>,
    /// For a chunk of Bedrock Edition, the version of Java Edition that is nearest by name to the
    /// version of Bedrock that introduced this form of chunks. It is the first `DataVersion` of
    /// that version, absent before 1.9.
    pub java_version: Option<i32>,
    pub status: Status,
    pub generation: Generation,
    /// `xPos` and `zPos`, in chunks.
    pub position: Option<(i64, i64)>,
    /// `InhabitedTime`: the time that players spent near the chunk, summed over players, in ticks
    /// of 1/20 second. Absent in old chunks.
    pub inhabited_ticks: Option<u64>,
    /// When the chunk was found changed, in seconds since 1970. Only zvcr stores such times.
    pub found_changed: Option<i64>,
    pub warnings: Warnings,
}

impl Meta {
    /// Returns whether the chunk belongs at `position`. A chunk that does not store its position
    /// always does.
    pub fn is_at(&self, position: ChunkPos) -> bool {
        self.position
            .is_none_or(|stored| stored == (i64::from(position.x), i64::from(position.z)))
    }
}
