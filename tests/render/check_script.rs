//! The script for CI jobs, on the demo world: once where nothing changed, and once where a block did.

use std::path::Path;

use crate::map::{Place, Ran, fixture, on, render, shell};
use crate::world::{Files, block, demo};
use serde_json::Value;

/// Runs the script: how the map is checked, of which world, and where the new map goes.
fn check(how: [&str; 2], world: &Path, out: &Path) -> Ran {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/check-map.sh");
    let mut command = shell("PIXELMAP=$0 exec sh \"$@\"");
    command.arg(script).args(how).arg(world).arg(out).args(["-q", "-l", "day"]);
    // Nothing of what a person's session has.
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    Ran::of(command.output().unwrap())
}

#[test]
fn the_check_script_tells_equal_maps_from_edited_maps() {
    let (place, demo) = (Place::empty(), fixture("demo"));
    render(&demo, &place.at("baseline"), &["-q"]).expect(0, "baseline");
    let digest = on("verify", &place.at("baseline"), &["-q", "--digest"]).expect(0, "digest").out;
    let (digest, baseline) = (digest.trim(), place.at("baseline"));
    let baseline = baseline.to_str().unwrap();

    let same = place.at("same");
    assert_eq!(check(["--digest", digest], &demo, &same).expect(0, "digest").out, format!("same: {digest}\n"));
    check(["--baseline", baseline], &demo, &same).expect(0, "the same map");
    assert!(!place.at("same.diff").exists());

    demo::build_with(|canvas| canvas.set(40, 120, -25, block::RED_WOOL)).write_under(&place.world());
    let edited = place.at("edited");
    let other = check(["--digest", digest], &place.world(), &edited).expect(1, "another digest");
    assert!(other.out.starts_with("differs: ") && other.out.contains(digest), "{}", other.out);
    check(["--baseline", baseline], &place.world(), &edited).expect(1, "another map");
    let left = Files::read_under(&place.at("edited.diff")).0;
    assert!(["difference.png", "summary.md", "junit.xml"].iter().all(|file| left.contains_key(*file)));
    let told: Value = serde_json::from_slice(&left["diff.json"]).unwrap();
    let [x0, z0, x1, z1] = [0, 1, 2, 3].map(|at| told["layers"][0]["bounds"][at].as_i64().unwrap());
    assert!((x0..x1).contains(&40) && (z0..z1).contains(&-25) && x1 - x0 < 8 && z1 - z0 < 8, "{told}");
}

#[test]
fn what_goes_wrong_is_no_difference() {
    let place = Place::empty();
    let (world, nothing) = (fixture("root-3955"), place.at("nothing"));
    check(["--digest", "0"], &nothing, &place.at("map")).expect(2, "no world");
    check(["--baseline", nothing.to_str().unwrap()], &world, &place.at("map")).expect(2, "no earlier map");
    check(["--both", "0"], &world, &place.at("map")).expect(2, "no such way");
    check(["--digest", "0"], &fixture("slot-past-end"), &place.at("broken")).expect(3, "a chunk that cannot be read");
}
