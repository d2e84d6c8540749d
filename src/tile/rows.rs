//! A picture that came in strips, read back row by row: what is held grows with its width alone.

use std::io::{self, BufRead, Read, Seek};

use super::Pixel;
use super::png::SIGNATURE;

/// What the decoder may hold beside a row of the picture, in bytes.
const ROOM: usize = 1 << 20;
/// Bytes that are looked at together.
const PIECE: usize = 1 << 16;
/// No picture has so many rows.
const END: u32 = u32::MAX;

/// The rows of a PNG of 8 bits a channel, RGBA, not interlaced.
pub struct PngRows<R: BufRead + Seek> {
    reader: png::Reader<R>,
    /// The row that comes next, or [`END`].
    next: u32,
}

impl<R: BufRead + Seek> std::fmt::Debug for PngRows<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PngRows").field("next", &self.next).finish_non_exhaustive()
    }
}

impl<R: BufRead + Seek> PngRows<R> {
    /// Reads how a picture begins; `None`: it is no PNG, one of another kind, or wider than this.
    pub fn open(source: R, most_width: u32) -> Option<Self> {
        // A row as it is stored, and as it comes out.
        let bytes = usize::try_from(most_width).ok()?.checked_mul(8)?.checked_add(ROOM)?;
        let mut decoder = png::Decoder::new_with_limits(source, png::Limits { bytes });
        let info = decoder.read_header_info().ok()?;
        let is_of_kind = (info.color_type, info.bit_depth) == (png::ColorType::Rgba, png::BitDepth::Eight);
        if !is_of_kind || info.interlaced || info.width > most_width {
            return None;
        }
        Some(Self { reader: decoder.read_info().ok()?, next: 0 })
    }

    /// Its pixels from west to east and from north to south.
    pub fn size(&self) -> (u32, u32) {
        self.reader.info().size()
    }

    /// What it says of itself under a keyword.
    pub fn text(&self, keyword: &str) -> Option<&str> {
        let texts = &self.reader.info().uncompressed_latin1_text;
        texts.iter().find(|text| text.keyword == keyword).map(|text| text.text.as_str())
    }

    /// The number of the row that comes next, from the north; the largest there is where none can.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// The next row; `None`: there is none, or it cannot be read.
    pub fn row(&mut self) -> Option<PngRow<'_>> {
        if self.next == END {
            return None;
        }
        let row = self.reader.next_row().ok().flatten();
        // What follows what cannot be read is not to be taken for another row.
        self.next = if row.is_some() { self.next + 1 } else { END };
        row.map(|row| PngRow(row.data()))
    }
}

/// A row of pixels.
#[derive(Debug, Clone, Copy)]
pub struct PngRow<'a>(&'a [u8]);

impl PngRow<'_> {
    /// The pixel at a place from the west.
    pub fn at(&self, x: usize) -> Option<Pixel> {
        self.0.as_chunks().0.get(x).map(|&rgba| Pixel::new(rgba))
    }
}

/// Whether a file is a PNG from its signature to its end, each chunk with its own checksum. A row says nothing of damage
/// that only comes to light after it.
///
/// # Errors
/// It cannot be read, or `goes_on` says that it is not to be read to its end.
pub fn is_whole_png(source: &mut impl Read, goes_on: impl Fn() -> bool) -> io::Result<bool> {
    let mut begin = [0; SIGNATURE.len()];
    let mut piece = vec![0; PIECE];
    source.read_exact(&mut begin)?;
    if begin != SIGNATURE {
        return Ok(false);
    }
    loop {
        if !goes_on() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        source.read_exact(&mut begin)?;
        let [a, b, c, d, kind @ ..] = begin;
        let mut check = crc32fast::Hasher::new();
        check.update(&kind);
        let mut left = u32::from_be_bytes([a, b, c, d]) as usize;
        while left > 0 {
            let bytes = &mut piece[..left.min(PIECE)];
            source.read_exact(bytes)?;
            check.update(bytes);
            left -= bytes.len();
        }
        let mut sum = [0; 4];
        source.read_exact(&mut sum)?;
        if sum != check.finalize().to_be_bytes() {
            return Ok(false);
        }
        if &kind == b"IEND" {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::tile::{Adler, StripEncoder, png_end, png_start};

    const TEXTS: [(&str, &str); 2] = [("Area", "0,0,5,3"), ("Options", "abc")];

    /// A picture of 5 by 3 pixels, each of which says where it is.
    fn picture() -> Vec<u8> {
        let texts = TEXTS.map(|(keyword, text)| (keyword, text.to_owned()));
        let mut png = png_start((5, 3), &texts);
        let (mut encoder, mut adler) = (StripEncoder::png(), Adler::default());
        for y in 0..3 {
            encoder.start(y == 0);
            encoder.row();
            encoder.pixels(&(0..5).map(|x| Pixel::opaque([x, y, 9])).collect::<Vec<_>>(), 1);
            let strip = encoder.end();
            png.extend(&strip.bytes);
            adler = adler.then(strip.adler);
        }
        png.extend(png_end(adler));
        png
    }

    fn open(png: &[u8]) -> Option<PngRows<Cursor<&[u8]>>> {
        PngRows::open(Cursor::new(png), 5)
    }

    fn read_all(png: &[u8]) {
        let Some(mut rows) = open(png) else { return };
        while rows.row().is_some() {}
        assert_eq!(rows.next(), END);
    }

    fn is_whole(mut png: &[u8]) -> bool {
        is_whole_png(&mut png, || true).unwrap_or(false)
    }

    #[test]
    fn rows_come_as_they_were_written() {
        let png = picture();
        let mut rows = open(&png).unwrap();
        assert_eq!((rows.size(), rows.next()), ((5, 3), 0));
        assert!(TEXTS.iter().all(|(keyword, text)| rows.text(keyword) == Some(text)));
        assert_eq!(rows.text("Scale"), None);
        for y in 0..3 {
            assert_eq!(u32::from(y), rows.next());
            let row = rows.row().unwrap();
            assert!((0..5).all(|x| row.at(x) == Some(Pixel::opaque([x as u8, y, 9]))));
            assert_eq!(row.at(5), None);
        }
        assert!(rows.row().is_none() && rows.row().is_none());
    }

    #[test]
    fn what_is_cut_short_or_changed_is_not_whole() {
        let png = picture();
        assert!(is_whole(&png));
        assert!(is_whole_png(&mut &png[..], || false).is_err());
        for len in 0..png.len() {
            assert!(!is_whole(&png[..len]), "{len}");
            // Whatever it says: no panic.
            read_all(&png[..len]);
        }
        for at in 0..png.len() {
            let mut changed = png.clone();
            changed[at] ^= 0x55;
            assert!(!is_whole(&changed), "{at}");
            read_all(&changed);
        }
    }

    #[test]
    fn a_picture_of_another_kind_is_not_read() {
        let png = picture();
        assert!(PngRows::open(Cursor::new(&png[..]), 4).is_none(), "wider");
        let tile = crate::tile::Encoder::default().png(&crate::tile::Canvas::default()).to_vec();
        assert!(PngRows::open(Cursor::new(&tile[..]), 512).is_none(), "with a palette");
        let mut wide = picture();
        wide[16..20].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
        assert!(PngRows::open(Cursor::new(&wide[..]), 5).is_none());
    }
}
