//! Checks that the built-in tables are complete, sorted, and refer only to known names.

use super::*;
use crate::palette::biomes::BiomeTable;
use pixelmap_world::names::{BEDROCK_TABLES, NUMERIC_BIOMES, NUMERIC_BLOCKS};

#[test]
fn the_tables_can_be_read_completely() {
    let blocks = BlockTable::new(BLOCKS);
    assert!(blocks.entries().count() > 1400);

    let rows = |entry: TableEntry<'_>| {
        if let TableEntry::Block(block) = entry {
            1 + block.states().count()
        } else {
            1
        }
    };

    assert_eq!(
        blocks
            .entries()
            .map(|(_, entry)| rows(entry))
            .sum::<usize>(),
        lines(BLOCKS).count()
    );

    assert!(lines(BIOMES).count() > 130);
    assert_eq!(lines(NUMERIC_BLOCKS).count(), 1682);
    assert_eq!(lines(NUMERIC_BIOMES).count(), 87);
}

#[test]
fn names_are_sorted_and_states_follow_their_block() {
    let keys: Vec<&str> = lines(BLOCKS)
        .filter_map(|line| line.split('\t').next())
        .collect();
    let order: Vec<(&str, Option<&str>)> =
        keys.iter().map(|key| split_state(key).unwrap()).collect();
    assert!(order.is_sorted_by(|a, b| a.0 < b.0 || a.0 == b.0 && a.1 < b.1 && b.1.is_some()));
    assert!(
        lines(BIOMES)
            .map(|line| line.split('\t').next())
            .is_sorted()
    );
}

#[test]
fn every_alias_leads_to_block_and_row() {
    let table = BlockTable::new(BLOCKS);
    for (name, entry) in table.entries() {
        let TableEntry::Alias {
            name: target,
            state,
        } = entry
        else {
            continue;
        };

        let (block, _) = table
            .find(name)
            .unwrap_or_else(|| unreachable!("{name} leads to {target}"));
        assert!(
            state.is_empty() || state.contains('='),
            "{name} leads to {target}[{state}]"
        );
        assert_eq!(table.find(target).unwrap().0.row, block.row);
    }

    for name in lines(BIOMES).filter_map(|line| line.split('\t').next()) {
        assert!(
            BUILTIN.tints(&format!("minecraft:{name}")).is_some(),
            "{name}"
        );
    }
}

#[test]
fn every_numeric_id_leads_to_a_known_name() {
    let palette = Palette::builtin();
    for line in lines(NUMERIC_BLOCKS) {
        let (name, state) = split_state(line.split('\t').nth(1).unwrap()).unwrap();
        let paint = palette.paint(name, state.unwrap_or_default());
        assert!(!paint.traits.has(Traits::UNKNOWN), "{line}");
    }

    for line in lines(NUMERIC_BIOMES) {
        assert!(
            palette.tints(line.split('\t').nth(1).unwrap()).is_some(),
            "{line}"
        );
    }
}

#[test]
fn every_bedrock_name_leads_to_a_known_name() {
    let [blocks, _, ids, biomes] = BEDROCK_TABLES;
    assert_eq!(
        [blocks, ids, biomes].map(|table| lines(table).count()),
        [1273, 254, 89]
    );

    let is_known = |name: &str, state: &str| {
        !paint(&format!("minecraft:{name}"), state)
            .traits
            .has(Traits::UNKNOWN)
    };

    let mut translated = BTreeSet::new();
    for (from, to) in lines(blocks).map(|line| line.split_once('\t').unwrap()) {
        let from = split_state(from).unwrap().0;
        translated.insert(from);

        let to = if to.starts_with('[') {
            format!("{from}{to}")
        } else {
            to.to_owned()
        };

        let (name, state) = split_state(&to).unwrap();
        assert!(
            is_known(name, state.unwrap_or_default()),
            "{from} leads to {to}"
        );
    }

    for name in lines(ids).filter_map(|line| line.split('\t').nth(1)) {
        assert!(translated.contains(name) || is_known(name, ""), "{name}");
    }

    for name in lines(biomes).filter_map(|line| line.split('\t').nth(1)) {
        assert!(BUILTIN.tints(name).is_some(), "{name}");
    }

    assert!(
        lines(blocks)
            .map(|line| line.split(['\t', '[']).next())
            .is_sorted()
    );
}

#[test]
fn damaged_lines_of_a_table_are_left_out() {
    let row = "808080\t100\t-\t-\t0";

    let rows = |text: &str| {
        let table = BlockTable::new(text);

        let states = |entry: &TableEntry<'_>| {
            if let TableEntry::Block(block) = entry {
                block.states().count()
            } else {
                0
            }
        };

        table
            .entries()
            .map(|(name, entry)| format!("{name}{} ", states(&entry)))
            .collect::<Vec<_>>()
            .concat()
    };

    assert_eq!(rows(&format!("a\t=b\nb\t{row}\nb[x=1]\t{row}\n")), "a0 b1 ");

    for damaged in [
        "b",
        "b\t808080\t100\t-\t-",
        "b\t808080\t101\t-\t-\t0",
        "b\t808080\t100\tsky\t-\t0",
        "b\t808080\t100\t-\thard\t0",
        "b\t808080\t100\t-\t-\t62",
        "b[x=1]\t808080\t100\t-\t-\t0",
        "b[x\t=c",
        "a[x=1]\t808080\t100\t-\t-\t0",
    ] {
        assert_eq!(
            rows(&format!("a\t=b\n{damaged}\nc\t{row}\n")),
            "a0 c0 ",
            "{damaged}"
        );
    }

    let twice = format!("b\t=c\nb\t=d\nc\t{row}\n");
    assert!(
        BlockTable::new(&twice).find("b").is_some(),
        "the first of two counts"
    );

    assert!(
        BiomeTable::new("a\t010101\t020202\t030303\t040404\nb\t01")
            .find("a")
            .is_some()
    );

    assert!(
        BiomeTable::new("a\t010101\t020202\t030303\t040404\nb\t01")
            .find("b")
            .is_none()
    );
}
