//! Tests the height of the nether's ceiling: usually 127, unless packs or mods change it.

use std::collections::BTreeMap;

use zip::CompressionMethod::Deflated;

use super::zip::packed;
use crate::map::{Place, land, look, on};
use crate::world::block;
use crate::world::{ChunkSpec, Files, Generation};

const GENERATION: Generation = Generation::Root(3955);
/// The noise settings of the nether, in a data pack.
const SETTINGS: &str = "data/minecraft/worldgen/noise_settings/nether.json";

fn noise(height: i32) -> Vec<u8> {
    format!(r#"{{"sea_level": 32, "noise": {{"min_y": 0, "height": {height}}}}}"#).into_bytes()
}

/// Sand up to a height, with a cave in it, under a roof of bedrock.
fn land_under_roof(land_y: i32, roof_y: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(0, 0, GENERATION);
    chunk.layer(0, land_y - 10, block::NETHERRACK);
    chunk.layer(land_y - 6, land_y - 1, block::NETHERRACK);
    chunk.layer(land_y, land_y, block::SAND);
    chunk.layer(roof_y - 2, roof_y - 1, block::NETHERRACK);
    chunk.layer(roof_y, roof_y, block::BEDROCK);
    chunk
}

/// The nether of a world, with these files.
fn nether(chunk: &ChunkSpec, more: &[(&str, Vec<u8>)]) -> Place {
    let mut files = land::of_chunks(&[], GENERATION);
    land::put_chunks(&mut files, "DIM-1/region", std::slice::from_ref(chunk));
    for (path, bytes) in more {
        files.put(path, bytes.clone());
    }
    Place::of(&files)
}

/// The height and the block of a column.
fn answer(place: &Place, dimension: &str, options: &[&str]) -> String {
    let args = [&["-d", dimension], options, &["8,8"]].concat();
    let told = on("query", &place.world(), &args).expect(0, "query").out;
    told.trim()
        .split('\t')
        .skip(2)
        .take(2)
        .collect::<Vec<_>>()
        .join(" ")
}

fn as_zip(height: i32) -> Vec<u8> {
    packed(
        &BTreeMap::from([(SETTINGS.to_owned(), noise(height))]),
        Deflated,
    )
}

#[test]
fn noise_settings_of_packs_decide_the_ceiling() {
    let folder = format!("datapacks/tall/{SETTINGS}");
    for (height, land_y) in [(192, 140), (256, 200), (96, 60)] {
        for pack in [
            (&*folder, noise(height)),
            ("datapacks/tall.zip", as_zip(height)),
        ] {
            let tall = nether(
                &land_under_roof(land_y, height - 1),
                std::slice::from_ref(&pack),
            );
            assert_eq!(
                answer(&tall, "nether", &[]),
                format!("{land_y} minecraft:sand")
            );

            // The game made this chunk before the pack was added.
            let old = nether(&land_under_roof(30, 127), std::slice::from_ref(&pack));
            assert_eq!(answer(&old, "nether", &[]), "30 minecraft:sand", "{height}");
        }
    }
}

#[test]
fn a_higher_bedrock_roof_is_found_without_packs() {
    for roof_y in [159, 191, 255] {
        let place = nether(&land_under_roof(140, roof_y), &[]);
        assert_eq!(
            answer(&place, "nether", &[]),
            "140 minecraft:sand",
            "{roof_y}"
        );
    }
}

#[test]
fn all_layers_look_from_a_taller_ceiling() {
    let layers = [
        "-d", "nether", "-l", "day", "-l", "night", "-l", "cave", "-l", "biome",
    ];
    let tall = land_under_roof(140, 191);
    let places = [
        nether(&tall, &[("datapacks/tall.zip", as_zip(192))]),
        nether(&tall, &[]),
    ];
    let [packed, bare] = places.each_ref().map(|place| place.draw("map", &layers));

    // The same land with a roof that every layer meets.
    let mut open = land_under_roof(140, 191);
    for column in 0..256 {
        open.stack(column % 16, column / 16, 189, 191, block::AIR);
    }

    let place = nether(&open, &[]);
    let open = place.draw("map", &[&layers[..], &["--max-y", "255"]].concat());
    for layer in ["day", "night", "cave", "biome"] {
        let pixels = open.columns_of("the_nether", layer);
        assert_eq!(pixels.drawn(), 256, "{layer}");
        for (what, map) in [("pack", &packed), ("no pack", &bare)] {
            assert!(
                map.columns_of("the_nether", layer) == pixels,
                "{layer}, {what}"
            );
        }
    }

    assert_eq!(
        packed.columns_of("the_nether", "day").at(8, 8),
        look::level_block("minecraft:sand")
    );
}

#[test]
fn hubs_with_a_roof_stay_above_the_ceiling() {
    for roof in [block::BEDROCK, block::STONE] {
        let mut hub = land_under_roof(30, 127);
        hub.layer(128, 128, block::GRAVEL);
        hub.layer(150, 150, roof);
        let place = nether(&hub, &[]);
        assert_eq!(answer(&place, "nether", &[]), "30 minecraft:sand");
        assert_eq!(
            answer(&place, "nether", &["--top"]),
            format!("150 {}", roof.full_name())
        );

        assert_eq!(
            answer(&place, "nether", &["--max-y", "140"]),
            "128 minecraft:gravel",
            "seen from there"
        );
    }
}

#[test]
fn broken_roofs_keep_the_usual_ceiling() {
    let mut broken = land_under_roof(30, 127);
    broken.layer(125, 127, block::AIR);
    broken.layer(128, 128, block::GRAVEL);
    assert_eq!(
        answer(&nether(&broken, &[]), "nether", &[]),
        "30 minecraft:sand"
    );
}

#[test]
fn dimensions_of_packs_have_ceilings_by_their_noise() {
    let own = |settings: &str| {
        let generator = format!(r#"{{"type": "minecraft:noise", "settings": {settings}}}"#);
        format!(r#"{{"type": "minecraft:the_nether", "generator": {generator}}}"#).into_bytes()
    };

    // Without a roof of bedrock, only the noise settings give the height.
    let mut chunk = land_under_roof(140, 191);
    chunk.layer(191, 191, block::STONE);

    for (settings, expected) in [
        (r#""mod:tall""#, "140 minecraft:sand"),
        (
            r#"{"noise": {"min_y": 0, "height": 192}}"#,
            "140 minecraft:sand",
        ),
        ("[1, true, null, 1.5]", "127 minecraft:netherrack"),
    ] {
        let mut files = Files::new();
        land::put_chunks(
            &mut files,
            "dimensions/mod/deep/region",
            std::slice::from_ref(&chunk),
        );

        files.put("datapacks/p/data/mod/dimension/deep.json", own(settings));
        files.put(
            "datapacks/p/data/mod/worldgen/noise_settings/tall.json",
            noise(192),
        );
        let place = Place::of(&files);
        assert_eq!(answer(&place, "mod:deep", &[]), expected, "{settings}");
    }
}
