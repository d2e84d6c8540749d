//! Reads the waypoints of a file of Xaero's Minimap.

use std::borrow::Cow;

use crate::explored::waypoint::{FileWaypoints, Waypoint};
use crate::explored::xaero::waypoint_line::XaeroWaypoint;
use pixelmap_base::coord::ColumnPos;

/// The names that the mod gives to the places of deaths, with the texts that players see.
const DEATHS: [(&str, &str); 2] = [
    ("gui.xaero_deathpoint", "Latest Death"),
    ("gui.xaero_deathpoint_old", "Old Death"),
];

/// Reads the waypoints of a file, including disabled ones. Lines of other kinds, such as the names of
/// sets, are skipped.
pub(super) fn read(bytes: &[u8]) -> FileWaypoints {
    let mut found = FileWaypoints::default();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line: Cow<'_, str> = String::from_utf8_lossy(line);
        let line = line.trim_end_matches('\r');
        if !XaeroWaypoint::is_in(line) {
            continue;
        }

        match XaeroWaypoint::parse(line) {
            Some(waypoint) => found.waypoints.push(Waypoint {
                name: shown_name(&waypoint),
                at: ColumnPos {
                    x: waypoint.x,
                    z: waypoint.z,
                },
                y: waypoint.y,
                colour: waypoint.rgb(),
            }),
            None => found.damaged.push(index + 1),
        }
    }
    found
}

fn shown_name(waypoint: &XaeroWaypoint) -> String {
    let death = DEATHS.iter().find(|(key, _)| *key == waypoint.name);
    match death {
        Some((_, text)) => (*text).to_owned(),
        None if waypoint.name.trim().is_empty() => waypoint.initials.clone(),
        None => waypoint.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_waypoints_and_other_lines() {
        let text = "#\r\n#waypoint:name:initials:x:y:z\r\nsets:gui.xaero_default:Mining\r\n\
                    waypoint:Home:H:1:64:-3:12:true:0:gui.xaero_default:false:0:0:false\r\n\
                    waypoint:cut:H:1\r\nslime_chunk_seed:7\r\n\
                    waypoint: :Xy:1:~:-3:0:false:0:Mining\r\n\
                    waypoint:gui.xaero_deathpoint:D:5:6:7:0:false:1:Mining\r\n\
                    waypoint:gui.xaero_deathpoint_old:D:5:6:8:0:false:0:Mining";
        let found = read(text.as_bytes());
        let names: Vec<&str> = found.waypoints.iter().map(|found| &*found.name).collect();
        assert_eq!(names, ["Home", "Xy", "Latest Death", "Old Death"]);
        assert_eq!(found.damaged, [5]);
        assert_eq!(
            found.waypoints[0],
            Waypoint {
                name: "Home".to_owned(),
                at: ColumnPos { x: 1, z: -3 },
                y: Some(64),
                colour: [255, 85, 85],
            }
        );
    }

    #[test]
    fn any_bytes_are_read() {
        let found = read(b"waypoint:\xff\xfe:H:1:64:-3:12:true:0:set\n\0\n");
        assert_eq!(found.waypoints.len(), 1);
        assert!(read(b"").waypoints.is_empty());
    }
}
