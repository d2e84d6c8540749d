//! Makes the markers of map items in item frames, with their pictures as PNG.

use data_encoding::BASE64;

use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use pixelmap_base::coord::ColumnPos;
use pixelmap_world::internal::{FramedMap, MAP_ITEM_SIDE, MapFrame, MapItemPicture};

/// The colours of the game's map items by number, as of 26.3 (page "Map item format" of the
/// Minecraft Wiki). The first number means transparent.
const COLOURS: [u32; 62] = [
    0x00_0000, 0x7f_b238, 0xf7_e9a3, 0xc7_c7c7, 0xff_0000, 0xa0_a0ff, 0xa7_a7a7, 0x00_7c00,
    0xff_ffff, 0xa4_a8b8, 0x97_6d4d, 0x70_7070, 0x40_40ff, 0x8f_7748, 0xff_fcf5, 0xd8_7f33,
    0xb2_4cd8, 0x66_99d8, 0xe5_e533, 0x7f_cc19, 0xf2_7fa5, 0x4c_4c4c, 0x99_9999, 0x4c_7f99,
    0x7f_3fb2, 0x33_4cb2, 0x66_4c33, 0x66_7f33, 0x99_3333, 0x19_1919, 0xfa_ee4d, 0x5c_dbd5,
    0x4a_80ff, 0x00_d93a, 0x81_5631, 0x70_0200, 0xd1_b1a1, 0x9f_5224, 0x95_576c, 0x70_6c8a,
    0xba_8524, 0x67_7535, 0xa0_4d4e, 0x39_2923, 0x87_6b62, 0x57_5c5c, 0x7a_4958, 0x4c_3e5c,
    0x4c_3223, 0x4c_522a, 0x8e_3c2e, 0x25_1610, 0xbd_3031, 0x94_3f61, 0x5c_191d, 0x16_7e86,
    0x3a_8e8c, 0x56_2c3e, 0x14_b485, 0x64_6464, 0xd8_af93, 0x7f_a796,
];
/// The brightness of the four shades of a colour, from 0 to 255.
const SHADES: [u32; 4] = [180, 220, 255, 135];

/// A map item in frames, with its picture as the page shows it.
#[derive(Debug)]
pub struct ShownMap {
    pub id: i64,
    /// The picture as a `data:` address.
    pub image: String,
    pub frames: Vec<MapFrame>,
}

impl From<FramedMap> for ShownMap {
    fn from(
        FramedMap {
            id,
            picture,
            frames,
            ..
        }: FramedMap,
    ) -> Self {
        Self {
            id,
            image: format!("data:image/png;base64,{}", BASE64.encode(&png(&picture))),
            frames,
        }
    }
}

/// Makes the markers of map items in a dimension, one for each frame. Each refers to the picture by
/// the number of the map item, because many frames may show the same picture.
pub(crate) fn framed_map_markers<'a>(
    maps: &'a [ShownMap],
    dimension: &'a str,
) -> impl Iterator<Item = Marker> + use<'a> {
    maps.iter().flat_map(move |map| {
        map.frames
            .iter()
            .filter(move |frame| frame.dimension == dimension)
            .map(move |frame| frame_marker(map.id, frame))
    })
}

fn frame_marker(map: i64, frame: &MapFrame) -> Marker {
    let [x, y, z] = frame.block;
    let properties = Properties {
        name: &format!("Map {map}"),
        id: Some("map"),
        y: Some(y),
        image: Some(&map.to_string()),
        ..Properties::default()
    };

    Marker::new(MarkerKind::Maps, ColumnPos { x, z }, &properties)
}

/// Encodes a picture as PNG.
fn png(picture: &MapItemPicture) -> Vec<u8> {
    let side = MAP_ITEM_SIDE as u32;
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, side, side);
    encoder.set_depth(png::BitDepth::Eight);

    let samples = match picture {
        MapItemPicture::Indices(indices) => {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette((0..=u8::MAX).flat_map(colour).collect::<Vec<u8>>());
            // The shades of the first colour are transparent.
            encoder.set_trns(&[0; 4][..]);
            indices
        }
        MapItemPicture::Rgba(rgba) => {
            encoder.set_color(png::ColorType::Rgba);
            rgba
        }
    };

    // Encoding cannot fail, because the number of samples is right and the output is in memory.
    let _ = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(samples));

    png
}

/// Returns the colour of a pixel. Black if this program does not have the colour yet.
fn colour(index: u8) -> [u8; 3] {
    let colour = COLOURS.get(usize::from(index / 4)).copied().unwrap_or(0);
    let shade = SHADES[usize::from(index % 4)];
    let [_, r, g, b] = colour.to_be_bytes();
    [r, g, b].map(|part| (u32::from(part) * shade / 255) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_four_shades() {
        assert_eq!(
            [4, 5, 6, 7].map(colour),
            [[89, 125, 39], [109, 153, 48], [127, 178, 56], [67, 94, 29]]
        );
        assert_eq!((colour(247), colour(248)), ([67, 88, 79], [0; 3]));
    }
}
