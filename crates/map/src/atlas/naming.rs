//! Names the tiles of a layer by the numbers in their path and the ending. This is the only module
//! that converts a tile's position to a path and the numbers of a path back to a position.

use serde::{Deserialize, Serialize};

use pixelmap_base::coord::{INNER_ZOOM, OUTER_ZOOM, TilePos};

/// The way tiles are counted in their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// Counts from the world's origin, with negative numbers to the west and to the north, like
    /// regions.
    #[default]
    Signed,
    /// Counts from the north-western corner of the possible world: `0 <= x, y < 2^z`.
    Xyz,
    /// Like `xyz`, but counts y from the south.
    Tms,
}

/// The format of tiles and pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Png,
    /// Lossless WebP.
    Webp,
    /// A script with the details of a tile instead of a picture.
    Js,
}

/// How the tiles of a layer are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Naming {
    /// The way the tiles are counted.
    pub scheme: Scheme,
    /// The format of the tiles, which is also the ending of their names.
    pub format: Format,
}

impl Scheme {
    pub const ALL: [Self; 3] = [Self::Signed, Self::Xyz, Self::Tms];

    /// Returns its name in files and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Signed => "signed",
            Self::Xyz => "xyz",
            Self::Tms => "tms",
        }
    }

    /// Returns a tile's x and y in its path.
    pub const fn numbers(self, TilePos { zoom, x, y }: TilePos) -> (i32, i32) {
        let half = half(zoom);
        match self {
            Self::Signed => (x, y),
            Self::Xyz => (x + half, y + half),
            Self::Tms => (x + half, half - 1 - y),
        }
    }

    /// Returns the key by which the lines of a manifest are sorted.
    pub const fn sort_key(self, tile: TilePos) -> (u8, (i32, i32)) {
        (tile.zoom, self.numbers(tile))
    }

    /// Returns the tile with these numbers in its path, or `None` if they are outside the possible
    /// world.
    pub fn tile_at(self, zoom: u8, x: i32, y: i32) -> Option<TilePos> {
        if !(OUTER_ZOOM..=INNER_ZOOM).contains(&zoom) {
            return None;
        }

        let half = half(zoom);
        let (x, y) = match self {
            Self::Signed => (x, y),
            Self::Xyz => (x.checked_sub(half)?, y.checked_sub(half)?),
            Self::Tms => (x.checked_sub(half)?, (half - 1).checked_sub(y)?),
        };

        let is_on_map = [x, y].iter().all(|n| (-half..half).contains(n));
        is_on_map.then_some(TilePos { zoom, x, y })
    }
}

/// Parses a number in the path of a tile. Returns `None` for text other than a number, and for
/// numbers with a plus sign or leading zeros.
pub fn number_in_path(name: &str) -> Option<i32> {
    name.parse()
        .ok()
        .filter(|number: &i32| number.to_string() == name)
}

/// Splits the path of a tile in a map into the folder of its layer and the tile's path there, which
/// is its zoom level, x and y.
#[cfg(feature = "object-store")]
pub(crate) fn split_tile_path(path: &str) -> Option<(&str, &str)> {
    let (end, _) = path.rmatch_indices('/').nth(2)?;
    Some((&path[..end], &path[end + 1..]))
}

/// Returns the number of tiles from the origin to an edge of the possible world at this zoom level.
const fn half(zoom: u8) -> i32 {
    1 << (zoom - 1)
}

impl Format {
    const PICTURES: [Self; 2] = [Self::Png, Self::Webp];
    pub(crate) const ALL: [Self; 3] = [Self::Png, Self::Webp, Self::Js];

    /// Returns its name in files and options, which is also the ending of its files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Js => "js",
        }
    }

    /// Returns the format of files with this ending.
    #[cfg(feature = "object-store")]
    pub(crate) fn from_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == ending)
    }

    /// Returns the format of pictures with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::PICTURES
            .into_iter()
            .find(|format| format.name() == name)
    }
}

impl Naming {
    /// Returns a tile's path in the folder of its layer.
    pub fn path(self, tile: TilePos) -> String {
        let (x, y) = self.scheme.numbers(tile);
        format!("{}/{x}/{y}.{}", tile.zoom, self.format.name())
    }

