//! The table of all ways in which one chunk of a region can be broken, and the expected result of
//! each.
#![allow(
    clippy::needless_pass_by_value,
    reason = "tags are made where they are handed over: so the table is read best"
)]

use std::path::Path;

use super::one_chunk::VICTIM;
use crate::world::payload::{Block as Lz4, gzip, lz4, without_end, zlib, zlib_open};
use crate::world::region::{CUSTOM, EXTERNAL, GZIP, LZ4, NONE, ZLIB, slot};
use crate::world::{ChunkSpec, Generation, Record, Tag, fixture::landscape};

/// The required outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// The chunk cannot be read, for this reason.
    Bad(&'static str),
    /// No chunk is stored.
    Nothing,
    /// A chunk in which nothing stands.
    Empty,
    /// Drawn as if nothing were wrong.
    Drawn,
    /// Drawn somehow, with a warning that has this word.
    Odd(&'static str),
    /// Drawn somehow.
    Sound,
}
use Expect::{Bad, Drawn, Empty, Nothing, Odd, Sound};

/// One way to break a chunk.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) expect: Expect,
    pub(crate) record: Record,
    /// Puts a file next to the region file.
    pub(crate) beside: fn(&Path),
}

/// A chunk of the region that is stored plain, in several sectors.
pub(crate) const PLAIN: (i32, i32) = (20, 25);

const ANY: Generation = Generation::Root(3955);
fn case(name: &str, expect: Expect, record: Record) -> Case {
    Case {
        name: name.to_owned(),
        expect,
        record,
        beside: |_| {},
    }
}

fn chunk(generation: Generation) -> ChunkSpec {
    landscape(VICTIM.0, VICTIM.1, generation)
}

fn good() -> Vec<u8> {
    chunk(ANY).nbt().document()
}

fn sound() -> Record {
    Record::new(ZLIB, zlib(&good()))
}

/// Headers and lengths that lead nowhere.
pub(crate) fn records() -> Vec<Case> {
    let inside = |sectors| Record::over(slot(PLAIN.0, PLAIN.1), sectors);
    let plain = || Record::new(NONE, good());

    vec![
        case("a sound chunk", Drawn, sound()),
        case("a length of 0", Bad("bad_length"), sound().length(0)),
        case(
            "a length of 1: no payload",
            Bad("inflate"),
            sound().length(1),
        ),
        case(
            "a length past the end of the file",
            Bad("bad_length"),
            sound().length(1 << 20),
        ),
        case(
            "a negative length",
            Bad("bad_length"),
            sound().length(u32::MAX),
        ),
        case(
            "a length of 2 GiB",
            Bad("bad_length"),
            sound().length(i32::MAX as u32),
        ),
        case(
            "a length that stops short",
            Bad("inflate"),
            sound().length(40),
        ),
        case(
            "a sector past the end of the file",
            Bad("out_of_file"),
            Record::pointing_at(9000, 1),
        ),
        case(
            "the last sector there can be",
            Bad("out_of_file"),
            Record::pointing_at(0xff_ffff, 255),
        ),
        case(
            "a sector in the header",
            Bad("in_header"),
            Record::pointing_at(1, 1),
        ),
        case(
            "255 sectors from the header on",
            Bad("in_header"),
            Record::pointing_at(1, 255),
        ),
        case(
            "the header's first sector",
            Nothing,
            Record::pointing_at(0, 4),
        ),
        case("no sectors", Nothing, sound().count(0)),
        case("fewer sectors than the record has", Drawn, plain().count(1)),
        case("more sectors than there are", Drawn, sound().count(255)),
        case("the middle of another record", Bad("bad_length"), inside(1)),
        case("another's record", Odd("position"), inside(0)),
    ]
}

