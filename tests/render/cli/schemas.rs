//! Tests that the JSON output of the program matches the schemas in `docs/`: it has exactly their
//! fields, with their types. The schemas themselves allow future fields.

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use pixelmap_draw::Layer;
use pixelmap_draw::report::Outcome;
use serde_json::{Value, json};

use crate::map::{Map, Place, fixture, land, on, render};
use crate::world::fixture as made;
use crate::world::{Biome, ChunkSpec, Files, Generation, Record, RegionSpec, block};

pub(crate) fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns a schema that allows only its own fields. The published schema allows future fields, but
/// every field that the program prints today must be in it.
pub(crate) fn strict(mut schema: Value) -> Value {
    fn close(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(close),
            Value::Object(fields) => {
                fields.values_mut().for_each(close);

                if fields.contains_key("type")
                    && fields.contains_key("properties")
                    && fields.contains_key("required")
                {
                    assert!(
                        fields
                            .insert("additionalProperties".to_owned(), json!(false))
                            .is_none()
                    );
                }
            }
            _ => {}
        }
    }

    close(&mut schema);
    schema
}

fn validator(name: &str) -> Validator {
    let schema = strict(schema(name));
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    jsonschema::draft202012::meta::validate(&schema)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    jsonschema::draft202012::new(&schema).unwrap()
}

fn assert_valid(validator: &Validator, what: &str, value: &Value) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what}: {errors:?} in {value}");
}

fn report_of(world: &Path, options: &[&str], code: i32) -> Value {
    let place = Place::empty();
    render(world, &place.at("map"), options)
        .expect(code, &format!("{} {options:?}", world.display()))
        .report()
}

fn info_of(world: &Path) -> Value {
    serde_json::from_str(&on("info", world, &["--json"]).out).unwrap()
}

#[test]
fn the_report_of_a_picture_follows_the_schema() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let report = render(&place.world(), &place.at("map.png"), &[])
        .expect(0, "picture")
        .report();
    assert_valid(&validator("report.schema.json"), "picture", &report);
    assert!(report["picture"].is_object());
}

#[test]
fn the_reports_of_shards_follow_the_schema() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let tell = |world: &Path, code: i32| {
        let told = render(
            world,
            &place.at("map"),
            &["--dry-run", "--shards", "3", "--json"],
        )
        .expect(code, "shards");
        serde_json::from_str::<Value>(&told.out).unwrap()
    };

    for told in [tell(&place.world(), 0), tell(&place.at("nowhere"), 1)] {
        assert_valid(&validator("shards.schema.json"), "shards", &told);
    }
}

#[test]
fn the_report_of_several_maps_follows_the_schema() {
    let place = Place::of(&Files::read_under(&fixture("layout-old")));
    let mut files = Files::new();
    files.put(
        "maps.toml",
        b"[[map]]\nlayer = \"day\"\n[[map]]\nlayer = \"height\"\n".to_vec(),
    );

    files.write_under(&place.at("config"));
    let config = place.at("config/maps.toml");
    let options = ["-c", config.to_str().unwrap()];
    let report = render(&place.world(), &place.at("map"), &options)
        .expect(0, "two maps")
        .report();
    assert_valid(&validator("report.schema.json"), "two maps", &report);
    assert_eq!(report["maps"].as_array().map(Vec::len), Some(2));
}

#[test]
fn reports_of_archives_and_regions_follow_the_schema() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    for (name, options) in [
        ("map.pmtiles", &[][..]),
        ("regions", &["--mode", "regions"]),
    ] {
        let report = render(&place.world(), &place.at(name), options)
            .expect(0, name)
            .report();
        assert_valid(&validator("report.schema.json"), name, &report);
        assert_eq!(
            (report["archive"].is_object(), report["picture"].is_null()),
            (name == "map.pmtiles", true)
        );
    }
}

#[test]
fn the_documents_of_every_fixture_follow_the_schemas() {
    let (report, info) = (
        validator("report.schema.json"),
        validator("info.schema.json"),
    );
    let mut names: Vec<&str> = made::all().iter().map(|fixture| fixture.name).collect();
    names.push("demo");

    for name in names {
        let place = Place::empty();

        let world = if name == "layout-bukkit" {
            fixture(name).join("world")
        } else {
            fixture(name)
        };

        let ran = render(&world, &place.at("map"), &[]);
        assert!(matches!(ran.code, 0 | 3), "{name}: {}", ran.err);
        assert_valid(&report, name, &ran.report());
        assert_valid(&info, name, &info_of(&world));
    }
}

