//! The markers that the user asked for.

use regex_lite::Regex;

use crate::markers::found::Find;
use crate::markers::kind::{MarkerKind, MarkerSource};
use pixelmap_base::hash::KeyHasher;
use pixelmap_world::internal::Companion;

#[derive(Debug, Clone, Default)]
pub struct MarkerSelection {
    /// The chosen kinds.
    pub kinds: Vec<MarkerKind>,
    /// Matches the texts of the signs and the names of the banners to show. `None` shows neither.
    pub signs: Option<Regex>,
    /// Whether players are shown.
    pub players: bool,
    /// The blocks to look for.
    pub find: Option<Find>,
}

impl MarkerSelection {
    pub fn is_any(&self) -> bool {
        !self.kinds.is_empty() || self.signs.is_some() || self.players || self.find.is_some()
    }

    pub fn has(&self, kind: MarkerKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns the files that must be read in addition to the chunks.
    pub fn companions(&self) -> impl Iterator<Item = Companion> {
        Companion::ALL
            .into_iter()
            .filter(|companion| match companion {
                Companion::Points => self
                    .kinds
                    .iter()
                    .any(|kind| kind.source() == MarkerSource::Points),
                Companion::Entities => self.has(MarkerKind::Maps),
            })
    }

    /// Adds the selection to a key: with equal keys the same chunks give the same markers.
    pub fn add_to_key(&self, key: &mut KeyHasher) {
        // Markers of players are read from the world again in each run.
        let Self {
            kinds,
            signs,
            players: _,
            find,
        } = self;

        key.add_len(kinds.len());
        for kind in MarkerKind::choices().filter(|kind| kinds.contains(kind)) {
            key.add_text(kind.name());
        }

        key.add(signs.is_some());
        key.add_text(signs.as_ref().map_or("", Regex::as_str));
        key.add(find.is_some());
        if let Some(find) = find {
            find.add_to_key(key);
        }
    }
}
