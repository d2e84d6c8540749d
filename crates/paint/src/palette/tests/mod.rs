//! Tests of the built-in palette: the colours and traits of names and states.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::palette::lookup::{Base, Paint, Palette};
use crate::palette::sources::{BEDROCK_WATER, BIOMES, BLOCKS};
use crate::palette::table::{BlockTable, Flags, TableEntry, split_state};
use crate::palette::tint::{BiomeTints, Tint};
use crate::palette::unknown_blocks::UnknownBlocks;
use pixelmap_world::names::{Describe, Traits};

mod fingerprint;
mod tables;

/// The built-in palette, read once.
static BUILTIN: LazyLock<Palette> = LazyLock::new(Palette::builtin);

fn paint(name: &str, state: &str) -> Paint {
    BUILTIN.paint(name, state)
}

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

#[test]
fn waterlogged_upper_halves_are_above_their_water() {
    let upper = |name: &str, state: &str| {
        let properties = BUILTIN.drawn_properties(name);
        let traits = paint(name, state).traits;
        assert!(traits.any(Traits::WET), "{name} {state}");
        assert!(
            state
                .split(',')
                .all(|pair| properties.iter().any(|key| pair.starts_with(&**key))),
            "{name} keeps {properties:?}"
        );
        !traits.is_under_own_water()
    };

    for (name, state) in [
        ("minecraft:oak_slab", "type=top,waterlogged=true"),
        ("mod:ebony_slab", "type=top,waterlogged=true"),
        ("minecraft:stone_brick_stairs", "half=top,waterlogged=true"),
        (
            "minecraft:oak_trapdoor",
            "half=top,open=false,waterlogged=true",
        ),
    ] {
        assert!(upper(name, state), "{name}");
        assert!(!upper(name, &state.replace("top", "bottom")), "{name}");
    }
}

#[test]
fn thin_blocks_hide_a_sixteenth() {
    let chain = paint("minecraft:iron_chain", "waterlogged=false");
    assert_eq!(chain.sixteenths, 1);
    assert!(chain.traits.is_dry_overlay());
    assert!(
        paint("minecraft:ladder", "waterlogged=true")
            .traits
            .is_water()
    );
    assert!(paint("minecraft:torch", "").traits.is_unseen());
}

#[test]
fn the_number_of_waterlogged_blocks_matches_the_game() {
    let table = BlockTable::new(BLOCKS);
    let with = |flag: Flags| {
        let entries = table
            .entries()
            .filter(|(_, entry)| matches!(entry, TableEntry::Block(b) if b.row.flags.has(flag)));
        entries
            .map(|(name, _)| name.to_owned())
            .collect::<BTreeSet<String>>()
    };

    assert_eq!(with(Flags::WET).len(), 32);
    assert!(
        with(Flags::WET).contains("sea_pickle")
            && with(Flags::WET).contains("dead_tube_coral_wall_fan")
    );
    assert!(
        with(Flags::WETTABLE).len() >= 429 && with(Flags::WETTABLE).is_superset(&with(Flags::WET))
    );
    assert_eq!(with(Flags::NOTHING).len(), 6);
}

#[test]
fn traits_have_all_facts_for_scans() {
    let traits = |name: &str, state: &str| paint(name, state).traits;

    for nothing in [
        "air",
        "cave_air",
        "void_air",
        "structure_void",
        "barrier",
        "light",
    ] {
        assert_eq!(
            traits(&format!("minecraft:{nothing}"), ""),
            Traits::NOTHING.with(Traits::HIDDEN),
            "{nothing}"
        );
    }

    for water in ["water", "bubble_column", "flowing_water"] {
        assert_eq!(traits(&format!("minecraft:{water}"), ""), Traits::WATER);
    }

    for plant in ["kelp", "kelp_plant", "seagrass", "tall_seagrass"] {
        assert_eq!(traits(&format!("minecraft:{plant}"), ""), Traits::SUBMERGED);
    }

    assert_eq!(traits("minecraft:lava", ""), Traits::LAVA);
    assert_eq!(traits("minecraft:oak_leaves", ""), Traits::LEAVES);
    assert_eq!(traits("minecraft:torch", ""), Traits::HIDDEN);

    for ground in [
        "stone",
        "packed_ice",
        "slime_block",
        "chest",
        "anvil",
        "cactus",
        "mangrove_roots",
        "dirt_path",
        "red_bed",
    ] {
        assert_eq!(
            traits(&format!("minecraft:{ground}"), ""),
            Traits::GROUND,
            "{ground}"
        );
    }

    for flat in [
        "white_carpet",
        "glass",
        "rail",
        "short_grass",
        "poppy",
        "redstone_wire",
        "lily_pad",
        "oak_fence",
    ] {
        assert_eq!(
            traits(&format!("minecraft:{flat}"), ""),
            Traits::OVERLAY,
            "{flat}"
        );
    }

    assert_eq!(traits("minecraft:snow", "layers=7"), Traits::OVERLAY);
    assert_eq!(traits("minecraft:snow", "layers=8"), Traits::GROUND);
}

