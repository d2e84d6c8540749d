//! Reads and writes the manifest of one layer: `tiles.tsv`, one line per tile.
//!
//! The fields are separated by tabs: `z x y bytes file pixels`. `x` and `y` are the numbers in the
//! tile's path, `file` is the XXH3-64 of the file, and `pixels` is the XXH3-64 of its decoded
//! samples, both as 16 lower-case hex digits. The file starts without a heading, and lines are in
//! numeric order. A manifest contains neither times nor paths of the machine, so that the same
//! tiles always give the same bytes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;

use super::error::{AtlasError, ManifestError};
use super::naming::Scheme;
use pixelmap_base::coord::TilePos;
use pixelmap_base::hash::{hash_text, parse_hash};

/// The maximum length of a line. Valid lines have about 80 bytes at most.
const MAX_LINE: u64 = 256;

/// The length and hash of a tile's file, and the hash of its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileRecord {
    /// Length of the file in bytes.
    pub bytes: u32,
    /// XXH3-64 of the file.
    pub file: u64,
    /// XXH3-64 of the pixels.
    pub pixels: u64,
}

/// The tiles of one layer of one dimension, with their records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The tiles in the order of zoom level, then x, then y.
    pub tiles: BTreeMap<TilePos, TileRecord>,
}

impl Manifest {
    /// The name of the manifest in a layer's folder.
    pub const FILE: &'static str = "tiles.tsv";

    /// Writes the manifest line by line.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn write(&self, scheme: Scheme, out: &mut dyn io::Write) -> io::Result<()> {
        let mut line = |tile, record: &TileRecord| Self::write_line(scheme, tile, *record, out);

        if scheme != Scheme::Tms {
            return self
                .tiles
                .iter()
                .try_for_each(|(&tile, record)| line(tile, record));
        }

        // In this scheme y is counted from the south, so each column of tiles is written in reverse
        // to keep the lines in numeric order.
        let mut all = self.tiles.iter().peekable();
        let mut column: Vec<(TilePos, &TileRecord)> = Vec::new();
        while let Some((&tile, record)) = all.next() {
            column.push((tile, record));

            if all
                .peek()
                .is_none_or(|(next, _)| (next.zoom, next.x) != (tile.zoom, tile.x))
            {
                column
                    .drain(..)
                    .rev()
                    .try_for_each(|(tile, record)| line(tile, record))?;
            }
        }

        Ok(())
    }

    /// Writes the line of a tile.
    ///
    /// # Errors
    /// Fails if writing to `out` fails.
    pub fn write_line(
        scheme: Scheme,
        tile: TilePos,
        TileRecord {
            bytes,
            file,
            pixels,
        }: TileRecord,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let (x, y) = scheme.numbers(tile);
        let [file, pixels] = [file, pixels].map(hash_text);

        // One piece, because `out` may do much for each piece.
        let mut line = [0; MAX_LINE as usize];
        let mut rest = &mut line[..];
        write!(rest, "{}\t{x}\t{y}\t{bytes}\t", tile.zoom)?;

        for part in [&file[..], b"\t", &pixels, b"\n"] {
            rest.write_all(part)?;
        }

        let len = MAX_LINE as usize - rest.len();
        out.write_all(&line[..len])
    }
}

/// Iterates over the lines of a manifest, for callers that handle each damaged line themselves.
#[derive(Debug)]
pub struct ManifestLines {
    lines: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    scheme: Scheme,
    /// The zoom level, x and y of the last valid line, to check the order.
    last: Option<(u8, (i32, i32))>,
}

impl ManifestLines {
    /// Reads an open manifest whose tiles are counted in `scheme`.
    pub fn new(file: File, scheme: Scheme) -> Self {
        Self {
            lines: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            number: 0,
            scheme,
            last: None,
        }
    }

    /// Reads all lines. `path` is the path of the file, for errors.
    ///
    /// # Errors
    /// Fails if the file cannot be read or a line is damaged.
    pub fn read_all(self, path: &Path) -> Result<Manifest, AtlasError> {
        let tiles = self
            .collect::<Result<_, _>>()
            .map_err(|error| AtlasError::Manifest(path.to_owned(), error))?;
        Ok(Manifest { tiles })
    }

    fn read(&mut self) -> Result<Option<(TilePos, TileRecord)>, ManifestError> {
        self.line.clear();

        let read = self
            .lines
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut self.line);
        if read.map_err(ManifestError::Io)? == 0 {
            return Ok(None);
        }

