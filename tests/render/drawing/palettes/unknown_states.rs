//! Tests the list of properties by which the stored states of an unknown block differ.

use serde_json::{Value, json};

use super::{Column, FROB, MODERN};
use crate::cli::schemas::{schema, strict};
use crate::map::{Place, land, render};
use crate::world::bedrock::block as bedrock;
use crate::world::bedrock::block::State;
use crate::world::bedrock::{ChunkSpec as BedrockChunk, Database};
use crate::world::fixture::bedrock::with_level_dat;
use crate::world::level_dat::LevelDat;
use crate::world::{Block, ChunkSpec, Files, Generation, RegionSpec};

/// Renders a world and returns the entry of a block in the list of unknown blocks. The report must
/// match its schema.
fn seen(place: &Place, block: &str, options: &[&str]) -> Value {
    let ran = render(&place.world(), &place.at("map"), options).expect(0, &format!("{options:?}"));
    let schema = jsonschema::validator_for(&strict(schema("report.schema.json"))).unwrap();
    let errors: Vec<_> = schema
        .iter_errors(&ran.report())
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    ran.report()["unknown_blocks"][block].clone()
}

#[test]
fn reports_list_properties_that_differ_between_regions() {
    let states: [Block; 3] = [
        FROB.with(&[("facing", "north"), ("kind", "red")]),
        FROB.with(&[("kind", "blue"), ("facing", "north")]),
        FROB.with(&[("facing", "north"), ("kind", "blue"), ("lit", "true")]),
    ];

    let column = |x: i32, _| {
        Some(Column::of(
            64,
            states[if x < 512 { 0 } else { 1 + (x / 8 % 2) as usize }],
        ))
    };

    let place = Place::of(&land::world([496, 0, 528, 16], (0, 0), MODERN, column));
    let properties = json!({"kind": ["blue", "red"], "lit": ["", "true"]});
    let first = seen(&place, "mod:frobnicator", &["-t", "1"]);
    assert_eq!(
        (&first["columns"], &first["properties"]),
        (&json!(512), &properties)
    );

    for options in [&["-t", "4", "-f"], &["-t", "2", "-q"]] {
        assert_eq!(
            seen(&place, "mod:frobnicator", options),
            first,
            "{options:?}"
        );
    }

    let alike = Place::of(&land::world([0, 0, 16, 16], (0, 0), MODERN, |_, _| {
        Some(Column::of(64, states[0]))
    }));
    assert_eq!(
        seen(&alike, "mod:frobnicator", &[]).get("properties"),
        None,
        "there is one state"
    );
}

#[test]
fn states_of_add_on_blocks_are_compared() {
    let mut chunk = BedrockChunk::new(0, 0, 0, 40);
    chunk.set(9, 75, 0, bedrock::OWN);

    chunk.set(
        3,
        75,
        0,
        bedrock::OWN.with(&[
            ("example:lit", State::Flag(false)),
            ("example:size", State::Number(2)),
        ]),
    );

    let mut database = Database::new(1);
    database.batch(&chunk.changes());
    let place = Place::of(&with_level_dat("Add-on", &database));
    let properties = json!({"example:lit": ["0", "1"], "example:size": ["", "2"]});
    assert_eq!(seen(&place, "example:lamp", &[])["properties"], properties);
}

#[test]
fn numeric_blocks_of_mods_differ_by_data() {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Numeric(1343));
    for (x, data) in [3, 11].into_iter().enumerate() {
        chunk.set(x, 64, 0, Block::numeric("", 165, data));
        chunk.set(x, 64, 1, Block::numeric("", 254, data));
    }

    let mut region = RegionSpec::new(0, 0);
    region.put(&chunk);
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("forge", Some(1343))
            .forge_registry(&[("lotr:gadget", 165)])
            .bytes(),
    );

    files.put_region("region", &region);
    let place = Place::of(&files);
    assert_eq!(
        seen(&place, "lotr:gadget", &[])["properties"],
        json!({"data": ["11", "3"]})
    );

    assert_eq!(
        seen(&place, "numeric:254:11", &["-f"]).get("properties"),
        None,
        "the name has the data"
    );

    let file = super::text_file(&place, "mine.tsv", "lotr:gadget[data=11] 405060\n");
    let ran = render(&place.world(), &place.at("mine"), &["--palette", &file])
        .expect(0, "a colour for data");
    assert_eq!(
        ran.report()["unknown_blocks"]["lotr:gadget"]["columns"],
        1,
        "{}",
        ran.out
    );
}
