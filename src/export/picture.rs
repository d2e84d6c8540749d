//! One picture of a layer: written from north to south, a window of rows of tiles at a time. All threads decode the
//! tiles of a window and deflate its strips. What is held grows with the picture's width and with the threads, never
//! with its height; a WebP needs all its pixels at once.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};

use super::{ExportError, Grid, MapLayer, PictureError, Scale, Workers, choose, world_file};
use crate::coord::{Area, RegionPos, TILE_SIDE, TilePos};
use crate::publish::{Format, Part, put_beside};
use crate::tile::{Adler, Canvas, Samples, Strip, StripEncoder, WEBP_SIDE_LIMIT, encode_webp, png_end, png_start};

/// Bytes of a strip's rows, about; a strip has at least one row.
const STRIP_BYTES: u64 = 2 << 20;
/// The most rows of pixels of a strip.
const STRIP_ROWS: u64 = 64;
/// Tiles that a window has for each thread, where the picture is narrow.
const TILES_A_THREAD: usize = 2;

/// A picture that can be made: its pixels and its format.
#[derive(Debug, Clone, Copy)]
pub struct Picture {
    grid: Grid,
    format: Format,
}

/// A strip that is to be encoded: lines of the picture within a row of tiles, counted from the picture's first.
#[derive(Debug)]
struct Cut {
    row: i32,
    lines: Range<u64>,
}

/// The tiles of a window, by row and column.
type Window = BTreeMap<(i32, i32), Canvas>;

/// The area that a picture of a layer shows where none is named, and the warnings that name what it leaves out.
///
/// # Errors
/// The layer has no tiles.
pub(super) fn area_of(layer: &MapLayer<'_>, is_all: bool) -> Result<(Area, Vec<String>), ExportError> {
    let nothing = || ExportError::Picture(PictureError::Nothing);
    if is_all {
        let area = layer.regions().map(|(region, _)| region.area()).reduce(Area::union);
        return area.map(|area| (area, Vec::new())).ok_or_else(nothing);
    }
    let bytes: BTreeMap<RegionPos, u64> = layer.regions().collect();
    let choice = choose(bytes.keys().copied(), |region| bytes.get(&region).copied().unwrap_or(0));
    let choice = choice.ok_or_else(nothing)?;
    Ok((choice.area, choice.warnings("bytes of tiles")))
}

