//! Defines the list of entities that a chunk stores.

use crate::nbt::{LittleReader, Reader};

/// The entities of a chunk, or its block entities.
#[derive(Debug)]
pub enum EntityList<'a> {
    /// The reader is positioned at a list.
    List(Reader<'a>),
    /// The reader is positioned at the first of several consecutive compounds, which end with the
    /// bytes.
    Roots(LittleReader<'a>),
}
