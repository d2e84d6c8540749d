//! A dimension's heights, and whether it has a ceiling. The game calls this the dimension type.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The longest name that is kept, in bytes. The game allows no longer names in packs.
pub(crate) const MAX_NAME_BYTES: usize = 256;

/// The range of heights that the game can store.
const HEIGHTS: std::ops::RangeInclusive<i32> = -2032..=2032;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DimensionType {
    /// The height of the lowest block.
    pub min_y: i32,
    /// Number of blocks in a column.
    pub height: i32,
    /// Number of blocks, counted from the lowest, that players can reach; absent: all.
    pub logical_height: Option<i32>,
    /// Whether a ceiling of bedrock closes it at the top.
    pub has_ceiling: bool,
}

impl Default for DimensionType {
    /// Returns the heights from before 1.17, which apply if a description omits them.
    fn default() -> Self {
        Self {
            min_y: 0,
            height: 256,
            logical_height: None,
            has_ceiling: false,
        }
    }
}

impl DimensionType {
    /// Returns the height of the ceiling; `None`: the dimension is open at the top.
    pub fn ceiling_y(self) -> Option<i32> {
        let height = self.logical_height.unwrap_or(self.height).min(self.height);
        self.has_ceiling
            .then(|| self.min_y.saturating_add(height) - 1)
    }

    /// Returns whether the game would accept the heights.
    pub(crate) fn is_sound(self) -> bool {
        let top = self.min_y.saturating_add(self.height);
        self.height > 0
            && HEIGHTS.contains(&self.min_y)
            && HEIGHTS.contains(&top)
            && self.logical_height != Some(0)
    }
}

/// A dimension type, given either by its name or in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DimensionTypeRef {
    Named(String),
    Inline(DimensionType),
}

// Serde's untagged enums are not used because they copy the whole value before they choose.
impl<'de> Deserialize<'de> for DimensionTypeRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DimensionTypeRefVisitor)
    }
}

struct DimensionTypeRefVisitor;

impl<'de> Visitor<'de> for DimensionTypeRefVisitor {
    type Value = DimensionTypeRef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dimension type or the name of one")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<DimensionTypeRef, E> {
        Ok(DimensionTypeRef::Named(bounded(name)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DimensionTypeRef, A::Error> {
        DimensionType::deserialize(MapAccessDeserializer::new(map)).map(DimensionTypeRef::Inline)
    }
}

/// Returns as much of a name as shows that it is too long, so that a damaged file cannot fill the
/// memory with names.
fn bounded(name: &str) -> String {
    name.chars().take(MAX_NAME_BYTES + 1).collect()
}

/// A dimension as level.dat and the files of `data/*/dimension/` describe it.
#[derive(Debug, Clone, Deserialize)]
pub struct DescribedDimension {
    #[serde(rename = "type")]
    pub(crate) dimension_type: DimensionTypeRef,
    #[serde(default)]
    pub(crate) generator: Generator,
}

impl DescribedDimension {
    /// Returns whether the name of its type, if the type is given by a name, is short enough.
    pub(crate) fn has_short_name(&self) -> bool {
        !matches!(&self.dimension_type, DimensionTypeRef::Named(name) if name.len() > MAX_NAME_BYTES)
    }
}

/// The generator of a dimension's terrain.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(default)]
pub(crate) struct Generator {
    pub(crate) settings: NoiseRef,
}

/// The range of heights in which noise generates terrain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct Noise {
    #[serde(default)]
    min_y: i32,
    height: i32,
}

impl Noise {
    pub(crate) const fn new(min_y: i32, height: i32) -> Self {
        Self { min_y, height }
    }

    /// Returns the height of the highest block of the terrain.
    pub(crate) const fn top_y(self) -> i32 {
        self.min_y.saturating_add(self.height).saturating_sub(1)
    }
}

/// The noise settings of a dimension as the files of `data/*/worldgen/noise_settings/` describe
/// them.
#[derive(Deserialize)]
pub(crate) struct NoiseSettings {
    pub(crate) noise: Noise,
}

/// Noise settings, given by their name or in full.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum NoiseRef {
    /// The terrain is not generated from noise, or by a mod's own generator.
    #[default]
    None,
    Named(String),
    Inline(Noise),
}

impl<'de> Deserialize<'de> for NoiseRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NoiseRefVisitor)
    }
}

/// Accepts any value, because the settings of a mod's own generator can be anything.
struct NoiseRefVisitor;

impl<'de> Visitor<'de> for NoiseRefVisitor {
    type Value = NoiseRef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("noise settings or the name of them")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<NoiseRef, E> {
        Ok(NoiseRef::Named(bounded(name)))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<NoiseRef, E> {
        Ok(NoiseRef::None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<NoiseRef, E> {
        Ok(NoiseRef::None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<NoiseRef, E> {
        Ok(NoiseRef::None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<NoiseRef, E> {
        Ok(NoiseRef::None)
    }

    fn visit_unit<E: Error>(self) -> Result<NoiseRef, E> {
        Ok(NoiseRef::None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<NoiseRef, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(NoiseRef::None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NoiseRef, A::Error> {
        let mut noise = NoiseRef::None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "noise" {
                noise = NoiseRef::Inline(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }

        Ok(noise)
    }
}
