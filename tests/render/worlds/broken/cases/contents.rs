//! Chunks with contents that contradict themselves or have another type.

use super::Expect::{Bad, Drawn, Empty, Odd, Sound};

use super::{ANY, Case, case, changed, chunk, nested, nested_lists, section, sections};
use crate::world::{Generation, Record, Tag};

/// A chunk in which this replaces a tag in the first section's container of blocks (1.18 and
/// later).
fn states(name: &str, tag: Tag) -> Record {
    changed(ANY, |root| {
        sections(root, ANY).elements()[0]
            .child("block_states")
            .set(name, tag.clone());
    })
}

fn entries(entries: Vec<Tag>) -> Record {
    changed(ANY, |root| {
        let states = Tag::compound([
            ("palette", Tag::List(entries.clone())),
            ("data", Tag::Longs(vec![0; 256])),
        ]);
        sections(root, ANY).elements()[0].set("block_states", states);
    })
}

/// Valid NBT that no chunk contains.
pub(crate) fn contents() -> Vec<Case> {
    let mut cases = arrays();
    cases.extend(palettes());
    cases.extend(heights());
    cases.extend(wrong_tags());
    cases
}

fn arrays() -> Vec<Case> {
    let (numeric, spanning, aligned) = (
        Generation::Numeric(1343),
        Generation::Spanning(1631),
        Generation::Aligned(2586),
    );

    let mut cases = Vec::new();
    for len in [0, 1, 100, 4095, 4097, 8192, 65_536] {
        for (name, generation) in [
            ("Blocks", numeric),
            ("Blocks", Generation::Jeid(1343)),
            ("Blocks16", Generation::Neid(true)),
        ] {
            let is_sound = name == "Blocks16" && [0, 8192].contains(&len);
            let expect = if is_sound { Sound } else { Bad("content") };
            let record = section(generation, name, Tag::Bytes(vec![1; len]));
            cases.push(case(
                &format!("{generation:?}, {name} of {len} bytes"),
                expect,
                record,
            ));
        }
    }

    for len in [0, 1, 2047, 2049, 4096] {
        for (name, generation) in [
            ("Data", numeric),
            ("Add", numeric),
            ("Add2", Generation::NeidLegacy(1343)),
            ("BlocksB2Hi", Generation::EndlessIds),
            ("Data", Generation::Neid(false)),
            ("Data", Generation::Jeid(1343)),
            ("Data16", Generation::Neid(true)),
        ] {
            let record = section(generation, name, Tag::Bytes(vec![1; len]));
            cases.push(case(
                &format!("{generation:?}, {name} of {len} bytes"),
                Bad("content"),
                record,
            ));
        }
    }

    for len in [0, 1, 32_767, 32_769] {
        for name in ["Blocks", "Data"] {
            let record = changed(Generation::McRegion, |root| {
                root.child("Level").set(name, Tag::Bytes(vec![1; len]));
            });
            cases.push(case(
                &format!("McRegion, {name} of {len} bytes"),
                Bad("content"),
                record,
            ));
        }
    }

    // 65, 64, 17, 16, 13, 3, 2 and 1 bits per entry, and lengths that match no width.
    for longs in [
        4160, 4096, 1088, 1024, 832, 192, 128, 64, 1, 2, 63, 255, 257,
    ] {
        for (name, record) in [
            ("Root, data", states("data", Tag::Longs(vec![0; longs]))),
            (
                "Spanning, BlockStates",
                section(spanning, "BlockStates", Tag::Longs(vec![0; longs])),
            ),
            (
                "Aligned, BlockStates",
                section(aligned, "BlockStates", Tag::Longs(vec![0; longs])),
            ),
        ] {
            cases.push(case(
                &format!("{name} of {longs} longs"),
                Bad("content"),
                record,
            ));
        }
    }

    cases.push(case(
        "no indices into a palette",
        Bad("content"),
        states("data", Tag::Longs(Vec::new())),
    ));

    cases.push(case(
        "indices that are no longs",
        Bad("content"),
        states("data", Tag::Bytes(vec![0; 2048])),
    ));

    cases.push(case(
        "12 bits an entry",
        Sound,
        states("data", Tag::Longs(vec![0; 820])),
    ));

    let past = Tag::Longs(vec![-1; 256]);
    cases.push(case(
        "indices past the palette",
        Odd("palette index"),
        states("data", past.clone()),
    ));

    cases.push(case(
        "the same, spanning",
        Odd("palette index"),
        section(spanning, "BlockStates", past),
    ));

    cases.push(case(
        "a palette of numbers that ends early",
        Odd("palette index"),
        section(Generation::Jeid(1343), "Palette", Tag::Ints(Vec::new())),
    ));

    cases
}

