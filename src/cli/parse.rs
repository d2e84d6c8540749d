//! Parsers of option values.

use std::io::{self, BufRead};
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use pixelmap_base::coord::{Area, ColumnPos};
use pixelmap_base::json;
use pixelmap_base::time::parse_utc;
use pixelmap_draw::{Hide, Limit, Scale, UnknownBlocks};
use pixelmap_map::atlas::KeepCount;

use super::paths;

/// A named value of an option: its name, its line of help, and the value.
pub(crate) type NamedValue<T> = (&'static str, &'static str, T);

/// Returns a parser that accepts the names of these values.
pub(crate) fn choice_parser<const N: usize, T>(
    values: [NamedValue<T>; N],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = values.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(move |typed| {
        let value = values
            .iter()
            .find(|(name, ..)| *name == typed)
            .map(|&(.., value)| value);
        value.ok_or("no value has this name")
    })
}

/// Parses `X0,Z0,X1,Z1`; the corners may be in any order. A corner inside a block includes it.
pub(crate) fn parse_area(text: &str) -> Result<Area, String> {
    let [x0, z0, x1, z1] = numbers(text).ok_or("give four numbers: X0,Z0,X1,Z1")?;
    let area = Area::from_corners(
        column(x0.min(x1), z0.min(z1)),
        column(x0.max(x1).ceil(), z0.max(z1).ceil()),
    );
    if area.is_empty() {
        Err("the area is empty: both corners have the same x or the same z".to_owned())
    } else {
        Ok(area)
    }
}

/// Returns a parser for `X0,Z0,X1,Z1` or the path of a file.
pub(crate) fn hide_parser() -> impl TypedValueParser<Value = Hide> {
    OsStringValueParser::new().try_map(|typed| match typed.to_str() {
        Some(text) => area_or_file(text),
        None => paths::expanded(typed.into()).map(Hide::File),
    })
}

fn area_or_file(text: &str) -> Result<Hide, String> {
    // Numbers with commas are always meant as a rectangle, so a wrong count is an error and not the
    // name of a file.
    if text.split(',').count() > 1
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || ",-+. ".contains(c))
    {
        return parse_area(text).map(Hide::Area);
    }

    paths::expanded(text.into()).map(Hide::File)
}

/// Columns that `diff` ignores: a rectangle, or the rectangles in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IgnoredArea {
    Of(Area),
    File(PathBuf),
}

/// Parses `X0,Z0,X1,Z1`, or the path of a file with such rectangles.
pub(crate) fn parse_ignored(text: &str) -> Result<IgnoredArea, String> {
    Ok(match area_or_file(text)? {
        Hide::Area(area) => IgnoredArea::Of(area),
        Hide::File(path) => IgnoredArea::File(path),
    })
}

/// Parses the rectangles of a file: one per line. `#` begins a comment.
pub(crate) fn parse_rectangles(text: &str) -> Result<Vec<Area>, String> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    let lines = lines.enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(index, line)| {
            parse_area(line).map_err(|error| format!("line {}: {error}", index + 1))
        })
        .collect()
}

/// Parses `X,Z`.
pub(crate) fn parse_column(text: &str) -> Result<ColumnPos, String> {
    let [x, z] = numbers(text).ok_or("give two numbers: X,Z")?;
    Ok(column(x, z))
}

/// Returns the column that contains a position.
fn column(x: f64, z: f64) -> ColumnPos {
    ColumnPos {
        x: x.floor() as i32,
        z: z.floor() as i32,
    }
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|number| coordinate(number.trim()))
        .collect();
    numbers?.try_into().ok()
}

/// Parses a coordinate: a whole number, or a decimal as the game copies it.
fn coordinate(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let number: f64 = if is_plain {
        text.parse().ok()?
    } else {
        return None;
    };

    let is_block = number.floor() >= f64::from(i32::MIN) && number.ceil() <= f64::from(i32::MAX);
    is_block.then_some(number)
}

/// Parses a scale from `1/256` to `16`.
pub(crate) fn parse_scale(text: &str) -> Result<Scale, String> {
    Scale::parse(text)
        .ok_or_else(|| "give a power of two from 1/256 to 16, such as 1/8, 0.5 or 2".to_owned())
}

/// Parses `WxH`, in pixels.
pub(crate) fn parse_sides(text: &str) -> Result<(u32, u32), String> {
    text.split_once(['x', 'X'])
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)))
        .filter(|&(width, height)| width > 0 && height > 0)
        .ok_or_else(|| "give width and height in pixels, such as 1920x1080".to_owned())
}

