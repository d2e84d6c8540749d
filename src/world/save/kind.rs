//! A dimension's heights, and whether a ceiling closes it. The game calls that its dimension type.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// The heights that the game can store.
const HEIGHTS: std::ops::RangeInclusive<i32> = -2032..=2032;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Kind {
    /// The lowest height of a block.
    pub min_y: i32,
    /// Number of blocks in a column.
    pub height: i32,
    /// Number of blocks, from the lowest, that players can reach; absent: all.
    pub logical_height: Option<i32>,
    /// Whether it is closed at the top.
    pub has_ceiling: bool,
}

impl Default for Kind {
    /// The heights before 1.17, which apply where nothing else is stored.
    fn default() -> Self {
        Self { min_y: 0, height: 256, logical_height: None, has_ceiling: false }
    }
}

impl Kind {
    /// The height of the ceiling; `None`: it has none.
    pub fn ceiling_y(self) -> Option<i32> {
        let height = self.logical_height.unwrap_or(self.height).min(self.height);
        self.has_ceiling.then(|| self.min_y.saturating_add(height) - 1)
    }

    /// Returns whether the game would accept the heights.
    pub(crate) fn is_sound(self) -> bool {
        let top = self.min_y.saturating_add(self.height);
        self.height > 0 && HEIGHTS.contains(&self.min_y) && HEIGHTS.contains(&top) && self.logical_height != Some(0)
    }
}

/// A kind, given by its name or in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KindRef {
    Named(String),
    Inline(Kind),
}

// Serde's untagged enums copy everything in a value before they choose.
impl<'de> Deserialize<'de> for KindRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindRefVisitor)
    }
}

struct KindRefVisitor;

impl<'de> Visitor<'de> for KindRefVisitor {
    type Value = KindRef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dimension type or the name of one")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<KindRef, E> {
        Ok(KindRef::Named(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<KindRef, A::Error> {
        Kind::deserialize(MapAccessDeserializer::new(map)).map(KindRef::Inline)
    }
}

/// A dimension as level.dat and the files of `data/*/dimension/` describe it.
#[derive(Deserialize)]
pub(crate) struct Described {
    #[serde(rename = "type")]
    pub(crate) kind: KindRef,
}
