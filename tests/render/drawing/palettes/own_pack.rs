//! Tests the resolver with a pack made from the built-in table: a model and a flat texture for
//! every row. The resolver must get every colour, coverage, tint, flag, state and map colour back
//! from it.

#![allow(clippy::disallowed_methods, reason = "a test writes a pack")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use pixelmap_paint::palette::resolver::{
    Assets, BUILT_IN_RULES, Registry, Rules, TableSources, generate,
};

const TABLE: &str = include_str!("../../../../crates/paint/src/palette/blocks.tsv");

/// A row of the table: its state, colour, coverage in percent, and whether a biome tints it.
struct Row<'a> {
    state: &'a str,
    rgb: [u8; 3],
    coverage: u32,
    tinted: bool,
}

/// The rows of each block.
fn rows() -> BTreeMap<&'static str, Vec<Row<'static>>> {
    let mut rows: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for line in TABLE
        .lines()
        .filter(|line| !line.starts_with('#') && !line.contains("\t="))
    {
        let columns: Vec<&str> = line.split('\t').collect();
        let (name, state) = columns[0].split_once('[').unwrap_or((columns[0], ""));
        let [_, r, g, b] = u32::from_str_radix(columns[1], 16).unwrap().to_be_bytes();
        let row = Row {
            state: state.trim_end_matches(']'),
            rgb: [r, g, b],
            coverage: columns[2].parse().unwrap(),
            tinted: columns[3] != "-",
        };
        rows.entry(name).or_default().push(row);
    }

    rows
}

/// The constant with which a rule multiplies the colour of a row.
fn times(name: &str, state: &str) -> Option<[u8; 3]> {
    let key = if state.is_empty() {
        name.to_owned()
    } else {
        format!("{name}[{state}]")
    };

    let of = |key: &str| {
        let line = BUILT_IN_RULES
            .lines()
            .find_map(|line| line.strip_prefix(&format!("times\t{key}\t")))?;
        let [_, r, g, b] = u32::from_str_radix(line, 16).unwrap().to_be_bytes();
        Some([r, g, b])
    };

    of(&key).or_else(|| of(name))
}

/// A colour that becomes `rgb` once it is multiplied.
fn before(rgb: [u8; 3], times: [u8; 3]) -> [u8; 3] {
    std::array::from_fn(|c| {
        let becomes = |value: u32| (value * u32::from(times[c]) + 127) / 255 == u32::from(rgb[c]);
        (0..=255).find(|&value| becomes(value)).unwrap_or_default() as u8
    })
}

/// A texture of 16 by 16 pixels of this colour. The number of opaque pixels gives the coverage.
fn texture(rgb: [u8; 3], coverage: u32) -> Vec<u8> {
    let opaque = (coverage * 256).div_ceil(100).min(256) as usize;
    let pixels =
        (0..256).flat_map(|at| [rgb[0], rgb[1], rgb[2], if at < opaque { 255 } else { 0 }]);
    super::png_texture(&pixels.collect::<Vec<u8>>())
}

/// The values that the properties of these states have in the block's own row.
fn calm(states: &BTreeSet<&str>) -> String {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (property, value) in states
        .iter()
        .flat_map(|state| state.split(','))
        .filter_map(|pair| pair.split_once('='))
    {
        values.entry(property).or_default().insert(value);
    }

    let of = |(property, used): (&&str, &BTreeSet<&str>)| {
        let value = match *property {
            "axis" => "y",
            "facing" => "north",
            _ if used.contains("false") => "true",
            _ if used.iter().any(|value| value.parse::<u32>().is_ok()) => "0",
            _ => "false",
        };
        format!("{property}={value}")
    };

    values.iter().map(of).collect::<Vec<_>>().join(",")
}

fn write_pack(path: &Path) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    let mut put = |name: String, bytes: &[u8]| {
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        zip.start_file(format!("assets/minecraft/{name}"), stored)
            .unwrap();
        zip.write_all(bytes).unwrap();
    };

    for (name, rows) in rows() {
        let mut variants = String::new();
        for (number, row) in rows.iter().enumerate() {
            let states: BTreeSet<&str> = rows
                .iter()
                .map(|row| row.state)
                .filter(|state| !state.is_empty())
                .collect();

            let key = if number == 0 {
                calm(&states)
            } else {
                row.state.to_owned()
            };

            // The resolver uses a name without a number for shulker boxes.
            let model = if number == 0 {
                name.to_owned()
            } else {
                format!("{name}_{number}")
            };

            let comma = if number == 0 { "" } else { ", " };
            let _ = write!(variants, r#"{comma}"{key}": {{"model": "block/{model}"}}"#);

            let tint = if row.tinted || times(name, row.state).is_some() {
                r#", "tintindex": 0"#
            } else {
                ""
            };

            let json = format!(
                r##"{{"textures": {{"top": "block/{model}"}}, "elements": [{{"from": [0, 0, 0], "to": [16, 16, 16],
                    "faces": {{"up": {{"texture": "#top"{tint}}}}}}}]}}"##
            );
            put(format!("models/block/{model}.json"), json.as_bytes());
            let rgb = times(name, row.state).map_or(row.rgb, |times| before(row.rgb, times));
            put(
                format!("textures/block/{model}.png"),
                &texture(rgb, row.coverage.max(1)),
            );
        }

        put(
            format!("blockstates/{name}.json"),
            format!(r#"{{"variants": {{{variants}}}}}"#).as_bytes(),
        );
    }

    zip.finish().unwrap();
}

#[test]
fn a_pack_reproduces_the_built_in_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.zip");
    write_pack(&path);

    let sources = TableSources {
        assets: Assets::open(&[path]).unwrap(),
        registry: Registry::builtin(),
        rules: Rules::parse("rules.tsv", BUILT_IN_RULES).unwrap(),
    };
    let made = generate(&sources).unwrap();
    assert_eq!(made.problems, Vec::<String>::new());

    let made: BTreeSet<&str> = made.text.lines().collect();
    let kept: BTreeSet<&str> = TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert!(kept.len() > 1600, "{}", kept.len());

    let differing: Vec<_> = made.symmetric_difference(&kept).collect();
    assert!(
        differing.is_empty(),
        "{} lines are not in both: {differing:#?}",
        differing.len()
    );
}
