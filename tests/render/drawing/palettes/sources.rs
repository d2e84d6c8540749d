//! Tests the resolver with packs that the tests write, so that every colour can be computed by
//! hand.

#![allow(clippy::disallowed_methods, reason = "a test writes packs")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use pixelmap_paint::palette::Palette;
use pixelmap_paint::palette::resolver::{
    Assets, BUILT_IN_RULES, GeneratedTable, Registry, Rules, TableSources, generate,
};

/// Bytes of a PNG of `width` columns; each pixel is RGBA.
fn png(width: u32, pixels: &[[u8; 4]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, pixels.len() as u32 / width);
    encoder.set_color(png::ColorType::Rgba);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&pixels.concat())
        .unwrap();
    bytes
}

/// A texture of 16 x 16 pixels of one colour.
fn plain(pixel: [u8; 4]) -> Vec<u8> {
    png(16, &[pixel; 256])
}

const RED: [u8; 4] = [200, 10, 20, 255];
const BLUE: [u8; 4] = [0, 0, 100, 255];

const CUBE: &str = r##"{"elements": [{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {
    "up": {"texture": "#top"}, "down": {"texture": "#side"}, "north": {"texture": "#side"},
    "south": {"texture": "#side"}, "west": {"texture": "#side"}, "east": {"texture": "#side"}}}]}"##;

/// A file of a pack: its path below `assets/gems/`, and its bytes.
type PackFile = (String, Vec<u8>);

fn text(path: &str, text: &str) -> PackFile {
    (path.to_owned(), text.as_bytes().to_vec())
}

fn texture(name: &str, bytes: Vec<u8>) -> PackFile {
    (format!("textures/block/{name}.png"), bytes)
}

/// A block with one model for all of its states.
fn block(name: &str, model: &str) -> [PackFile; 2] {
    let state = format!(r#"{{"variants": {{"": {{"model": "gems:block/{name}"}}}}}}"#);
    [
        text(&format!("blockstates/{name}.json"), &state),
        text(&format!("models/block/{name}.json"), model),
    ]
}

fn write_folder(root: &Path, files: &[PackFile]) {
    for (path, bytes) in files {
        let path = root.join("assets/gems").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn write_zip(path: &Path, files: &[PackFile]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in files {
        zip.start_file(
            format!("assets/gems/{name}"),
            zip::write::SimpleFileOptions::default(),
        )
        .unwrap();
        zip.write_all(bytes).unwrap();
    }

    zip.finish().unwrap();
}

fn table_of(paths: &[PathBuf], rules: &str) -> GeneratedTable {
    let rules = Rules::parse("rules", rules).unwrap();
    generate(&TableSources {
        assets: Assets::open(paths).unwrap(),
        registry: Registry::default(),
        rules,
    })
    .unwrap()
}

/// The tables made from a pack. Fails unless a folder and a zip give the same.
fn made_of(files: &[PackFile], rules: &str) -> GeneratedTable {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), files);
    let zip = folder.path().join("pack.zip");
    write_zip(&zip, files);
    let from_folder = table_of(&[folder.path().to_owned()], rules);
    let from_zip = table_of(&[zip], rules);
    assert_eq!(from_folder.text, from_zip.text);
    assert_eq!(from_folder.problems.len(), from_zip.problems.len());
    from_folder
}

fn rows(files: &[PackFile], rules: &str) -> Vec<String> {
    let made = made_of(files, rules);
    assert_eq!(made.problems, Vec::<String>::new());
    made.text
        .lines()
        .map(|line| line.replace('\t', " "))
        .collect()
}

#[test]
fn a_cube_top_resolves_parents_and_texture_keys() {
    let mut files = vec![
        text("models/block/cube.json", CUBE),
        text(
            "models/block/column.json",
            r##"{"parent": "gems:block/cube", "textures": {"top": "#end", "side": "#end"}}"##,
        ),
        texture("red", plain(RED)),
        texture("blue", plain(BLUE)),
    ];
    let pillar = r#"{"parent": "gems:block/column", "textures": {"end": "gems:block/red", "side": "gems:block/blue"}}"#;
    files.extend(block("pillar", pillar));
    assert_eq!(rows(&files, ""), ["gems:pillar c80a14 100 - wettable 0"]);
}

#[test]
fn a_quarter_turn_shows_a_side_on_top() {
    let beam = r#"{"parent": "gems:block/cube", "textures": {"top": "gems:block/red", "side": "gems:block/blue"}}"#;
    let state = r#"{"variants": {"axis=y": {"model": "gems:block/beam"},
        "axis=x": {"model": "gems:block/beam", "x": 90, "y": 90}}}"#;

    let files = [
        text("models/block/cube.json", CUBE),
        text("models/block/beam.json", beam),
        text("blockstates/beam.json", state),
        texture("red", plain(RED)),
        texture("blue", plain(BLUE)),
    ];

    let made = rows(&files, "state\t*beam\taxis=x\n");
    assert_eq!(
        made,
        [
            "gems:beam c80a14 100 - wettable 0",
            "gems:beam[axis=x] 000064 100 - wettable 0"
        ]
    );
}