#[test]
fn water_of_bedrock_has_its_own_colours() {
    let java = Palette::builtin();
    let bedrock = Palette::builtin().with_bedrock_water();
    let [ocean, cherry] =
        ["minecraft:ocean", "minecraft:cherry_grove"].map(|biome| bedrock.tints(biome).unwrap());

    assert_eq!(
        ocean,
        BiomeTints {
            water: [0x17, 0x87, 0xd4],
            ..java.tints("minecraft:ocean").unwrap()
        }
    );
    assert_eq!(cherry, java.tints("minecraft:cherry_grove").unwrap());
    assert_ne!(java.fingerprint(), bedrock.fingerprint());

    let lines = BEDROCK_WATER.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.map(|line| line.split_once('\t').unwrap().0).collect();
    assert!(names.is_sorted());

    for name in names {
        let name = format!("minecraft:{name}");
        assert!(java.tints(&name).is_some(), "{name} is no biome");
        assert!(
            bedrock.pack_biomes.contains_key(&name),
            "{name} has no colour"
        );
    }
}

#[test]
fn waterlogged_is_understood_for_every_block() {
    let traits = |name: &str, state: &str| paint(name, state).traits;
    assert_eq!(
        traits("minecraft:oak_slab", "waterlogged=true"),
        Traits::WET
    );
    assert_eq!(
        traits("minecraft:oak_slab", "waterlogged=false"),
        Traits::GROUND
    );

    assert_eq!(
        traits("minecraft:oak_leaves", "waterlogged=true"),
        Traits::LEAVES.with(Traits::WET)
    );

    assert_eq!(
        traits("minecraft:brain_coral", ""),
        Traits::OVERLAY.with(Traits::WET)
    );
    assert_eq!(
        traits("minecraft:brain_coral", "waterlogged=false"),
        Traits::OVERLAY
    );

    // A sign is too thin to be visible, so only its water is drawn.
    assert_eq!(
        traits("minecraft:oak_sign", "waterlogged=true"),
        Traits::WATER
    );
    assert_eq!(
        traits("mod:frobnicator", "waterlogged=true"),
        Traits::WET.with(Traits::UNKNOWN)
    );
}

#[test]
fn states_change_the_visible_picture() {
    let rgb = |name: &str, state: &str| paint(name, state).rgb;
    assert_ne!(
        rgb("minecraft:oak_log", ""),
        rgb("minecraft:oak_log", "axis=x")
    );

    assert_eq!(
        rgb("minecraft:oak_log", "axis=x"),
        rgb("minecraft:oak_wood", "")
    );
    assert_eq!(
        rgb("minecraft:oak_log", "axis=y"),
        rgb("minecraft:oak_log", "")
    );
    assert_eq!(paint("minecraft:grass_block", "").tint, Tint::Grass);

    let snowy = paint("minecraft:grass_block", "snowy=true");
    assert_eq!(
        (snowy.rgb, snowy.tint),
        (rgb("minecraft:snow_block", ""), Tint::None)
    );
    assert!(
        rgb("minecraft:redstone_wire", "power=15")[0] > 200
            && rgb("minecraft:redstone_wire", "")[0] < 80
    );

    assert_eq!(
        rgb("minecraft:lit_redstone_lamp", ""),
        rgb("minecraft:redstone_lamp", "lit=true")
    );
    assert_eq!(paint("minecraft:oak_trapdoor", "open=true").sixteenths, 4);
    assert_eq!(rgb("minecraft:water", ""), [255; 3]);
    assert_eq!(rgb("minecraft:red_bed", ""), rgb("minecraft:red_wool", ""));
}