fn json_of(args: &[&Path], options: &[&str], code: i32) -> Value {
    let mut command = crate::map::program();
    command.args(args).args(options).arg("--json");
    let ran = crate::map::Ran::of(command.output().unwrap()).expect(code, &format!("{args:?}"));
    serde_json::from_str(&ran.out).unwrap()
}

/// The output of `diff`, `verify` and a dry run, each with its schema. The two maps differ, and one
/// of them is damaged.
fn compared() -> Vec<(&'static str, Value)> {
    let place = Place::of(&land::two_dimensions());
    let [a, b] = ["a", "b"].map(|name| place.at(name));
    place.draw("a", &[]);
    fs::remove_file(place.world().join("region/r.0.0.mca")).unwrap();
    place.draw("b", &[]);

    let (diff, verify, render) = (Path::new("diff"), Path::new("verify"), Path::new("render"));
    let saved = a.join("overworld/day/tiles.tsv");
    let mut told = vec![
        (
            "diff.schema.json",
            json_of(
                &[diff, &a, &b],
                &["--max-changed", "0%", "-a", "-9,-9,99,99"],
                1,
            ),
        ),
        (
            "diff.schema.json",
            json_of(&[diff, &saved, &b], &["-d", "overworld"], 1),
        ),
        (
            "diff.schema.json",
            json_of(&[diff, &a, &place.copy("a", "copy")], &[], 0),
        ),
        ("verify.schema.json", json_of(&[verify, &b], &[], 0)),
        (
            "dry-run.schema.json",
            json_of(
                &[render, &place.world()],
                &["--dry-run", "-o", b.to_str().unwrap()],
                0,
            ),
        ),
    ];

    for (name, area) in [("a.png", "0,0,64,64"), ("b.png", "0,0,64,64")] {
        crate::map::render(&place.world(), &place.at(name), &["-a", area]).expect(0, name);
    }

    told.push((
        "diff.schema.json",
        json_of(&[diff, &place.at("a.png"), &place.at("b.png")], &[], 0),
    ));
    fs::remove_file(b.join("overworld/day/17/1/0.png")).unwrap();
    fs::remove_file(b.join("map.js")).unwrap();
    told.push(("verify.schema.json", json_of(&[verify, &b], &[], 1)));

    told
}

#[test]
fn published_schemas_allow_future_fields() {
    for (name, mut value) in compared() {
        let published = jsonschema::draft202012::new(&schema(name)).unwrap();
        value["later"] = json!("field");
        assert_valid(&published, name, &value);
        let text = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("docs")
                .join(name),
        )
        .unwrap();
        assert!(!text.contains("\"additionalProperties\": false"), "{name}");
    }
}

#[test]
fn trouble_is_json_where_json_was_requested() {
    let place = Place::of(&land::two_dimensions());
    place.draw("a", &[]);

    let nowhere = place.at("nowhere");
    for (name, command, paths, code) in [
        (
            "diff.schema.json",
            "diff",
            &[&place.at("a"), &nowhere][..],
            2,
        ),
        ("verify.schema.json", "verify", &[&nowhere], 1),
        ("info.schema.json", "info", &[&nowhere], 1),
        ("dry-run.schema.json", "render", &[&nowhere], 1),
    ] {
        let dry: &[&str] = if command == "render" {
            &["--dry-run"]
        } else {
            &[]
        };

        let paths: Vec<&Path> = std::iter::once(Path::new(command))
            .chain(paths.iter().map(|path| path.as_path()))
            .collect();
        for (options, code) in [(dry, code), (&[dry, &["--nonsense"]].concat(), 2)] {
            let told = json_of(&paths, options, code);
            assert_valid(&validator(name), command, &told);
            assert_eq!(
                (&told["code"], told["error"].is_object()),
                (&json!(code), true),
                "{told}"
            );
        }
    }
}

