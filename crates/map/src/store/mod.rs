//! Changes a map folder safely: readers always find whole files, and the next run can go on if a
//! run is killed.
//!
//! A tile appears by rename, so no reader ever sees half of a tile; a tile whose bytes did not
//! change keeps its file. The manifest, `map.json` and removals come last, so a run that is ended
//! early leaves every earlier tile in the map. This module handles neither pixels nor chunks: it
//! receives a tile as the bytes of a finished file.

mod apart;
pub(crate) mod commit;
pub(crate) mod disk;
mod error;
mod folder;
pub(crate) mod journal;
mod parts;
#[cfg(feature = "object-store")]
mod travelling_state;

pub use apart::check_apart;
pub use commit::change_list::ChangeLists;
pub use commit::file_changes::Commit;
pub use commit::forget::ForgetPlan;
pub use disk::new_file::{NewFile, check_file, no_page, put_at, put_file, put_page_beside};
pub use disk::scratch::Scratch;
pub use error::PublishError;
pub use folder::identity::{Identity, WantedNaming, begun_copy};
#[cfg(feature = "object-store")]
pub use folder::identity::{begun_path, begun_scheme};
pub use folder::output::{FileFacts, Output, Put};
pub use journal::compact::{CompactJournal, CompletedLayers, compact};
pub use journal::entry::{JournalEntry, LayerKey};
pub use journal::journal_file::{Journal, JournalRecord};
pub use parts::{Adoption, FoundPart};
#[cfg(feature = "object-store")]
pub use travelling_state::TravellingState;
