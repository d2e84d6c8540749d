//! Tests sources of colours: colour files, map-item colours, data packs, jars and packs, and the
//! report of unknown names. The tests make every texture.

mod assets;
mod bedrock;
mod datapacks;
mod files;
mod names;
mod network_states;
mod not_understood;
mod own_pack;
mod packs;
mod reference;
mod sources;
mod tables;
mod unknown_states;

use std::io::Write as _;
use std::path::Path;

use crate::map::land::{self, Column};
use crate::map::{Place, Rgba, look};
use crate::world::{Biome, Block, ChunkSpec, Files, Generation, biome};

/// A version whose blocks and biomes are stored by name.
const MODERN: Generation = Generation::Root(3955);

/// A block of a mod whose name gives no hint at a colour.
const FROB: Block = Block::named("mod:frobnicator");

/// A world of one chunk: its columns from west to east are of these blocks, at height 64.
fn strips(generation: Generation, blocks: &[Block]) -> Files {
    let column = |x: i32, _| Some(Column::of(64, blocks[x as usize * blocks.len() / 16]));
    land::world([0, 0, 16, 16], (0, 0), generation, column)
}

/// A world of one chunk of this block in this biome.
fn one_biome(block: Block, biome: Biome) -> Files {
    land::world([0, 0, 16, 16], (0, 0), MODERN, |_, _| {
        Some(Column {
            biome,
            ..Column::of(64, block)
        })
    })
}

fn rgb(hex: &str) -> [u8; 3] {
    let [_, r, g, b] = u32::from_str_radix(hex, 16).unwrap().to_be_bytes();
    [r, g, b]
}

/// The pixel of level ground in this colour.
fn level(hex: &str) -> Rgba {
    look::level(rgb(hex))
}

/// Writes a text file next to the world.
fn text_file(place: &Place, name: &str, text: &str) -> String {
    let mut files = Files::new();
    files.put(name, text.as_bytes().to_vec());
    files.write_under(&place.at(""));
    place.at(name).to_str().unwrap().to_owned()
}

/// Writes files into a zip.
fn write_zip(path: &Path, files: &Files) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, bytes) in &files.0 {
        zip.start_file(name.as_str(), zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// Returns the bytes of a PNG of 16 by 16 pixels, RGBA.
fn png_texture(pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 16, 16);
    encoder.set_color(png::ColorType::Rgba);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(pixels)
        .unwrap();
    bytes
}

/// Returns the bytes of a PNG of 16 by 16 pixels of one colour.
fn plain(pixel: [u8; 4]) -> Vec<u8> {
    png_texture(&[pixel; 256].concat())
}

/// Files of these texts.
fn texts(files: &[(&str, &str)]) -> Files {
    let mut all = Files::new();
    for (name, text) in files {
        all.put(name, text.as_bytes().to_vec());
    }
    all
}

const HEATH: Biome = Biome::new("mod:heath", 200);

/// A chunk of stone with nothing else.
fn stone(x: i32, z: i32, generation: Generation) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, generation);
    chunk.layer(60, 64, crate::world::block::STONE);
    chunk.biomes = Some(vec![biome::PLAINS; 256]);
    chunk
}
