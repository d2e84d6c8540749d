//! The three kinds of tiles (colours, numbers, heights), and how each kind is encoded, hashed,
//! reduced and decoded.

use super::canvas::Canvas;
use super::checks::NotATile;
use super::decode::{decode, decode_as};
use super::deflate::Method;
use super::encode::{Encoder, GREY, count_turns, hash, method, pixel_hash};
use super::heights;
use super::pixel::Pixel;
use super::reduce::{Quarter, four};
use pixelmap_base::coord::{CHUNK_SIDE, NATIVE_ZOOM, TILE_SIDE, TilePos};

/// The method of deflate for busy tiles of numbers. Measured on natural tiles, it is faster than
/// level 1 and saves 5 % of the bytes; levels 3 and 4 each take 20 % longer to save 3 % and 2 %.
/// Filters would save about 5 % more.
const BUSY_NUMBERS: Method = Method::Level(2);

/// The innermost zoom level whose colours keep contrast when they are reduced. A pixel of the next
/// zoom level shows 8 by 8 blocks, so most roads are narrower than a pixel there.
const CONTRAST_ZOOM: u8 = NATIVE_ZOOM - 2;

/// The meaning of a tile's pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// Colours, for people.
    Colours,
    /// Numbers of 16 bits for programs, with 0 for pixels without a number. The files are always
    /// PNG, grey without alpha, because browsers support no other format with 16 bits.
    Numbers,
    /// Heights as colours, for programs that draw terrain.
    Heights,
}

impl Samples {
    /// Encodes a tile as PNG.
    pub fn encode<'e>(self, encoder: &'e mut Encoder, tile: &Canvas) -> &'e [u8] {
        match self {
            Self::Colours => encoder.png(tile),
            Self::Numbers => encode_numbers(encoder, tile),
            Self::Heights => encoder.png(self.filled(tile).as_ref().unwrap_or(tile)),
        }
    }

    /// Encodes a tile of colours or heights as WebP.
    pub fn encode_webp<'e>(self, encoder: &'e mut Encoder, tile: &Canvas) -> &'e [u8] {
        encoder.webp(self.filled(tile).as_ref().unwrap_or(tile))
    }

    /// Returns the pixels of the tile's file if they differ from the tile's own pixels. A caller
    /// that needs both [`Self::encode`] and [`Self::hash`] passes these pixels to both, so that
    /// they are computed once.
    pub fn filled(self, tile: &Canvas) -> Option<Canvas> {
        match self {
            Self::Heights => heights::filled(tile),
            Self::Colours | Self::Numbers => None,
        }
    }

    /// Decodes a published tile.
    ///
    /// # Errors
    /// Fails if the bytes are not a tile of this kind.
    pub fn decode(self, file: &[u8]) -> Result<Canvas, NotATile> {
        match self {
            Self::Colours => decode(file),
            Self::Heights => {
                let mut tile = decode(file)?;
                tile.rows_mut()
                    .flat_map(|(_, row)| row)
                    .for_each(|pixel| *pixel = heights::published(*pixel));
                Ok(tile)
            }
            Self::Numbers => {
                let form = (png::ColorType::Grayscale, png::BitDepth::Sixteen);
                decode_as(file, png::Transformations::IDENTITY, form, |bytes| {
                    Pixel::from_number(u16::from_be_bytes(bytes))
                })
            }
        }
    }

    /// Returns the XXH3-64 with seed 0 of a tile's samples, `[y][x]`, as in the manifest. The
    /// samples are RGBA, or numbers of two bytes in the byte order of the file, big-endian.
    pub fn hash(self, tile: &Canvas) -> u64 {
        match self {
            Self::Colours => pixel_hash(tile),
            Self::Heights => pixel_hash(self.filled(tile).as_ref().unwrap_or(tile)),
            Self::Numbers => hash(tile, |pixel| pixel.number().to_be_bytes()),
        }
    }

    /// Halves a tile at a position. Four numbers or heights become their mean, rounded half up,
    /// without transparent pixels.
    pub fn quarter(self, position: TilePos, tile: &Canvas) -> Quarter {
        let mean = match self {
            Self::Colours if position.zoom <= CONTRAST_ZOOM => {
                return Quarter::from_far_colours(tile);
            }
            Self::Colours => return Quarter::from_colours(tile),
            Self::Numbers => mean,
            Self::Heights => heights::mean,
        };
        Quarter::from_tile(tile, |upper, lower| {
            std::array::from_fn(|x| mean(four(upper, lower, x)))
        })
    }
}