/// The texts in a picture, with their keywords.
pub fn picture_texts(dimension: &str, layer: &str, grid: Grid) -> [(&'static str, String); 5] {
    [
        ("Software", "pixelmap".to_owned()),
        ("Dimension", dimension.to_owned()),
        ("Layer", layer.to_owned()),
        ("Area", grid.area.to_string()),
        ("Scale", grid.scale.to_string()),
    ]
}

impl Picture {
    /// A picture of an area.
    ///
    /// # Errors
    /// It is larger than its format can be, or so large that the user has to be `sure`.
    pub fn new(area: Area, scale: Scale, format: Format, sure: bool) -> Result<Self, PictureError> {
        let grid = Grid::new(area, scale, sure)?;
        if format == Format::Webp && grid.width.max(grid.height) > WEBP_SIDE_LIMIT {
            return Err(PictureError::TooLargeForWebp(grid.width, grid.height, WEBP_SIDE_LIMIT));
        }
        Ok(Self { grid, format })
    }

    /// A picture of a layer: of an area, of all it shows, or of the largest group of its regions. With the warnings
    /// that name what is left out.
    ///
    /// # Errors
    /// As [`Picture::new`], or the layer has no tiles.
    pub fn of(
        layer: &MapLayer<'_>,
        (area, is_all): (Option<Area>, bool),
        scale: Scale,
        format: Format,
        sure: bool,
    ) -> Result<(Self, Vec<String>), ExportError> {
        if layer.samples() == Samples::Numbers {
            return Err(ExportError::Picture(PictureError::Numbers(layer.facts.id.clone())));
        }
        let (area, warnings) = match area {
            Some(area) => (area, Vec::new()),
            None => area_of(layer, is_all)?,
        };
        let picture = Self::new(area, scale, format, sure).map_err(ExportError::Picture)?;
        Ok((picture, warnings))
    }

    /// Its pixels.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Writes the picture of a layer to `file`, which is not put in its place. Returns whether it came to the end: not
    /// if the export is to stop.
    ///
    /// # Errors
    /// A tile is not the one that the manifest names, or the picture cannot be written.
    pub fn write(&self, layer: &MapLayer<'_>, file: &mut Part, workers: &Workers<'_>) -> Result<bool, ExportError> {
        workers.run(|| match self.format {
            Format::Png => self.write_png(layer, file, workers),
            Format::Webp => self.write_webp(layer, file, workers),
        })?
    }

    /// Writes the world file beside the picture, which gives its position, under the name that GDAL looks for. For WebP
    /// that is the general ending `wld`, since WebP has no ending of three letters of its own.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put_world_file(&self, picture: &Path) -> Result<(), ExportError> {
        let Grid { area, scale, .. } = self.grid;
        let path: PathBuf = picture.with_extension(match self.format {
            Format::Png => "pgw",
            Format::Webp => "wld",
        });
        Ok(put_beside(&path, world_file(area.x0, area.z0, scale.pixel_blocks()).as_bytes())?)
    }

    fn write_png(&self, layer: &MapLayer<'_>, file: &mut Part, workers: &Workers<'_>) -> Result<bool, ExportError> {
        let texts = picture_texts(&layer.dimension.id, &layer.facts.id, self.grid);
        file.add(&png_start((self.grid.width, self.grid.height), &texts))?;
        let mut adler = Adler::default();
        let done = self.each_strip(layer, workers, |strip| {
            adler = adler.then(strip.adler);
            Ok(file.add(&strip.bytes)?)
        })?;
        file.add(&png_end(adler))?;
        Ok(done)
    }

    fn write_webp(&self, layer: &MapLayer<'_>, file: &mut Part, workers: &Workers<'_>) -> Result<bool, ExportError> {
        let (width, height) = (self.grid.width, self.grid.height);
        let mut pixels: Vec<u8> = Vec::new();
        let room = pixels.try_reserve_exact(width as usize * height as usize * 4);
        room.map_err(|_| file.failed(io::ErrorKind::OutOfMemory.into()))?;
        let done = self.each_strip(layer, workers, |strip| {
            pixels.extend_from_slice(&strip.bytes);
            Ok(())
        })?;
        if done {
            encode_webp(&pixels, (width, height), file).map_err(|error| file.failed(error))?;
        }
        Ok(done)
    }

    /// Hands on the strips in their order, from north to south.
    fn each_strip(
        &self,
        layer: &MapLayer<'_>,
        workers: &Workers<'_>,
        mut add: impl FnMut(Strip) -> Result<(), ExportError>,
    ) -> Result<bool, ExportError> {
        let (columns, rows) = self.grid.tiles();
        let window = (workers.threads * TILES_A_THREAD).div_ceil(columns.len().max(1)) as i32;
        let mut first = rows.start;
        while first < rows.end {
            let here = first..rows.end.min(first + window);
            first = here.end;
            let Some(tiles) = self.tiles(layer, here.clone(), workers)? else { return Ok(false) };
            let cuts: Vec<Cut> = here.flat_map(|row| self.cuts(row)).collect();
            // Of a wide picture not all strips of a window at once.
            for some in cuts.chunks(workers.threads * 4) {
                if (workers.is_stopped)() {
                    return Ok(false);
                }
                let encode = |encoder: &mut StripEncoder, cut: &Cut| self.encode(encoder, cut, &tiles);
                let strips: Vec<Strip> = some.par_iter().map_init(|| self.encoder(), encode).collect();
                strips.into_iter().try_for_each(&mut add)?;
            }
        }
        Ok(true)
    }

    /// The tiles of some rows; `None`: the export is to stop.
    fn tiles(
        &self,
        layer: &MapLayer<'_>,
        rows: Range<i32>,
        workers: &Workers<'_>,
    ) -> Result<Option<Window>, ExportError> {
        let (zoom, _) = self.grid.scale.zoom();
        let (columns, _) = self.grid.tiles();
        let places = rows.flat_map(|y| columns.clone().map(move |x| TilePos { zoom, x, y }));
        let places: Vec<TilePos> = places.filter(|&tile| layer.shows(tile)).collect();
        let canvas = |tile: TilePos| {
            if (workers.is_stopped)() {
                return Ok(None);
            }
            Ok(layer.canvas(tile)?.map(|canvas| ((tile.y, tile.x), canvas)))
        };
        let tiles = places.into_par_iter().map(canvas).collect::<Result<Vec<_>, ExportError>>()?;
        Ok(if (workers.is_stopped)() { None } else { Some(tiles.into_iter().flatten().collect()) })
    }

    /// A row of tiles in strips.
    fn cuts(&self, row: i32) -> impl Iterator<Item = Cut> {
        let (_, times) = self.grid.scale.zoom();
        let (_, pixels) = self.grid.pixels();
        let north = i64::from(row) * TILE_SIDE as i64;
        let line = |z: i64| (z - pixels.start) as u64 * u64::from(times);
        let lines = line(pixels.start.max(north))..line(pixels.end.min(north + TILE_SIDE as i64));
        let height = (STRIP_BYTES / (u64::from(self.grid.width) * 4)).clamp(1, STRIP_ROWS);
        let end = lines.end;
        lines.step_by(height as usize).map(move |start| Cut { row, lines: start..end.min(start + height) })
    }

    fn encoder(&self) -> StripEncoder {
        match self.format {
            Format::Png => StripEncoder::png(),
            Format::Webp => StripEncoder::plain(),
        }
    }

    fn encode(&self, encoder: &mut StripEncoder, cut: &Cut, tiles: &Window) -> Strip {
        encoder.start(cut.lines.start == 0);
        let (_, times) = self.grid.scale.zoom();
        let (_, pixels) = self.grid.pixels();
        let mut last = None;
        for line in cut.lines.clone() {
            let z = pixels.start + (line / u64::from(times)) as i64;
            // Where a pixel is several lines high, these are equal.
            if last.replace(z) == Some(z) {
                encoder.again(self.grid.width as usize);
                continue;
            }
            encoder.row();
            self.line(encoder, cut.row, z, tiles);
        }
        encoder.end()
    }

    /// Adds the pixels of a line.
    fn line(&self, encoder: &mut StripEncoder, row: i32, z: i64, tiles: &Window) {
        let (side, times) = (TILE_SIDE as i64, self.grid.scale.zoom().1 as usize);
        let (pixels, _) = self.grid.pixels();
        let (columns, _) = self.grid.tiles();
        for column in columns {
            let west = i64::from(column) * side;
            let (from, to) = (pixels.start.max(west) - west, pixels.end.min(west + side) - west);
            match tiles.get(&(row, column)) {
                Some(canvas) => {
                    let start = (z.rem_euclid(side) * side) as usize;
                    encoder.pixels(&canvas.pixels()[start..][from as usize..to as usize], times);
                }
                None => encoder.blank((to - from) as usize * times),
            }
        }
    }
}
