//! A comparison is never the same because of how it was called: of a thing with itself, over its own input, or with what
//! an earlier call left.
#![allow(clippy::disallowed_methods, reason = "what tests write is no output of the program")]

use std::os::unix::fs::symlink;

use super::compare::{diff, drawn, sand};
use crate::map::{Place, render};

/// Two maps that differ, and a picture of each.
fn maps() -> Place {
    let place = drawn(sand, &[]);
    for (world, picture) in [(place.at("before"), "a.png"), (place.world(), "b.png")] {
        render(&world, &place.at(picture), &["-a", "560,60,640,140"]).expect(0, picture);
    }
    place
}

#[test]
fn a_map_is_not_compared_with_itself() {
    let place = maps();
    for (real, link) in [("a", "link"), ("a.png", "link.png")] {
        symlink(place.at(real), place.at(link)).unwrap();
    }
    let manifest = "overworld/day/tiles.tsv";
    for (one, other) in [
        ("a", "a"),
        ("a", "a/../a"),
        ("a", "link"),
        ("link", "a/"),
        ("a.png", "link.png"),
        (&*format!("a/{manifest}"), "a"),
        (&*format!("link/{manifest}"), "a"),
    ] {
        let ran = diff(&place.at(one), &place.at(other), &["-d", "overworld"][..if one == "a.png" { 0 } else { 2 }]);
        assert!(ran.code == 2 && ran.err.contains("one and the same"), "{one} {other}: {} {}", ran.code, ran.err);
        assert_eq!(ran.out, "");
    }
    diff(&place.at("a"), &place.copy("a", "copy"), &[]).expect(0, "a copy");
}