#[test]
fn models_turn_as_in_the_game() {
    let plate = |name: &str, texture: &str, from: &str, to: &str| {
        let face = r##"{"texture": "#t"}"##;
        let model = format!(
            r#"{{"textures": {{"t": "gems:block/{texture}"}}, "elements": [{{"from": {from}, "to": {to},
            "faces": {{"up": {face}, "north": {face}, "south": {face}}}}}]}}"#
        );
        text(&format!("models/block/{name}.json"), &model)
    };

    let state = |low: &str, high: &str, turn: &str| {
        format!(
            r#"{{"multipart": [{{"apply": {{"model": "gems:block/{low}"}}}},
            {{"apply": {{"model": "gems:block/{high}", {turn}}}}}]}}"#
        )
    };

    let files = [
        // A turn about y moves the north-west corner to the north-east, onto the eastern plate.
        plate("east", "blue", "[8, 0, 0]", "[16, 1, 16]"),
        plate("corner", "red", "[0, 4, 0]", "[8, 8, 8]"),
        text(
            "blockstates/a_turned.json",
            &state("east", "corner", r#""y": 90"#),
        ),
        // A turn about x moves the lower half to the south, onto the southern plate.
        plate("south", "blue", "[0, 0, 8]", "[16, 1, 16]"),
        plate("lower", "red", "[0, 0, 0]", "[16, 8, 16]"),
        text(
            "blockstates/b_tilted.json",
            &state("south", "lower", r#""x": 90"#),
        ),
        texture("red", plain(RED)),
        texture("blue", plain(BLUE)),
    ];

    let made = rows(&files, "");
    assert_eq!(
        made,
        [
            "gems:a_turned 64053c 50 - wettable 0",
            "gems:b_tilted c80a14 50 - wettable 0"
        ]
    );
}

#[test]
fn higher_faces_cover_lower_ones_by_area() {
    // A blue plate on the whole block, and a half-transparent red one on its western half.
    let model = r##"{"textures": {"a": "gems:block/blue", "b": "gems:block/half"}, "elements": [
        {"from": [0, 4, 0], "to": [8, 8, 16], "faces": {"up": {"texture": "#b"}}},
        {"from": [0, 0, 0], "to": [12, 1, 16], "faces": {"up": {"texture": "#a"}}}]}"##;

    let mut files = vec![
        texture("blue", plain(BLUE)),
        texture("half", plain([200, 100, 0, 51])),
    ];
    files.extend(block("plates", model));

    // West: 0.2 x (200, 100, 0) + 0.8 x (0, 0, 100) = (40, 20, 80) on 8 columns; then (0, 0, 100)
    // on 4 of 16. The mean over 12 columns: (26.67, 13.33, 86.67).
    assert_eq!(rows(&files, ""), ["gems:plates 1b0d57 75 - wettable 0"]);
}

#[test]
fn plants_take_side_textures_and_water_its_particles() {
    let mut pixels = [[0, 0, 0, 0]; 256];
    for pixel in &mut pixels[..64] {
        *pixel = [10, 200, 30, 255];
    }

    let cross = r##"{"textures": {"cross": "gems:block/weed"}, "elements": [{"from": [0, 0, 8], "to": [16, 16, 8],
        "faces": {"north": {"texture": "#cross", "tintindex": 0}, "south": {"texture": "#cross", "tintindex": 0}}}]}"##;

    let mut files = vec![
        texture("weed", png(16, &pixels)),
        texture("red", plain(RED)),
    ];
    files.extend(block("weed", cross));
    files.extend(block(
        "syrup",
        r#"{"textures": {"particle": "gems:block/red"}}"#,
    ));

    let made = rows(&files, "");
    assert_eq!(
        made,
        [
            "gems:syrup c80a14 100 - wettable 0",
            "gems:weed 0ac81e 25 grass wettable 0"
        ]
    );
}

#[test]
fn texture_means_weigh_alpha_in_the_first_frame() {
    // Two frames of 2 x 2 pixels. The first has a red pixel, a blue one, and two transparent ones.
    let first = [RED, BLUE, [255, 255, 255, 0], [255, 255, 255, 0]];
    let frames = [first, [[1, 2, 3, 255]; 4]].concat();
    let mut files = vec![texture("flicker", png(2, &frames))];
    let model = r##"{"textures": {"top": "gems:block/flicker"}, "elements": [{"from": [0, 0, 0], "to": [16, 16, 16],
        "faces": {"up": {"texture": "#top"}}}]}"##;
    files.extend(block("flicker", model));
    assert_eq!(
        rows(&files, "").last().unwrap(),
        "gems:flicker 64053c 50 - wettable 0"
    );
}