#[test]
fn the_row_with_most_matching_properties_counts() {
    let row = |rgb: &str| format!("{rgb}\t100\t-\t-\t0");
    let text = format!(
        "a\t{}\na[x=1]\t{}\na[x=1,y=2]\t{}\n",
        row("010101"),
        row("020202"),
        row("030303")
    );

    let table = BlockTable::new(&text);
    let rgb = |state: &str| table.find("a").unwrap().0.state_row(state).rgb[0];
    assert_eq!(
        [
            rgb(""),
            rgb("x=2,y=2"),
            rgb("x=1"),
            rgb("x=1,y=2"),
            rgb("x=1,y=3,z=4")
        ],
        [1, 1, 2, 3, 2]
    );
    assert_eq!(table.find("a").unwrap().0.properties, ["x", "y"]);
}

#[test]
fn map_item_colours_follow_the_state() {
    let palette = Palette::builtin();
    let map = |name: &str, state: &str| palette.row(name, state).0.map;
    assert_eq!(
        [
            map("minecraft:oak_log", ""),
            map("minecraft:oak_log", "axis=x")
        ],
        [13, 34]
    );

    assert_eq!(
        [
            map("minecraft:air", ""),
            map("minecraft:water", ""),
            map("minecraft:grass_block", "")
        ],
        [0, 12, 1]
    );
}

#[test]
fn only_properties_that_matter_are_kept() {
    let palette = Palette::builtin();
    assert_eq!(palette.drawn_properties("minecraft:stone"), [] as [&str; 0]);
    assert_eq!(palette.drawn_properties("minecraft:oak_log"), ["axis"]);
    assert_eq!(
        palette.drawn_properties("minecraft:oak_trapdoor"),
        ["half", "open", "waterlogged"]
    );

    assert_eq!(palette.drawn_properties("minecraft:wheat"), ["age"]);
    assert_eq!(palette.drawn_properties("mod:frobnicator"), ["waterlogged"]);
    assert_eq!(
        palette.drawn_properties("mod:ebony_log"),
        ["axis", "waterlogged"]
    );
}

#[test]
fn mod_blocks_are_coloured_by_their_words() {
    let like = |name: &str, known: &str| {
        let (guess, known) = (paint(name, ""), paint(known, ""));
        assert_eq!((guess.rgb, guess.tint), (known.rgb, known.tint), "{name}");
        assert_eq!(guess.traits, known.traits.with(Traits::UNKNOWN), "{name}");
    };

    like("mod:stone", "minecraft:stone");
    like("mod:dark_oak_planks", "minecraft:dark_oak_planks");
    like("mod:fancy_stone_bricks", "minecraft:stone_bricks");
    like("BiomesOPlenty:leaves1", "minecraft:oak_leaves");
    like("mod:ebony_leaves", "minecraft:oak_leaves");
    like("mod:ebony_log", "minecraft:oak_log");
    like("mod:ebonyPlanks", "minecraft:oak_planks");

    like("mod:ruby_ore", "minecraft:stone");
    like("mod:deepslate_ruby_ore", "minecraft:deepslate");
    like("mod:hot_spring_water", "minecraft:water");
    like("mod:lavaFlow", "minecraft:lava");
    like("mod:rotten_grass_block", "minecraft:grass_block");
    like("mod:fancy_glass", "minecraft:glass");
    like("mod:ebony_sapling", "minecraft:oak_sapling");

    let flowers = ["Mod:Fancy_Flower", "Mod:Blue_Flower"].map(|flower| (flower, "minecraft:poppy"));
    for (coloured, known) in flowers
        .into_iter()
        .chain([("mod:ruby_glass", "minecraft:glass")])
    {
        let (guess, known) = (paint(coloured, ""), paint(known, ""));
        assert_eq!(
            (guess.sixteenths, guess.traits),
            (known.sixteenths, known.traits.with(Traits::UNKNOWN)),
            "{coloured}"
        );
        assert_ne!(guess.rgb, known.rgb, "{coloured}");
    }

    assert_eq!(
        paint("mod:cyan_lamp_casing", "").rgb,
        paint("mod:cyan_rock", "").rgb
    );
    assert_eq!(
        paint("mod:smooth_stone_brick_stairs", "").rgb,
        paint("minecraft:stone_brick_stairs", "").rgb
    );

    assert_eq!(
        paint("mod:calcite_stairs", "").rgb,
        paint("minecraft:calcite", "").rgb
    );
    assert_eq!(paint("mod:calcite_wall", "").sixteenths, 8);
    like(
        "everycomp:ch/betterend/laced_lotus_trapdoor",
        "minecraft:oak_trapdoor",
    );

    like("Natura:N Crops", "minecraft:wheat");
    assert_eq!(paint("twilightforest:canopy_doubleslab", "").sixteenths, 16);
    assert_eq!(
        paint("mod:item_conduit", "").traits,
        Traits::OVERLAY.with(Traits::UNKNOWN)
    );

    assert!(!paint("mod:water_wheel", "").traits.any(Traits::WATER));
    assert!(
        !paint("mod:compressed_air", "")
            .traits
            .any(Traits::NOTHING.with(Traits::HIDDEN))
    );
}

