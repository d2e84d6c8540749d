//! Readers of Java Edition.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;

use fastanvil::{Chunk, HeightMode, JavaChunk, Region};
use pixelmap_world::World;

use crate::{Failure, Reading};

/// Each pair does the same work, except that `simdnbt` reads only tags, and does not decode blocks.
pub(crate) const READINGS: &[Reading] = &[
    Reading {
        name: "pixelmap-world, open chunks",
        read: open,
    },
    Reading {
        name: "fastanvil, open chunks",
        read: fastanvil_open,
    },
    Reading {
        name: "simdnbt, tags of chunks",
        read: simdnbt_tags,
    },
    Reading {
        name: "pixelmap-world, surfaces",
        read: surfaces,
    },
    Reading {
        name: "fastanvil, surfaces",
        read: fastanvil_surfaces,
    },
    Reading {
        name: "pixelmap-world, all blocks",
        read: blocks,
    },
    Reading {
        name: "fastanvil, all blocks",
        read: fastanvil_blocks,
    },
];

/// Chunks of the overworld.
fn open(world: &Path) -> Result<u64, Failure> {
    let mut count = 0;
    each_chunk(world, |_| count += 1)?;

    Ok(count)
}

/// The sum of the lengths of the names of all surface blocks.
fn surfaces(world: &Path) -> Result<u64, Failure> {
    let mut sum = 0;
    each_chunk(world, |chunk| {
        for (x, z) in columns() {
            let (x, z) = (chunk.x() * 16 + x, chunk.z() * 16 + z);
            if let Some(surface) = chunk.surface(x, z) {
                sum += surface.block.name().len() as u64;
            }
        }
    })?;

    Ok(sum)
}

/// Blocks other than air.
fn blocks(world: &Path) -> Result<u64, Failure> {
    let mut count = 0;
    each_chunk(world, |chunk| {
        for (_, block) in chunk.blocks() {
            if !block.is_air() {
                count += 1;
            }
        }
    })?;

    Ok(count)
}

fn each_chunk(world: &Path, mut see: impl FnMut(&pixelmap_world::Chunk)) -> Result<(), Failure> {
    let world = World::open(world)?;
    let overworld = world.dimension("overworld").ok_or("no overworld")?;

    for chunk in overworld.chunks() {
        see(&chunk?);
    }

    Ok(())
}

fn fastanvil_open(world: &Path) -> Result<u64, Failure> {
    let mut count = 0;
    each_inflated(world, |bytes| {
        JavaChunk::from_bytes(bytes)?;
        count += 1;

        Ok(())
    })?;

    Ok(count)
}

fn fastanvil_surfaces(world: &Path) -> Result<u64, Failure> {
    let mut sum = 0;
    each_inflated(world, |bytes| {
        let chunk = JavaChunk::from_bytes(bytes)?;
        for (x, z) in columns() {
            let (x, z) = (x as usize, z as usize);
            let height = chunk.surface_height(x, z, HeightMode::Calculate);
            if let Some(block) = chunk.block(x, height - 1, z) {
                sum += block.name().len() as u64;
            }
        }

        Ok(())
    })?;

    Ok(sum)
}

fn fastanvil_blocks(world: &Path) -> Result<u64, Failure> {
    let mut count = 0;
    each_inflated(world, |bytes| {
        let chunk = JavaChunk::from_bytes(bytes)?;
        for y in chunk.y_range() {
            for (x, z) in columns() {
                let block = chunk.block(x as usize, y, z as usize);
                if block.is_some_and(|block| !block.name().ends_with(":air")) {
                    count += 1;
                }
            }
        }

        Ok(())
    })?;

    Ok(count)
}

fn simdnbt_tags(world: &Path) -> Result<u64, Failure> {
    let mut count = 0;
    each_inflated(world, |bytes| {
        simdnbt::borrow::read(&mut Cursor::new(bytes))?;
        count += 1;

        Ok(())
    })?;

    Ok(count)
}

/// Gives the inflated bytes of all chunks of the overworld, as `fastanvil` reads them.
fn each_inflated(
    world: &Path,
    mut see: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for file in fs::read_dir(world.join("region"))? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "mca") {
            continue;
        }

        let mut region = Region::from_stream(File::open(path)?)?;
        for chunk in region.iter() {
            see(&chunk?.data)?;
        }
    }

    Ok(())
}

/// The columns of a chunk, x and z.
fn columns() -> impl Iterator<Item = (i32, i32)> {
    (0..256).map(|column| (column % 16, column / 16))
}
