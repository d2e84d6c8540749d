//! Records that contain broken NBT.

use super::Expect::{Bad, Drawn, Empty, Odd};

use super::{ANY, Case, case, chunk, counted, good, list, nested, nested_lists};
use crate::world::payload::zlib;
use crate::world::region::ZLIB;
use crate::world::{Generation, Record, Tag};

/// Bytes that are not NBT, or NBT that no game writes.
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
        // The fault is in a tag that is skipped, and in one that is read.
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