    /// Returns the tile with this path in the folder of its layer, or `None` if no tile has this
    /// path.
    pub fn parse_path(self, path: &str) -> Option<TilePos> {
        let (zoom, (x, y)) = path
            .split_once('/')
            .and_then(|(zoom, rest)| Some((zoom, rest.split_once('/')?)))?;
        let y = y.strip_suffix(self.format.name())?.strip_suffix('.')?;
        let zoom = u8::try_from(number_in_path(zoom)?).ok()?;
        self.scheme
            .tile_at(zoom, number_in_path(x)?, number_in_path(y)?)
    }

    /// Returns the template of tile paths that programs such as Leaflet expect.
    pub fn template(self) -> String {
        format!("{{z}}/{{x}}/{{y}}.{}", self.format.name())
    }
}

/// Returns the path of a file in a layer's folder, which may be the output folder itself (an empty
/// `folder`).
pub fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        [folder, "/", name].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tile(zoom: u8, x: i32, y: i32) -> TilePos {
        TilePos { zoom, x, y }
    }

    #[test]
    fn each_scheme_counts_from_its_own_corner() {
        let path = |scheme, tile| {
            Naming {
                scheme,
                format: Format::Png,
            }
            .path(tile)
        };

        let of = |tile| Scheme::ALL.map(|scheme| path(scheme, tile));
        assert_eq!(
            of(tile(17, -3, 5)),
            ["17/-3/5.png", "17/65533/65541.png", "17/65533/65530.png"]
        );
        assert_eq!(
            of(tile(1, -1, -1)),
            ["1/-1/-1.png", "1/0/0.png", "1/0/1.png"]
        );

        assert_eq!(of(tile(1, 0, 0)), ["1/0/0.png", "1/1/1.png", "1/1/0.png"]);
        assert_eq!(of(tile(2, -2, 1)), ["2/-2/1.png", "2/0/3.png", "2/0/0.png"]);

        assert_eq!(
            Naming {
                format: Format::Webp,
                ..Naming::default()
            }
            .path(tile(9, 1, -1)),
            "9/1/-1.webp"
        );
    }

    #[test]
    fn only_tile_paths_are_read_as_tiles() {
        let wrong = [
            "",
            "17",
            "17/0",
            "17/0/0",
            "17/0/0.webp",
            "17/0/0.png.png",
            "17/0/0/0.png",
            "017/0/0.png",
            "17/+1/0.png",
            "17/-0/0.png",
            "22/0/0.png",
            "300/0/0.png",
            "-1/0/0.png",
            "17/ 0/0.png",
            "17/65536/0.png",
            "tiles.tsv",
            "17/0/png",
        ];

        for path in wrong {
            assert_eq!(Naming::default().parse_path(path), None, "{path}");
        }
    }

    #[test]
    fn only_valid_numbers_lead_back_to_tiles() {
        for zoom in OUTER_ZOOM..=INNER_ZOOM {
            let half = half(zoom);
            for scheme in Scheme::ALL {
                for (x, y) in [
                    (-half, -half),
                    (half - 1, half - 1),
                    (0, -1),
                    (-1, 0),
                    (-half, half - 1),
                ] {
                    let (a, b) = scheme.numbers(tile(zoom, x, y));
                    assert_eq!(scheme.tile_at(zoom, a, b), Some(tile(zoom, x, y)));

                    let naming = Naming {
                        scheme,
                        format: Format::Png,
                    };
                    assert_eq!(
                        naming.parse_path(&naming.path(tile(zoom, x, y))),
                        Some(tile(zoom, x, y))
                    );

                    assert!(
                        scheme == Scheme::Signed
                            || [a, b].iter().all(|n| (0..1 << zoom).contains(n))
                    );
                }

                let ends = if scheme == Scheme::Signed {
                    [-half - 1, half]
                } else {
                    [-1, 2 * half]
                };

                for wrong in ends.into_iter().chain([i32::MIN, i32::MAX]) {
                    assert_eq!(
                        (
                            scheme.tile_at(zoom, wrong, 0),
                            scheme.tile_at(zoom, 0, wrong)
                        ),
                        (None, None)
                    );
                }
            }
        }

        assert_eq!(
            (
                Scheme::Xyz.tile_at(0, 0, 0),
                Scheme::Xyz.tile_at(22, 0, 0),
                Scheme::Tms.tile_at(255, 0, 0)
            ),
            (None, None, None)
        );
    }
}
