//! Finds the places that players have named (waypoints) in a folder of the mod.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::base::disk::{is_absent, open_file};
use crate::import::journeymap::{DAT_NAME, Waypoint};

/// The maximum number of files that are read in a folder.
const MAX_FILES: usize = 20_000;
/// The maximum number of waypoints in total.
const MAX_WAYPOINTS: usize = 1 << 16;

/// Adds the waypoints in a folder, except places of deaths. Adds a warning for each file that cannot be read.
pub(super) fn read(folder: &Path, waypoints: &mut Vec<Waypoint>, warnings: &mut Vec<String>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return,
        Err(error) => return warnings.push(format!("left out: {}: {error}", folder.display())),
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.into_iter().take(MAX_FILES) {
        let parse: fn(File) -> io::Result<Vec<Waypoint>> = if path.ends_with(DAT_NAME) {
            Waypoint::read_dat
        } else if path.extension().is_some_and(|ending| ending == "json") {
            Waypoint::read_json
        } else {
            continue;
        };
        match open_file(&path).and_then(parse) {
            Ok(read) => {
                let room = MAX_WAYPOINTS - waypoints.len();
                if read.len() > room {
                    let more = read.len() - room;
                    warnings.push(format!("left out: {}: {more} waypoints after {MAX_WAYPOINTS}", path.display()));
                }
                waypoints.extend(read.into_iter().take(room));
            }
            Err(error) => warnings.push(format!("left out: {}: {error}", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::coord::ColumnPos;

    #[test]
    fn damaged_files_do_not_hide_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let json = |name: &str, kind: &str, dimensions: &str| {
            format!(
                r#"{{"name":"§c{name}§r","x":80,"y":70,"z":-161,"r":1,"g":2,"b":3,"type":"{kind}","dimensions":{dimensions}}}"#
            )
        };
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put("a.json", &json("hub", "Normal", r#"[0,"minecraft:the_nether"]"#));
        put("b.json", &json("grave", "Death", "[0]"));
        put("c.json", "{");
        put("d.txt", "{");
        // A list of end tags with a huge length, which makes some NBT readers fail.
        put("WaypointData.dat", "\x0a\0\0\x09\0\x09waypoints\0\x7f\x7f\x7f\x7f\0");
        let (mut waypoints, mut warnings) = (Vec::new(), Vec::new());
        read(folder.path(), &mut waypoints, &mut warnings);
        let place = |dimension: &str, x, z| Waypoint {
            name: "hub".to_owned(),
            dimension: dimension.to_owned(),
            at: ColumnPos { x, z },
            y: 70,
            colour: [1, 2, 3],
        };
        assert_eq!(waypoints, [place("overworld", 80, -161), place("the_nether", 10, -21)]);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        read(&folder.path().join("absent"), &mut waypoints, &mut warnings);
        assert_eq!((waypoints.len(), warnings.len()), (2, 2));
    }
}
