//! Promises for colour files, resource packs, data packs and add-ons.

use std::sync::LazyLock;

use pixelmap_base::coord::YRange;
use pixelmap_draw::RESERVED_NAMES;
use pixelmap_draw::ask;
use pixelmap_paint::palette::Palette;
use pixelmap_paint::palette::resolver::{Assets, Registry, Rules, TableSources, generate};
use pixelmap_paint::textures::Textures;
use pixelmap_world::internal::World;

use super::{put, scratch};

/// A colour file: an accepted file sets colours of names, and reading it again gives the same
/// palette.
pub fn palette(bytes: &[u8]) {
    static BUILTIN: LazyLock<Palette> = LazyLock::new(Palette::builtin);

    let text = String::from_utf8_lossy(bytes);
    let Ok(palette) = BUILTIN.clone().with_overrides("my.tsv", &text) else {
        return;
    };

    for word in text
        .split_whitespace()
        .take(50)
        .chain(["minecraft:stone", "mod:beam"])
    {
        palette.paint(word, "");
        palette.paint(word, "axis=x");
        palette.tints(word);
    }

    let again = BUILTIN.clone().with_overrides("my.tsv", &text).unwrap();
    assert_eq!(again.fingerprint(), palette.fingerprint());
}

/// The files of a pack with one block: its block state file, its model, the parent of this model,
/// and a texture. A byte of 0 ends each file except the last.
const PACK_FILES: [&str; 4] = [
    "blockstates/thing.json",
    "models/block/thing.json",
    "models/block/parent.json",
    "textures/block/thing.png",
];

/// A pack: its block results in a colour file, and two searches for its texture have the same
/// result.
pub fn pack(bytes: &[u8]) {
    let mut parts = bytes.splitn(PACK_FILES.len(), |byte| *byte == 0);
    for file in PACK_FILES {
        put(
            &scratch("pack/assets/mod").join(file),
            parts.next().unwrap_or_default(),
        );
    }

    let assets = || Assets::open(&[scratch("pack")]).unwrap();
    let rules = Rules::parse("rules.tsv", "").unwrap();
    let made = generate(&TableSources {
        assets: assets(),
        registry: Registry::default(),
        rules,
    })
    .unwrap();

    Palette::builtin()
        .with_overrides("the pack", &made.text)
        .unwrap();

    let looks = || {
        let textures = Textures::new(assets()).unwrap();
        let properties = textures.properties([]).unwrap();
        assert!(properties.values().all(|properties| properties.is_sorted()));

        let states = [
            "",
            "axis=x",
            "facing=east,half=top,open=true",
            "east=true,north=false,up=true",
        ];

        states.map(|state| textures.has_texture("mod:thing", state))
    };

    assert_eq!(looks(), looks());
}

/// The files of a data pack with one dimension. A byte of 0 ends each file except the last.
const DATA_PACK_FILES: [&str; 3] = [
    "pack.mcmeta",
    "data/mod/dimension_type/deep.json",
    "data/mod/dimension/deep.json",
];

/// A data pack of a world: the ceiling of the dimension is possible in the game, and reading it
/// again gives the same ceiling.
pub fn data_pack(bytes: &[u8]) {
    let world = scratch("packed");
    put(&world.join("dimensions/mod/deep/region/r.0.0.mca"), &[]);

    let mut parts = bytes.splitn(DATA_PACK_FILES.len(), |byte| *byte == 0);
    for file in DATA_PACK_FILES {
        put(
            &world.join("datapacks/pack").join(file),
            parts.next().unwrap_or_default(),
        );
    }

    let ceiling = || {
        let world = World::open(&world, RESERVED_NAMES).unwrap();
        ask::ceiling(&world, world.dimension("mod:deep").unwrap()).unwrap()
    };

    let found = ceiling();
    let could_be = |y: i32| (YRange::ALL.min..=YRange::ALL.max).contains(&y);
    assert!(
        found
            .ceiling
            .is_none_or(|ceiling| could_be(ceiling.noise_y) && could_be(ceiling.type_y)),
        "{found:?}"
    );
    assert_eq!(ceiling(), found);
}

/// The files of an add-on of Bedrock Edition with one block. A byte of 0 ends each file except the
/// last.
const ADD_ON_FILES: [&str; 4] = [
    "blocks.json",
    "textures/terrain_texture.json",
    "blocks/thing.json",
    "textures/thing.png",
];

/// An add-on: the colours of its blocks are a valid colour file.
pub fn add_on(bytes: &[u8]) {
    let mut parts = bytes.splitn(ADD_ON_FILES.len(), |byte| *byte == 0);
    put(&scratch("add-on/manifest.json"), b"{}");

    for file in ADD_ON_FILES {
        put(
            &scratch("add-on").join(file),
            parts.next().unwrap_or_default(),
        );
    }

    let assets = Assets::open(&[scratch("add-on")]).unwrap();
    let rules = Rules::parse("rules.tsv", "").unwrap();
    let made = generate(&TableSources {
        assets,
        registry: Registry::default(),
        rules,
    })
    .unwrap();

    Palette::builtin()
        .with_overrides("the add-on", &made.text)
        .unwrap();
}
