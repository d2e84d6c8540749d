//! Tests standard error for programs: it contains only objects that are valid by
//! `docs/log.schema.json`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::cli::schemas::strict;
use crate::map::{Place, Ran, fixture, has_ending, land, program, render};
use crate::world::{Biome, ChunkSpec, Files, Generation, RegionSpec, block};

const JSON: [&str; 2] = ["--log-format", "json"];

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Validator for a schema of `docs/`.
pub(crate) fn validator(name: &str) -> Validator {
    jsonschema::draft202012::new(&strict(schema(name))).unwrap()
}

/// Returns the lines of standard error, and checks that each is an object that the schema allows.
pub(crate) fn events(ran: &Ran) -> Vec<Value> {
    assert!(
        ran.err.is_empty() || ran.err.ends_with('\n'),
        "a line is whole: {}",
        ran.err
    );

    let validator = validator("log.schema.json");
    let event = |line: &str| {
        let event: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert!(validator.is_valid(&event), "not as the schema says: {line}");
        assert!(
            !line.contains(|c: char| c.is_control()),
            "a terminal would obey it: {line:?}"
        );
        event
    };

    ran.err.lines().map(event).collect()
}

/// The events of a kind, without its name.
pub(crate) fn of(events: &[Value], kind: &str) -> Vec<Value> {
    let mut found: Vec<Value> = events
        .iter()
        .filter(|event| event["event"] == kind)
        .cloned()
        .collect();

    for event in &mut found {
        event.as_object_mut().unwrap().shift_remove("event");
    }

    found
}

/// Returns the last event, which must be the only `end`.
fn end(events: &[Value]) -> Value {
    assert_eq!(events.last().unwrap()["event"], "end");
    let [end] = &of(events, "end")[..] else {
        panic!("more than one end")
    };
    end.clone()
}

/// A world with an example of everything that the log reports: damage, and unknown names.
fn odd_world() -> Place {
    let mut known = ChunkSpec::new(0, 0, Generation::Root(9000));
    known.layer(60, 64, block::STONE);
    known.biomes = Some(vec![Biome::new("mod:heath", 0); 256]);
    let mut region = RegionSpec::new(0, 0);
    region.put(&known);
    let mut files = Files::of_regions([region]);

    for (from, to) in [("zlib-garbage", "r.-1.-1"), ("odd-blocks", "r.5.5")] {
        let bytes = Files::read_under(&fixture(from))
            .0
            .into_iter()
            .find(|(path, _)| has_ending(path, "mca"))
            .unwrap()
            .1;
        files.put(&format!("region/{to}.mca"), bytes);
    }

    Place::of(&files)
}

#[test]
fn every_log_line_matches_the_report() {
    let place = odd_world();
    let ran = render(&place.world(), &place.at("map"), &JSON).expect(3, "an odd world");
    let (events, report) = (events(&ran), ran.report());
    assert_eq!(
        of(&events, "bad_chunk"),
        *report["bad_chunks"].as_array().unwrap()
    );

    for (kind, list) in [
        ("unknown_block", "unknown_blocks"),
        ("unknown_biome", "unknown_biomes"),
    ] {
        let told = of(&events, kind);
        assert!(!told.is_empty(), "{kind}");

        for unknown in &told {
            let name = unknown["name"].as_str().unwrap();
            let seen = &report[list][name];
            for fact in ["columns", "dimension", "first"] {
                assert_eq!(seen[fact], unknown[fact], "{name}");
            }
        }

        assert_eq!(told.len(), report[list].as_object().unwrap().len());
    }

    let warnings = of(&events, "warning");
    assert!(
        warnings
            .iter()
            .any(|warning| warning["message"].as_str().unwrap().contains("9000")),
        "{warnings:?}"
    );

    for warning in report["warnings"].as_array().unwrap() {
        assert!(
            warnings.iter().any(|told| told["message"] == *warning),
            "{warning} is not told"
        );
    }

    let end = end(&events);
    assert_eq!(
        (&end["code"], &end["output"]),
        (&json!(3), &json!(place.at("map")))
    );

    for name in ["outcome", "regions", "chunks", "tiles", "seconds"] {
        assert_eq!(end[name], report[name], "{name}");
    }
}

