//! Tests Forge worlds: the names that level.dat gives to numbers of blocks and biomes.

use crate::map::{Place, on};
use crate::world::biome::{self, Biome};
use crate::world::block::{self, Block};
use crate::world::level_dat::LevelDat;
use crate::world::{ChunkSpec, Files, Generation, RegionSpec};

/// A world with one chunk that has these blocks, from x = 0 on, and one biome.
fn world_of_blocks(
    level: &LevelDat,
    generation: Generation,
    blocks: &[Block],
    biome: Biome,
) -> Place {
    let mut chunk = ChunkSpec::new(0, 0, generation);
    chunk.biomes = Some(vec![biome; 256]);

    for (x, &block) in blocks.iter().enumerate() {
        chunk.set(x, 64, 0, block);
    }

    let mut region = RegionSpec::new(0, 0);
    region.put(&chunk);
    let mut files = Files::new();
    files.put("level.dat", level.bytes());
    files.put_region("region", &region);

    Place::of(&files)
}

/// The block of each of the first columns, or the biome if `field` is 4.
fn answers(place: &Place, columns: usize, field: usize) -> Vec<String> {
    let args: Vec<String> = (0..columns).map(|x| format!("{x},0")).collect();
    let told = on("query", &place.world(), &args).expect(0, "query").out;
    told.lines()
        .map(|line| line.split('\t').nth(field).unwrap().to_owned())
        .collect()
}

#[test]
fn blocks_of_mods_keep_ids_vanilla_assigned_later() {
    // The slime block has existed since 1.8, structure_void since 1.10 and the observer since 1.11.
    // Granite always belongs to the game.
    let blocks = [165, 217, 218].map(|id| Block::numeric("", id, 3));
    let blocks = [&blocks[..], &[block::GRANITE]].concat();
    let ids = [
        ("minecraft:stone", 1),
        ("lotr:rock", 165),
        ("doors:limbo", 217),
    ];

    let items = [("lotr:pick", 218)];
    let old = [
        (1, "Minecraft", "aml", None),
        (165, "lotr", "x.Rock", Some("rock")),
        (217, "doors", "x.Limbo", Some("limbo")),
        (218, "Minecraft", "x.Y", None),
    ];

    for (level, generation) in [
        (
            LevelDat::new("forge", Some(1343)).forge_registry(&ids),
            Generation::Numeric(1343),
        ),
        (
            LevelDat::new("forge", Some(1343)).forge_registry(&ids),
            Generation::Jeid(1343),
        ),
        (
            LevelDat::new("forge", None).forge_item_data(&ids, &items),
            Generation::NumericBare,
        ),
        (
            LevelDat::new("forge", None).forge_item_data(&ids, &items),
            Generation::Neid(true),
        ),
        (
            LevelDat::new("forge", None).forge_mod_items(&old),
            Generation::NumericV,
        ),
    ] {
        let told = answers(
            &world_of_blocks(&level, generation, &blocks, biome::PLAINS),
            4,
            3,
        );
        assert_eq!(
            told,
            [
                "lotr:rock",
                "doors:limbo",
                "minecraft:observer",
                "minecraft:granite"
            ],
            "{generation:?}"
        );
    }
}

#[test]
fn biomes_of_mods_are_named_in_all_versions() {
    let of_mod = Biome::new("wood:twilight", 42);
    let ids = [("minecraft:plains", 1), ("wood:twilight", 42)];

    for (fml, table, generation) in [
        ("FML", "minecraft:biomes", Generation::Numeric(1343)),
        ("FML", "minecraft:biomes", Generation::Jeid(1343)),
        ("fml", "minecraft:biome", Generation::Spanning(1631)),
        ("fml", "minecraft:biome", Generation::Spanning(2225)),
        ("fml", "minecraft:worldgen/biome", Generation::Aligned(2586)),
        ("fml", "minecraft:worldgen/biome", Generation::Aligned(2730)),
    ] {
        let level =
            LevelDat::new("forge", generation.data_version()).forge_tables(fml, &[(table, &ids)]);
        for (biome, name) in [
            (of_mod, "wood:twilight"),
            (biome::PLAINS, "minecraft:plains"),
        ] {
            assert_eq!(
                answers(
                    &world_of_blocks(&level, generation, &[block::STONE], biome),
                    1,
                    4
                ),
                [name],
                "{generation:?}"
            );
        }
    }
}

#[test]
fn old_chunks_lack_biomes_of_later_versions() {
    let level = LevelDat::new("plain", None);

    for (id, old, new) in [
        (
            39,
            "minecraft:badlands_plateau",
            "minecraft:badlands_plateau",
        ),
        (44, "numeric:44", "minecraft:warm_ocean"),
        (170, "numeric:170", "minecraft:soul_sand_valley"),
    ] {
        for (generation, name) in [
            (Generation::NumericBare, old),
            (Generation::Numeric(1343), old),
            (Generation::Spanning(1451), old),
            (Generation::Spanning(1519), new),
            (Generation::Aligned(2586), new),
        ] {
            let place = world_of_blocks(&level, generation, &[block::STONE], Biome::new("", id));

            assert_eq!(answers(&place, 1, 4), [name], "{generation:?}");
        }
    }
}

#[test]
fn unknown_data_values_name_the_lowest_one() {
    let blocks = [(1, 1), (1, 17), (40_000, 200)].map(|(id, data)| Block::numeric("", id, data));
    let place = world_of_blocks(
        &LevelDat::new("neid", None),
        Generation::Neid(true),
        &blocks,
        biome::PLAINS,
    );
    assert_eq!(
        answers(&place, 3, 3),
        ["minecraft:granite", "minecraft:stone", "numeric:40000:200"]
    );
}
