//! Tests named maps of a configuration file: several worlds in one output, each equal to its own
//! run.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::log::{events, of, validator};
use crate::map::{Map, Place, Ran, assert_same_files, fixture, on, program, render};
use crate::world::Files;

/// A place with an output folder `site`, drawn by a file.
struct Site(Place);

impl Site {
    fn new() -> Self {
        Self(Place::empty())
    }

    /// The table of a map in the file, for the world of a fixture or another folder, with further
    /// keys.
    fn table(&self, name: &str, world: &str, more: &str) -> String {
        let folder = Some(fixture(world))
            .filter(|folder| folder.is_dir())
            .unwrap_or_else(|| self.0.at(world));
        format!(
            "[[map]]\nname = '{name}'\nworld = '{}'\n{more}\n",
            folder.display()
        )
    }

    fn run(&self, text: &str, typed: &[&str]) -> Ran {
        let file = self.0.at("maps.toml");
        fs::write(&file, text).unwrap();
        let mut command = program();
        command
            .arg("render")
            .arg("-c")
            .arg(file)
            .arg("-o")
            .arg(self.0.at("site"))
            .args(typed);
        Ran::of(command.output().unwrap())
    }

    /// The files of the output that belong on the web.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = Files::read_under(&self.0.at("site")).0;
        files.retain(|path, _| !path.contains(".pixelmap/"));
        files
    }

    fn map(&self, name: &str) -> Map {
        Map::at(&self.0.at("site").join(name))
    }

    fn front(&self) -> String {
        fs::read_to_string(self.0.at("site/index.html")).unwrap()
    }

    fn two(&self) -> String {
        self.table("Survival", "root-3955", "")
            + &self.table("Creative", "aligned-2586", "layer = [\"day\", \"cave\"]")
    }

    /// The message about a file that cannot be used.
    fn refusal(&self, text: &str, typed: &[&str]) -> String {
        let ran = self.run(text, typed).expect(2, text);
        assert!(!self.0.at("site").exists(), "something was made: {text}");
        assert!(
            ran.err.contains("maps.toml") && ran.err.lines().count() == 1,
            "{}",
            ran.err
        );
        ran.err
    }
}

#[test]
fn each_named_map_equals_its_own_run() {
    let site = Site::new();
    let more = "title = \"Building\"\ndescription = \"Peace\"\nurl = \"https://example.org/b/\"\n";
    let text =
        site.table("Survival & 1", "root-3955", "") + &site.table("Creative", "layout-old", more);
    site.run(&text, &[]).expect(0, &text);

    let titled = [
        "--title",
        "Building",
        "--description",
        "Peace",
        "--url",
        "https://example.org/b/",
    ];

    for (name, world, options) in [
        (
            "Survival & 1",
            "root-3955",
            &["--title", "Survival & 1"][..],
        ),
        ("Creative", "layout-old", &titled),
    ] {
        let alone = Map::at(&site.0.at(world));
        render(&fixture(world), &alone.root, options).expect(0, world);
        let map = site.map(name);
        let mut facts = map.facts();
        let worlds = facts
            .as_object_mut()
            .unwrap()
            .shift_remove("worlds")
            .unwrap();

        let link = |to: &str| json!({"name": to, "path": format!("../{to}/")});
        let mut links = [link("Survival & 1"), link("Creative")];
        links[usize::from(name == "Creative")]["this"] = json!(true);
        assert_eq!(worlds, json!(links));
        assert_eq!(facts, alone.facts(), "{name}: but for the choice");

        let rest = |map: &Map| {
            let mut files = map.files();
            // These files contain the facts, or a hash of them.
            files.retain(|path, _| {
                !["map.json", "map.js", "version.json", "index.html"].contains(&path.as_str())
            });
            files
        };

        assert_same_files(name, &rest(&map), &rest(&alone));
        assert!(!alone.facts().as_object().unwrap().contains_key("worlds"));
        on("verify", &map.root, &[""; 0]).expect(0, name);
    }

    assert!(
        site.front()
            .contains("location.replace(\"Survival%20%26%201/index.html\" + location.hash)")
    );

    assert!(
        site.front()
            .contains("<meta name=\"generator\" content=\"pixelmap\">")
    );
    assert!(
        site.front()
            .contains("<a href=\"Creative/index.html\">Creative</a>")
    );

    // Drawing one map again does not change its choice of maps.
    on(
        "markers",
        &fixture("root-3955"),
        &["-o", site.map("Survival & 1").root.to_str().unwrap()],
    )
    .expect(0, "markers");
    assert_eq!(site.map("Survival & 1").facts()["worlds"][0]["this"], true);
}