/// Compression bytes that are wrong, or that lie.
#[allow(clippy::too_many_lines, reason = "a table of cases")]
pub(crate) fn compressions() -> Vec<Case> {
    let lz4_of = |raw: &[u8]| lz4(raw, 2000, &[Lz4::Lz4, Lz4::Raw], true);
    let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();

    let changed = |mut bytes: Vec<u8>, at: usize, to: &[u8]| {
        bytes[at..at + to.len()].copy_from_slice(to);
        bytes
    };

    let end = |bytes: &[u8], back: usize| bytes.len() - back;
    let (zlib_good, gzip_good, lz4_good) = (zlib(&good()), gzip(&good()), lz4_of(&good()));
    let wrong: Vec<(&str, &str, u8, Vec<u8>)> = vec![
        ("gzip that is zlib", "inflate", GZIP, zlib_good.clone()),
        ("zlib that is gzip", "inflate", ZLIB, gzip_good.clone()),
        ("zlib that is plain", "inflate", ZLIB, good()),
        ("zlib that is LZ4", "inflate", ZLIB, lz4_good.clone()),
        ("none that is zlib", "nbt", NONE, zlib_good.clone()),
        ("LZ4 that is zlib", "inflate", LZ4, zlib_good.clone()),
        ("LZ4 that is plain", "inflate", LZ4, good()),
        (
            "LZ4 of the usual frame format",
            "inflate",
            LZ4,
            [&[4, 0x22, 0x4d, 0x18][..], &good()].concat(),
        ),
        ("gzip of nothing", "nbt", GZIP, gzip(&[])),
        ("zlib of nothing", "nbt", ZLIB, zlib(&[])),
        ("nothing as gzip", "inflate", GZIP, Vec::new()),
        ("nothing as none", "nbt", NONE, Vec::new()),
        ("nothing as LZ4", "nbt", LZ4, Vec::new()),
        ("gzip within gzip", "nbt", GZIP, gzip(&gzip_good)),
        (
            "half of a gzip stream",
            "inflate",
            GZIP,
            half(gzip_good.clone()),
        ),
        (
            "half of a zlib stream",
            "inflate",
            ZLIB,
            half(zlib_good.clone()),
        ),
        (
            "half of an LZ4 stream",
            "inflate",
            LZ4,
            half(lz4_good.clone()),
        ),
        (
            "a zlib checksum that is wrong",
            "inflate",
            ZLIB,
            changed(zlib_good.clone(), end(&zlib_good, 4), &[1; 4]),
        ),
        (
            "a gzip length that is wrong",
            "inflate",
            GZIP,
            changed(gzip_good.clone(), end(&gzip_good, 4), &[1; 4]),
        ),
        (
            "zlib with a dictionary",
            "inflate",
            ZLIB,
            changed(zlib_good.clone(), 0, &[0x78, 0xbb]),
        ),
        (
            "an LZ4 block of no known method",
            "inflate",
            LZ4,
            changed(lz4_good.clone(), 8, &[0x36]),
        ),
        (
            "an LZ4 block of a negative length",
            "inflate",
            LZ4,
            changed(lz4_good.clone(), 9, &[0xff; 4]),
        ),
        (
            "an LZ4 block with a negative plain length",
            "inflate",
            LZ4,
            changed(lz4_good.clone(), 13, &[0xff; 4]),
        ),
        (
            "an LZ4 block that is longer plain",
            "inflate",
            LZ4,
            changed(lz4_good.clone(), 13, &[0, 0, 0, 1]),
        ),
        (
            "an LZ4 block that is shorter plain",
            "inflate",
            LZ4,
            changed(lz4_good.clone(), 13, &[7, 0, 0, 0]),
        ),
        (
            "an LZ4 checksum that is wrong",
            "inflate",
            LZ4,
            changed(lz4_good.clone(), 17, &[0; 4]),
        ),
    ];

    let mut cases: Vec<Case> = wrong
        .into_iter()
        .map(|(name, reason, compression, payload)| {
            case(name, Bad(reason), Record::new(compression, payload))
        })
        .collect();

    let early = |compression: u8, payload: &[u8], bytes: usize| {
        let name = format!("compression {compression} without its last {bytes} bytes");
        let record = Record::new(compression, without_end(payload.to_vec(), bytes));
        case(&name, Odd("end is missing"), record)
    };

    cases.extend((1..=4).map(|bytes| early(ZLIB, &zlib_good, bytes)));
    cases.extend((1..=8).map(|bytes| early(GZIP, &gzip_good, bytes)));
    cases.extend((1..21).map(|bytes| early(LZ4, &lz4_good, bytes)));
    cases.push(early(ZLIB, &zlib_open(&good()), 0));
    cases.push(case(
        "an LZ4 block less",
        Bad("inflate"),
        Record::new(LZ4, without_end(lz4_good.clone(), 22)),
    ));

    let part_wrong = changed(
        zlib_good.clone(),
        end(&zlib_good, 3),
        &[zlib_good[end(&zlib_good, 3)] ^ 1],
    );

    let part_wrong = Record::new(ZLIB, without_end(part_wrong, 1));
    cases.push(case(
        "a zlib checksum that is wrong and cut",
        Bad("inflate"),
        part_wrong,
    ));

    let short = zlib_open(&good()[..good().len() - 1]);
    cases.push(case(
        "an open zlib stream without the NBT's end",
        Bad("inflate"),
        Record::new(ZLIB, short),
    ));

    for unknown in [0, 5, 9, 64, 126] {
        let record = Record::new(unknown, zlib_good.clone());
        cases.push(case(
            &format!("compression {unknown}"),
            Bad("compression"),
            record,
        ));
    }

    let long = [vec![0xff; 2], vec![b'n'; 65_535]].concat();
    for (name, payload) in [
        ("", Vec::new()),
        (" without a name", vec![0, 0]),
        (" with a name that is cut off", vec![0xff, 0xff, b'x']),
        (" with a name of 65,535 bytes", long),
        (
            " with a name that rings",
            b"\0\x0b\x07\x1b]0;x\x07\x1b[2J".to_vec(),
        ),
        (
            " with a name that is no text",
            b"\0\x04\xff\xfe\xc0\x80".to_vec(),
        ),
    ] {
        let record = Record::new(CUSTOM, payload);
        cases.push(case(
            &format!("custom compression{name}"),
            Bad("compression"),
            record,
        ));
    }

    cases.push(case(
        "LZ4 without the block at its end",
        Drawn,
        Record::new(LZ4, lz4(&good(), 900, &[Lz4::Raw], false)),
    ));

    cases.push(case(
        "zlib and more",
        Drawn,
        Record::new(ZLIB, [zlib_good, vec![0xaa; 99]].concat()),
    ));

    cases.push(case(
        "two gzip members",
        Drawn,
        Record::new(GZIP, [gzip_good.clone(), gzip_good].concat()),
    ));

    cases
}