fn palettes() -> Vec<Case> {
    let named = |name: &str| Tag::compound([("Name", Tag::string(name))]);
    let long = "n".repeat(65_535);

    let many = || {
        (0..70_000)
            .map(|number| Tag::string(&format!("m:{number}")))
            .collect()
    };

    vec![
        case(
            "an empty palette",
            Odd("palette index"),
            states("palette", Tag::List(Vec::new())),
        ),
        case(
            "a palette of numbers",
            Bad("content"),
            states("palette", Tag::List(vec![Tag::Int(1), Tag::Int(2)])),
        ),
        case(
            "a palette of lists",
            Bad("content"),
            states("palette", Tag::List(vec![nested_lists(3)])),
        ),
        case(
            "a palette that is no list",
            Bad("content"),
            states("palette", Tag::Int(3)),
        ),
        case(
            "an entry without a name",
            Odd("name"),
            entries(vec![Tag::compound([]), named("stone")]),
        ),
        case(
            "a name that is a number",
            Odd("name"),
            entries(vec![Tag::compound([("Name", Tag::Int(7))])]),
        ),
        case("an empty name", Sound, entries(vec![named("")])),
        case("an empty string", Sound, entries(vec![Tag::string("")])),
        case(
            "a colon as name",
            Sound,
            entries(vec![named(":"), named("a:b:c")]),
        ),
        case(
            "a name of 65,535 bytes",
            Sound,
            entries(vec![named(&long), Tag::string(&long)]),
        ),
        case(
            "a name that rings",
            Sound,
            entries(vec![named("m:\u{7}\u{1b}[2J\r\n\u{9b}")]),
        ),
        case(
            "a name that is no text",
            Sound,
            entries(vec![Tag::Raw(8, b"\0\x04\xff\xfe\xc0\x80".to_vec())]),
        ),
        case(
            "two names",
            Sound,
            entries(vec![Tag::compound([
                ("Name", Tag::string("stone")),
                ("id", Tag::string("dirt")),
            ])]),
        ),
        case(
            "properties that are a list",
            Sound,
            entries(vec![Tag::compound([
                ("Name", Tag::string("oak_log")),
                ("Properties", nested_lists(2)),
            ])]),
        ),
        case(
            "properties that are numbers",
            Sound,
            entries(vec![Tag::compound([
                ("Name", Tag::string("oak_log")),
                ("Properties", Tag::compound([("axis", Tag::Int(1))])),
            ])]),
        ),
        case(
            "a long property",
            Sound,
            entries(vec![Tag::compound([
                ("Name", Tag::string("oak_log")),
                ("Properties", Tag::compound([("axis", Tag::string(&long))])),
            ])]),
        ),
        case("a palette of 70,000 names", Bad("content"), entries(many())),
    ]
}

