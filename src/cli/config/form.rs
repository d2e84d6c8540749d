//! Describes the types of the options' values, with examples, for the JSON Schema and the example
//! file.
//!
//! It does not repeat the rules of the parsers: the program checks ranges of numbers and the form
//! of texts.

use std::any::TypeId;

use clap::Arg;

use super::keys::key;

/// The types of an option's values, and an example.
pub(super) struct OptionForm {
    key: &'static str,
    /// Whether a file may hold a number without quotes in place of a text.
    pub(super) takes_numbers: bool,
    /// An example of a value.
    pub(super) example: &'static str,
}

/// The options whose values are neither whole numbers nor one of a few names.
#[rustfmt::skip]
const FORMS: &[OptionForm] = &[
    text("area", "-512,-512,512,512"),
    text_or_number("assets", "mods/"),
    text("at", "2025-01-01"),
    text_or_number("background", "1e2a38"),
    text("center", "-3,17"),
    text_or_number("changed-list", "changed.txt"),
    text_or_number("deleted-list", "deleted.txt"),
    text_or_number("description", "The world of our server, drawn every night"),
    text_or_number("dimension", "overworld"),
    text_or_number("find", "minecraft:spawner,*_bed"),
    text("fit", "2560x1440"),
    text_or_number("hide", "480,-96,560,-32"),
    text_or_number("icons", "icons/"),
    text_or_number("label", "after the flood"),
    text_or_number("markers", "shops.geojson"),
    text_or_number("max-bad-chunks", "5%"),
    text_or_number("max-removed", "50%"),
    text_or_number("allow-gaps", "10"),
    text_or_number("output", "map"),
    text_or_number("palette", "mods.tsv"),
    text_or_number("report", "report.json"),
    text_or_number("scale", "1/4"),
    text("shard", "3/16"),
    text_or_number("signs", "(?i)shop|market"),
    text("time", "2026-05-01"),
    text_or_number("title", "Our world"),
    text_or_number("unknown", "auto"),
    text("url", "https://example.org/map/"),
];

const fn text(key: &'static str, example: &'static str) -> OptionForm {
    OptionForm {
        key,
        takes_numbers: false,
        example,
    }
}

const fn text_or_number(key: &'static str, example: &'static str) -> OptionForm {
    OptionForm {
        key,
        takes_numbers: true,
        example,
    }
}

/// Returns the form of an option's values, or `None` if they are whole numbers or names.
pub(super) fn find(option: &Arg) -> Option<&'static OptionForm> {
    FORMS.iter().find(|form| form.key == key(option))
}

/// Returns whether the values of an option are whole numbers.
pub(super) fn is_whole_number(option: &Arg) -> bool {
    let signed = [TypeId::of::<i32>(), TypeId::of::<i64>()];
    is_unsigned(option) || has_type(option, &signed)
}

/// Returns whether the values of an option are whole numbers that are not negative.
pub(super) fn is_unsigned(option: &Arg) -> bool {
    let unsigned = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ];
    has_type(option, &unsigned)
}

fn has_type(option: &Arg, types: &[TypeId]) -> bool {
    let value = option.get_value_parser().type_id();
    types.iter().any(|number| value == *number)
}
