//! The world builder writes what it is asked for.
mod world;

use world::many;

#[test]
fn the_same_description_gives_the_same_bytes() {
    assert_eq!(many::region(0, 0, 2).bytes(), many::region(0, 0, 2).bytes());
}
