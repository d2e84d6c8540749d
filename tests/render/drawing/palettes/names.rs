//! The guessed colours of blocks of mods, compared with the colours that players of these mods
//! expect.

use std::fmt::Write as _;

use pixelmap_paint::palette::{Palette, Tint};

/// Lines of a name, the expected colour or `-` for an invisible block, its source, and the number
/// of columns in which it occurs.
const EXPECTED: &str = include_str!("expected.tsv");

/// The same for 56 of the next 200 names, chosen at random. They were written down before the
/// guesses for them were known.
const CHECKED: &str = include_str!("expected_checks.tsv");

/// The largest distance (CIE 1976) at which two colours are equal enough on a map.
const VISIBLE: f64 = 20.0;

#[test]
fn guessed_colours_are_near_expected_ones() {
    let palette = Palette::builtin();
    for (lines, least) in [(EXPECTED, 139), (CHECKED, 41)] {
        let (met, missed) = compare(&palette, lines);
        assert!(met >= least, "{met} names, not {least}; {missed}");
    }
}

/// Returns the number of names whose guess is within [`VISIBLE`], and a text about the others.
fn compare(palette: &Palette, lines: &str) -> (usize, String) {
    let (mut met, mut columns, mut all, mut missed) = (0, 0, 0, String::new());
    for line in lines.lines().filter(|line| !line.starts_with('#')) {
        let [name, colour, _, count] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };

        let count: u64 = count.parse().unwrap();

        let guess = shown(palette, name);
        let apart = match (guess, colour) {
            (Some(guess), colour) if colour != "-" => distance(guess, super::rgb(colour)),
            (guess, colour) => {
                if guess.is_none() == (colour == "-") {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
        };

        all += count;

        if apart <= VISIBLE {
            met += 1;
            columns += count;
        } else {
            let [r, g, b] = guess.unwrap_or_default();
            writeln!(missed, "{name} {colour} {r:02x}{g:02x}{b:02x} {apart:.0}").unwrap();
        }
    }

    (
        met,
        format!("{columns} of {all} columns; others:\n{missed}"),
    )
}

/// Returns the colour of a block in plains, or `None` if it is not visible.
fn shown(palette: &Palette, name: &str) -> Option<[u8; 3]> {
    let paint = palette.paint(name, "");
    let plains = palette.tints("minecraft:plains").unwrap();
    let tint = match paint.tint {
        Tint::None => [255; 3],
        Tint::Grass => plains.grass,
        Tint::Foliage => plains.foliage,
        Tint::DryFoliage => plains.dry_foliage,
        Tint::Water => plains.water,
    };
    let tinted =
        |channel: usize| (u16::from(paint.rgb[channel]) * u16::from(tint[channel]) / 255) as u8;
    (paint.sixteenths > 0).then(|| [0, 1, 2].map(tinted))
}

fn distance(a: [u8; 3], b: [u8; 3]) -> f64 {
    std::iter::zip(lab(a), lab(b))
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// Converts sRGB to CIE Lab with the white point D65.
fn lab(rgb: [u8; 3]) -> [f64; 3] {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };

    let [r, g, b] = rgb.map(linear);

    let root = |t: f64| {
        if t > 0.008_856 {
            t.cbrt()
        } else {
            7.787 * t + 16.0 / 116.0
        }
    };

    let x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    let y = root(0.2126 * r + 0.7152 * g + 0.0722 * b);
    let z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);

    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}