#[test]
fn plain_progress_works_with_any_standard_error() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let run = |options: &[&str]| {
        events(&render(
            &place.world(),
            &place.at("map"),
            &[&JSON, options].concat(),
        ))
    };

    for wanted in ["auto", "always", "plain"] {
        let progress = of(&run(&["-f", "--progress", wanted]), "progress");
        let last = progress
            .last()
            .unwrap_or_else(|| panic!("--progress {wanted}: none"));
        assert_eq!(
            (&last["percent"], &last["regions"], &last["regions_total"]),
            (&json!(100), &json!(4), &json!(4))
        );
        assert_eq!((&last["map"], &last["maps"]), (&json!(1), &json!(1)));
        assert!(progress.len() <= 20, "one line every 5 %");
    }

    let silent = run(&["-f", "--progress", "never"]);
    assert_eq!(silent.len(), 1, "{silent:?}");
    end(&silent);
}

#[test]
fn quiet_keeps_errors() {
    let place = odd_world();
    let quiet = |world: &str| {
        render(
            &place.at(world),
            &place.at("map"),
            &[&JSON[..], &["-q"]].concat(),
        )
    };

    let reasons = events(&quiet("world").expect(3, "gaps"));
    assert_eq!((reasons.len(), &reasons[0]["kind"]), (1, &"demands".into()));

    let events = events(&quiet("nowhere").expect(1, "no world"));
    assert_eq!(events.len(), 1);
    assert_eq!(of(&events, "error")[0]["kind"], "not_begun");
}

#[test]
fn the_log_gives_the_kind_of_a_refusal() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let lock = fs::File::options()
        .write(true)
        .open(map.root.join(".pixelmap/lock"))
        .unwrap();
    lock.lock().unwrap();

    let (world, out) = (place.world(), map.root.clone());
    let (world, out) = (world.to_str().unwrap(), out.to_str().unwrap());
    for (options, kind, code) in [
        (&[world, "-o", out][..], "not_begun", 75),
        (&["nowhere", "-o", out], "not_begun", 1),
        (&[world, "-o", world], "usage", 2),
        (
            &[world, "-o", out, "--min-y", "9", "--max-y", "8"],
            "usage",
            2,
        ),
        (&[world, "-o", out, "-c", "no.toml"], "usage", 2),
        (&[world, "-o", out, "--scale", "2"], "usage", 2),
        // Errors that clap finds are also events.
        (&[world, "-o", out, "--unheard-of"], "usage", 2),
        (&[world, "-o", out, "-q", "-v"], "usage", 2),
        (&[], "usage", 2),
    ] {
        for log in [&JSON[..], &["--log-format=json"]] {
            let ran = Ran::of(
                program()
                    .arg("render")
                    .args(options)
                    .args(log)
                    .output()
                    .unwrap(),
            );

            let events = events(&ran.expect(code, &format!("{options:?}")));
            let [error] = &of(&events, "error")[..] else {
                panic!("{options:?}: {events:?}")
            };

            assert_eq!(
                (&error["kind"], &error["retryable"]),
                (&json!(kind), &json!(code == 75)),
                "{options:?}"
            );

            let end = end(&events);
            assert_eq!(
                (&end["outcome"], &end["code"], &end["output"]),
                (&json!("failed"), &json!(code), &Value::Null)
            );
            assert_eq!(events.len(), 2);
        }
    }

    let ran = Ran::of(
        program()
            .args(["info", "nowhere", "--log-format=json"])
            .output()
            .unwrap(),
    );

    assert!(
        serde_json::from_str::<Value>(&ran.err).is_err(),
        "other commands have no such option: {}",
        ran.err
    );
}

#[test]
fn log_gives_the_reason_of_a_failed_run() {
    let place = Place::of(&land::two_dimensions());
    fs::create_dir_all(place.at("stopped/.pixelmap")).unwrap();
    fs::create_dir_all(place.at("stopped/overworld/day/17/0/0.png/in-the-way")).unwrap();
    place.draw("wiped", &[]);

    for (out, kind) in [("stopped", "output"), ("wiped", "max_removed")] {
        if out == "wiped" {
            for folder in ["region", "DIM-1/region"] {
                for entry in fs::read_dir(place.world().join(folder)).unwrap() {
                    fs::File::create(entry.unwrap().path()).unwrap();
                }
            }
        }

        let ran = render(&place.world(), &place.at(out), &JSON).expect(1, out);
        let (events, report) = (events(&ran), ran.report());
        assert_eq!(of(&events, "error"), std::slice::from_ref(&report["error"]));
        assert_eq!(report["error"]["kind"], kind);
        assert_eq!(end(&events)["code"], 1);
    }
}

