//! One line of a waypoint file of Xaero's Minimap, for reading and for writing.
//!
//! A line has fields with colons between them: `waypoint`, name, initials, x, y, z, colour, disabled,
//! type, set, and four fields that newer versions added. Source: the reader of dekrom/xaerotools.

use std::fmt;

/// The first field of the line of a waypoint.
const WAYPOINT: &str = "waypoint";
/// The fewest fields of a line, with the first one. The mod ignores shorter lines.
const MIN_FIELDS: usize = 10;
/// Stands for a colon in a name.
const COLON: &str = "§§";
/// Stands for a height that is not known.
const NO_HEIGHT: &str = "~";
/// The colours of waypoints by their numbers. The first 16 are the ones of texts in the game, and
/// only newer versions of the mod have the others.
const COLOURS: [[u8; 3]; 20] = [
    [0, 0, 0],
    [0, 0, 170],
    [0, 170, 0],
    [0, 170, 170],
    [170, 0, 0],
    [170, 0, 170],
    [255, 170, 0],
    [170, 170, 170],
    [85, 85, 85],
    [85, 85, 255],
    [85, 255, 85],
    [85, 255, 255],
    [255, 85, 85],
    [255, 85, 255],
    [255, 255, 85],
    [255, 255, 255],
    [199, 78, 189],
    [58, 179, 218],
    [128, 199, 31],
    [243, 139, 170],
];
/// The colours that all versions of the mod have.
const OLD_COLOURS: usize = 16;

/// A waypoint of Xaero's Minimap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XaeroWaypoint {
    pub name: String,
    /// The letters that the mod shows on its map.
    pub initials: String,
    pub x: i32,
    /// Absent: the height is not known.
    pub y: Option<i32>,
    pub z: i32,
    /// The number of its colour.
    pub colour: usize,
    /// The name of the list in the mod that has it.
    pub set: String,
}

impl XaeroWaypoint {
    /// Returns whether a line is the one of a waypoint, which may be damaged.
    pub fn is_in(line: &str) -> bool {
        line.split(':').next() == Some(WAYPOINT)
    }

    /// Parses a line without its end; `None`: it is damaged.
    pub fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(':').collect();
        if fields.len() < MIN_FIELDS || fields[0] != WAYPOINT {
            return None;
        }

        let y = match fields[4] {
            NO_HEIGHT => None,
            number => Some(number.parse().ok()?),
        };
        Some(Self {
            name: fields[1].replace(COLON, ":"),
            initials: fields[2].replace(COLON, ":"),
            x: fields[3].parse().ok()?,
            y,
            z: fields[5].parse().ok()?,
            colour: fields[6].parse().ok()?,
            set: fields[9].to_owned(),
        })
    }

    /// Returns the colour. A number without a colour is white.
    pub fn rgb(&self) -> [u8; 3] {
        COLOURS.get(self.colour).copied().unwrap_or([255; 3])
    }

    /// Returns the number of the colour that all versions of the mod have and that is nearest to
    /// this one.
    pub fn nearest_colour([r, g, b]: [u8; 3]) -> usize {
        let distance = |[other_r, other_g, other_b]: [u8; 3]| {
            let along = |one: u8, other: u8| u32::from(one.abs_diff(other)).pow(2);
            along(r, other_r) + along(g, other_g) + along(b, other_b)
        };
        let numbers = 0..OLD_COLOURS;
        numbers
            .min_by_key(|&number| distance(COLOURS[number]))
            .unwrap_or_default()
    }
}

/// Writes the line without its end. The waypoint is enabled, is not a place of a death, and does not
/// turn players who teleport to it.
impl fmt::Display for XaeroWaypoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            x, z, colour, set, ..
        } = self;
        let [name, initials] = [&self.name, &self.initials].map(|text| text.replace(':', COLON));
        let y = match self.y {
            Some(y) => y.to_string(),
            None => NO_HEIGHT.to_owned(),
        };
        write!(
            f,
            "{WAYPOINT}:{name}:{initials}:{x}:{y}:{z}:{colour}:false:0:{set}:false:0:0:false"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_versions_are_parsed() {
        let newest = "waypoint:My§§ base:§§m:-24:64:20999928:19:false:0:Mining:false:0:0:false";
        let fields: Vec<&str> = newest.split(':').collect();
        let expected = XaeroWaypoint {
            name: "My: base".to_owned(),
            initials: ":m".to_owned(),
            x: -24,
            y: Some(64),
            z: 20_999_928,
            colour: 19,
            set: "Mining".to_owned(),
        };

        for count in MIN_FIELDS..=fields.len() {
            let line = fields[..count].join(":");
            assert_eq!(
                XaeroWaypoint::parse(&line),
                Some(expected.clone()),
                "{line}"
            );
        }
        assert_eq!(expected.rgb(), [243, 139, 170]);
        assert_eq!(expected.to_string(), newest);
    }

    #[test]
    fn damaged_lines_are_recognized() {
        for line in [
            "waypoint:a:A:1:64:3:0:false:0",
            "waypoint:a:A:one:64:3:0:false:0:set",
            "waypoint:a:A:1:high:3:0:false:0:set",
            "waypoint:a:A:1:64:3.5:0:false:0:set",
            "waypoint:a:A:1:64:99999999999:0:false:0:set",
            "waypoint:a:A:1:64:3:red:false:0:set",
            "waypoint",
        ] {
            assert!(XaeroWaypoint::is_in(line), "{line}");
            assert_eq!(XaeroWaypoint::parse(line), None, "{line}");
        }
        assert!(!XaeroWaypoint::is_in("waypoints:a"));
    }

    #[test]
    fn heights_may_be_unknown() {
        let line = "waypoint:a:A:1:~:3:25:true:1:set:true:-90:1:true";
        let waypoint = XaeroWaypoint::parse(line).unwrap();
        assert_eq!((waypoint.y, waypoint.rgb()), (None, [255; 3]));
        let written = "waypoint:a:A:1:~:3:25:false:0:set:false:0:0:false";
        assert_eq!(waypoint.to_string(), written);
    }

    #[test]
    fn colours_become_the_nearest_ones() {
        for (colour, number) in [([0, 0, 0], 0), ([250, 250, 90], 14), ([255, 210, 60], 14)] {
            assert_eq!(XaeroWaypoint::nearest_colour(colour), number, "{colour:?}");
        }
        for (number, &colour) in COLOURS.iter().enumerate().take(OLD_COLOURS) {
            assert_eq!(XaeroWaypoint::nearest_colour(colour), number);
        }
    }
}
