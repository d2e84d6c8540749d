//! Reads item frames that hold map items. In Java Edition they are entities, which have files of
//! their own since 1.17. In Bedrock Edition they are block entities.
//!
//! A frame only has the number of its map item. It is kept with the markers of its region, and
//! `framed_maps` makes a marker from it when the map items have been read.
//!
//! Sources: the pages "Item Frame", "Entity format" and "Item format" of the Minecraft Wiki.

use serde::{Deserialize, Serialize};

use crate::markers::bounds::{ChunkMarkers, MAX_OF_CHUNK};
use crate::markers::kind::MarkerKind;
use crate::markers::marker::Marker;
use pixelmap_base::coord::{ChunkPos, ColumnPos};
use pixelmap_base::json;
use pixelmap_world::chunk::EntityList;
use pixelmap_world::internal::MapFrame;
use pixelmap_world::nbt::{Error, OrderedReader, Reader, Tag};

/// The number of the item type "map item", from the time before items had names.
const MAP_ITEM: i64 = 358;

/// The start of a frame's properties. The properties of a finished marker begin with its name
/// instead.
const FRAME: &str = r#"{"map":"#;

/// The properties of a frame whose map item is not read yet.
#[derive(Serialize, Deserialize)]
struct FrameProperties {
    map: i64,
    y: i32,
}

/// Returns whether a marker is still a frame whose map item is not read yet.
pub fn is_frame(marker: &Marker) -> bool {
    marker.properties.starts_with(FRAME)
}

/// Returns the frames among the markers of a region in a dimension.
pub fn map_frames(markers: &[Marker], dimension: &str) -> impl Iterator<Item = MapFrame> {
    markers
        .iter()
        .filter(|marker| is_frame(marker))
        .filter_map(|marker| {
            let FrameProperties { map, y } = serde_json::from_str(&marker.properties).ok()?;
            let ColumnPos { x, z } = marker.at;
            Some(MapFrame {
                map,
                dimension: dimension.to_owned(),
                block: [x, y, z],
            })
        })
}

/// Reads the frames of the chunk at `position` from the inflated bytes of its record in a file of
/// entities.
///
/// # Errors
/// The NBT is damaged. Frames before the damage are kept.
pub fn read_frames(
    plain: &[u8],
    position: ChunkPos,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    let mut reader = Reader::root(plain)?;
    markers.begin(MAX_OF_CHUNK);

    while let Some((tag, name)) = reader.entry()? {
        if name == b"Entities" {
            read_list(&mut reader, tag, position, markers)?;
        } else {
            reader.skip(tag)?;
        }
    }

    Ok(())
}

/// Reads the frames among the entities of the chunk at `position`, or among its block entities.
pub(crate) fn read(
    entities: EntityList<'_>,
    position: ChunkPos,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    markers.begin(MAX_OF_CHUNK);

    match entities {
        EntityList::List(mut reader) => read_list(&mut reader, Tag::List, position, markers)?,
        EntityList::Roots(mut reader) => {
            while let Some((tag, _)) = reader.entry()? {
                read_entity(&mut reader, tag, position, markers)?;
            }
        }
    }

    Ok(())
}

fn read_list(
    reader: &mut Reader<'_>,
    tag: Tag,
    position: ChunkPos,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    let Some(list) = reader.list(tag)? else {
        return Ok(());
    };

    for _ in 0..list.len {
        read_entity(reader, list.tag, position, markers)?;
    }

    reader.leave();
    Ok(())
}

fn read_entity<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    position: ChunkPos,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    if !reader.compound(tag)? {
        return Ok(());
    }

    let mut id: &[u8] = b"";
    let mut block = [None; 3];
    let mut map = None;
    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"id" => id = reader.string(tag)?.unwrap_or_default(),
            // `Pos` is used because it is inside the frame's own block in every version, unlike
            // `TileX`.
            b"Pos" => {
                block = reader
                    .doubles(tag)?
                    .map_or(block, |pos| pos.map(|along| Some(along.floor() as i64)));
            }
            b"x" => block[0] = reader.int(tag)?,
            b"y" => block[1] = reader.int(tag)?,
            b"z" => block[2] = reader.int(tag)?,
            b"Item" => map = read_map_item(reader, tag)?,
            _ => reader.skip(tag)?,
        }
    }

    let id = id.strip_prefix(b"minecraft:").unwrap_or(id);
    let is_frame = matches!(
        id,
        b"item_frame" | b"glow_item_frame" | b"ItemFrame" | b"GlowItemFrame"
    );

    let [x, y, z] = block.map(|along| i32::try_from(along?).ok());
    if let (true, Some(map), Some(x), Some(y), Some(z)) = (is_frame, map, x, y, z)
        && (ColumnPos { x, z }).chunk() == position
    {
        // Writing cannot fail, because JSON can hold all numbers.
        let properties = json::text(&FrameProperties { map, y })
            .unwrap_or_default()
            .into();
        markers.push(Marker {
            kind: MarkerKind::Maps,
            at: ColumnPos { x, z },
            properties,
        });
    }

    Ok(())
}

/// Reads an item. Returns the number of the map item, or `None` if the item is not a map item.
fn read_map_item<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
) -> Result<Option<i64>, Error> {
    if !reader.compound(tag)? {
        return Ok(None);
    }

    // In Bedrock Edition only map items have a `map_uuid`.
    let mut is_map = LITTLE;
    let mut number = None;

    // Until 1.12 it is the number of the map item.
    let mut damage = None;
    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"id" if tag == Tag::String => {
                is_map |= reader.string(tag)? == Some(b"minecraft:filled_map");
            }
            b"id" => is_map |= reader.int(tag)? == Some(MAP_ITEM),
            b"Damage" if !LITTLE => damage = reader.int(tag)?,
            b"components" => number = read_child(reader, tag, b"minecraft:map_id")?,
            b"tag" => number = read_child(reader, tag, if LITTLE { b"map_uuid" } else { b"map" })?,
            _ => reader.skip(tag)?,
        }
    }

    Ok(if is_map { number.or(damage) } else { None })
}

/// Reads the number with the name `wanted` in a compound.
fn read_child<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    wanted: &[u8],
) -> Result<Option<i64>, Error> {
    let mut number = None;
    if reader.compound(tag)? {
        while let Some((tag, name)) = reader.entry()? {
            if name == wanted {
                number = reader.int(tag)?;
            } else {
                reader.skip(tag)?;
            }
        }
    }

    Ok(number)
}
