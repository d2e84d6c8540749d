//! Gives block states and biomes dense ids, and blocks the traits that a column scan needs.
//!
//! An id stands for a name plus the values of the properties that change how the block is drawn.
//! Workers assign ids in the order in which they meet names, so the ids differ from run to run and
//! must never reach an output. This module does not deal with colours or chunk layouts.

mod bedrock;
mod bedrock_ids;
mod bedrock_states;
mod cache;
mod ids;
mod network;
mod network_ids;
mod numeric;
mod pattern;
mod traits;
mod unknown_states;

pub use bedrock::{BED_HEAD, BEDROCK_TABLES, is_bed_head};
pub use bedrock_states::java_property;
pub(crate) use cache::UNEXPLORED;
pub use cache::{BEFORE_RENAMING, Describe, NameCache, Names};
pub use ids::{BiomeId, BlockId};
pub(crate) use network::NetworkNames;
pub use numeric::{BiomeEra, NUMERIC_BIOMES, NUMERIC_BLOCKS, NumericNames};
pub use pattern::NamePattern;
pub use traits::Traits;
