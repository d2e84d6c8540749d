//! Reads points of interest: beds, bells, workstations, portals and others. Since 1.14 the game
//! keeps them in region files of their own, in the folder `poi` next to the folder of the chunks.
//! Bedrock Edition has no such files; its chunks store beds, but no other points.

use std::collections::BTreeSet;

use crate::markers::bounds::{ChunkMarkers, MAX_OF_CHUNK};
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::names::title;
use crate::markers::selection::MarkerSelection;
use pixelmap_base::coord::{ChunkPos, ColumnPos};
use pixelmap_world::nbt::{Error, Reader, Tag};
use pixelmap_world::text::letters;

/// The most portal blocks that are read in a region. A field of large portals has a tenth of this.
const MAX_PORTAL_BLOCKS: usize = 1 << 18;

/// The id of a bed.
const BED: &str = "minecraft:home";

/// Blocks at which villagers work, by profession.
const PROFESSIONS: [&str; 13] = [
    "armorer",
    "butcher",
    "cartographer",
    "cleric",
    "farmer",
    "fisherman",
    "fletcher",
    "leatherworker",
    "librarian",
    "mason",
    "shepherd",
    "toolsmith",
    "weaponsmith",
];

/// Reads the points of the chunk at `position` from the inflated bytes of its record in a file of
/// points. Each block of a portal is a point, so portals do not become markers here. Their blocks
/// `[x, y, z]` are added to `portals` instead.
///
/// # Errors
/// The NBT is damaged. Points before the damage are kept.
pub fn read_points(
    plain: &[u8],
    position: ChunkPos,
    wanted: &MarkerSelection,
    markers: &mut ChunkMarkers,
    portals: &mut BTreeSet<[i32; 3]>,
) -> Result<(), Error> {
    let mut reader = Reader::root(plain)?;
    let mut left = MAX_OF_CHUNK;
    markers.begin(MAX_OF_CHUNK);
    let mut points = PointCollector {
        position,
        wanted,
        markers,
        portals,
    };

    while let Some((tag, name)) = reader.entry()? {
        if name != b"Sections" {
            reader.skip(tag)?;
        } else if reader.compound(tag)? {
            while let Some((tag, _)) = reader.entry()? {
                if reader.compound(tag)? {
                    points.section(&mut reader, &mut left)?;
                }
            }
        }
    }

    Ok(())
}

/// Collects the points of a chunk.
struct PointCollector<'a> {
    position: ChunkPos,
    wanted: &'a MarkerSelection,
    markers: &'a mut ChunkMarkers,
    portals: &'a mut BTreeSet<[i32; 3]>,
}

impl PointCollector<'_> {
    fn section(&mut self, reader: &mut Reader<'_>, left: &mut usize) -> Result<(), Error> {
        while let Some((tag, name)) = reader.entry()? {
            let list = if name == b"Records" {
                reader.list(tag)?
            } else {
                reader.skip(tag).map(|()| None)?
            };

            let Some(list) = list else { continue };

            for _ in 0..list.len {
                if list.tag != Tag::Compound {
                    reader.skip(list.tag)?;
                } else if *left == 0 {
                    self.markers.leave_out();
                    reader.skip(list.tag)?;
                } else {
                    *left -= 1;
                    self.record(reader)?;
                }
            }

            reader.leave();
        }

        Ok(())
    }

    fn record(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        reader.compound(Tag::Compound)?;

        let mut at = None;
        let mut id = None;
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"pos" => at = reader.ints::<3>(tag)?,
                b"type" => id = reader.string(tag)?,
                _ => reader.skip(tag)?,
            }
        }

        if let Some((at, id)) = at.zip(id) {
            self.add(at, &letters(id));
        }

        Ok(())
    }

    fn add(&mut self, [x, y, z]: [i32; 3], id: &str) {
        let at = ColumnPos { x, z };
        let (kind, name) = describe(id);
        if at.chunk() != self.position || !self.wanted.has(kind) {
            return;
        }

        if kind == MarkerKind::Portals {
            if self.portals.len() < MAX_PORTAL_BLOCKS {
                self.portals.insert([x, y, z]);
            } else {
                self.markers.leave_out();
            }
            return;
        }

        let properties = Properties {
            name: &name,
            id: Some(id),
            y: Some(y),
            ..Properties::default()
        };
        self.markers.push(Marker::new(kind, at, &properties));
    }
}

/// Returns markers for the beds of a chunk at `position` that stores them itself, in the same form as
/// for points. `heads` are the blocks `[x, y, z]` of the beds' heads.
pub(crate) fn beds(
    heads: impl Iterator<Item = [i32; 3]>,
    position: ChunkPos,
) -> impl Iterator<Item = Marker> {
    let near = heads.filter(move |[x, _, z]| ColumnPos { x: *x, z: *z }.chunk() == position);
    near.map(|[x, y, z]| {
        let (kind, name) = describe(BED);
        let properties = Properties {
            name: &name,
            id: Some(BED),
            y: Some(y),
            ..Properties::default()
        };
        Marker::new(kind, ColumnPos { x, z }, &properties)
    })
}

/// Returns the kind and the name of a point with this id.
fn describe(id: &str) -> (MarkerKind, String) {
    match id.strip_prefix("minecraft:").unwrap_or(id) {
        "home" => (MarkerKind::Beds, "Bed".to_owned()),
        "meeting" => (MarkerKind::Bells, "Bell".to_owned()),
        "lodestone" => (MarkerKind::Lodestones, "Lodestone".to_owned()),
        "nether_portal" => (MarkerKind::Portals, "Nether portal".to_owned()),
        name if PROFESSIONS.contains(&name) => (MarkerKind::Workstations, title(id)),
        _ => (MarkerKind::Points, title(id)),
    }
}

/// Makes one marker per portal from the blocks `[x, y, z]` of all portals. Blocks that touch belong
/// to the same portal.
pub fn portals(mut blocks: BTreeSet<[i32; 3]>) -> Vec<Marker> {
    let mut markers = Vec::new();
    while let Some(first) = blocks.pop_first() {
        let mut low = first;
        let mut high = first;
        let mut near = vec![first];
        while let Some(block) = near.pop() {
            for axis in 0..3 {
                low[axis] = low[axis].min(block[axis]);
                high[axis] = high[axis].max(block[axis]);

                for step in [-1, 1] {
                    let mut neighbour = block;
                    neighbour[axis] = neighbour[axis].saturating_add(step);
                    if blocks.remove(&neighbour) {
                        near.push(neighbour);
                    }
                }
            }
        }

        let at = ColumnPos {
            x: low[0].midpoint(high[0]),
            z: low[2].midpoint(high[2]),
        };
        let properties = Properties {
            name: "Nether portal",
            id: Some("minecraft:nether_portal"),
            y: Some(low[1]),
            ..Properties::default()
        };
        markers.push(Marker::new(MarkerKind::Portals, at, &properties));
    }

    markers
}