#[test]
fn names_of_files_are_escaped() {
    let place = Place::empty();
    let strange = place.at("a\n\u{1b}[31m\u{7}");
    let refused = events(&render(&strange, &place.at("map"), &JSON).expect(1, "no world"));

    assert!(
        of(&refused, "error")[0]["message"]
            .as_str()
            .unwrap()
            .contains("a\n\u{1b}[31m\u{7}"),
        "{refused:?}"
    );

    let name = "a \"world\"\\";
    let ran = render(&place.at(name), &place.at("map"), &JSON).expect(1, "no world");
    let told = of(&events(&ran), "error");
    assert!(
        told[0]["message"].as_str().unwrap().contains(name),
        "{told:?}"
    );
}

#[test]
fn several_maps_share_one_log_with_one_end() {
    let place = Place::of(&land::two_dimensions());
    let mut files = Files::new();
    let maps = "log-format = \"json\"\n[[map]]\nlayer = \"day\"\n[[map]]\nlayer = \
                \"height\"\ndimension = \"nether\"\n";
    files.put("maps.toml", maps.into());
    files.write_under(&place.at("config"));

    let config = place.at("config/maps.toml");
    let ran = render(
        &place.world(),
        &place.at("map"),
        &["-c", config.to_str().unwrap()],
    )
    .expect(0, "two maps");

    let (events, report) = (events(&ran), ran.report());
    let maps: BTreeSet<_> = of(&events, "progress")
        .iter()
        .map(|event| event["map"].as_u64())
        .collect();

    assert_eq!(maps, [Some(1), Some(2)].into());
    assert!(
        of(&events, "progress")
            .iter()
            .all(|event| event["maps"] == 2)
    );

    let end = end(&events);
    assert_eq!(
        (&end["regions"], &end["tiles"]),
        (&report["regions"], &report["tiles"]),
        "of both"
    );
}

#[test]
fn a_dry_run_reports_only_faults() {
    let place = Place::of(&land::two_dimensions());
    let dry = |world: &str| {
        let mut command = program();
        command
            .arg("render")
            .arg(place.at(world))
            .args(["--dry-run", "--json", "-o"])
            .arg(place.at("map"))
            .args(JSON);
        Ran::of(command.output().unwrap())
    };

    let ran = dry("world").expect(0, "dry");
    assert_eq!(ran.err, "");
    assert!(serde_json::from_str::<Value>(&ran.out).is_ok());
    assert_eq!(
        of(&events(&dry("nowhere").expect(1, "no world")), "error").len(),
        1
    );
}

#[test]
fn log_schema_and_report_count_the_same() {
    let schema = schema("log.schema.json");
    jsonschema::draft202012::meta::validate(&schema).unwrap();

    let report = self::schema("report.schema.json");
    for name in ["regions", "chunks", "tiles", "count", "dimension"] {
        assert_eq!(schema["$defs"][name], report["$defs"][name], "{name}");
    }

    let bad = "bad_chunk";
    for field in ["dimension", "region", "chunk", "reason", "message"] {
        assert_eq!(
            schema["$defs"][bad]["properties"][field], report["$defs"][bad]["properties"][field],
            "{field}"
        );
    }

    let place = odd_world();
    let mut all = events(&render(&place.world(), &place.at("map"), &JSON));
    all.extend(events(&render(
        &place.at("nowhere"),
        &place.at("map"),
        &JSON,
    )));

    let kinds: BTreeSet<_> = all
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.len(), 7, "{kinds:?}");

    let validator = validator("log.schema.json");
    for event in &all {
        let mut more = event.clone();
        more["time"] = json!(0);
        assert!(!validator.is_valid(&more), "a field more: {more}");

        for name in event.as_object().unwrap().keys() {
            let (mut less, mut other) = (event.clone(), event.clone());
            less.as_object_mut().unwrap().shift_remove(name);
            other[name] = json!({});
            assert!(!validator.is_valid(&less), "without {name}: {less}");
            assert!(
                !validator.is_valid(&other),
                "{name} of another type: {other}"
            );
        }
    }
}
