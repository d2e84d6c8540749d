//! Writes one picture of a layer from north to south, strip by strip. All threads decode the tiles
//! of several strips and deflate these strips. The memory in use grows with the picture's width and
//! with the number of threads, never with its height. WebP is the exception, because its encoder
//! needs all pixels at once.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::atlas::Format;
use crate::export::error::ExportError;
use crate::export::extent::drawn_area;
use crate::export::layer::ExportLayer;
use crate::export::pictures::grid::{Grid, PictureError, Size};
use crate::export::pictures::mean::{Share, Sums};
use crate::export::pictures::poster::{Poster, PosterOverlay};
use crate::export::target::FileTarget;
use crate::export::workers::Workers;
use crate::export::world_file::world_file;
use crate::store::{NewFile, put_file};
use pixelmap_base::coord::{Area, TILE_SIDE, TilePos};
use pixelmap_tile::{
    Adler, Canvas, Pixel, PixelSize, Samples, Strip, StripEncoder, WEBP_SIDE_LIMIT, encode_webp,
    png_end, png_start,
};

/// The approximate number of bytes in a strip; a strip has at least one row.
const STRIP_BYTES: u64 = 2 << 20;
/// The most rows of pixels in a strip.
const STRIP_ROWS: u64 = 64;
/// The number of tiles in memory for each thread, if the picture is narrow enough.
const TILES_A_THREAD: usize = 2;

/// The settings of a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PictureOptions {
    pub format: Format,
    pub size: Size,
    pub poster: Poster,
    /// Shows all regions if no area is named, however far they are from each other.
    pub all: bool,
    /// Makes the picture even if it is very large.
    pub sure: bool,
}

/// A checked picture, which can be made.
#[derive(Debug, Clone)]
pub struct PicturePlan {
    grid: Grid,
    format: Format,
    poster: Poster,
}

/// The decoded tiles in memory, by row and column.
type HeldTiles = BTreeMap<(i32, i32), Canvas>;

/// A picture that is being written.
struct PictureWriter<'a> {
    layer: &'a ExportLayer<'a>,
    grid: Grid,
    overlay: PosterOverlay,
    /// The shares of all columns if the pixels are means, otherwise empty.
    columns: Vec<Share>,
    height: u64,
    is_png: bool,
    workers: &'a Workers<'a>,
}

/// One worker's buffers for strips.
struct StripBuffers {
    encoder: StripEncoder,
    source: Vec<Pixel>,
    row: Vec<Pixel>,
    sums: Sums,
}

/// Returns the area that a picture shows if none is named, exact to the chunk, and warnings about
/// the regions outside it.
fn default_area(layer: &ExportLayer<'_>, is_all: bool) -> Result<(Area, Vec<String>), ExportError> {
    let (area, warnings) = layer.usual_area(is_all);
    let area = area.ok_or(ExportError::Picture(PictureError::Nothing))?;
    Ok((drawn_area(layer, area)?, warnings))
}

/// Writes the picture of a layer and its world file. Returns the length of the picture in bytes, or
/// `None` if the export was stopped.
///
/// # Errors
/// Fails if a tile differs from its record in the manifest, or if a file cannot be written.
pub fn put_picture(
    layer: &ExportLayer<'_>,
    picture: &PicturePlan,
    mut target: FileTarget<'_>,
    workers: &Workers<'_>,
) -> Result<Option<u64>, ExportError> {
    if !picture.write(layer, &mut target.file, workers)? {
        return Ok(None);
    }

    let path = target.path;
    let bytes = target.appear()?;
    picture.put_world_file(path)?;

    Ok(Some(bytes))
}