        self.number += 1;
        let tile = self
            .line
            .strip_suffix(b"\n")
            .and_then(|line| parse_line(line, self.scheme));
        let tile = tile.filter(|(tile, _)| {
            self.last
                .is_none_or(|last| last < self.scheme.sort_key(*tile))
        });
        let tile = tile.ok_or(ManifestError::Line(self.number))?;
        self.last = Some(self.scheme.sort_key(tile.0));

        Ok(Some(tile))
    }
}

impl Iterator for ManifestLines {
    type Item = Result<(TilePos, TileRecord), ManifestError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn parse_line(line: &[u8], scheme: Scheme) -> Option<(TilePos, TileRecord)> {
    // Splitting bytes takes a fraction of the time of splitting a string, because the fields are
    // short.
    let mut fields = line
        .split(|&byte| byte == b'\t')
        .map(|field| str::from_utf8(field).unwrap_or_default());
    let zoom = fields.next()?.parse().ok()?;

    let x = fields.next()?.parse().ok()?;
    let y = fields.next()?.parse().ok()?;
    let bytes = fields.next()?.parse().ok()?;
    let file = parse_hash(fields.next()?)?;
    let pixels = parse_hash(fields.next()?)?;

    if fields.next().is_some() {
        return None;
    }

    Some((
        scheme.tile_at(zoom, x, y)?,
        TileRecord {
            bytes,
            file,
            pixels,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, scheme: Scheme) -> ManifestLines {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        io::Seek::rewind(&mut file).unwrap();
        ManifestLines::new(file, scheme)
    }

    #[test]
    fn manifest_lines_sort_by_number_and_read_back() {
        let mut manifest = Manifest::default();
        for (zoom, x, y) in [
            (17, 10, 0),
            (17, -2, 0),
            (17, 9, 5),
            (17, 9, -7),
            (16, 0, 0),
        ] {
            manifest.tiles.insert(
                TilePos { zoom, x, y },
                TileRecord {
                    bytes: 7,
                    file: 1,
                    pixels: u64::MAX,
                },
            );
        }

        for (scheme, wanted) in [
            (
                Scheme::Signed,
                ["16 0 0", "17 -2 0", "17 9 -7", "17 9 5", "17 10 0"],
            ),
            (
                Scheme::Xyz,
                [
                    "16 32768 32768",
                    "17 65534 65536",
                    "17 65545 65529",
                    "17 65545 65541",
                    "17 65546 65536",
                ],
            ),
            (
                Scheme::Tms,
                [
                    "16 32768 32767",
                    "17 65534 65535",
                    "17 65545 65530",
                    "17 65545 65542",
                    "17 65546 65535",
                ],
            ),
        ] {
            let mut text = Vec::new();
            manifest.write(scheme, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let position = |line: &str| line.split('\t').take(3).collect::<Vec<_>>().join(" ");
            assert_eq!(text.lines().map(position).collect::<Vec<_>>(), wanted);
            assert_eq!(
                text.lines().next().unwrap()[wanted[0].len()..],
                *"\t7\t0000000000000001\tffffffffffffffff"
            );

            let read = lines(&text, scheme).collect::<Result<_, _>>().unwrap();
            assert_eq!(Manifest { tiles: read }, manifest);
        }
    }

    #[test]
    fn a_damaged_line_is_left_out() {
        let text = "17\t0\t0\t7\t0000000000000001\n\n17\tx\t0\t7\t0000000000000001\t0000000000000001\n\
                    17\t1\t0\t7\t0000000000000001\t0000000000000001\textra\n";
        assert!(lines(text, Scheme::Signed).all(|line| line.is_err()));
    }

    #[test]
    fn bad_manifest_lines_are_reported_by_number() {
        let line = |x: i32| format!("17\t{x}\t0\t7\t0000000000000001\t0000000000000002\n");

        let read = |text: String| {
            lines(&text, Scheme::Signed)
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| error.to_string())
        };

        assert_eq!(read(line(-1) + &line(5)).unwrap().len(), 2);
        assert_eq!(read(String::new()).unwrap(), []);

        for wrong in [
            line(5) + &line(-1),
            line(5) + &line(5),
            line(1) + "\n",
            line(1) + line(2).trim_end(),
        ] {
            assert!(read(wrong).unwrap_err().contains("line 2 "));
        }
    }
}