fn heights() -> Vec<Case> {
    let at = |y: Tag| {
        changed(ANY, |root| {
            sections(root, ANY)
                .elements()
                .iter_mut()
                .for_each(|section| section.set("Y", y.clone()));
        })
    };

    let mut cases = vec![
        case("sections at 127", Odd("section"), at(Tag::Byte(127))),
        case("sections at -128", Odd("section"), at(Tag::Byte(-128))),
        case(
            "heights that are words",
            Odd("section"),
            at(Tag::string("5")),
        ),
    ];

    for y in [128, -129, i64::from(i32::MAX), i64::MIN] {
        cases.push(case(
            &format!("sections at {y}"),
            Odd("impossible height"),
            at(Tag::Long(y)),
        ));
    }

    cases.push(case(
        "a section twice",
        Odd("section"),
        changed(ANY, |root| {
            let list = sections(root, ANY).elements();
            list.push(list[0].clone());
        }),
    ));

    cases.push(case(
        "300 sections at one height",
        Odd("section"),
        changed(ANY, |root| {
            let list = sections(root, ANY).elements();
            list.extend(vec![list[0].clone(); 300]);
        }),
    ));

    cases
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn wrong_tags() -> Vec<Case> {
    let root = |name: &'static str, tag: Tag| changed(ANY, |root| root.set(name, tag.clone()));

    let biomes = |tag: Tag| {
        changed(ANY, |root| {
            sections(root, ANY).elements()[0].set("biomes", tag.clone());
        })
    };

    let level = |name: &'static str, tag: Tag| {
        changed(Generation::Aligned(2586), |root| {
            root.child("Level").set(name, tag.clone());
        })
    };

    let mut cases = vec![
        case(
            "sections that are a number",
            Bad("content"),
            root("sections", Tag::Int(1)),
        ),
        case(
            "sections that are a compound",
            Bad("content"),
            root("sections", nested(3)),
        ),
        case(
            "sections that are longs",
            Empty,
            root("sections", Tag::Longs(vec![1; 9])),
        ),
        case(
            "sections that are numbers",
            Bad("content"),
            root("sections", Tag::List(vec![Tag::Byte(1); 20])),
        ),
        case(
            "a million sections without blocks",
            Bad("content"),
            root("sections", Tag::List(vec![Tag::compound([]); 1 << 20])),
        ),
        case(
            "a Level that is a string",
            Drawn,
            root("Level", Tag::string("x")),
        ),
        case(
            "a Level that is a number, and nothing else",
            Bad("content"),
            changed(Generation::Aligned(2586), |root| {
                root.set("Level", Tag::Int(1));
            }),
        ),
        case("an empty Level", Empty, root("Level", Tag::compound([]))),
        case(
            "blocks that are a list",
            Bad("content"),
            section(ANY, "block_states", nested_lists(1)),
        ),
        case(
            "light of a wrong length",
            Drawn,
            section(ANY, "BlockLight", Tag::Bytes(vec![7; 3])),
        ),
        case(
            "light that is no bytes",
            Drawn,
            section(ANY, "SkyLight", Tag::Ints(vec![7; 3])),
        ),
        case(
            "a status that is a number",
            Drawn,
            root("Status", Tag::Int(4)),
        ),
        case(
            "a version that is a word",
            Drawn,
            root("DataVersion", Tag::string("3955")),
        ),
        case(
            "a version beyond all numbers",
            Drawn,
            root("DataVersion", Tag::Long(i64::MAX)),
        ),
        case(
            "a negative version",
            Drawn,
            root("DataVersion", Tag::Int(i32::MIN)),
        ),
        case(
            "a position that is a word",
            Drawn,
            root("xPos", Tag::string("10")),
        ),
        case(
            "a position elsewhere",
            Odd("position"),
            root("xPos", Tag::Long(i64::MIN)),
        ),
        case(
            "height maps of a wrong length",
            Drawn,
            root(
                "Heightmaps",
                Tag::compound([("WORLD_SURFACE", Tag::Longs(vec![-1; 3]))]),
            ),
        ),
        case(
            "an InhabitedTime below zero",
            Drawn,
            root("InhabitedTime", Tag::Long(i64::MIN)),
        ),
        case(
            "biomes that are a list",
            Odd("biomes"),
            biomes(nested_lists(1)),
        ),
        case(
            "biomes without a palette",
            Sound,
            biomes(Tag::compound([("data", Tag::Longs(vec![1; 4]))])),
        ),
        case(
            "biomes whose names are numbers",
            Odd("biomes"),
            biomes(Tag::compound([("palette", Tag::List(vec![Tag::Int(1)]))])),
        ),
    ];

    for longs in [1, 3, 64, 65, 4096] {
        let names = Tag::List(vec![Tag::string("plains"), Tag::string("desert")]);
        let tag = Tag::compound([("palette", names), ("data", Tag::Longs(vec![-1; longs]))]);

        // 64 longs have a bit for each block, as in versions since 26.4.
        let expect = if longs <= 64 { Sound } else { Odd("biomes") };
        cases.push(case(
            &format!("biome indices of {longs} longs"),
            expect,
            biomes(tag),
        ));
    }

    for len in [0, 1, 63, 64, 65, 255, 257, 1023, 70_000] {
        let expect = |unit: usize| {
            if len % unit == 0 {
                Sound
            } else {
                Odd("biomes")
            }
        };

        cases.push(case(
            &format!("biomes of {len} ints"),
            expect(64),
            level("Biomes", Tag::Ints(vec![-1; len])),
        ));

        cases.push(case(
            &format!("biomes of {len} bytes"),
            expect(256),
            level("Biomes", Tag::Bytes(vec![9; len])),
        ));
    }

    cases.push(case(
        "biomes of 512 bytes",
        Odd("biomes"),
        level("Biomes", Tag::Bytes(vec![9; 512])),
    ));

    cases.push(case(
        "biomes that are longs",
        Odd("biomes"),
        level("Biomes", Tag::Longs(vec![9; 256])),
    ));
    cases.extend(blocks_of_another_type());
    cases.push(case("tags twice", Drawn, twice()));

    cases
}