/// Returns the texts that a picture contains as metadata, with their keywords.
pub fn picture_texts(dimension: &str, layer: &str, grid: Grid) -> [(&'static str, String); 5] {
    [
        ("Software", "pixelmap".to_owned()),
        ("Dimension", dimension.to_owned()),
        ("Layer", layer.to_owned()),
        ("Area", grid.area.to_string()),
        ("Scale", grid.scale_text()),
    ]
}

impl PicturePlan {
    /// Plans a picture of an area.
    ///
    /// # Errors
    /// Fails if the picture is larger than its format allows, or so large that the user has to
    /// confirm it.
    pub fn new(area: Area, options: &PictureOptions) -> Result<Self, PictureError> {
        let PictureOptions {
            format,
            size,
            ref poster,
            sure,
            ..
        } = *options;

        let size = match size {
            Size::Fit(width, height) => {
                Size::Fit(width, height.saturating_sub(poster.foot(width)).max(1))
            }
            size => size,
        };

        let picture = Self {
            grid: Grid::new(area, size, sure)?,
            format,
            poster: poster.clone(),
        };

        let PixelSize { width, height } = picture.size();
        if format == Format::Webp && width.max(height) > WEBP_SIDE_LIMIT {
            return Err(PictureError::TooLargeForWebp(
                width,
                height,
                WEBP_SIDE_LIMIT,
            ));
        }

        Ok(picture)
    }

    /// Plans a picture of a layer: of an area, of all regions, or of the largest group of regions.
    /// Returns it with warnings about the regions that it leaves out.
    ///
    /// # Errors
    /// As [`PicturePlan::new`]. Also fails if the layer contains numbers or has no tiles, or if a
    /// tile cannot be read.
    pub fn for_layer(
        layer: &ExportLayer<'_>,
        area: Option<Area>,
        options: &PictureOptions,
    ) -> Result<(Self, Vec<String>), ExportError> {
        if layer.samples() == Samples::Numbers {
            return Err(ExportError::Picture(PictureError::Numbers(
                layer.finished.facts.id.clone(),
            )));
        }

        let (area, warnings) = match area {
            Some(area) => (area, Vec::new()),
            None => default_area(layer, options.all)?,
        };

        let picture = Self::new(area, options).map_err(ExportError::Picture)?;
        Ok((picture, warnings))
    }

    /// Plans the same picture with textures, from at most `levels` levels of the map.
    #[must_use]
    pub fn with_textures(self, levels: u8) -> Self {
        Self {
            grid: self.grid.with_textures(levels),
            ..self
        }
    }

    /// Returns the geometry of the map in the picture.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the size including the poster's foot.
    pub fn size(&self) -> PixelSize {
        let width = self.grid.width;
        PixelSize {
            width,
            height: self.grid.height.saturating_add(self.poster.foot(width)),
        }
    }

    /// Writes the picture of a layer to `file`, without publishing the file. Returns false if the
    /// export was stopped.
    ///
    /// # Errors
    /// Fails if a tile differs from its record in the manifest, or if the picture cannot be
    /// written.
    pub fn write(
        &self,
        layer: &ExportLayer<'_>,
        file: &mut NewFile,
        workers: &Workers<'_>,
    ) -> Result<bool, ExportError> {
        let is_png = self.format == Format::Png;
        let writing = self.writing(layer, self.size().height, is_png, workers);
        workers.run(|| {
            if is_png {
                self.write_png(&writing, file)
            } else {
                self.write_webp(&writing, file)
            }
        })?
    }

    fn writing<'a>(
        &self,
        layer: &'a ExportLayer<'a>,
        height: u32,
        is_png: bool,
        workers: &'a Workers<'a>,
    ) -> PictureWriter<'a> {
        PictureWriter {
            layer,
            grid: self.grid,
            overlay: PosterOverlay::new(&self.poster, &self.grid),
            columns: if self.grid.is_mean {
                self.grid.sides().0.all_shares()
            } else {
                Vec::new()
            },
            height: height.into(),
            is_png,
            workers,
        }
    }

    /// Returns the pixels of the map without the foot, as RGBA `[y][x]`, or `None` if the export
    /// was stopped. Uses the thread pool of its caller.
    ///
    /// # Errors
    /// Fails if a tile differs from its record in the manifest.
    pub(crate) fn map_pixels(
        &self,
        layer: &ExportLayer<'_>,
        workers: &Workers<'_>,
    ) -> Result<Option<Vec<u8>>, ExportError> {
        let mut pixels =
            Vec::with_capacity(self.grid.width as usize * self.size().height as usize * 4);
        let done = self
            .writing(layer, self.grid.height, false, workers)
            .add_pixels(&mut pixels)?;
        Ok(done.then_some(pixels))
    }

    /// Returns the pixels of the foot with this title, as RGBA `[y][x]`.
    pub(crate) fn foot_pixels(&self, title: String) -> Vec<u8> {
        let poster = Poster {
            title: Some(title),
            ..self.poster.clone()
        };

        let overlay = PosterOverlay::new(&poster, &self.grid);
        let mut row = vec![Pixel::CLEAR; self.grid.width as usize];
        let mut pixels = Vec::new();
        for y in self.grid.height..self.size().height {
            overlay.paint(y.into(), &mut row);
            pixels.extend(row.iter().flat_map(|pixel| pixel.rgba()));
        }

        pixels
    }

    /// Writes the world file, which gives the position of the picture, under the name that GDAL
    /// looks for. For WebP this is the general extension `wld`, because WebP has no extension of
    /// three letters from which GDAL could derive another.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    fn put_world_file(&self, picture: &Path) -> Result<(), ExportError> {
        let path: PathBuf = picture.with_extension(if self.format == Format::Png {
            "pgw"
        } else {
            "wld"
        });
        let Area { x0, z0, .. } = self.grid.area;
        Ok(put_file(
            &path,
            world_file(x0, z0, self.grid.pixel_blocks()).as_bytes(),
        )?)
    }

    fn write_png(
        &self,
        writing: &PictureWriter<'_>,
        file: &mut NewFile,
    ) -> Result<bool, ExportError> {
        let map_layer = writing.layer.finished;
        let texts = picture_texts(&map_layer.dimension.id, &map_layer.facts.id, self.grid);
        file.add(&png_start(self.size(), &texts))?;
        let mut adler = Adler::default();
        let done = writing.each_strip(|strip| {
            adler = adler.followed_by(strip.adler);
            Ok(file.add(&strip.bytes)?)
        })?;
        file.add(&png_end(adler.sum()))?;

        Ok(done)
    }

    fn write_webp(
        &self,
        writing: &PictureWriter<'_>,
        file: &mut NewFile,
    ) -> Result<bool, ExportError> {
        let size = self.size();
        let mut pixels: Vec<u8> = Vec::new();
        let room = pixels.try_reserve_exact(size.width as usize * size.height as usize * 4);
        room.map_err(|_| file.failed(io::ErrorKind::OutOfMemory.into()))?;

        let done = writing.add_pixels(&mut pixels)?;
        if done {
            encode_webp(&pixels, size, file).map_err(|error| file.failed(error))?;
        }

        Ok(done)
    }
}

