//! The picture that stands where a new one shall: what it shows of chunks that cannot be read stays. It is read row by row
//! while the new one is drawn, once and from north to south, and only if there is such a chunk.

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::{Path, PathBuf};

use super::kept::Gap;
use super::picture::{Picture, Row, lock};
use crate::coord::{Area, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE};
use crate::export::{Grid, Scale};
use crate::publish::open_file;
use crate::tile::{Pixel, PngRow, PngRows, is_whole_png};

/// What a picture says of the options that it was drawn with, and where its columns lie.
pub(super) const OPTIONS: &str = "Options";
pub(super) const AREA: &str = "Area";

/// The picture that stands where a new one shall.
#[derive(Debug)]
pub(super) struct Earlier {
    path: PathBuf,
    /// The options that it must have been drawn with, its scale among them.
    key: String,
    /// What the new one shows.
    grid: Grid,
    rows: Rows,
}

#[derive(Debug)]
enum Rows {
    NotLookedAt,
    /// None with the same options.
    Nothing,
    There(Box<There>),
}

#[derive(Debug)]
struct There {
    pixels: PngRows<BufReader<File>>,
    /// What it shows.
    grid: Grid,
}

/// A row of pixels of the earlier picture.
struct Line<'a> {
    pixels: PngRow<'a>,
    grid: Grid,
}

impl Line<'_> {
    /// The pixel that shows a column, if the earlier picture reached so far.
    fn at(&self, x: i32) -> Option<Pixel> {
        let Grid { area, scale, .. } = self.grid;
        let east = i64::from(x) - i64::from(area.x0);
        (area.x0..area.x1).contains(&x).then(|| self.pixels.at(scale.pixels(east) as usize)).flatten()
    }
}

impl Earlier {
    /// Whatever stands at this path counts only if it was drawn with the options of `key`. Nothing is read yet.
    pub(super) fn new(path: &Path, key: String, grid: Grid) -> Self {
        Self { path: path.to_owned(), key, grid, rows: Rows::NotLookedAt }
    }

    /// Opens it; `None`: it is not there, damaged, or another one.
    fn open(&self, goes_on: impl Fn() -> bool) -> Option<There> {
        let mut file = open_file(&self.path).ok()?;
        if !is_whole_png(&mut BufReader::new(&file), goes_on).ok()? {
            return None;
        }
        file.rewind().ok()?;
        // No wider than the new one, by which memory is bounded: a world that has become narrower starts anew.
        let pixels = PngRows::open(BufReader::new(file), self.grid.width)?;
        let area = pixels.text(AREA).and_then(Area::parse).filter(|_| pixels.text(OPTIONS) == Some(&self.key))?;
        // Where nobody says what is to be shown, that grows with the world.
        let grid = Grid::new(area, self.grid.scale, true).ok()?;
        let is_placed = grid.area == area && (grid.width, grid.height) == pixels.size();
        is_placed.then_some(There { pixels, grid })
    }

    /// The row that shows columns at `z`, which must not lie north of the last one asked for.
    fn line(&mut self, z: i32, goes_on: impl Fn() -> bool) -> Option<Line<'_>> {
        if let Rows::NotLookedAt = self.rows {
            self.rows = self.open(&goes_on).map_or(Rows::Nothing, |there| Rows::There(there.into()));
        }
        let Rows::There(there) = &mut self.rows else { return None };
        let There { pixels, grid } = &mut **there;
        if !(grid.area.z0..grid.area.z1).contains(&z) {
            return None;
        }
        let y = grid.scale.pixels(i64::from(z) - i64::from(grid.area.z0)) as u32;
        while pixels.next() < y {
            if !goes_on() {
                return None;
            }
            pixels.row()?;
        }
        let pixels = if pixels.next() == y { pixels.row()? } else { return None };
        Some(Line { pixels, grid: *grid })
    }
}

impl Picture<'_> {
    /// Puts what the earlier picture showed where chunks of a row of regions could not be read; says whether that is
    /// anything.
    pub(super) fn mend(&self, place: usize, row: &mut Row) -> bool {
        let Some(earlier) = &self.earlier else { return false };
        let mut earlier = lock(earlier);
        let regions = self.grid.regions();
        let north = (regions.0.start + place as i32) * REGION_SIDE as i32;
        let blocks = blocks(self.grid.scale);
        let mut shows = false;
        for chunks in 0..REGION_CHUNKS {
            if !row.gaps.values().flatten().any(|gap| gap.slot.z() == chunks) {
                continue;
            }
            for z in (0..CHUNK_SIDE).step_by(blocks) {
                let within = chunks * CHUNK_SIDE + z;
                let Some(line) = earlier.line(north + within as i32, || !self.drawing.is_stopped()) else { continue };
                for (&column, gaps) in &row.gaps {
                    let west = (regions.1.start + column as i32) * REGION_SIDE as i32;
                    let side = REGION_SIDE / blocks;
                    let piece = row.pieces.entry(column).or_insert_with(|| vec![Pixel::CLEAR; side * side].into());
                    let to = &mut piece[within / blocks * side..][..side];
                    for gap in gaps.iter().filter(|gap| gap.slot.z() == chunks) {
                        shows |= keep(to, &line, gap, (west, z), blocks);
                    }
                }
            }
        }
        shows
    }
}

/// Puts what a line showed of a chunk into one of a region's own lines; says whether that is anything. The line is at `z`
/// in the chunk, the region begins at `west`, and its pixels are so many blocks wide: no pixel shows two chunks.
fn keep(to: &mut [Pixel], line: &Line<'_>, gap: &Gap, (west, z): (i32, usize), blocks: usize) -> bool {
    let mut shows = false;
    for x in (0..CHUNK_SIDE).step_by(blocks).filter(|&x| gap.may_show(x..x + blocks, z..z + blocks)) {
        let within = gap.slot.x() * CHUNK_SIDE + x;
        if let Some(pixel) = line.at(west + within as i32) {
            to[within / blocks] = pixel;
            shows |= pixel != Pixel::CLEAR;
        }
    }
    shows
}

/// Blocks along a side of a region's own pixels.
fn blocks(scale: Scale) -> usize {
    match scale {
        Scale::Times(_) => 1,
        Scale::Halved(halvings) => 1 << halvings,
    }
}