fn nested(depth: usize) -> Tag {
    (0..depth).fold(Tag::compound([]), |inner, _| Tag::compound([("", inner)]))
}

fn nested_lists(depth: usize) -> Tag {
    (0..depth).fold(Tag::List(Vec::new()), |inner, _| Tag::List(vec![inner]))
}

/// The payload of a tag: a count, and its expected result.
fn counted(count: i32, rest: &[u8]) -> Vec<u8> {
    [&count.to_be_bytes()[..], rest].concat()
}

fn list(tag: u8, count: i32) -> Tag {
    Tag::Raw(9, [&[tag][..], &counted(count, &[])].concat())
}

/// Bytes that are no NBT, or NBT that no game would write.
pub(crate) fn nbt() -> Vec<Case> {
    let stored = |raw: &[u8]| Record::new(ZLIB, zlib(raw));

    let mut cases = Vec::new();
    for generation in Generation::newest_of_each_form() {
        let raw = chunk(generation).nbt().document();
        for part in [1, 3, 7, 8] {
            let name = format!("{generation:?}, cut after {part} of 9 parts");
            cases.push(case(
                &name,
                Bad("nbt"),
                stored(&raw[..raw.len() * part / 9]),
            ));
        }

        cases.push(case(
            &format!("{generation:?}, the last byte cut"),
            Bad("nbt"),
            stored(&raw[..raw.len() - 1]),
        ));
    }

    for (name, raw) in [
        ("a root that is a list", &[9, 0, 0, 0, 0, 0, 0, 0][..]),
        ("a root that is an end", &[0]),
        ("a root that is a string", &[8, 0, 0, 0, 0]),
        ("a root whose name is cut", &[10, 0xff, 0xff, b'x']),
        ("a tag id in place of the root", &[77, 0, 0, 0]),
        ("nothing but zeros", &[0; 300]),
    ] {
        cases.push(case(name, Bad("nbt"), stored(raw)));
    }

    let last = |tag: Tag, name: &str| {
        let mut root = chunk(ANY).nbt();
        root.set(name, tag);
        stored(&root.document())
    };

    for (name, tag) in [
        ("compounds nested 600 deep", nested(600)),
        ("lists nested 600 deep", nested_lists(600)),
        (
            "lists nested without end",
            Tag::Raw(9, [9, 0, 0, 0, 1].repeat(200_000)),
        ),
        (
            "compounds nested without end",
            Tag::Raw(10, [10, 0, 0].repeat(200_000)),
        ),
        ("a list of 2 billion bytes", list(1, i32::MAX)),
        ("a list of 2 billion longs", list(4, i32::MAX)),
        ("a list of 2 billion strings", list(8, i32::MAX)),
        ("a list of 2 billion lists", list(9, i32::MAX)),
        ("a list of 2 billion compounds", list(10, i32::MAX)),
        ("a list of 2 billion ends", list(0, i32::MAX)),
        ("a list of one end", list(0, 1)),
        ("a list of -1 compounds", list(10, -1)),
        ("a list of the least length", list(10, i32::MIN)),
        ("a list of no known tags", list(13, 1)),
        ("bytes of a negative length", Tag::Raw(7, counted(-1, &[]))),
        (
            "ints of a negative length",
            Tag::Raw(11, counted(i32::MIN, &[])),
        ),
        (
            "longs of a negative length",
            Tag::Raw(12, counted(-4096, &[])),
        ),
        ("2 billion bytes", Tag::Raw(7, counted(i32::MAX, &[0; 99]))),
        ("2 billion ints", Tag::Raw(11, counted(i32::MAX, &[0; 99]))),
        ("2 billion longs", Tag::Raw(12, counted(i32::MAX, &[0; 99]))),
        (
            "longs that wrap a 32-bit length",
            Tag::Raw(12, counted(0x2000_0001, &[0; 99])),
        ),
        ("a string that is cut", Tag::Raw(8, vec![0xff, 0xff, b'x'])),
        ("a tag of no known kind", Tag::Raw(13, vec![0; 8])),
        ("a tag of kind 255", Tag::Raw(255, vec![0; 8])),
    ] {
        // In a tag that is skipped, and in one that is read.
        for place in ["junk", "sections", "Level", "DataVersion", "Status"] {
            cases.push(case(
                &format!("{name} in {place:?}"),
                Bad("nbt"),
                last(tag.clone(), place),
            ));
        }
    }

    let name = "n".repeat(65_535);
    cases.push(case(
        "a tag's name of 65,535 bytes",
        Drawn,
        last(Tag::Byte(1), &name),
    ));

    cases.push(case("a tag without a name", Drawn, last(Tag::Byte(1), "")));
    cases.push(case(
        "a name that rings",
        Drawn,
        last(Tag::Byte(1), "\u{7}\u{1b}[2J"),
    ));

    cases.push(case(
        "a string that is no text",
        Drawn,
        last(Tag::Raw(8, vec![0, 2, 0xff, 0xfe]), "junk"),
    ));

    cases.push(case(
        "compounds nested 500 deep",
        Drawn,
        last(nested(500), "junk"),
    ));

    cases.push(case(
        "lists nested 500 deep",
        Drawn,
        last(nested_lists(500), "junk"),
    ));

    cases.push(case(
        "bytes behind the root",
        Odd("after the end"),
        stored(&[good(), vec![10; 99]].concat()),
    ));
    cases.push(case("an empty root", Empty, stored(&[10, 0, 0, 0])));

    cases
}

