//! The kind of a dimension: its heights, and whether a ceiling closes it. The game calls it a dimension type.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// The heights that the game can store.
const HEIGHTS: std::ops::RangeInclusive<i32> = -2032..=2032;

/// A kind of dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Kind {
    /// The lowest height of a block.
    pub min_y: i32,
    /// The number of blocks in a column.
    pub height: i32,
    /// The number of blocks, from the lowest, that players can reach; `None`: all.
    pub logical_height: Option<i32>,
    /// Set if it is closed at the top.
    pub has_ceiling: bool,
}

impl Default for Kind {
    /// The heights before 1.17, which hold where nothing else is stored.
    fn default() -> Self {
        Self { min_y: 0, height: 256, logical_height: None, has_ceiling: false }
    }
}

impl Kind {
    /// The height of the ceiling, if there is one.
    pub fn ceiling_y(self) -> Option<i32> {
        let height = self.logical_height.unwrap_or(self.height).min(self.height);
        self.has_ceiling.then(|| self.min_y.saturating_add(height) - 1)
    }

    /// Returns whether the game would accept the heights.
    pub(super) fn is_sound(self) -> bool {
        let top = self.min_y.saturating_add(self.height);
        self.height > 0 && HEIGHTS.contains(&self.min_y) && HEIGHTS.contains(&top) && self.logical_height != Some(0)
    }
}

/// A kind by its name, or in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KindOf {
    /// The name of a kind.
    Named(String),
    /// The kind itself.
    Here(Kind),
}

// Serde's untagged enums keep a copy of everything in a value before they choose.
impl<'de> Deserialize<'de> for KindOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindOfVisitor)
    }
}

struct KindOfVisitor;

impl<'de> Visitor<'de> for KindOfVisitor {
    type Value = KindOf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dimension type or the name of one")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<KindOf, E> {
        Ok(KindOf::Named(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<KindOf, A::Error> {
        Kind::deserialize(MapAccessDeserializer::new(map)).map(KindOf::Here)
    }
}

/// A dimension as level.dat and the files of `data/*/dimension/` describe it.
#[derive(Deserialize)]
pub(super) struct Described {
    /// Its kind.
    #[serde(rename = "type")]
    pub(super) kind: KindOf,
}
