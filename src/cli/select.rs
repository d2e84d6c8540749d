//! The arguments of `pixelmap select`.

use std::path::PathBuf;

use clap::Args;
use pixelmap_draw::Hide;

use super::parse;

const EXAMPLES: &str = "\
Examples:
  pixelmap select world --inhabited-below 5m -o trim.csv      chunks in which players were for less than 5 minutes
  pixelmap select world --inhabited-below 5m --keep-near shops.geojson --distance 200 -o trim.csv
  pixelmap select world --inhabited-below 5m --preview map/markers/trim.geojson    to look at them on a map first
  pixelmap select world --near -512,-512,512,512 -d nether    the chunks of an area of the nether, on standard output

The list is a selection of MCA Selector: open it there with Selection, Import selection, look at it,
and delete or copy the chunks. A line is region x;region z;chunk x;chunk z, or only the region if
all of its chunks are selected. pixelmap itself never changes the world.

Exit codes:
  0  done
  1  the world cannot be read, or a file cannot be written
  2  wrong usage, also a file of markers that cannot be used
  3  done, but some chunks could not be read; they are not selected";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SelectArgs {
    /// A world's name, a world folder of any layout, a dimension folder, a region folder, or a .zip
    /// or tar of a world, or the address of a world (docs/buckets.md)
    #[arg(value_name = "WORLD")]
    pub(crate) world: PathBuf,

    /// Read this dimension [default: the overworld, or the only one of a world without it]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Option<String>,

    /// Select chunks in which all players together were for less than this time: seconds, or 90s,
    /// 5m, 2h, 3d
    #[arg(long, value_name = "TIME", value_parser = parse_time, required_unless_present_any = ["inhabited_above", "near"])]
    pub(crate) inhabited_below: Option<u64>,

    /// Select chunks in which all players together were for at least this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) inhabited_above: Option<u64>,

    /// Select only chunks near these markers, or in this half-open rectangle; may be repeated
    #[arg(long, value_name = "X0,Z0,X1,Z1|FILE", allow_hyphen_values = true, value_parser = parse::hide_parser())]
    pub(crate) near: Vec<Hide>,

    /// Never select chunks near these markers, or in this half-open rectangle; may be repeated
    #[arg(long, value_name = "X0,Z0,X1,Z1|FILE", allow_hyphen_values = true, value_parser = parse::hide_parser())]
    pub(crate) keep_near: Vec<Hide>,

    /// How many blocks from a marker or an area a chunk may be to be near it
    #[arg(long, value_name = "BLOCKS", default_value_t = 0)]
    pub(crate) distance: u32,

    /// The file of the selection, outside the world; -: standard output
    #[arg(short, long, value_name = "FILE.csv", default_value = "-")]
    pub(crate) output: PathBuf,

    /// Also write the selection as areas in GeoJSON, which the page of a map shows: in markers/ of
    /// the map, or as --markers of render
    #[arg(long, value_name = "FILE.geojson")]
    pub(crate) preview: Option<PathBuf>,
}

/// Parses a time in seconds, or with the letter of its unit.
fn parse_time(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.find(|letter: char| !letter.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };

    let factor = match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        "d" => Some(86_400),
        _ => None,
    };

    number
        .parse::<u64>()
        .ok()
        .zip(factor)
        .and_then(|(number, factor)| number.checked_mul(factor))
        .ok_or_else(|| "write seconds, or a number with s, m, h or d, such as 5m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [
            ("0", 0),
            ("90", 90),
            ("90s", 90),
            ("5m", 300),
            ("2h", 7200),
            ("3d", 259_200),
        ] {
            assert_eq!(parse_time(text), Ok(seconds));
        }

        for wrong in [
            "",
            "m",
            "5 m",
            "-5",
            "5w",
            "1.5h",
            "99999999999999999999",
            "9999999999999999d",
        ] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
