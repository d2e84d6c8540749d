//! Finds the places that players have named (waypoints) in a folder of the mod.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::import::journeymap::{DAT_NAME, MAX_DIMENSIONS, MAX_WAYPOINTS, ReadWaypoints, Waypoint};
use pixelmap_base::disk::{is_absent, open_file};

/// The maximum number of files that are read in a folder.
const MAX_FILES: usize = 20_000;

/// Adds the waypoints in a folder, except places of deaths. Adds a warning for each file that
/// cannot be read, and for files and waypoints that are left out.
pub(super) fn read(folder: &Path, waypoints: &mut Vec<Waypoint>, warnings: &mut Vec<String>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return,
        Err(error) => return warnings.push(format!("left out: {}: {error}", folder.display())),
    };

    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| is_dat(path) || path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();

    let mut read = ReadWaypoints::default();
    for path in paths.iter().take(MAX_FILES) {
        let parse: fn(File, &mut ReadWaypoints) -> io::Result<()> = if is_dat(path) {
            Waypoint::read_dat
        } else {
            Waypoint::read_json
        };
        if let Err(error) = open_file(path).and_then(|file| parse(file, &mut read)) {
            warnings.push(format!("left out: {}: {error}", path.display()));
        }
    }

    let folder = folder.display();
    let files = paths.len().saturating_sub(MAX_FILES);
    for (count, what, most) in [
        (files, "files", MAX_FILES),
        (read.left_out, "waypoints", MAX_WAYPOINTS),
        (
            read.dimensions_left_out,
            "dimensions of waypoints",
            MAX_DIMENSIONS,
        ),
    ] {
        if count > 0 {
            warnings.push(format!("left out: {folder}: {count} {what} after {most}"));
        }
    }

    waypoints.append(&mut read.waypoints);
}

/// Returns whether this is the file in which the newer form keeps all waypoints.
fn is_dat(path: &Path) -> bool {
    path.ends_with(DAT_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_base::coord::ColumnPos;

    #[test]
    fn waypoints_beyond_the_bounds_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let dimensions: Vec<String> = (0..500).map(|number| format!("mod:{number}")).collect();
        let json =
            serde_json::json!({ "name": "n", "x": 1, "y": 2, "z": 3, "dimensions": dimensions });
        fs::write(folder.path().join("a.json"), json.to_string()).unwrap();

        let waypoint = Waypoint {
            name: String::new(),
            dimension: String::new(),
            at: ColumnPos { x: 0, z: 0 },
            y: 0,
            colour: [0; 3],
        };

        let (mut waypoints, mut warnings) = (vec![waypoint; MAX_WAYPOINTS], Vec::new());
        read(folder.path(), &mut waypoints, &mut warnings);
        assert_eq!(
            waypoints.len(),
            MAX_WAYPOINTS + MAX_DIMENSIONS,
            "each folder has its own bound"
        );

        let warning = format!(
            "left out: {}: 436 dimensions of waypoints after 64",
            folder.path().display()
        );
        assert_eq!(warnings, [warning]);
    }

    #[test]
    fn damaged_files_do_not_hide_the_others() {
        let folder = tempfile::tempdir().unwrap();

        let json = |name: &str, kind: &str, dimensions: &str| {
            format!(
                r#"{{"name":"§c{name}§r","x":80,"y":70,"z":-161,"r":1,"g":2,"b":3,"type":"{kind}","dimensions":{dimensions}}}"#
            )
        };

        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put(
            "a.json",
            &json("hub", "Normal", r#"[0,"minecraft:the_nether"]"#),
        );
        put("b.json", &json("grave", "Death", "[0]"));
        put("c.json", "{");
        put("d.txt", "{");

        // A list of end tags with a huge length, which makes some NBT readers fail.
        put(
            "WaypointData.dat",
            "\x0a\0\0\x09\0\x09waypoints\0\x7f\x7f\x7f\x7f\0",
        );
        let (mut waypoints, mut warnings) = (Vec::new(), Vec::new());
        read(folder.path(), &mut waypoints, &mut warnings);

        let waypoint = |dimension: &str, x, z| Waypoint {
            name: "hub".to_owned(),
            dimension: dimension.to_owned(),
            at: ColumnPos { x, z },
            y: 70,
            colour: [1, 2, 3],
        };

        assert_eq!(
            waypoints,
            [
                waypoint("overworld", 80, -161),
                waypoint("the_nether", 10, -21)
            ]
        );
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        read(&folder.path().join("absent"), &mut waypoints, &mut warnings);
        assert_eq!((waypoints.len(), warnings.len()), (2, 2));
    }
}
