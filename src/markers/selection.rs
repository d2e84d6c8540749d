//! The markers that the user asked for.

use regex_lite::Regex;

use crate::markers::found::Find;
use crate::markers::kind::{MarkerKind, MarkerSource};
use crate::world::Companion;

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
    pub(crate) fn companions(&self) -> impl Iterator<Item = Companion> {
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

    /// Returns a text that identifies the selection: with equal texts the same chunks give the same
    /// markers.
    pub fn fingerprint(&self) -> String {
        // Markers of players are read from the world again in each run.
        let Self {
            kinds,
            signs,
            players: _,
            find,
        } = self;

        let kinds: Vec<&str> = MarkerKind::choices()
            .filter(|kind| kinds.contains(kind))
            .map(MarkerKind::name)
            .collect();

        let signs = signs.as_ref().map(Regex::as_str);
        let mut text = format!("{} {signs:?}", kinds.join(","));
        text.extend(
            find.as_ref()
                .map(|find| format!(" find {}", find.fingerprint())),
        );

        text
    }
}
