//! Records with a broken header, length or compression.

use super::Expect::{Bad, Drawn, Nothing, Odd};

use super::{Case, PLAIN, case, good, sound};
use crate::world::Record;
use crate::world::payload::{Block as Lz4, gzip, lz4, without_end, zlib, zlib_open};
use crate::world::region::{CUSTOM, GZIP, LZ4, NONE, ZLIB, slot};

/// Headers and lengths that point to no record.
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

/// Wrong compression bytes.
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