#[test]
fn tables_with_one_name_share_a_map() {
    let site = Site::new();
    let part = |more: &str| site.table("One", "layout-old", more);
    let text =
        part("dimension = \"overworld\"") + &part("dimension = \"nether\"\nlayer = \"roof\"");
    site.run(&text, &[]).expect(0, &text);
    let facts = site.map("One").facts();
    let layers = |number: usize| facts["dimensions"][number]["layers"][0]["path"].clone();
    assert_eq!([layers(0), layers(1)], ["overworld/day", "the_nether/roof"]);

    for (other, says) in [
        (
            site.table("One", "root-3955", "layer = \"roof\""),
            "line 5: the parts of One show one world",
        ),
        (
            part("layer = \"roof\"\ntitle = \"x\""),
            "line 5: title is for all of One",
        ),
    ] {
        let err = Site::new().refusal(&(part("") + &other), &[]);
        assert!(err.contains(says), "{err}");
    }
}

#[test]
fn a_second_run_writes_nothing() {
    let site = Site::new();
    site.run(&site.two(), &[]).expect(0, "first");

    let times = || -> Vec<_> {
        let time = |path: &String| {
            site.0
                .at("site")
                .join(path)
                .metadata()
                .unwrap()
                .modified()
                .unwrap()
        };

        site.files()
            .keys()
            .map(|path| (path.clone(), time(path)))
            .collect()
    };

    let before = times();
    assert!(before.len() > 20);
    site.run(&site.two(), &[]).expect(0, "second");
    assert_eq!(times(), before);

    // A table is removed: the pages no longer list its map, but its folder stays.
    site.run(
        &site.table("Creative", "aligned-2586", "layer = [\"day\", \"cave\"]"),
        &[],
    )
    .expect(0, "one table");

    assert!(
        site.map("Survival").root.join("map.json").is_file() && !site.front().contains("Survival")
    );

    assert_eq!(
        site.map("Creative").facts()["worlds"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(site.front().contains("\"Creative/index.html\""));
}

#[test]
fn a_refused_file_makes_nothing() {
    let site = Site::new();
    let err = site.refusal(&site.table("a/b", "root-3955", ""), &[]);
    assert!(err.contains("line 2: name: "), "{err}");

    let one = site.table("One", "root-3955", "");
    let output = site.0.at("world.png");
    let ran = site
        .run(&one, &["-o", output.to_str().unwrap()])
        .expect(2, "a file");
    assert!(
        ran.err.contains("argument") || ran.err.contains("only maps have names"),
        "{}",
        ran.err
    );

    let both = |report: &str| {
        let table = |name| site.table(name, "root-3955", &format!("report = '{report}'"));
        site.run(&(table("One") + &table("Two")), &[])
            .expect(2, report)
            .err
    };

    assert!(both("-").contains("--report and --report are both -"));

    let page = site.0.at("site/index.html");
    assert!(both(page.to_str().unwrap()).contains("has the name of a file of the map"));
    assert!(!site.0.at("site").exists());
}

#[test]
fn a_failing_map_leaves_the_others() {
    let tables = [
        ("bad", "nowhere", ""),
        ("held", "root-3955", ""),
        ("odd", "root-3955", "min-y = 9\nmax-y = 8"),
    ];

    let tables = [
        &tables[..],
        &[("gaps", "zlib-garbage", ""), ("good", "root-3955", "")],
    ]
    .concat();

    for (from, code) in [1, 75, 2, 3, 0].into_iter().enumerate() {
        let site = Site::new();
        fs::create_dir_all(site.0.at("site/held/.pixelmap")).unwrap();
        fs::create_dir_all(site.0.at("site/.pixelmap")).unwrap();
        let lock = fs::File::create(site.0.at("site/held/.pixelmap/lock")).unwrap();
        lock.lock().unwrap();

        let report = |name: &str| {
            format!(
                "report = '{}'",
                site.0.at(&format!("{name}.json")).display()
            )
        };

        // The map with the worst result is in the middle.
        let mut chosen = tables[from..].to_vec();
        chosen.rotate_left(1);
        let text: String = chosen
            .iter()
            .map(|(name, world, more)| {
                site.table(name, world, &format!("{more}\n{}", report(name)))
            })
            .collect();

        let ran = site.run(&text, &[]).expect(code, &text);
        for (name, code) in [
            ("bad", 1),
            ("held", 75),
            ("odd", 2),
            ("gaps", 3),
            ("good", 0),
        ]
        .into_iter()
        .skip(from)
        {
            let report: Value =
                serde_json::from_slice(&fs::read(site.0.at(&format!("{name}.json"))).unwrap())
                    .unwrap();
            assert_eq!(report["code"], code, "{name}");
            assert_eq!(
                site.map(name).root.join("index.html").is_file(),
                [0, 3].contains(&code),
                "{name}"
            );

            assert_eq!(
                ran.err.contains(&format!("pixelmap: {name}: ")),
                ![0, 3].contains(&code),
                "{name}: {}",
                ran.err
            );
        }

        assert!(
            site.front().contains("<a href=\"good/index.html\">") && !site.front().contains("bad")
        );
        assert!(
            !site.front().contains("replace(\"held"),
            "it leads to one that stands"
        );
    }
}

#[test]
fn foreign_folders_and_sites_are_refused() {
    let site = Site::new();
    let out = site.0.at("site");
    let refused = |what: &str, text: &str| {
        let stands = || {
            let mut files = Files::read_under(&out).0;
            files.remove(".pixelmap/lock");
            files
        };

        let before = stands();
        let ran = site.run(text, &[]).expect(1, what);
        assert!(
            ran.err.lines().count() == 1 && ran.err.contains("with -o"),
            "{}",
            ran.err
        );

        let mut after = stands();

        // The run may begin a new state.
        after.retain(|path, _| before.contains_key(path));
        assert_same_files(what, &after, &before);
        assert!(
            !out.join("Survival").exists() && !ran.err.contains("Survival"),
            "{what}"
        );

        ran.err
    };

    fs::create_dir(&out).unwrap();
    fs::write(out.join("index.html"), "mine").unwrap();
    assert!(refused("a page of the user", &site.two()).contains("pixelmap did not make it"));
    fs::remove_file(out.join("index.html")).unwrap();

    for (mode, holds) in [
        ("map", "contains a map"),
        ("regions", "contains the regions"),
    ] {
        render(&fixture("root-3955"), &out, &["--mode", mode]).expect(0, mode);
        assert!(refused(mode, &site.two()).contains(holds));
        fs::remove_dir_all(out.join(".pixelmap")).unwrap();
        assert!(refused("without its state", &site.two()).contains(holds));
        fs::remove_dir_all(&out).unwrap();
    }

    site.run(&site.two(), &[])
        .expect(0, "a folder that is not there");

    for what in ["as it stands", "without its state"] {
        let before = site.files();

        for world in ["root-3955", "layout-old"] {
            let ran = render(&fixture(world), &out, &[]).expect(1, what);
            assert!(
                ran.err
                    .contains("contains the named maps of a configuration file"),
                "{}",
                ran.err
            );
        }

        assert_same_files(what, &site.files(), &before);
        let state = out.join(".pixelmap");
        fs::remove_dir_all(state).unwrap();
    }

    site.run(&site.two(), &[]).expect(0, "without its state");

    // The worlds are neither inside the output nor around it.
    let inside = site.0.copy("site/Survival", "site/old");
    Files::read_under(&fixture("root-3955")).write_under(&inside);
    let ran = site
        .run(&site.table("a", "site/old", ""), &[])
        .expect(2, "the world lies in the output");
    assert!(ran.err.contains("is inside it"), "{}", ran.err);
}

#[test]
fn change_lists_cover_the_whole_output() {
    let site = Site::new();
    let world = |layout: &str| Files::read_under(&fixture(layout)).write_under(&site.0.at("own"));
    world("root-3955");
    let text = site.table("Survival", "own", "") + &site.table("A b", "aligned-2586", "");
    let lists = ["changed", "deleted"].map(|name| site.0.at(name).to_str().unwrap().to_owned());
    let with_lists = ["--changed-list", &lists[0], "--deleted-list", &lists[1]];
    let read = || lists.clone().map(|list| fs::read_to_string(list).unwrap());
    fs::create_dir(site.0.at("copy")).unwrap();

    let apply = |what: &str| {
        let [changed, deleted] = read();
        assert!(
            changed.lines().is_sorted() && deleted.lines().is_sorted(),
            "{what}"
        );
        deleted
            .lines()
            .for_each(|path| fs::remove_file(site.0.at("copy").join(path)).unwrap());

        for path in changed.lines() {
            let to = site.0.at("copy").join(path);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(site.0.at("site").join(path), to).unwrap();
        }

        assert_same_files(
            what,
            &Files::read_under(&site.0.at("copy")).0,
            &site.files(),
        );
    };

    site.run(&text, &with_lists).expect(0, "first");
    apply("first");
    site.run(&text, &with_lists).expect(0, "again");
    assert_eq!(read(), [""; 2]);

    // First another world in the first map without lists, then lists that cannot be written, then a
    // failing map next to it.
    fs::remove_dir_all(site.0.at("own/region")).unwrap();
    world("statuses");
    site.run(&text, &["--max-removed", "100%"])
        .expect(0, "no lists");

    let more = text.clone() + &site.table("new", "root-3955", "");
    if cfg!(target_os = "linux") {
        site.run(&more, &["--changed-list", "/dev/full"])
            .expect(75, "no room for a list");
    }

    site.run(&more, &[]).expect(0, "no lists");
    let worse = more.clone() + &site.table("bad", "nowhere", "");
    site.run(&worse, &with_lists).expect(1, "a bad world");
    apply("what runs without lists changed");
    assert!(
        read()[0].contains("index.html\n") && read()[0].contains("new/overworld/day/tiles.tsv\n")
    );

    // The front page also changes.
    let turned = site.table("A b", "aligned-2586", "") + &site.table("Survival", "own", "");
    site.run(&turned, &with_lists).expect(0, "another order");
    apply("another order");
    assert!(
        read()[0].starts_with("A b/index.html\n") && read()[0].contains("\nindex.html\n"),
        "{}",
        read()[0]
    );

    // The first lists begin with the existing maps.
    for folder in [
        ".pixelmap",
        "Survival/.pixelmap",
        "A b/.pixelmap",
        "new/.pixelmap",
    ] {
        let _ = fs::remove_file(site.0.at("site").join(folder).join("listed.tsv"));
    }

    site.run(&turned, &with_lists).expect(0, "the first lists");
    assert_eq!(read(), [""; 2]);
}

#[test]
fn messages_name_their_map() {
    let site = Site::new();
    let text = site.two() + &site.table("bad", "nowhere", "");
    let ran = site.run(&text, &["--threads", "1"]).expect(1, "text");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines[0], "Survival");

    let second = lines.iter().position(|line| *line == "Creative").unwrap();
    assert!(
        lines[second - 1].starts_with("open ")
            && lines[second - 1].ends_with("Survival/index.html"),
        "{}",
        ran.err
    );
    assert_eq!(site.run(&site.two(), &["-q"]).expect(0, "quiet").err, "");

    let ran = site.run(&text, &["--log-format", "json"]).expect(1, "json");
    let named: Vec<Value> = events(&ran)
        .into_iter()
        .map(|event| event["world_name"].clone())
        .collect();

    assert!(named.is_sorted_by_key(|name| {
        ["Survival", "Creative", "bad"]
            .iter()
            .position(|known| name == known)
    }));

    let ends: Vec<Value> = of(&events(&ran), "end");
    assert_eq!(
        ends.iter()
            .map(|end| end["code"].clone())
            .collect::<Vec<_>>(),
        [0, 0, 1]
    );

    let refused = site
        .run(&site.two(), &["--log-format", "json", "--report", "x"])
        .expect(2, "for all");
    assert!(
        events(&refused)
            .iter()
            .all(|event| event.get("world_name").is_none())
    );
}

#[test]
fn a_dry_run_names_each_map() {
    let site = Site::new();
    let text = site.two() + &site.table("bad", "nowhere", "");
    let ran = site.run(&text, &["--dry-run"]).expect(1, "dry");
    assert!(
        ran.out.starts_with("Survival\noverworld: ") && ran.out.contains("\nCreative\noverworld: "),
        "{}",
        ran.out
    );
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);

    let ran = site.run(&text, &["--dry-run", "--json"]).expect(1, "json");
    let told: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&Value> = told.iter().map(|told| &told["world_name"]).collect();
    assert_eq!(names, ["Survival", "Creative", "bad"], "a document a line");

    let validator = validator("dry-run.schema.json");
    assert!(
        told.iter().all(|told| validator.is_valid(told)),
        "{}",
        ran.out
    );

    assert!(
        told[1]["maps"][0]["output"]
            .as_str()
            .is_some_and(|output| Path::new(output).ends_with("site/Creative"))
    );
    assert!(!site.0.at("site").exists());

    render(&fixture("root-3955"), &site.0.at("site"), &[]).expect(0, "a map");
    assert!(
        site.run(&text, &["--dry-run"])
            .expect(1, "a map is there")
            .err
            .contains("contains a map")
    );
}
