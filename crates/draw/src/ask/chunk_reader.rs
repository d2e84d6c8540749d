//! Makes the reader with which questions read chunks: with the names and meanings of the built-in
//! colour table, and without light.

use std::sync::Arc;

use crate::painter::chunk::ChunkReader;
use crate::request::colours::names;
use pixelmap_paint::palette::Palette;
use pixelmap_world::internal::{Inflater, World};

pub(super) fn reader(world: &World) -> ChunkReader {
    let palette = Arc::new(Palette::builtin());
    ChunkReader::new(names(world, &palette), Inflater::default(), false)
}