#[test]
fn multipart_blocks_use_their_calm_state() {
    let part = |x: u32, name: &str| {
        let model = format!(
            r##"{{"textures": {{"t": "gems:block/{name}"}}, "elements": [{{"from": [{x}, 0, 0], "to": [{}, 16, 16],
            "faces": {{"up": {{"texture": "#t"}}}}}}]}}"##,
            x + 4
        );
        text(&format!("models/block/{name}.json"), &model)
    };

    let state = r#"{"multipart": [{"apply": {"model": "gems:block/red"}},
        {"when": {"north": "true"}, "apply": {"model": "gems:block/blue"}},
        {"when": {"OR": [{"south": "false|low"}, {"up": "true"}]}, "apply": [{"model": "gems:block/blue"}]}]}"#;

    let files = [
        part(0, "red"),
        part(4, "blue"),
        texture("red", plain(RED)),
        texture("blue", plain(BLUE)),
        text("blockstates/post.json", state),
    ];
    assert_eq!(rows(&files, ""), ["gems:post 64053c 50 - wettable 0"]);
}

#[test]
fn broken_assets_are_named_and_cost_only_themselves() {
    let mut files = vec![
        text("models/block/cube.json", CUBE),
        texture("red", plain(RED)),
    ];

    let cube = |top: &str| {
        format!(
            r#"{{"parent": "gems:block/cube", "textures": {{"top": "{top}", "side": "gems:block/red"}}}}"#
        )
    };

    files.extend(block("good", &cube("gems:block/red")));
    files.extend(block("lost", &cube("gems:block/nowhere")));
    files.extend(block("ring", &cube("#top")));
    files.extend(block("self", r#"{"parent": "gems:block/self"}"#));
    files.extend(block("torn", "{\"parent\": "));
    files.extend(block("fake", &cube("gems:block/fake")));

    files.extend(block("away", &cube("gems:../../../../etc/passwd")));
    files.extend(block("wide", &cube("gems:block/wide")));
    files.push(texture("fake", b"not a picture".to_vec()));
    files.push(texture("wide", png(2048, &[RED; 2048])));
    let made = made_of(&files, "");
    assert_eq!(made.text, "gems:good\tc80a14\t100\t-\twettable\t0\n");

    let about = |name: &str| {
        made.problems
            .iter()
            .find(|p| p.starts_with(&format!("gems:{name}: ")))
            .unwrap()
            .clone()
    };

    assert_eq!(made.problems.len(), 7);
    assert!(
        about("wide").contains("2048 x 1 pixels are more than the texture of a block may have")
    );

    assert!(about("lost").contains("gems:block/nowhere: no source has it among its textures"));
    assert!(about("ring").contains("in a ring"));
    assert!(about("self").contains("more than 32 parents"));
    assert!(
        about("torn").contains("assets/gems/models/block/torn.json: EOF"),
        "{}",
        about("torn")
    );

    assert!(about("fake").contains("assets/gems/textures/block/fake.png: "));
    assert!(about("away").contains("not the name of a resource"));
}

#[test]
fn later_packs_override_earlier_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (base, pack) = (folder.path().join("base"), folder.path().join("pack.zip"));
    let mut files = vec![
        text("models/block/cube.json", CUBE),
        texture("red", plain(RED)),
    ];

    let cube = r#"{"parent": "gems:block/cube", "textures": {"top": "gems:block/red", "side": "gems:block/red"}}"#;
    files.extend(block("ruby", cube));
    write_folder(&base, &files);
    write_zip(&pack, &[texture("red", plain([1, 2, 3, 255]))]);

    let table = |paths: &[&PathBuf]| {
        table_of(
            &paths.iter().map(|path| (*path).clone()).collect::<Vec<_>>(),
            "",
        )
        .text
    };

    assert!(table(&[&pack, &base]).starts_with("gems:ruby\t010203\t"));
    assert!(table(&[&base, &pack]).starts_with("gems:ruby\tc80a14\t"));
}

#[test]
fn a_render_accepts_colours_of_a_mod() {
    let mut files = vec![
        text("models/block/cube.json", CUBE),
        texture("red", plain(RED)),
    ];

    let cube = r#"{"parent": "gems:block/cube", "textures": {"top": "gems:block/red", "side": "gems:block/red"}}"#;
    files.extend(block("ruby_leaves", cube));
    let made = made_of(&files, BUILT_IN_RULES);
    assert_eq!(
        made.text,
        "gems:ruby_leaves\tc80a14\t100\t-\twettable,leaves\t0\n"
    );

    let palette = Palette::builtin()
        .with_overrides("gems.tsv", &made.text)
        .unwrap();
    assert_eq!(palette.paint("gems:ruby_leaves", "").rgb, [200, 10, 20]);
}

#[test]
fn a_path_without_assets_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = Assets::open(&[folder.path().to_owned()])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("neither a jar, nor a pack")
            && error.contains(folder.path().to_str().unwrap())
    );

    let file = folder.path().join("broken.jar");
    fs::write(&file, b"no zip").unwrap();
    assert!(
        Assets::open(&[file])
            .unwrap_err()
            .to_string()
            .contains("broken.jar")
    );
}
