//! Tests damaged and encrypted Bedrock worlds: a message names the damage or the reason for a
//! refusal.

use std::fs;

use serde_json::Value;

use crate::map::{Place, fixture, on, render};
use crate::world::Files;
use crate::world::bedrock::block::{self};
use crate::world::bedrock::database::Changes;
use crate::world::bedrock::{ChunkSpec, Compression, Database, keys};
use crate::world::fixture::bedrock::with_level_dat;

/// Damaged fixtures, the exit code of a run, and the number of gaps in its report.
const DAMAGED: &[(&str, i32, Option<usize>)] = &[
    ("bedrock", 0, Some(0)),
    ("bedrock-log", 0, Some(0)),
    ("bedrock-empty", 0, Some(0)),
    ("bedrock-add-on", 0, Some(0)),
    ("bedrock-checksum", 3, Some(2)),
    ("bedrock-torn-block", 3, Some(2)),
    ("bedrock-cut-table", 3, Some(1)),
    ("bedrock-missing-table", 3, Some(1)),
    ("bedrock-pointer", 3, Some(1)),
    ("bedrock-log-cut", 0, Some(0)),
    ("bedrock-log-torn", 3, Some(1)),
    ("bedrock-no-manifest", 3, Some(1)),
    ("bedrock-manifest-torn", 3, Some(1)),
    ("bedrock-encrypted", 1, Some(0)),
    ("bedrock-subchunk", 3, Some(3)),
];

#[test]
fn damage_is_named_and_ends_with_its_code() {
    let mut found = Vec::new();
    let place = Place::empty();
    for made in crate::world::fixture::bedrock::all() {
        let ran = render(&fixture(made.name), &place.at(made.name), &["-d", "all"]);
        let report: Option<Value> = serde_json::from_str(&ran.out).ok();
        let gaps = report.and_then(|report| Some(report["bad_chunks"].as_array()?.len()));
        found.push((made.name, ran.code, gaps));
        let code = on("info", &fixture(made.name), &["--json"]).code;
        assert_eq!(code, ran.code, "{}: info", made.name);
    }

    assert_eq!(found, DAMAGED);
}

#[test]
fn a_damaged_table_costs_only_its_names() {
    for (key, lost) in [
        (&b"DimensionNameIdTable"[..], "DIM1000"),
        (b"BiomeIdsTable", "numeric:30000"),
    ] {
        let mut changes = Changes::from([
            keys::dimension_names(&[("test:sky", 1000)], false),
            keys::biome_names(&[(30_000, "test:glade")]),
        ]);
        let mut chunk = ChunkSpec::new(0, 0, 1000, 41);
        chunk.layer(60, 66, block::STONE);
        chunk.set_biome(0, 0, 0, 30_000);
        chunk.put_into(&mut changes);

        let table = changes.get_mut(key).unwrap().as_mut().unwrap();
        table.truncate(table.len() - 2);
        let mut database = Database::new(1);
        database.batch(&changes);
        let place = Place::of(&with_level_dat("Cut", &database));

        let ran = on("query", &place.world(), &["-d", "1000", "0", "0"]).expect(0, lost);
        let info = on("info", &place.world(), &["--json"]).expect(0, lost);
        assert!(
            [ran.out, info.out].concat().contains(lost),
            "{lost} is absent"
        );

        let rendered = render(&place.world(), &place.at("map"), &[]).expect(0, lost);
        let warning = format!("the table {} cannot be read", String::from_utf8_lossy(key));
        let warned = rendered.err.matches(&warning);
        assert_eq!(warned.count(), 1, "{}", rendered.err);
    }
}

#[test]
fn an_encrypted_world_is_refused_by_name() {
    let place = Place::empty();
    let ran = render(&fixture("bedrock-encrypted"), &place.at("map"), &[]).expect(1, "encrypted");
    assert!(ran.err.contains("encrypted"), "{}", ran.err);
    let ran = render(&fixture("bedrock-pointer"), &place.at("map"), &[]).expect(3, "pointer");
    assert!(ran.err.contains("Git LFS"), "{}", ran.err);
}

#[test]
fn refusals_and_damage_name_tables() {
    let refusal = |files: &[(&str, &str)]| {
        let place = Place::of(&with_level_dat("Gone", &Database::new(1)));
        fs::remove_dir_all(place.world().join("db")).unwrap();
        fs::create_dir(place.world().join("db")).unwrap();

        for (name, text) in files {
            fs::write(place.world().join("db").join(name), text).unwrap();
        }

        let err = render(&place.world(), &place.at("map"), &[])
            .expect(1, &format!("{files:?}"))
            .err;
        assert!(!err.contains("region file"), "{err}");

        err
    };

    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    assert!(refusal(&[]).contains("db has no table"));
    assert!(refusal(&[("CURRENT", "")]).contains("CURRENT: it is empty, and there is no table"));
    assert!(
        refusal(&[("CURRENT", "MANIFEST-000002\n")]).contains("MANIFEST-000002: it is not there")
    );

    assert!(
        refusal(&[("000005.ldb", "torn")])
            .contains("CURRENT: it is not there, and no table can be read")
    );
    assert!(refusal(&[("CURRENT", pointer)]).contains("in the place of a file of the database"));

    let place = Place::empty();
    let report = render(&fixture("bedrock-checksum"), &place.at("map"), &[]).expect(3, "checksum");
    let bad = &report.report()["bad_chunks"][0];
    assert_eq!(
        bad["region"].as_str().unwrap().rsplit('.').next(),
        Some("ldb"),
        "{bad}"
    );

    assert!(
        bad["message"].as_str().unwrap().starts_with("at byte "),
        "{bad}"
    );
}

#[test]
fn damage_is_named_by_dry_runs_and_markers() {
    let place = Place::empty();
    let (world, map) = (fixture("bedrock-checksum"), place.at("map"));
    let out = ["-o", map.to_str().unwrap()];
    render(&world, &map, &[]).expect(3, "map");

    let damage = "its checksum is wrong";
    for (command, more) in [
        ("render", &["--dry-run"][..]),
        ("render", &["--dry-run", "--json"]),
        ("markers", &[]),
    ] {
        let ran = on(command, &world, &[&out, more].concat()).expect(0, command);
        assert!(
            ran.out.contains(damage) || ran.err.contains(damage),
            "{command} {more:?}: {} {}",
            ran.out,
            ran.err
        );
    }
}

#[test]
fn a_database_of_another_program_is_refused() {
    let mut database = Database::new(1);
    database.table(
        1,
        Compression::None,
        4096,
        &Changes::from([(b"_https://example.org".to_vec(), Some(vec![1]))]),
    );

    let mut files = Files::new();
    database.put_files(&mut files);

    let place = Place::of(&files);
    let ran = render(&place.world(), &place.at("map"), &[]).expect(1, "no world");
    assert!(
        ran.err
            .contains("is a LevelDB without any chunk of Minecraft"),
        "{}",
        ran.err
    );

    // A new world that nobody has played is a world without chunks.
    let place = Place::of(&with_level_dat("New", &Database::new(1)));
    render(&place.world(), &place.at("map"), &[]).expect(0, "a world without chunks");
}