/// Parses frames per second.
pub(crate) fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text
        .parse()
        .ok()
        .filter(|rate| (0.01..=50.0).contains(rate));
    rate.ok_or_else(|| "give frames per second, from 0.01 to 50, such as 4 or 0.5".to_owned())
}

/// Parses a colour `rrggbb`.
pub(crate) fn parse_colour(text: &str) -> Result<[u8; 3], String> {
    match text.parse() {
        Ok(UnknownBlocks::Colour(colour)) => Ok(colour),
        _ => Err("give a colour of six hexadecimal digits, such as 1e2a38".to_owned()),
    }
}

/// Parses `auto`, `hide` or a colour `rrggbb`.
pub(crate) fn parse_unknown(text: &str) -> Result<UnknownBlocks, String> {
    text.parse()
}

/// Parses a count `N` or a share `P%`.
pub(crate) fn parse_limit(text: &str) -> Result<Limit, String> {
    let limit = match text.strip_suffix('%') {
        Some(percent) => percent
            .trim()
            .parse()
            .ok()
            .filter(|percent| (0.0..=100.0).contains(percent))
            .map(Limit::Percent),
        None => text.parse().ok().map(Limit::Count),
    };

    limit.ok_or_else(|| "give a whole number, or a share such as 5%".to_owned())
}

/// Parses the positions of `query`: each is a pair of words `X Z`, or one word `X,Z`.
pub(crate) fn parse_positions<'a>(
    words: impl Iterator<Item = &'a str>,
) -> Result<Vec<ColumnPos>, String> {
    let mut words = words.map(str::trim);
    let mut columns = Vec::new();
    while let Some(first) = words.next() {
        // The comma may be followed by a space, so that X and Z are two words.
        let x = first.strip_suffix(',').unwrap_or(first);
        if x.contains(',') {
            columns.push(parse_column(x).map_err(|_| not_a_position(first))?);
            continue;
        }

        let x = coordinate(x).ok_or_else(|| not_a_position(first))?;
        let second = words
            .next()
            .ok_or_else(|| format!("the position {first} has only X: add Z"))?;
        let z = coordinate(second).ok_or_else(|| not_a_position(&format!("{first} {second}")))?;
        columns.push(column(x, z));
    }

    Ok(columns)
}

fn not_a_position(words: &str) -> String {
    format!("{words} is not a position: give X Z or X,Z, such as -3 17 or -3,17")
}

/// The maximum length of a line with a position, in bytes.
const MAX_LINE: u64 = 1000;

/// Reads the positions of `query`: lines of `X Z` or `X,Z`; empty lines are ignored. Reads line by
/// line, because the input may have any length. Accepts a byte order mark and UTF-16, because
/// PowerShell writes both.
///
/// # Errors
/// The outer result fails if the input cannot be read. The inner one fails if a line is not a
/// position.
pub(crate) fn parse_lines(mut input: impl BufRead) -> io::Result<Result<Vec<ColumnPos>, String>> {
    let mut columns = Vec::new();
    let mut line = Vec::new();
    let mut is_utf16 = false;
    for number in 1.. {
        line.clear();

        if io::Read::take(&mut input, MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }

        if number == 1 {
            is_utf16 = line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff");
            let mark = if is_utf16 {
                2
            } else {
                3 * usize::from(line.starts_with("\u{feff}".as_bytes()))
            };
            line.drain(..mark);
        }

        if is_utf16 {
            // Positions are ASCII, and UTF-16 stores each ASCII letter with a zero byte.
            line.retain(|&byte| byte != 0);
        }

        let is_whole = line.ends_with(b"\n") || (line.len() as u64) < MAX_LINE;
        match parse_positions(String::from_utf8_lossy(&line).split_whitespace()).as_deref() {
            Ok([]) if is_whole => {}
            Ok(&[column]) if is_whole => columns.push(column),
            _ => {
                return Ok(Err(format!(
                    "line {number} of standard input is not a position: give X Z or X,Z"
                )));
            }
        }
    }

    Ok(Ok(columns))
}

/// Parses the address of a folder on a host. The result ends with a slash, so that names of files
/// can be appended.
pub(super) fn parse_url(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
        .unwrap_or_default();

    if host.is_empty()
        || host.starts_with('/')
        || text.contains(|c: char| c.is_whitespace() || "?#\"<>".contains(c))
    {
        return Err("give the address of a folder, such as https://example.org/map/".to_owned());
    }

    let folder = text.strip_suffix("index.html").unwrap_or(text);
    Ok(format!("{}/", folder.trim_end_matches('/')))
}