fn changed(generation: Generation, change: impl Fn(&mut Tag)) -> Record {
    let mut root = chunk(generation).nbt();
    change(&mut root);
    Record::zlib(&root)
}

fn sections(root: &mut Tag, generation: Generation) -> &mut Tag {
    match generation {
        Generation::Root(_) => root.child("sections"),
        _ => root.child("Level").child("Sections"),
    }
}

/// A chunk of this generation whose first section has this in place of that.
fn section(generation: Generation, name: &str, tag: Tag) -> Record {
    changed(generation, |root| {
        sections(root, generation).elements()[0].set(name, tag.clone());
    })
}

/// The same in the first section's container of blocks (1.18 and later).
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

/// Sound NBT that no chunk contains.
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

    // 65, 64, 17, 16, 13, 3, 2 and 1 bits per entry, and lengths that fit no width.
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

        // 64 longs have a bit for each block, as since 26.4.
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

/// Blocks under a name that is known, in a type that no version stores.
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

/// A chunk whose every tag of the root is there twice, first as a number.
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

/// Things that can take the place of a chunk's `.mcc` file.
#[cfg(unix)]
pub(crate) fn files_of_their_own() -> Vec<Case> {
    use std::fs::{File, create_dir};
    use std::io::Write as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    const NAME: &str = "c.10.12.mcc";
    let own = |name: &str, expect: Expect, beside: fn(&Path)| {
        let record = Record::external(ZLIB, None);
        Case {
            name: name.to_owned(),
            expect,
            record,
            beside,
        }
    };
    let missing = Bad("missing_mcc");
    let mut cases = vec![
        own("no file", missing, |_| {}),
        own("a folder", missing, |region| {
            create_dir(region.join(NAME)).unwrap();
        }),
        own("a pipe", missing, |region| {
            super::no_files::pipe(&region.join(NAME));
        }),
        own("a socket", missing, |region| {
            drop(UnixListener::bind(region.join(NAME)).unwrap());
        }),
        own("a link to a device without end", missing, |region| {
            symlink("/dev/zero", region.join(NAME)).unwrap();
        }),
        own("a link to an empty device", missing, |region| {
            symlink("/dev/null", region.join(NAME)).unwrap();
        }),
        own("a link to nothing", missing, |region| {
            symlink("nowhere", region.join(NAME)).unwrap();
        }),
        own("a link to itself", Bad("unreadable"), |region| {
            symlink(NAME, region.join(NAME)).unwrap();
        }),
        own("a file of 0 bytes", Bad("inflate"), |region| {
            drop(File::create(region.join(NAME)).unwrap());
        }),
        own(
            "a file of 40 GB without anything in it",
            Bad("too_large"),
            |region| {
                File::create(region.join(NAME))
                    .unwrap()
                    .set_len(40_000_000_000)
                    .unwrap();
            },
        ),
        own("a link to the region file", Bad("inflate"), |region| {
            symlink("r.0.0.mca", region.join(NAME)).unwrap();
        }),
    ];
    let stored = |compression, file| Record::external(compression, Some(file));
    cases.push(case(
        "a file of its own",
        Drawn,
        stored(ZLIB, zlib(&good())),
    ));
    cases.push(case(
        "a file of its own that is gzip",
        Bad("inflate"),
        stored(ZLIB, gzip(&good())),
    ));
    cases.push(case(
        "a plain file of its own that is zlib",
        Bad("nbt"),
        stored(NONE, zlib(&good())),
    ));
    cases.push(case(
        "a file of its own of compression 9",
        Bad("compression"),
        stored(9, vec![1]),
    ));
    cases.push(case(
        "a custom file of its own",
        Bad("compression"),
        stored(CUSTOM, b"\0\x02\x1b[".to_vec()),
    ));
    cases.push(case(
        "a file of its own and a payload",
        Drawn,
        Record::new(EXTERNAL | ZLIB, vec![0xff; 5000]),
    ));
    if let Some(last) = cases.last_mut() {
        last.beside = |region| {
            File::create(region.join(NAME))
                .unwrap()
                .write_all(&zlib(&good()))
                .unwrap();
        };
    }
    cases
}