#[test]
fn a_report_names_world_and_output() {
    let place = Place::of(&land::two_dimensions());
    for (name, options) in [
        ("map", &[][..]),
        ("map.png", &["-l", "height"]),
        ("map.pmtiles", &[]),
        ("empty.pmtiles", &["-a", "100000,0,100100,50"]),
        ("regions", &["--mode", "regions"]),
    ] {
        let out = place.at(name);
        let report = render(&place.world(), &out, options)
            .expect(0, name)
            .report();
        let digest = on("verify", &out, &["--digest"]).expect(0, name).out;
        let facts = [
            &report["digest"],
            &report["output"],
            &report["world"]["path"],
            &report["code"],
        ];

        let path = |path: &Path| json!(path.to_str().unwrap());
        assert_eq!(
            facts,
            [
                &json!(digest.trim()),
                &path(&out),
                &path(&place.world()),
                &json!(0)
            ],
            "{name}"
        );

        let again = render(
            &place.world(),
            &out,
            &[options, &["--log-format", "json"]].concat(),
        )
        .expect(0, name);

        let end = crate::cli::log::events(&again).pop().unwrap();
        assert_eq!(
            (&end["event"], &end["digest"]),
            (&json!("end"), &json!(digest.trim())),
            "{name}"
        );
    }

    let failed = render(&place.at("nowhere"), &place.at("map"), &[])
        .expect(1, "no world")
        .report();
    assert_eq!(
        (&failed["code"], &failed["digest"]),
        (&json!(1), &Value::Null)
    );

    assert_eq!(
        failed["world"]["path"],
        json!(place.at("nowhere").to_str().unwrap())
    );

    let (a, png) = (place.at("map"), place.at("map.png"));
    let told = json_of(&[Path::new("diff"), &a, &place.copy("map", "b")], &[], 0);
    assert_eq!(
        (&told["a"]["digest"], &told["a"]["path"]),
        (&told["b"]["digest"], &json!(a.to_str().unwrap()))
    );

    let checked = json_of(&[Path::new("verify"), &png], &[], 0);
    assert_eq!(
        (&checked["path"], &checked["tiles"]),
        (&json!(png.to_str().unwrap()), &json!(1))
    );
}

#[test]
fn the_lines_of_query_follow_the_schema() {
    let validator = validator("query.schema.json");
    for (name, area) in [("demo", "-9,-9,40,40"), ("statuses", "-99,-99,99,99")] {
        let position = on(
            "query",
            &fixture(name),
            &["--json", "0", "0", "999999", "0"],
        );
        let columns = on("query", &fixture(name), &["--json", "--area", area]).expect(0, name);
        assert!(!columns.out.is_empty(), "{name}");

        for line in position.out.lines().chain(columns.out.lines()) {
            assert_valid(&validator, name, &serde_json::from_str(line).unwrap());
        }
    }
}

#[test]
fn the_documents_of_comparisons_follow_the_schemas() {
    for (name, value) in compared() {
        assert_valid(&validator(name), name, &value);
    }
}

#[test]
fn a_report_with_options_follows_the_schema() {
    let report = validator("report.schema.json");
    for (options, code) in [
        (
            &[
                "-a",
                "-9,-9,9,9",
                "--min-y",
                "-64",
                "--max-y",
                "99",
                "--unfinished",
                "-t",
                "3",
                "--max-batch",
                "7",
            ][..],
            0,
        ),
        (&["-a", "9000,9000,9001,9001"], 0),
        (
            &[
                "--hide",
                "-9,-9,9,9",
                "--hide",
                "0,0,512,512",
                "--min-inhabited",
                "0",
            ],
            0,
        ),
        (&["--min-inhabited", "7"], 0),
        (&["--deny", "unknown-blocks"], 3),
    ] {
        let world = if code == 3 {
            fixture("odd-blocks")
        } else {
            fixture("demo")
        };

        assert_valid(
            &report,
            &format!("{options:?}"),
            &report_of(&world, options, code),
        );
    }
}

/// Returns the report of a second run on a world whose region files were all emptied after the
/// first one.
fn wiped() -> Value {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &[]);

    for folder in ["region", "DIM-1/region"] {
        for entry in fs::read_dir(place.world().join(folder)).unwrap() {
            fs::File::create(entry.unwrap().path()).unwrap();
        }
    }

    render(&place.world(), &place.at("map"), &[])
        .expect(1, "every file empty")
        .report()
}

