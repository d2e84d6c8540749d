//! Reads the fixtures of several generations and of both editions through the facade.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use super::{Chunk, ChunkError, Chunks, Dimension, Edition, Region, World};

fn open(name: &str) -> World {
    let fixtures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures"));
    World::open(fixtures.join(name)).unwrap()
}

fn chunks(world: &World) -> (Vec<Chunk>, Vec<ChunkError>) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for chunk in world.dimensions().flat_map(|dimension| dimension.chunks()) {
        match chunk {
            Ok(chunk) => good.push(chunk),
            Err(error) => bad.push(error),
        }
    }

    (good, bad)
}

#[test]
fn all_generations_have_surfaces_with_names() {
    for name in [
        "alpha",
        "mcregion",
        "numeric-1343",
        "spanning-1519",
        "aligned-2586",
        "level-states-2836",
        "root-3955",
        "strings-26.3",
        "root-5126",
        "bedrock",
    ] {
        let (good, bad) = chunks(&open(name));
        assert!(bad.is_empty() && !good.is_empty(), "{name}");

        let surface = good.iter().find_map(|chunk| {
            let surface = chunk.surface(3, 5)?;
            Some((chunk, surface))
        });
        let (chunk, surface) = surface.unwrap();

        let [x, z] = [chunk.x() * 16 + 3, chunk.z() * 16 + 5];
        assert_eq!(chunk.block(x, surface.y, z), surface.block, "{name}");
        assert!(chunk.block(x, surface.y + 1, z).is_air(), "{name}");
        assert!(surface.block.name().starts_with("minecraft:"), "{name}");
    }
}

#[test]
fn old_blocks_have_the_properties_of_today() {
    let block = |world: &str, name: &str| {
        let (good, _) = chunks(&open(world));
        let mut blocks = good.iter().flat_map(Chunk::blocks);
        let (_, block) = blocks.find(|(_, block)| block.name() == name).unwrap();
        block.to_string()
    };

    for world in ["alpha", "mcregion", "numeric-1343", "strings-26.3"] {
        assert_eq!(
            block(world, "minecraft:oak_log"),
            "minecraft:oak_log[axis=y]"
        );
        assert_eq!(block(world, "minecraft:dirt"), "minecraft:dirt");
    }

    assert_eq!(
        block("forge-1.7", "example:marble"),
        "example:marble[data=1]"
    );
    assert_eq!(block("numeric-add", "numeric:300:2"), "numeric:300:2");
}

#[test]
fn bedrock_worlds_keep_their_own_names() {
    let world = open("bedrock");
    assert_eq!(
        (world.edition(), world.data_version()),
        (Edition::Bedrock, None)
    );

    let (good, _) = chunks(&world);
    let signs = good.iter().flat_map(Chunk::signs);
    let inn = signs.filter(|sign| sign.front == ["Inn", "by the sea"]);
    assert_eq!(
        inn.map(|sign| [sign.x, sign.y, sign.z]).collect::<Vec<_>>(),
        [[402, 70, -14]]
    );

    let blocks = good.iter().flat_map(Chunk::blocks);
    let states: BTreeSet<String> = blocks.map(|(_, block)| block.to_string()).collect();
    for state in [
        "minecraft:bed[head_piece_bit=1]",
        "minecraft:stone_stairs[upside_down_bit=0,waterlogged=true,weirdo_direction=2]",
    ] {
        assert!(states.contains(state), "{state}");
    }

    assert!(
        !states.contains("minecraft:bed"),
        "a dyed bed keeps its states"
    );
}

#[test]
fn damaged_chunks_leave_the_others_readable() {
    for (name, word, place) in [
        ("zlib-garbage", "inflate", [-1, -2]),
        ("external-missing", "missing_mcc", [-1, -2]),
        ("bedrock-checksum", "inflate", [2, 2]),
        ("nbt-truncated", "nbt", [1, 0]),
    ] {
        let (good, bad) = chunks(&open(name));
        assert!(!good.is_empty(), "{name}");

        let bad: Vec<_> = bad
            .iter()
            .map(|damage| (damage.word(), damage.chunk()))
            .collect();
        assert_eq!(bad, [(word, Some(place))], "{name}");
    }
}

#[test]
fn boxes_select_the_chunks_that_touch_them() {
    let world = open("demo");
    let overworld = world.dimension("overworld").unwrap();
    let read = |x: Range<i32>, z: Range<i32>| -> Vec<[i32; 2]> {
        let chunks = overworld.chunks_in(x, z).map(Result::unwrap);
        chunks.map(|chunk| [chunk.x(), chunk.z()]).collect()
    };

    assert_eq!(read(-1..17, 31..32), [[-1, 1], [0, 1], [1, 1]]);
    assert_eq!(read(15..16, -17..-16), [[0, -2]]);
    assert!(read(5..5, 0..10).is_empty());
    assert!(read(i32::MAX - 9..i32::MAX, i32::MIN..i32::MIN + 9).is_empty());
}

#[test]
fn positions_outside_a_chunk_are_harmless() {
    let (good, _) = chunks(&open("root-3955"));
    let chunk = &good[0];

    for y in [
        i32::MIN,
        chunk.heights().start - 1,
        chunk.heights().end,
        i32::MAX,
    ] {
        assert!(chunk.block(i32::MAX, y, i32::MIN).is_air());
        assert_eq!(chunk.biome(i32::MIN, y, i32::MAX), None);
    }

    for ([x, y, z], block) in chunk.blocks() {
        assert_eq!(chunk.block(x, y, z), block);
    }
}

#[test]
fn chunks_are_the_same_in_any_order() {
    let world = open("mixed-region");
    let [x, z] = world
        .dimension("overworld")
        .unwrap()
        .regions()
        .next()
        .unwrap();
    let mut region = world
        .dimension("overworld")
        .unwrap()
        .region(x, z)
        .unwrap()
        .unwrap();

    let forward: Vec<Chunk> = region.chunks().map(Result::unwrap).collect();
    for chunk in forward.iter().rev() {
        let again = region.chunk(chunk.x(), chunk.z()).unwrap().unwrap();
        assert!(again.blocks().eq(chunk.blocks()));
        assert_eq!(again.data_version(), chunk.data_version());
    }
}

#[test]
fn values_can_be_sent_to_other_threads() {
    fn is_send<T: Send>() {}

    is_send::<World>();
    is_send::<Dimension<'_>>();
    is_send::<Region>();
    is_send::<Chunks<'_>>();
    is_send::<Chunk>();
    is_send::<ChunkError>();
}
