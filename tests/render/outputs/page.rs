//! Tests that the page of a map has a title, and a picture for links to it.

use std::fs;

use crate::map::{Place, assert_same_files, fixture, on};
use crate::world::Files;

#[test]
fn a_link_to_the_page_shows_the_map() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let preview = place.at("map").join("preview.png");

    let address = [
        "--title",
        "Our <world>",
        "--description",
        "A map",
        "--url",
        "https://example.org/map/index.html",
    ];

    place.draw("map", &[]);
    assert!(!preview.exists());

    let map = place.draw("map", &address);
    let page = fs::read_to_string(map.root.join("index.html")).unwrap();
    for told in [
        "<title>Our &lt;world&gt;</title>",
        "content=\"https://example.org/map/preview.png\"",
    ] {
        assert!(page.contains(told), "{told}");
    }

    assert_eq!(map.facts()["name"], "Our <world>");

    let (width, height, _) = image_of(&preview);
    assert!(
        (width == 1200 || height == 630) && width <= 1200 && height <= 630,
        "{width} by {height}"
    );

    // Other markers do not change the page.
    let (before, page) = (map.files(), place.at("map"));
    on("markers", &place.world(), &["-o", page.to_str().unwrap()]).expect(0, "markers");
    assert_same_files("markers alone", &map.files(), &before);

    // Places that are hidden later vanish from the picture, whether or not the run requests a
    // picture.
    let before = fs::read(&preview).unwrap();
    place.draw("map", &["--hide", "-64,-64,64,64"]);
    assert_ne!(fs::read(&preview).unwrap(), before);

    let list = place.at("changed");
    place.draw("map", &["--changed-list", list.to_str().unwrap()]);
    assert!(
        fs::read_to_string(&list)
            .unwrap()
            .lines()
            .any(|line| line == "preview.png"),
        "the list names it"
    );
}

/// The sides of a picture, and its pixels.
fn image_of(path: &std::path::Path) -> (u32, u32, Vec<u8>) {
    let picture = image::open(path).unwrap().into_rgba8();
    (picture.width(), picture.height(), picture.into_raw())
}