/// A map with a tile that the program cannot move to its place.
fn stopped() -> Value {
    let place = Place::of(&land::two_dimensions());
    let map = Map::at(&place.at("map"));
    fs::create_dir_all(map.root.join(".pixelmap")).unwrap();
    fs::create_dir_all(map.root.join("overworld/day/17/0/0.png/in-the-way")).unwrap();
    render(&place.world(), &map.root, &[])
        .expect(1, "a folder in place of a tile")
        .report()
}

/// A world with an unknown biome, and a chunk whose sections cannot be found.
fn not_understood() -> Value {
    let mut known = ChunkSpec::new(0, 0, Generation::Root(3955));
    known.layer(60, 64, block::STONE);
    known.biomes = Some(vec![Biome::new("mod:heath", 0); 256]);
    let mut nbt = ChunkSpec::new(1, 0, Generation::Root(3955)).nbt();
    nbt.remove("sections");

    let mut region = RegionSpec::new(0, 0);
    region.put(&known);
    region.put_record(1, 0, Record::zlib(&nbt));
    let files = Files::of_regions([region]);

    let place = Place::of(&files);
    let options = [
        "--palette",
        "map-item",
        "--palette",
        "texture",
        "--unknown",
        "0a141e",
    ];

    render(&place.world(), &place.at("map"), &options)
        .expect(0, "not understood")
        .report()
}

/// A run without a world, and one on a folder that is not a world.
fn not_begun() -> [Value; 2] {
    let place = Place::of(&land::two_dimensions());
    fs::create_dir(place.at("mine")).unwrap();
    fs::File::create(place.at("mine").join("notes.txt")).unwrap();
    [("nowhere", "map"), ("world", "mine")].map(|(world, out)| {
        render(&place.at(world), &place.at(out), &[])
            .expect(1, world)
            .report()
    })
}

#[test]
fn a_failed_report_follows_the_schema() {
    let report = validator("report.schema.json");
    let [nowhere, not_ours] = not_begun();
    for (what, kind, value) in [
        ("wiped", "max_removed", wiped()),
        ("stopped", "output", stopped()),
        ("nowhere", "not_begun", nowhere),
        ("not ours", "not_begun", not_ours),
    ] {
        assert_eq!(
            (&value["outcome"], &value["error"]["kind"]),
            (&json!("failed"), &json!(kind)),
            "{what}"
        );
        assert_eq!(value["error"]["retryable"], json!(false), "{what}");
        assert_valid(&report, what, &value);

        let mut without = value.clone();
        without["error"] = Value::Null;
        assert!(
            !report.is_valid(&without),
            "{what}: a failure without an error"
        );
    }
}

#[test]
fn the_schema_lists_every_outcome() {
    let report = schema("report.schema.json");
    let known = &report["$defs"]["report"]["properties"]["outcome"]["enum"];
    let all = [
        Outcome::Complete,
        Outcome::Empty,
        Outcome::Gaps,
        Outcome::Failed,
        Outcome::Interrupted,
    ];
    assert_eq!(json!(all), *known);
}

#[test]
fn the_schema_lists_every_layer() {
    let report = schema("report.schema.json");
    let known = &report["$defs"]["options"]["properties"]["layers"]["items"]["enum"];
    let all: Vec<&str> = Layer::ALL
        .iter()
        .chain([&Layer::DETAILS])
        .map(|layer| layer.name())
        .collect();
    assert_eq!(json!(all), *known);
}

#[test]
fn a_dry_run_lists_the_report_options() {
    let (report, dry) = (schema("report.schema.json"), schema("dry-run.schema.json"));
    assert_eq!(report["$defs"]["options"], dry["$defs"]["options"]);
}

#[test]
fn both_schemas_name_the_same_reasons() {
    let (report, info) = (schema("report.schema.json"), schema("info.schema.json"));
    assert_eq!(
        report["$defs"]["bad_chunk"]["properties"]["reason"],
        info["$defs"]["reason"]
    );

    // The survey lists unknown blocks per dimension, so only a report names the dimension.
    let seen = |schema: &Value| {
        let facts = &schema["$defs"]["unknown_block"]["properties"];
        (
            facts["columns"].clone(),
            facts["first"]["items"].clone(),
            facts["first"]["maxItems"].clone(),
        )
    };

    assert_eq!(seen(&report), seen(&info));
}