/// Parses a time in UTC as people write it. Returns the start of that day or minute, in seconds
/// since 1970.
pub(super) fn parse_time(text: &str) -> Result<i64, String> {
    let span = parse_utc(text).ok_or("give a time in UTC, as 2026-05-01 or 2026-05-01T12:00")?;
    Ok(span.first_second)
}

/// Parses the number of moments that a rule keeps.
pub(super) fn parse_keep_count(text: &str) -> Result<KeepCount, String> {
    match text.parse() {
        _ if text == "unlimited" => Ok(KeepCount::Unlimited),
        Ok(count) => Ok(KeepCount::Most(count)),
        Err(_) => Err("give a number, or unlimited".to_owned()),
    }
}

/// Parses a span of time such as `2y5m7d3h`. Returns seconds.
pub(super) fn parse_span(text: &str) -> Result<i64, String> {
    seconds(text).ok_or_else(|| "give years, months, days and hours, as 30d or 2y5m7d3h".to_owned())
}

fn seconds(text: &str) -> Option<i64> {
    if text.is_empty() {
        return None;
    }

    let mut seconds: i64 = 0;
    let mut number = None;
    for c in text.chars() {
        let unit: i64 = match c {
            'y' => 365 * 24,
            'm' => 30 * 24,
            'd' => 24,
            'h' => 1,
            _ => {
                let digit = i64::from(c.to_digit(10)?);
                number = Some(
                    number
                        .unwrap_or(0_i64)
                        .saturating_mul(10)
                        .saturating_add(digit),
                );
                continue;
            }
        };

        let hours = number.take()?.saturating_mul(unit);
        seconds = seconds.saturating_add(hours.saturating_mul(3600));
    }

    number.is_none().then_some(seconds)
}

