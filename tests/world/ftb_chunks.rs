//! Writes region files of FTB Chunks: a zip with the list of chunks, and pictures whose colours are
//! numbers.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SIDE: usize = 512;

/// The facts of a column.
#[derive(Debug, Clone, Copy)]
pub struct FtbColumn {
    pub y: i16,
    /// The number of its block in the list of blocks.
    pub block: u32,
    /// The number of its biome in the list of biomes.
    pub biome: u16,
    pub light: u8,
    pub is_wet: bool,
}

/// The bytes of a file in which the player has seen these chunks.
pub fn region(chunks: &[(u8, u8)], column: impl Fn(usize, usize) -> FtbColumn) -> Vec<u8> {
    let mut list = vec![0, 3];
    list.extend((chunks.len() as i16).to_be_bytes());
    for &(x, z) in chunks {
        list.extend([4, x, z]);
        list.extend(1_700_000_000_000_i64.to_be_bytes());
    }

    let (mut data, mut blocks) = (Vec::new(), Vec::new());
    for (x, z) in (0..SIDE * SIDE).map(|at| (at % SIDE, at / SIDE)) {
        let column = column(x, z);
        let [alpha, red] = column.y.to_be_bytes();
        let facts = u16::from(column.is_wet) << 15 | u16::from(column.light) << 11 | column.biome;
        let [green, blue] = facts.to_be_bytes();
        data.extend([red, green, blue, alpha]);
        blocks.extend(&column.block.to_be_bytes()[1..]);
    }

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [
        ("chunks.dat", list),
        ("data.png", picture(&data, image::ExtendedColorType::Rgba8)),
        (
            "blocks.png",
            picture(&blocks, image::ExtendedColorType::Rgb8),
        ),
    ] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn picture(bytes: &[u8], form: image::ExtendedColorType) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let side = SIDE as u32;
    image::write_buffer_with_format(&mut out, bytes, side, side, form, image::ImageFormat::Png)
        .unwrap();
    out.into_inner()
}
