//! A jar of textures for tests: some block names of the game, with models and pictures that the
//! tests make.

use super::Rgba;
use crate::world::Files;

/// Light in the quarters of a texture: north-west, north-east, south-west, south-east.
pub const QUARTERS: [u8; 4] = [60, 100, 140, 180];

/// Makes a square picture with this many pixels per side.
pub fn png(side: usize, pixel: impl Fn(usize, usize) -> Rgba) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side as u32, side as u32);
    encoder.set_color(png::ColorType::Rgba);
    let pixels: Vec<u8> = (0..side * side)
        .flat_map(|at| pixel(at % side, at / side))
        .collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&pixels)
        .unwrap();
    bytes
}

/// A jar with blocks of the tests, which have names of the game's blocks.
pub fn jar() -> Files {
    let mut jar = Files::new();
    let mut put = |path: &str, text: &str| {
        jar.put(
            &format!("assets/minecraft/{path}.json"),
            text.as_bytes().to_vec(),
        );
    };

    let cube = |more: &str| {
        format!(
            r##"{{"textures": {{"all": "block/quarters"}}, "elements": [{{"from": [0, 0, 0], "to": [16, 16, 16],
               "faces": {{"up": {{"texture": "#all"{more}}}, "north": {{"texture": "#all"}}}}}}]}}"##
        )
    };

    put("models/block/cube", &cube(""));
    put("models/block/turned_face", &cube(r#", "rotation": 90"#));
    put("models/block/tinted", &cube(r#", "tintindex": 0"#));

    let boxed = |from: &str, to: &str| {
        format!(
            r##"{{"textures": {{"all": "block/light"}}, "elements": [{{"from": {from}, "to": {to},
               "faces": {{"up": {{"texture": "#all"}}}}}}]}}"##
        )
    };

    put("models/block/post", &boxed("[6, 0, 6]", "[10, 16, 10]"));
    put("models/block/arm", &boxed("[7, 12, 0]", "[9, 15, 6]"));

    // A cross as the game draws it: two upright planes, turned inside the model.
    let plane = r##""rotation": {"origin": [8, 8, 8], "axis": "y", "angle": 45, "rescale": true}, "faces": {"north": {"uv": [0, 0, 16, 16], "texture": "#cross"}, "south": {"uv": [0, 0, 16, 16], "texture": "#cross"}}"##;
    put(
        "models/block/cross",
        &format!(
            r#"{{"textures": {{"cross": "block/stalk"}}, "elements": [{{"from": [0.8, 0, 8], "to": [15.2, 16, 8], {plane}}}]}}"#
        ),
    );

    put(
        "models/block/chest",
        r#"{"textures": {"particle": "block/quarters"}}"#,
    );

    put(
        "models/block/stairs",
        r##"{"textures": {"all": "block/light"}, "elements": [
            {"from": [0, 0, 0], "to": [16, 8, 16], "faces": {"up": {"texture": "#all"}}},
            {"from": [8, 8, 0], "to": [16, 16, 16], "faces": {"up": {"texture": "#all"}}}]}"##,
    );
    let one = |model: &str| format!(r#"{{"variants": {{"": {{"model": "block/{model}"}}}}}}"#);

    for (name, model) in [
        ("stone", "cube"),
        ("grass_block", "tinted"),
        ("dandelion", "cross"),
        ("chest", "chest"),
        ("oak_stairs", "stairs"),
    ] {
        put(&format!("blockstates/{name}"), &one(model));
    }

    let turned: Vec<String> = [0, 90, 180, 270]
        .map(|y| format!(r#"{{"model": "block/cube", "y": {y}}}"#))
        .into();
    put(
        "blockstates/sand",
        &format!(r#"{{"variants": {{"": [{}]}}}}"#, turned.join(", ")),
    );

    put(
        "blockstates/furnace",
        r#"{"variants": {
            "facing=north,lit=false": {"model": "block/cube"}, "facing=east,lit=false": {"model": "block/cube", "y": 90},
            "facing=south,lit=false": {"model": "block/cube", "y": 180},
            "facing=west,lit=false": {"model": "block/cube", "y": 270, "uvlock": true},
            "facing=east,lit=true": {"model": "block/turned_face"}}}"#,
    );

    put(
        "blockstates/oak_fence",
        r#"{"multipart": [{"apply": {"model": "block/post"}}, {"when": {"north": "true"}, "apply": {"model": "block/arm"}},
            {"when": {"east": "true"}, "apply": {"model": "block/arm", "y": 90}}]}"#,
    );
    let quarters = |x: usize, z: usize| [QUARTERS[x / 8 + z / 8 * 2]; 3];
    let opaque = |[r, g, b]: [u8; 3]| [r, g, b, 255];

    let mut texture = |name: &str, bytes| {
        jar.put(
            &format!("assets/minecraft/textures/block/{name}.png"),
            bytes,
        );
    };

    texture("quarters", png(16, |x, z| opaque(quarters(x, z))));
    texture("light", png(16, |_, _| [220, 200, 180, 255]));
    texture("water_still", png(16, |_, _| [120, 120, 120, 180]));

    texture(
        "stalk",
        png(16, |x, _| {
            if (6..10).contains(&x) {
                [250, 230, 20, 255]
            } else {
                [0; 4]
            }
        }),
    );

    jar
}