#[test]
fn run_stages_stay_within_the_busy_worker_time() {
    let report = schema("report.schema.json");

    let names = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };

    let place = Place::of(&land::two_dimensions());
    for threads in ["1", "2"] {
        let ran = render(&place.world(), &place.at(threads), &["-t", threads])
            .expect(0, threads)
            .report();
        assert_eq!(
            names(&ran["stages"]),
            names(&report["$defs"]["stages"]["properties"])
        );

        let seconds: Vec<f64> = ran["stages"]
            .as_object()
            .unwrap()
            .values()
            .map(|s| s.as_f64().unwrap())
            .collect();

        assert!(
            seconds.iter().all(|&seconds| seconds > 0.0),
            "regions and parents pass through all: {}",
            ran["stages"]
        );

        let busy = ran["workers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|worker| worker["busy_seconds"].as_f64().unwrap());
        let (busy, stages) = (busy.sum::<f64>(), seconds.iter().sum::<f64>());
        assert!(stages <= busy + 1e-6, "{stages} of {busy}");
    }
}

/// Objects whose fields are names from the world.
const FREE: [&str; 4] = [
    "unknown_blocks",
    "unknown_biomes",
    "data_versions",
    "compression",
];

/// Returns copies of the value with one change each: an object with one field more, an object with
/// one field less, or a field of another type.
fn spoiled(value: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    spoil(value, "", &mut |at, change| {
        let mut copy = value.clone();
        change(copy.pointer_mut(at).unwrap());
        all.push((at.to_owned(), copy));
    });
    all
}

/// A place in a value, and the change to make there.
type Add<'a> = dyn FnMut(&str, &dyn Fn(&mut Value)) + 'a;

fn spoil(value: &Value, at: &str, add: &mut Add<'_>) {
    add(at, &|place| *place = json!({"another": "type"}));

    match value {
        Value::Object(fields) => {
            let is_free = FREE.iter().any(|name| at.ends_with(&format!("/{name}")));
            add(at, &|place| {
                drop(
                    place
                        .as_object_mut()
                        .unwrap()
                        .insert("one more".to_owned(), json!("x")),
                );
            });

            for (name, field) in fields {
                if !is_free {
                    add(at, &|place| {
                        drop(place.as_object_mut().unwrap().shift_remove(name));
                    });
                }

                spoil(
                    field,
                    &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                    add,
                );
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().take(1) {
                spoil(item, &format!("{at}/{index}"), add);
            }
        }
        _ => {}
    }
}

#[test]
fn the_checker_detects_extra_missing_and_mistyped_fields() {
    let two_faults = {
        let place = Place::of(&land::two_dimensions());
        fs::create_dir(place.world().join("region/r.9.9.mca")).unwrap();
        render(&place.world(), &place.at("map"), &["-a", "-9,-9,5000,5000"])
            .expect(3, "a folder as region file")
            .report()
    };

    for (name, value) in [
        ("report.schema.json", two_faults),
        (
            "report.schema.json",
            report_of(&fixture("odd-blocks"), &[], 0),
        ),
        (
            "report.schema.json",
            report_of(&fixture("newer-version"), &[], 0),
        ),
        (
            "report.schema.json",
            report_of(&fixture("nbt-deep"), &[], 3),
        ),
        ("report.schema.json", wiped()),
        ("report.schema.json", not_understood()),
        ("info.schema.json", info_of(&fixture("odd-blocks"))),
        ("info.schema.json", info_of(&fixture("compression-custom"))),
    ]
    .into_iter()
    .chain(compared())
    {
        let validator = validator(name);
        assert_valid(&validator, name, &value);
        let wrong = spoiled(&value);
        assert!(wrong.len() > 10, "{}", wrong.len());

        for (at, wrong) in wrong {
            assert!(
                !validator.is_valid(&wrong),
                "{name}: spoiled at {at:?} and taken for right: {wrong}"
            );
        }
    }
}