/// Blocks under a known name, in a type that no version stores.
fn blocks_of_another_type() -> Vec<Case> {
    let numeric = Generation::Numeric(1343);
    let longs = || Tag::Longs(vec![1; 256]);
    let ints = || Tag::Ints(vec![1; 512]);

    let both = |generation, wrong: &'static str| {
        changed(generation, |root| {
            sections(root, generation).elements()[0].set(wrong, Tag::Int(7));
        })
    };

    vec![
        case(
            "Blocks that are longs",
            Bad("content"),
            section(numeric, "Blocks", longs()),
        ),
        case(
            "Data that is a list",
            Bad("content"),
            section(numeric, "Data", nested_lists(1)),
        ),
        case("Add that is a number", Bad("content"), both(numeric, "Add")),
        case(
            "Palette that is a compound",
            Bad("content"),
            section(Generation::Aligned(2586), "Palette", nested(1)),
        ),
        case(
            "BlockStates that are ints",
            Bad("content"),
            section(Generation::Aligned(2586), "BlockStates", ints()),
        ),
        case(
            "indices that are ints",
            Bad("content"),
            states("data", ints()),
        ),
        case(
            "Blocks16 that are ints",
            Bad("content"),
            section(Generation::Neid(true), "Blocks16", ints()),
        ),
        case(
            "a whole chunk's Blocks that are ints",
            Bad("content"),
            changed(Generation::McRegion, |root| {
                root.child("Level").set("Blocks", ints());
            }),
        ),
        case(
            "Data of another type beside a palette",
            Drawn,
            section(ANY, "Data", longs()),
        ),
        case(
            "numbers beside a palette without indices",
            Sound,
            section(numeric, "Palette", Tag::List(Vec::new())),
        ),
    ]
}

/// A chunk in which every tag of the root occurs twice, first as a number.
fn twice() -> Record {
    let Tag::Compound(children) = chunk(ANY).nbt() else {
        panic!("a root is a compound")
    };
    let first = children
        .iter()
        .map(|(name, _)| (name.clone(), Tag::Byte(1)))
        .collect::<Vec<_>>();
    Record::zlib(&Tag::Compound([first, children].concat()))
}
