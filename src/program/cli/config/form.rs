//! Describes the values of those options whose parsers clap cannot describe, for the JSON Schema
//! and the example file.
//!
//! `FORMS` lists patterns and examples by hand. The ranges of numbers are found by trying values
//! with the option's own parser.

use clap::{Arg, Command};

use super::keys::key;

/// The form of an option's values, and an example.
pub(super) struct Form {
    key: &'static str,
    /// The pattern of JSON Schema for texts; empty if the option accepts any text.
    pub(super) pattern: &'static str,
    /// The JSON Schema of the numbers that may be written without quotes; empty if numbers must be
    /// quoted or are not accepted.
    pub(super) numbers: &'static str,
    /// An example of a value.
    pub(super) example: &'static str,
}

const ANY_TEXT: &str = "";
const NO_NUMBER: &str = "";
const ANY_NUMBER: &str = r#"{"type": "number"}"#;
const COUNT: &str = r#"{"type": "integer", "minimum": 0}"#;
/// Labels that are numbers. They are never negative, because a label must not begin with `-`.
const POSITIVE: &str = r#"{"type": "number", "minimum": 0}"#;
const SCALES: &str = r#"{"enum": [1, 2, 4, 8, 16, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]}"#;
/// Colours whose six digits are all from 0 to 9, so that they can be written as numbers.
const COLOURS: &str = r#"{"type": "integer", "minimum": 100000, "maximum": 999999}"#;

const FORMS: &[Form] = &[
    form(
        "area",
        r"^(all|\s*[-+]?\d{1,10}(\.\d*)?\s*(,\s*[-+]?\d{1,10}(\.\d*)?\s*){3})$",
        NO_NUMBER,
        "-512,-512,512,512",
    ),
    form("assets", r"^[\s\S]+$", ANY_NUMBER, "mods/"),
    form("background", "^#?[0-9a-fA-F]{6}$", COLOURS, "1e2a38"),
    form(
        "center",
        r"^\s*[-+]?\d{1,10}(\.\d*)?\s*,\s*[-+]?\d{1,10}(\.\d*)?\s*$",
        NO_NUMBER,
        "-3,17",
    ),
    form("changed-list", r"^[\s\S]+$", ANY_NUMBER, "changed.txt"),
    form("deleted-list", r"^[\s\S]+$", ANY_NUMBER, "deleted.txt"),
    form(
        "description",
        ANY_TEXT,
        ANY_NUMBER,
        "The world of our server, drawn every night",
    ),
    form("dimension", ANY_TEXT, ANY_NUMBER, "overworld"),
    form("find", BLOCKS, ANY_NUMBER, "minecraft:spawner,*_bed"),
    form(
        "fit",
        r"^\+?0*[1-9]\d{0,9}[xX]\+?0*[1-9]\d{0,9}$",
        NO_NUMBER,
        "2560x1440",
    ),
    // Numbers with commas must be a rectangle: they are never read as the name of a file.
    form(
        "hide",
        r"^(\s*[-+]?\d{1,10}(\.\d*)?\s*(,\s*[-+]?\d{1,10}(\.\d*)?\s*){3}|(?![-+0-9., ]*,[-+0-9., ]*$)[\s\S]*)$",
        ANY_NUMBER,
        "480,-96,560,-32",
    ),
    // A label must not look like a time, because after `MAP@` it would be read as one.
    form(
        "label",
        r"^(?!-)(?!\d{4}-\d\d-\d\d(T[\d:]+Z?)?$)[^@\u0000-\u001f\u007f-\u009f]+$",
        POSITIVE,
        "after the flood",
    ),
    form("markers", r"^[\s\S]+$", ANY_NUMBER, "shops.geojson"),
    form("max-bad-chunks", LIMIT, COUNT, "5%"),
    form("max-removed", LIMIT, COUNT, "50%"),
    form("allow-gaps", LIMIT, COUNT, "10"),
    form("output", r"^[\s\S]+$", ANY_NUMBER, "map"),
    form("palette", r"^[\s\S]+$", ANY_NUMBER, "mods.tsv"),
    form("report", r"^[\s\S]+$", ANY_NUMBER, "report.json"),
    form(
        "scale",
        r"^(1/\+?0*(1|2|4|8|16|32|64|128|256)|\+?0*(1|2|4|8|16)(\.0*)?|\+?0*\.(5|25|125|0625|03125|015625|0078125|00390625)0*)$",
        SCALES,
        "1/4",
    ),
    form(
        "shard",
        r"^(\+?0*[1-9]\d*/\+?0*[1-9]\d*|slurm|(slurm|k8s)/\+?\d+)$",
        NO_NUMBER,
        "3/16",
    ),
    form("signs", ANY_TEXT, ANY_NUMBER, "(?i)shop|market"),
    form(
        "time",
        r"^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?Z?)?$",
        NO_NUMBER,
        "2026-05-01",
    ),
    form("title", ANY_TEXT, ANY_NUMBER, "Our world"),
    form("unknown", "^(auto|hide|#?[0-9a-fA-F]{6})$", COLOURS, "auto"),
    form(
        "url",
        r#"^https?://[^/\s?#"<>][^\s?#"<>]*$"#,
        NO_NUMBER,
        "https://example.org/map/",
    ),
];

/// Names of blocks, separated by commas, with at most 256 letters each.
const BLOCKS: &str = r#"^[^\s\[\]{}=,#"']{1,256}(,[^\s\[\]{}=,#"']{1,256})*$"#;

/// A count, or a share in percent.
const LIMIT: &str = r"^(\+?\d{1,20}|\s*(100(\.0*)?|0*\d{1,2}(\.\d*)?|\.\d+)\s*%)$";

const fn form(
    key: &'static str,
    pattern: &'static str,
    numbers: &'static str,
    example: &'static str,
) -> Form {
    Form {
        key,
        pattern,
        numbers,
        example,
    }
}

/// Returns the form of an option's values, or `None` if the option is not in the list because clap
/// can describe it.
pub(super) fn find(option: &Arg) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.key == key(option))
}

/// Returns the smallest and largest whole number that an option accepts. Returns `None` if it
/// accepts no number or also other texts, or if its values have a listed form.
pub(super) fn range(option: &Arg) -> Option<(i64, i64)> {
    let is_number = find(option).is_none() && accepts(option, "1") && !accepts(option, "one");
    is_number.then(|| (last_taken(option, i64::MIN), last_taken(option, i64::MAX)))
}

/// Returns the last number between 1 and `end` that an option accepts, by bisection. The accepted
/// numbers must be one range that contains 1.
fn last_taken(option: &Arg, end: i64) -> i64 {
    if accepts(option, &end.to_string()) {
        return end;
    }

    let (mut taken, mut refused) = (1_i128, i128::from(end));
    while taken.abs_diff(refused) > 1 {
        let middle = i128::midpoint(taken, refused);
        if accepts(option, &middle.to_string()) {
            taken = middle
        } else {
            refused = middle
        }
    }

    i64::try_from(taken).unwrap_or(end)
}

/// Returns whether an option accepts a value, regardless of other options.
pub(super) fn accepts(option: &Arg, value: &str) -> bool {
    let alone = Arg::new("option")
        .long("option")
        .value_parser(option.get_value_parser().clone());
    Command::new("alone")
        .arg(alone)
        .try_get_matches_from(["alone".to_owned(), format!("--option={value}")])
        .is_ok()
}