fn mean(four: [Pixel; 4]) -> Pixel {
    let sum: u32 = four.iter().map(|pixel| u32::from(pixel.number())).sum();
    let count = four.iter().filter(|&&pixel| pixel != Pixel::CLEAR).count() as u32;
    Pixel::from_number((sum + count / 2).checked_div(count).unwrap_or(0) as u16)
}

fn encode_numbers<'e>(encoder: &'e mut Encoder, tile: &Canvas) -> &'e [u8] {
    encoder.raw.clear();

    let mut turns = 0;
    for band in tile.bands() {
        let Some(band) = band else {
            encoder
                .raw
                .resize(encoder.raw.len() + CHUNK_SIDE * (1 + 2 * TILE_SIDE), 0);
            continue;
        };

        for row in band.chunks_exact(TILE_SIDE) {
            turns += count_turns(row);
            encoder.raw.push(0);
            encoder
                .raw
                .extend(row.iter().flat_map(|pixel| pixel.number().to_be_bytes()));
        }
    }

    encoder.encode_raw(GREY, 16, method(turns, BUSY_NUMBERS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::clear_pixels;

    fn canvas(number: impl Fn(usize) -> u16) -> Canvas {
        let mut tile = clear_pixels();
        tile.iter_mut()
            .enumerate()
            .for_each(|(at, to)| *to = Pixel::from_number(number(at)));
        tile.into()
    }

    #[test]
    fn numbers_are_decoded_as_they_were_encoded() {
        let tile = canvas(|at| if at < 9000 { 0 } else { (at / 4) as u16 });
        let mut encoder = Encoder::default();
        let png = Samples::Numbers.encode(&mut encoder, &tile).to_vec();
        assert_eq!((png[24], png[25]), (16, 0), "grey of 16 bits");

        let decoded = Samples::Numbers.decode(&png).unwrap();
        assert!(decoded.pixels() == tile.pixels());
        assert_eq!(
            Samples::Numbers.encode(&mut encoder, &decoded),
            png,
            "the same numbers, the same bytes"
        );

        assert!(
            Samples::Colours.decode(&png).is_err(),
            "it holds no colours"
        );

        let coloured = Samples::Colours.encode(&mut encoder, &tile).to_vec();
        assert!(Samples::Numbers.decode(&coloured).is_err());
    }

    #[test]
    fn the_hash_covers_the_samples_of_the_file() {
        let tile = canvas(|at| (at * 7) as u16);
        let samples: Vec<u8> = tile
            .pixels()
            .iter()
            .flat_map(|pixel| pixel.number().to_be_bytes())
            .collect();

        assert_eq!(
            Samples::Numbers.hash(&tile),
            twox_hash::XxHash3_64::oneshot(&samples)
        );

        let blank = vec![0; samples.len()];
        assert_eq!(
            Samples::Numbers.hash(&Canvas::default()),
            twox_hash::XxHash3_64::oneshot(&blank)
        );
    }

    #[test]
    fn a_mean_leaves_out_pixels_without_a_number() {
        let mean = |four: [u16; 4]| mean(four.map(Pixel::from_number)).number();
        assert_eq!(
            [
                mean([0; 4]),
                mean([0, 0, 0, 7]),
                mean([7, 8, 0, 0]),
                mean([1, 1, 2, 0])
            ],
            [0, 7, 8, 1]
        );

        assert_eq!(
            [mean([1, 2, 2, 2]), mean([1, 1, 1, 2]), mean([65535; 4])],
            [2, 1, 65535]
        );
    }
}