#[test]
fn an_unknown_name_keeps_its_own_colour() {
    assert_eq!(
        paint("mod:frobnicator", "").rgb,
        paint("mod:frobnicator", "").rgb
    );
    assert_ne!(
        paint("mod:frobnicator", "").rgb,
        paint("other:frobnicator", "").rgb
    );
    assert_eq!(paint("numeric:4095:15", "").traits, Traits::UNKNOWN);
    for odd in ["", ":", "minecraft:", "mod:", "mod:_", "ключ:блок", "a:b:c"] {
        assert!(paint(odd, "x").traits.has(Traits::UNKNOWN), "{odd:?}");
    }
}

#[test]
fn biomes_have_their_colours_under_all_their_names() {
    let palette = Palette::builtin();
    let tints = |name: &str| palette.tints(name).unwrap();
    assert_eq!(tints("minecraft:plains").grass, [0x91, 0xbd, 0x59]);
    assert_eq!(tints("minecraft:swamp").grass, [0x6a, 0x70, 0x39]);
    assert_eq!(tints("minecraft:dark_forest").grass, [0x50, 0x7a, 0x32]);

    assert_eq!(tints("minecraft:warm_ocean").water, [0x43, 0xd5, 0xee]);
    assert_eq!(
        tints("minecraft:dappled_forest").dry_foliage,
        [0x8c, 0x3a, 0x04]
    );

    assert_eq!(tints("minecraft:sulfur_caves").water, [0x34, 0xbf, 0x89]);
    assert_eq!(
        tints("minecraft:mesa_rock"),
        tints("minecraft:wooded_badlands")
    );

    assert_eq!(
        tints("minecraft:mountains"),
        tints("minecraft:windswept_hills")
    );
    assert_eq!(palette.tints("mod:plains"), None);
}

#[test]
fn a_users_colours_lie_on_top() {
    let palette = Palette::builtin()
        .with_overrides("my.tsv", "mod:*\tc0ffee\nair\t102030\t100\n")
        .unwrap();
    let modded = palette.paint("mod:frobnicator", "");
    assert_eq!(
        (modded.rgb, modded.traits),
        ([0xc0, 0xff, 0xee], Traits::GROUND)
    );

    assert_eq!(palette.paint("minecraft:air", "").traits, Traits::GROUND);
    assert_eq!(
        palette.paint("minecraft:stone", ""),
        paint("minecraft:stone", "")
    );

    let lying = "mod:beam[axis=x]\t010101\nstone[lit=true] 020202\nmod:old =mod:beam\nmod:odd \
                 =oak_log[axis=x]\n";
    let palette = Palette::builtin().with_overrides("my.tsv", lying).unwrap();
    assert_eq!(
        palette.drawn_properties("mod:beam"),
        ["axis", "waterlogged"]
    );

    assert_eq!(palette.drawn_properties("mod:old"), ["axis", "waterlogged"]);
    assert_eq!(palette.drawn_properties("minecraft:stone"), ["lit"]);
    assert_eq!(palette.paint("minecraft:stone", "lit=true").rgb, [2; 3]);
    assert_eq!(palette.paint("mod:old", "axis=x").rgb, [1; 3]);
    assert_eq!(
        palette.paint("mod:odd", ""),
        paint("minecraft:oak_log", "axis=x")
    );

    let error = Palette::builtin()
        .with_overrides("my.tsv", "\nmod:x\tgreenish\n")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "my.tsv, line 2: \"greenish\" is not a colour such as 3f76e4"
    );
}