impl PictureWriter<'_> {
    /// Adds the uncompressed pixels of all strips. Returns false if the export was stopped.
    fn add_pixels(&self, pixels: &mut Vec<u8>) -> Result<bool, ExportError> {
        self.each_strip(|strip| {
            pixels.extend_from_slice(&strip.bytes);
            Ok(())
        })
    }

    /// Calls `add` with each strip, from north to south. Returns false if the export was stopped.
    fn each_strip(
        &self,
        mut add: impl FnMut(Strip) -> Result<(), ExportError>,
    ) -> Result<bool, ExportError> {
        let (columns, _) = self.grid.tiles();
        let most = (self.workers.threads * TILES_A_THREAD).div_ceil(columns.len().max(1)) as i32;
        self.workers.pieces.expect(self.strips().count() as u64);

        let mut strips = self.strips().peekable();
        let mut tiles = HeldTiles::new();
        while let Some(first) = strips.next() {
            let mut rows = self.rows(&first);
            let mut some = vec![first];

            // Strips of a wide picture need many tiles, so only as many strips are made at once as
            // these tiles fit in memory.
            while some.len() < self.workers.threads * 4
                && let Some(next) = strips.next_if(|next| self.rows(next).end - rows.start <= most)
            {
                rows.end = rows.end.max(self.rows(&next).end);
                some.push(next);
            }

            if !self.hold(&mut tiles, rows)? {
                return Ok(false);
            }

            let count = some.len();
            let strips = some.into_par_iter();
            let strips = strips.map_init(
                || self.painter(),
                |painter, lines| self.strip(painter, lines, &tiles),
            );
            strips
                .collect::<Vec<Strip>>()
                .into_iter()
                .try_for_each(&mut add)?;
            self.workers.pieces.end(count as u64);
        }

        Ok(true)
    }

    /// Returns the rows of pixels in each strip.
    fn strips(&self) -> impl Iterator<Item = Range<u64>> {
        let lines = (STRIP_BYTES / (u64::from(self.grid.width) * 4)).clamp(1, STRIP_ROWS);
        let height = self.height;
        (0..height)
            .step_by(lines as usize)
            .map(move |start| start..height.min(start + lines))
    }

    /// Returns the rows of tiles that contain these rows of pixels.
    fn rows(&self, lines: &Range<u64>) -> Range<i32> {
        let last_of_map = u64::from(self.grid.height) - 1;
        let first = self.source_rows(lines.start.min(last_of_map)).start;
        let last = self.source_rows((lines.end - 1).min(last_of_map)).end - 1;
        let [first, last] = [first, last].map(|source| source.div_euclid(TILE_SIDE as i64) as i32);

        first..last + 1
    }

    /// Returns the rows of the zoom level from which a row of the map is made.
    fn source_rows(&self, line: u64) -> Range<i64> {
        let start = self.grid.pixels().1.start;
        if self.grid.is_mean {
            let sources = || {
                self.grid
                    .sides()
                    .1
                    .shares(line as u32)
                    .map(|share| start + i64::from(share.source))
            };
            return sources().next().unwrap_or(start)..sources().last().unwrap_or(start) + 1;
        }

        let source = start + (line / u64::from(self.grid.zoom().1)) as i64;
        source..source + 1
    }

    /// Makes `tiles` contain exactly the tiles of `rows`, which must not be further north than the
    /// rows of the previous call. Returns false if the export was stopped.
    fn hold(&self, tiles: &mut HeldTiles, rows: Range<i32>) -> Result<bool, ExportError> {
        let next = tiles
            .last_key_value()
            .map_or(i32::MIN, |(&(row, _), _)| row + 1)
            .max(rows.start);

        tiles.retain(|&(row, _), _| row >= rows.start);
        let (zoom, _) = self.grid.zoom();
        let (columns, _) = self.grid.tiles();
        let missing =
            (next..rows.end).flat_map(|y| columns.clone().map(move |x| TilePos { zoom, x, y }));
        let missing: Vec<TilePos> = missing.filter(|&tile| self.layer.shows(tile)).collect();

        let canvases = missing
            .into_par_iter()
            .map(|tile| {
                if (self.workers.is_stopped)() {
                    return Ok(None);
                }

                let canvas = self.layer.canvas(tile)?;
                Ok(canvas.map(|canvas| ((tile.y, tile.x), canvas)))
            })
            .collect::<Result<Vec<_>, ExportError>>()?;
        tiles.extend(canvases.into_iter().flatten());

        Ok(!(self.workers.is_stopped)())
    }

    fn painter(&self) -> StripBuffers {
        let encoder = if self.is_png {
            StripEncoder::png()
        } else {
            StripEncoder::new_uncompressed()
        };
        StripBuffers {
            encoder,
            source: Vec::new(),
            row: Vec::new(),
            sums: Sums::default(),
        }
    }

    fn strip(&self, painter: &mut StripBuffers, lines: Range<u64>, tiles: &HeldTiles) -> Strip {
        painter.encoder.start(lines.start == 0);

        for line in lines {
            painter.row.clear();
            if line < u64::from(self.grid.height) {
                self.map_row(painter, line, tiles);
            } else {
                painter.row.resize(self.grid.width as usize, Pixel::CLEAR);
            }
            self.overlay.paint(line, &mut painter.row);
            painter.encoder.row(&painter.row);
        }

        painter.encoder.end()
    }

    /// Makes a row of the map.
    fn map_row(&self, painter: &mut StripBuffers, line: u64, tiles: &HeldTiles) {
        let StripBuffers {
            source, row, sums, ..
        } = painter;
        if self.grid.is_mean {
            let start = self.grid.pixels().1.start;
            sums.start(self.grid.width as usize);
            for share in self.grid.sides().1.shares(line as u32) {
                self.source_row(source, start + i64::from(share.source), tiles);
                sums.add(source, &self.columns, share);
            }
            row.extend(sums.pixels(self.layer.samples()));
            return;
        }

        let at = self.source_rows(line).start;
        match self.grid.zoom().1 as usize {
            1 => self.source_row(row, at, tiles),
            times => {
                self.source_row(source, at, tiles);
                row.extend(
                    source
                        .iter()
                        .flat_map(|&pixel| std::iter::repeat_n(pixel, times)),
                );
            }
        }
    }

    /// Reads a row of pixels of the zoom level.
    fn source_row(&self, row: &mut Vec<Pixel>, z: i64, tiles: &HeldTiles) {
        let side = TILE_SIDE as i64;
        let (pixels, _) = self.grid.pixels();
        let (columns, _) = self.grid.tiles();
        row.clear();

        for column in columns {
            let west = i64::from(column) * side;
            let from = pixels.start.max(west) - west;
            let to = pixels.end.min(west + side) - west;
            match tiles.get(&(z.div_euclid(side) as i32, column)) {
                Some(canvas) => {
                    let start = (z.rem_euclid(side) * side) as usize;
                    row.extend_from_slice(&canvas.pixels()[start..][from as usize..to as usize]);
                }
                None => row.resize(row.len() + (to - from) as usize, Pixel::CLEAR),
            }
        }
    }
}
