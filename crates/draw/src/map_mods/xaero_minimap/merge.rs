//! Merges our waypoints with the file of a player.
//!
//! All of our waypoints are in one set. Only the lines of this set are replaced, and its name is
//! added to the list of sets. Every other line keeps its bytes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pixelmap_world::internal::XaeroWaypoint;

/// The set of our waypoints.
pub(super) const SET: &str = "pixelmap";
/// The set that every player has.
const USUAL_SET: &str = "gui.xaero_default";
/// The start of the line that lists the names of all sets.
const SETS: &str = "sets:";
/// The comment with which the mod explains the fields of a waypoint.
const COMMENT: [&str; 3] = [
    "#",
    concat!(
        "#waypoint:name:initials:x:y:z:color:disabled:type:set:",
        "rotate_on_tp:tp_yaw:visibility_type:destination"
    ),
    "#",
];

/// A merged file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MergedFile {
    pub(super) bytes: Vec<u8>,
    /// The number of our waypoints in the file.
    pub(super) waypoints: usize,
}

/// Replaces our waypoints in the bytes of a file, which may be empty. Leaves out the ones that the
/// player has in another set.
pub(super) fn merge(file: &[u8], ours: &[XaeroWaypoint]) -> MergedFile {
    let lines: Vec<&[u8]> = file.split_inclusive(|&byte| byte == b'\n').collect();
    let end = line_end(&lines);
    let kept: Vec<&[u8]> = lines
        .iter()
        .copied()
        .filter(|line| !is_ours(line))
        .collect();

    let theirs = places(&kept);
    let mut added = Vec::new();
    for waypoint in ours {
        if !theirs.contains(&place(waypoint)) {
            added.push(waypoint.to_string());
        }
    }

    let mut bytes = if added.is_empty() {
        kept.concat()
    } else {
        with_set(&kept, end)
    };
    if !added.is_empty() && !bytes.ends_with(b"\n") {
        bytes.extend_from_slice(end);
    }
    for line in &added {
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(end);
    }

    MergedFile {
        bytes,
        waypoints: added.len(),
    }
}

/// Returns the bytes of these lines, whose list of sets has ours.
fn with_set(lines: &[&[u8]], end: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let list = lines.iter().position(|line| text(line).starts_with(SETS));
    if list.is_none() {
        bytes.extend_from_slice(format!("{SETS}{USUAL_SET}:{SET}").as_bytes());
        bytes.extend_from_slice(end);
    }
    if lines.is_empty() {
        for line in COMMENT {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(end);
        }
    }

    let has_set = lines.iter().any(|line| lists_set(line));
    for (number, line) in lines.iter().enumerate() {
        if has_set || list != Some(number) {
            bytes.extend_from_slice(line);
            continue;
        }

        let (content, end) = line.split_at(content_len(line));
        bytes.extend_from_slice(content);
        bytes.extend_from_slice(format!(":{SET}").as_bytes());
        bytes.extend_from_slice(end);
    }

    bytes
}

/// Returns the end of a line that the file uses.
fn line_end(lines: &[&[u8]]) -> &'static [u8] {
    let uses_both = lines.first().is_some_and(|line| line.ends_with(b"\r\n"));
    if uses_both { b"\r\n" } else { b"\n" }
}

/// Returns the number of bytes of a line without its end.
fn content_len(line: &[u8]) -> usize {
    let without = line.strip_suffix(b"\n").unwrap_or(line);
    without.strip_suffix(b"\r").unwrap_or(without).len()
}

/// Returns the text of a line without its end.
fn text(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&line[..content_len(line)])
}

/// Returns whether a line lists the names of sets, and ours is one of them.
fn lists_set(line: &[u8]) -> bool {
    let text = text(line);
    let names = text.strip_prefix(SETS);
    names.is_some_and(|names| names.split(':').any(|name| name == SET))
}

/// Returns whether a line is a waypoint of our set.
fn is_ours(line: &[u8]) -> bool {
    XaeroWaypoint::parse(&text(line)).is_some_and(|waypoint| waypoint.set == SET)
}

/// Returns the places of the waypoints in these lines.
fn places(lines: &[&[u8]]) -> BTreeSet<(String, [i32; 2])> {
    let waypoints = lines
        .iter()
        .filter_map(|line| XaeroWaypoint::parse(&text(line)));
    waypoints.map(|waypoint| place(&waypoint)).collect()
}

/// Returns the name of a waypoint with its x and z.
fn place(waypoint: &XaeroWaypoint) -> (String, [i32; 2]) {
    (waypoint.name.clone(), [waypoint.x, waypoint.z])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waypoint(name: &str, x: i32) -> XaeroWaypoint {
        XaeroWaypoint {
            name: name.to_owned(),
            initials: "N".to_owned(),
            x,
            y: Some(64),
            z: -7,
            colour: 14,
            set: SET.to_owned(),
        }
    }

    fn merged(file: &str, ours: &[XaeroWaypoint]) -> (String, usize) {
        let MergedFile { bytes, waypoints } = merge(file.as_bytes(), ours);
        (String::from_utf8(bytes).unwrap(), waypoints)
    }

    #[test]
    fn a_new_file_explains_its_fields() {
        let (text, count) = merged("", &[waypoint("a: b", 1)]);
        let expected = format!(
            "sets:gui.xaero_default:pixelmap\n{}\n\
             waypoint:a§§ b:N:1:64:-7:14:false:0:pixelmap:false:0:0:false\n",
            COMMENT.join("\n")
        );
        assert_eq!((text, count), (expected, 1));
        assert_eq!(merged("", &[]), (String::new(), 0));
    }

    #[test]
    fn lines_of_the_player_keep_their_bytes() {
        let before = "#\r\nsets:Mining:gui.xaero_default\r\n\
                      waypoint:Home:H:1:~:3:25:true:1:Mining\r\nwaypoint:cut\r\n\u{e9} other:7";
        let (text, _) = merged(before, &[waypoint("ours", 1)]);
        let expected = before.replace("default\r\n", "default:pixelmap\r\n")
            + "\r\nwaypoint:ours:N:1:64:-7:14:false:0:pixelmap:false:0:0:false\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_second_run_replaces_only_our_set() {
        let player = "waypoint:Home:H:1:~:3:25:true:1:Mining\n";
        let (first, _) = merged(player, &[waypoint("old", 1), waypoint("same", 2)]);
        assert!(first.starts_with("sets:gui.xaero_default:pixelmap\nwaypoint:Home:"));

        let (second, count) = merged(&first, &[waypoint("same", 2), waypoint("new", 3)]);
        assert_eq!(count, 2);
        assert!(second.contains(player), "{second}");
        assert!(
            !second.contains(":old:") && second.contains(":new:"),
            "{second}"
        );
        assert_eq!(second.matches("pixelmap\n").count(), 1, "{second}");
        let again = merged(&second, &[waypoint("same", 2), waypoint("new", 3)]);
        assert_eq!(again.0, second);

        let (none, _) = merged(&second, &[]);
        assert_eq!(none, format!("sets:gui.xaero_default:pixelmap\n{player}"));
    }

    #[test]
    fn places_that_the_player_has_are_not_repeated() {
        let player = "waypoint:Home:H:1:~:-7:25:true:1:Mining\n";
        assert_eq!(
            merged(player, &[waypoint("Home", 1)]),
            (player.to_owned(), 0)
        );
        assert_eq!(merged(player, &[waypoint("Home", 2)]).1, 1);
    }
}