#[test]
fn map_item_blocks_are_coloured_or_invisible() {
    let palette = Palette::builtin().with_base(Base::MapItem);
    let paint = |name: &str, state: &str| palette.paint(name, state);
    assert_eq!(
        (
            paint("minecraft:stone", "").rgb,
            paint("minecraft:stone", "").traits
        ),
        ([0x70; 3], Traits::GROUND)
    );

    assert_eq!(paint("minecraft:oak_log", "axis=x").rgb, [0x81, 0x56, 0x31]);
    assert_eq!(paint("minecraft:glass", "").traits, Traits::HIDDEN);
    assert_eq!(
        paint("minecraft:glass", "waterlogged=true").traits,
        Traits::WATER
    );

    let grass = paint("minecraft:short_grass", "");
    assert_eq!(
        (grass.rgb, grass.sixteenths, grass.traits),
        ([0, 0x7c, 0], 16, Traits::OVERLAY)
    );
    assert_eq!(
        paint("minecraft:air", "").traits,
        Traits::NOTHING.with(Traits::HIDDEN)
    );

    let water = palette.tints("minecraft:swamp").unwrap().water;
    assert_eq!(
        (paint("minecraft:water", "").tint, water),
        (Tint::Water, [0x40, 0x40, 0xff])
    );

    let by_name = Palette::builtin().paint("mod:frobnicator", "").rgb;
    assert_eq!(
        paint("mod:frobnicator", "").rgb,
        by_name,
        "an unknown block is no hole"
    );
    assert_eq!(paint("mod:ebony_leaves", "").rgb, [0, 0x7c, 0]);

    // No trait that a query depends on changes.
    for line in lines(BLOCKS) {
        let (name, state) = split_state(line.split('\t').next().unwrap()).unwrap();
        let (name, state) = (format!("minecraft:{name}"), state.unwrap_or_default());
        let nothing = |palette: &Palette| palette.paint(&name, state).traits.any(Traits::NOTHING);
        assert_eq!(nothing(&palette), nothing(&BUILTIN), "{name}");
    }
}

#[test]
fn unknown_blocks_can_be_hidden_or_coloured() {
    let palette = |unknown| Palette::builtin().with_unknown(unknown);
    let hidden = palette(UnknownBlocks::Hide).paint("mod:ebony_planks", "");
    assert_eq!(hidden.traits, Traits::HIDDEN.with(Traits::UNKNOWN));

    let wet = palette(UnknownBlocks::Hide).paint("mod:ebony_planks", "waterlogged=true");
    assert_eq!(wet.traits, Traits::WATER.with(Traits::UNKNOWN));

    let pink = palette(UnknownBlocks::Colour([255, 0, 255])).paint("mod:ruby_glass", "");
    assert_eq!(
        (pink.rgb, pink.sixteenths, pink.tint, pink.traits),
        ([255, 0, 255], 16, Tint::None, Traits::UNKNOWN)
    );

    for unknown in [UnknownBlocks::Hide, UnknownBlocks::Colour([255, 0, 255])] {
        assert_eq!(
            palette(unknown).paint("minecraft:stone", ""),
            paint("minecraft:stone", "")
        );
        assert_eq!(unknown.to_string().parse(), Ok(unknown));
    }
}

#[test]
fn pack_biomes_override_names_below_user_colours() {
    let plains = Palette::builtin().tints("minecraft:plains").unwrap();
    let hills = BiomeTints {
        grass: [1, 2, 3],
        ..plains
    };
    let biomes = [
        ("minecraft:windswept_hills".to_owned(), hills),
        ("mod:heath".to_owned(), hills),
    ];

    let palette = Palette::builtin().with_biomes(biomes);
    for name in [
        "minecraft:windswept_hills",
        "minecraft:mountains",
        "minecraft:extreme_hills",
        "mod:heath",
    ] {
        assert_eq!(palette.tints(name), Some(hills), "{name}");
    }

    assert_eq!(palette.tints("minecraft:plains"), Some(plains));

    let palette = palette
        .with_overrides("my.tsv", "biome mod:heath 010101 020202 030303")
        .unwrap();
    assert_eq!(palette.tints("mod:heath").unwrap().grass, [1; 3]);
    assert!(palette.knows_biome("mod:heath") && !palette.knows_biome("mod:moor"));
}

#[test]
fn old_stone_slabs_mean_smooth_stone() {
    let palette = Palette::builtin();
    assert_eq!(
        palette.drawn_properties("minecraft:stone_slab"),
        ["before", "type", "waterlogged"]
    );

    assert_eq!(
        paint("minecraft:stone_slab", "before=1802").rgb,
        paint("minecraft:smooth_stone_slab", "").rgb
    );
    assert_eq!(
        palette.drawn_properties("mod:fancy_stone_slab"),
        ["type", "waterlogged"],
        "mods did not rename theirs"
    );
}
