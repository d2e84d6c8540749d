//! Reads Bedrock worlds slowly: every file of the database is read whole, and the newest version of
//! each key counts.

mod chunk;
mod database;
mod files;
mod names;
mod tables;

use std::collections::BTreeSet;
use std::path::Path;

use super::{Answer, Reason, Within};
use chunk::Keys;
pub use chunk::{BedrockChunk, Content};
pub use database::{Database, Refusal};
pub use files::masked_checksum;
pub use names::{biome, block};

/// The id of the overworld; 1 is the nether, 2 the end, and add-ons have others.
pub const OVERWORLD: i32 = 0;

/// A world's database in memory.
#[derive(Debug)]
pub struct BedrockWorld {
    pub database: Database,
}

/// Position of a chunk: dimension, x and z.
pub type Place = (i32, i32, i32);

impl BedrockWorld {
    /// Reads the database of a world's folder.
    pub fn open(world: &Path) -> Result<Self, Refusal> {
        Ok(Self {
            database: Database::read(&world.join("db"))?,
        })
    }

    /// The chunks that are stored: those with a version.
    pub fn chunks(&self) -> BTreeSet<Place> {
        let versions = self
            .database
            .keys()
            .filter_map(|key| match chunk::place(key) {
                Some((place, 44 | 118)) => Some(place),
                _ => None,
            });
        versions.collect()
    }

    /// Returns whether a part of a chunk may be in an unreadable block. Keys of the nether begin
    /// like keys of the overworld.
    pub fn may_be_damaged(&self, place: Place) -> bool {
        let first = Keys::new(place).0;
        let last = [&first[..], &[255; 8]].concat();
        self.database.is_lost_between(&first, &last)
    }

    /// The name of a biome by its number: a name of the game or of the world.
    pub fn biome(&self, number: u32) -> String {
        let known = biome(number);
        if known.starts_with("numeric:") {
            tables::biome_name(&self.database, number).unwrap_or(known)
        } else {
            known
        }
    }

    /// A chunk: nothing, its content, or the reason why it cannot be read.
    pub fn chunk(&self, place: Place) -> Option<Result<BedrockChunk, Reason>> {
        BedrockChunk::read(&self.database, place)
    }

    /// The answers of a query to these columns, in this order. A chunk is read once for all columns
    /// in a row that are in it.
    pub fn answers(&self, dimension: i32, columns: &[(i32, i32)], within: Within) -> Vec<Answer> {
        let mut answers = Vec::new();
        for columns in columns.chunk_by(|a, b| (a.0 >> 4, a.1 >> 4) == (b.0 >> 4, b.1 >> 4)) {
            let place = (dimension, columns[0].0 >> 4, columns[0].1 >> 4);
            let chunk = self.chunk(place);
            answers.extend(columns.iter().map(|(x, z)| match &chunk {
                None => Answer::NoChunk,
                Some(_) if self.may_be_damaged(place) => Answer::Damaged(Reason::Unreadable),
                Some(Err(reason)) => Answer::Damaged(*reason),
                Some(Ok(chunk)) if !chunk.is_finished && !within.unfinished => Answer::Unfinished,
                Some(Ok(chunk)) => Answer::Column {
                    top: chunk.top(x & 15, z & 15, within),
                    data_version: None,
                },
            }));
        }

        answers
    }
}
