//! The promise for the files of a map that somebody else has made.

use pixelmap_base::coord::TilePos;
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_map::atlas::{MapFolder, Moments, Past, PastPlace};

use super::{put, scratch};

/// The files of a foreign map: `map.json`, the list of moments and a list of earlier versions. Each
/// is refused, or stays the same after it is written and read again.
pub fn foreign_map(bytes: &[u8]) {
    let map = scratch("foreign");
    put(&map.join("map.json"), bytes);

    if let Ok(opened) = MapFolder::open(&map) {
        // Anyone may have made the map, but its paths never lead out of its folder.
        for layer in opened.facts().with_details() {
            assert!(opened.manifest_place(layer).starts_with(&map) && !layer.path.contains(".."));
        }
    }

    put(&map.join(Moments::path()), bytes);

    let folder = OwnFolder::open(&map).unwrap();
    if let Ok(Some(moments)) = Moments::read(&folder) {
        put(&map.join(Moments::path()), moments.script().as_bytes());
        assert_eq!(Moments::read(&folder).unwrap(), Some(moments));
    }

    let tiles = PastPlace {
        folder: "overworld/day".to_owned(),
        piece: "outer".to_owned(),
    };
    put(&map.join(tiles.path()), bytes);

    if let Ok(past) = Past::<TilePos>::read(&folder, &tiles) {
        put(&map.join(tiles.path()), past.script(&tiles).as_bytes());
        assert_eq!(Past::<TilePos>::read(&folder, &tiles).unwrap(), past);
    }
}
