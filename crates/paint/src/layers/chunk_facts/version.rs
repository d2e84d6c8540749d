//! Layer `version`: paints the version of the game that last saved each chunk, from violet for the
//! newest down to brown for chunks without a version.

use std::mem::take;
use std::sync::Arc;

use crate::layers::colours::tone::Rgb;
use crate::layers::legend::Legend;
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use crate::surface::{Columns, NO_HEIGHT, SavedFacts};
use pixelmap_base::coord::{CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::Pixel;
use pixelmap_world::names::NameCache;

/// The first `DataVersion` of each version with a colour of its own.
///
/// Source: the data version page of the Minecraft Wiki. The numbers of 26.4 after its snapshot 6
/// (5126) are not known yet. We assume that 26.4 uses as many numbers as 26.3 used from its first
/// snapshot to its release, so that its release is not called "later".
const VERSIONS: [(i32, &str, Rgb); 26] = [
    (i32::MIN, "before 1.9", [92, 60, 36]),
    (100, "1.9", [150, 30, 36]),
    (510, "1.10", [186, 44, 36]),
    (800, "1.11", [214, 66, 36]),
    (1022, "1.12", [232, 96, 30]),
    (1444, "1.13", [240, 130, 28]),
    (1901, "1.14", [244, 164, 32]),
    (2200, "1.15", [246, 196, 48]),
    (2504, "1.16", [238, 222, 70]),
    (2681, "1.17", [204, 220, 70]),
    (2825, "1.18", [160, 208, 66]),
    (3066, "1.19", [112, 192, 66]),
    (3442, "1.20", [66, 174, 72]),
    (3800, "1.20.5", [40, 160, 96]),
    (3940, "1.21", [30, 158, 130]),
    (4058, "1.21.2", [28, 160, 160]),
    (4174, "1.21.4", [32, 152, 188]),
    (4298, "1.21.5", [40, 136, 206]),
    (4422, "1.21.6", [52, 116, 214]),
    (4534, "1.21.9", [68, 96, 214]),
    (4660, "1.21.11", [86, 78, 208]),
    (4760, "26.1", [106, 66, 198]),
    (4800, "26.2", [132, 60, 190]),
    (4910, "26.3", [160, 60, 184]),
    (5119, "26.4", [188, 56, 178]),
    (5119 + 114, "later", [220, 60, 200]),
];

#[derive(Debug, Default)]
pub(crate) struct Versions {
    /// Indexed like [`VERSIONS`]: whether the version was painted since the last call of
    /// `take_names`.
    painted: [bool; VERSIONS.len()],
}

impl LayerRenderer for Versions {
    fn paint(&mut self, row: &ChunkRow<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        paint_chunks(row, pixels, |saved| {
            let version = version_index(saved.data_version);
            self.painted[version] = true;
            version_pixel(version)
        });
    }

    fn take_names(&mut self, _: &mut NameCache) -> Vec<Arc<str>> {
        let painted = VERSIONS
            .iter()
            .zip(take(&mut self.painted))
            .filter(|(_, painted)| *painted);
        painted.map(|(&(_, name, _), _)| name.into()).collect()
    }
}

/// Returns the colours of all versions, the newest version first.
pub(crate) fn legend() -> Vec<Legend> {
    let entries = (0..VERSIONS.len())
        .rev()
        .map(|version| (version_pixel(version), VERSIONS[version].1.to_owned()));
    vec![Legend {
        title: "Version of the game",
        is_scale: false,
        entries: entries.collect(),
    }]
}

fn version_pixel(version: usize) -> Pixel {
    Pixel::from_rgb(VERSIONS[version].2)
}

/// Returns the name of the game version that writes this `DataVersion`. The name is shortened to
/// the part that has a colour of its own here.
pub fn game_version(data_version: Option<i32>) -> &'static str {
    match VERSIONS[version_index(data_version)].1 {
        "later" => "a later version",
        name => name,
    }
}

/// Returns an index into [`VERSIONS`].
fn version_index(data_version: Option<i32>) -> usize {
    let known = data_version.map_or(1, |version| {
        VERSIONS.partition_point(|&(from, ..)| from <= version)
    });
    // `known` counts the rows up to and including the version's own, so the index is one less.
    known.saturating_sub(1)
}

/// Paints each chunk in one colour, which depends on the facts that the game saved with the chunk.
/// Columns without blocks are cleared.
pub(crate) fn paint_chunks(
    row: &ChunkRow<'_>,
    pixels: &mut [Pixel],
    mut colour: impl FnMut(SavedFacts) -> Pixel,
) {
    for (chunk, columns) in row.chunks.iter().enumerate() {
        let Columns {
            saved: Some(saved),
            top_y,
            ..
        } = columns
        else {
            continue;
        };

        let colour = colour(*saved);
        for (pixels, top_y) in pixels
            .chunks_exact_mut(TILE_SIDE)
            .zip(top_y.chunks_exact(CHUNK_SIDE))
        {
            for (pixel, &y) in pixels[chunk * CHUNK_SIDE..].iter_mut().zip(top_y) {
                *pixel = if y == NO_HEIGHT { Pixel::CLEAR } else { colour };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Palette;

    #[test]
    fn the_newest_version_has_its_own_colour() {
        let newest = version_index(Some(Palette::newest_data_version()));
        assert!(
            (VERSIONS.len() - 3..VERSIONS.len() - 1).contains(&newest),
            "before the snapshots of the next version"
        );
    }

    #[test]
    fn data_versions_map_to_versions_of_the_game() {
        let of = |version| VERSIONS[version_index(version)].1;
        assert_eq!(
            [of(None), of(Some(-7)), of(Some(99)), of(Some(100))],
            ["before 1.9", "before 1.9", "before 1.9", "1.9"]
        );

        assert_eq!(
            [
                of(Some(1343)),
                of(Some(1519)),
                of(Some(2975)),
                of(Some(3465))
            ],
            ["1.12", "1.13", "1.18", "1.20"]
        );

        assert_eq!(
            [of(Some(3837)), of(Some(3955)), of(Some(4790))],
            ["1.20.5", "1.21", "26.1"]
        );

        assert_eq!(
            [
                of(Some(5023)),
                of(Some(5118)),
                of(Some(5119)),
                of(Some(5126))
            ],
            ["26.3", "26.3", "26.4", "26.4"]
        );

        assert_eq!(of(Some(i32::MAX)), "later");
        assert!(VERSIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