/// Parses the label of a moment. A label must differ from a time and an offset and must not contain
/// `@`, because users write it after `MAP@`.
pub(super) fn parse_label(text: &str) -> Result<String, String> {
    let is_label = !text.is_empty() && !text.starts_with('-') && parse_utc(text).is_none();
    if is_label && !text.contains(|c: char| c == '@' || json::is_obeyed(c)) {
        return Ok(text.to_owned());
    }
    Err("give a text without @ that is not a time and does not begin with -".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keep_options_take_a_count_or_a_span() {
        assert_eq!(parse_keep_count("7"), Ok(KeepCount::Most(7)));
        assert_eq!(parse_keep_count("unlimited"), Ok(KeepCount::Unlimited));
        assert!(parse_keep_count("-1").is_err() && parse_keep_count("").is_err());

        for (text, hours) in [
            ("30d", 30 * 24),
            ("2y5m7d3h", 2 * 365 * 24 + 5 * 30 * 24 + 7 * 24 + 3),
            ("1h1h", 2),
        ] {
            assert_eq!(parse_span(text), Ok(hours * 3600), "{text}");
        }

        assert!(parse_span("99999999999999999999y").is_ok_and(|seconds| seconds == i64::MAX));

        for wrong in ["", "30", "d", "1w", "1d2", "-1d"] {
            assert!(parse_span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_label_differs_from_times_and_offsets() {
        assert_eq!(
            parse_label("after the flood"),
            Ok("after the flood".to_owned())
        );

        for wrong in ["", "-3", "a@b", "2026-05-01", "a\nb"] {
            assert!(parse_label(wrong).is_err(), "{wrong}");
        }

        assert_eq!(parse_time("1970-01-02T01:00"), Ok(90_000));
        assert!(parse_time("yesterday").is_err());
    }

    #[test]
    fn corners_may_come_in_any_order() {
        assert_eq!(
            parse_area("512,-16, -512,16").unwrap(),
            Area {
                x0: -512,
                z0: -16,
                x1: 512,
                z1: 16
            }
        );

        assert_eq!(
            parse_area("10.5,-0.5,0.5,7").unwrap(),
            Area {
                x0: 0,
                z0: -1,
                x1: 11,
                z1: 7
            },
            "each block that the rectangle touches"
        );

        assert!(
            parse_area("1,2,3").is_err()
                && parse_area("1,2,1,9").is_err()
                && parse_area("a,b,c,d").is_err()
        );
    }

    #[test]
    fn decimals_mean_the_block_around_them() {
        assert_eq!(parse_column("0.5,-0.5"), Ok(ColumnPos { x: 0, z: -1 }));
        let words = ["0.5", "-0.5", "12.000,", "-7.999", "-1.5,3."];
        assert_eq!(
            parse_positions(words.into_iter()),
            Ok([(0, -1), (12, -8), (-2, 3)]
                .map(|(x, z)| ColumnPos { x, z })
                .to_vec())
        );

        for wrong in [
            "1e5,0",
            "nan,0",
            "inf,0",
            ".,0",
            "1.2.3,0",
            "2147483647.5,0",
        ] {
            assert!(parse_column(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hide_takes_a_rectangle_or_a_file() {
        let rectangle = Area {
            x0: -32,
            z0: 0,
            x1: 16,
            z1: 48,
        };
        assert_eq!(area_or_file("16,48,-32,0"), Ok(Hide::Area(rectangle)));

        for wrong in ["1,2,3", "1,2,3,4.5.6", "1,2,1,9", "1,2,3,99999999999"] {
            assert!(area_or_file(wrong).is_err(), "{wrong}");
        }

        for file in ["base.geojson", "1,2,3,4.json", "12"] {
            assert_eq!(area_or_file(file), Ok(Hide::File(file.into())));
        }
    }

    #[test]
    fn ignored_rectangles_are_one_per_line() {
        let text = "# the clock\n-8,-8, 8,8\n\n16,0,0,16  # the farm\r\n";
        let clock = Area {
            x0: -8,
            z0: -8,
            x1: 8,
            z1: 8,
        };

        let farm = Area {
            x0: 0,
            z0: 0,
            x1: 16,
            z1: 16,
        };

        assert_eq!(parse_rectangles(text), Ok(vec![clock, farm]));
        assert!(
            parse_rectangles("1,2,3,4\n1,2,3\n")
                .unwrap_err()
                .starts_with("line 2: ")
        );

        assert_eq!(
            parse_ignored("clock.txt"),
            Ok(IgnoredArea::File("clock.txt".into()))
        );
        assert!(parse_ignored("1,2,3").is_err());
    }

    #[test]
    fn limits_are_counts_or_shares() {
        assert_eq!(parse_limit("7"), Ok(Limit::Count(7)));
        assert_eq!(parse_limit("2.5%"), Ok(Limit::Percent(2.5)));
        assert!(
            parse_limit("-1").is_err() && parse_limit("101%").is_err() && parse_limit("x").is_err()
        );
    }

    #[test]
    fn unknown_takes_auto_hide_or_a_colour() {
        assert_eq!(
            [parse_unknown("auto"), parse_unknown("hide")],
            [Ok(UnknownBlocks::Auto), Ok(UnknownBlocks::Hide)]
        );
        assert_eq!(
            [parse_unknown("ff00a0"), parse_unknown("#FF00A0")],
            [0, 1].map(|_| Ok(UnknownBlocks::Colour([255, 0, 160])))
        );

        assert!(
            parse_unknown("pink").is_err()
                && parse_unknown("fff").is_err()
                && parse_unknown("").is_err()
        );
    }

    #[test]
    fn positions_may_follow_a_byte_order_mark() {
        let inputs: [&[u8]; 3] = [
            b"\xef\xbb\xbf1 2\n3 4",
            b"\xff\xfe1\0 \x002\0\n\x003\0 \x004\0",
            b"\xfe\xff\x001\0 \x002\0\n\x003\0 \x004",
        ];
        for input in inputs {
            assert_eq!(
                parse_lines(input).unwrap().unwrap(),
                [ColumnPos { x: 1, z: 2 }, ColumnPos { x: 3, z: 4 }]
            );
        }
    }

    #[test]
    fn a_malformed_line_is_named() {
        let lines = |text: &str| parse_lines(text.as_bytes()).unwrap();
        assert_eq!(
            lines("1 2\n\n -3\t4 \n").unwrap(),
            [ColumnPos { x: 1, z: 2 }, ColumnPos { x: -3, z: 4 }]
        );
        assert!(lines("1 2\n3\n").unwrap_err().contains("line 2"));
        assert!(lines("1 2 3").is_err() && lines("1 x").is_err() && lines("1,2 3,4").is_err());

        let long = |blanks: usize| lines(&format!("1 2{}\n3 4", " ".repeat(blanks)));
        assert_eq!(long(900).unwrap().len(), 2);
        assert!(
            long(1000).unwrap_err().contains("line 1 "),
            "a line has a bound"
        );
    }

    #[test]
    fn positions_are_pairs_or_joined_by_a_comma() {
        let of = |text: &str| {
            parse_positions(text.split(' '))
                .map(|found| found.iter().map(|c| (c.x, c.z)).collect::<Vec<_>>())
        };

        assert_eq!(
            of("-3 17 5,-6 7 8 -9,-10"),
            Ok(vec![(-3, 17), (5, -6), (7, 8), (-9, -10)])
        );
        assert_eq!(of("1, 2"), Ok(vec![(1, 2)]));

        for wrong in [
            "1", "1 2 3", "1 2,3 4", "1,2,3", "1,", ",2", "x,1", "1 x", "1,,2",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
