//! Reads chests, barrels, shulker boxes and hoppers with their items, lecterns with their books,
//! and beacons with their effects. All of them are block entities.
//!
//! The game fills a chest of a structure when somebody first opens it. Until then the chest stores
//! the name of a loot table and no items.
//!
//! Sources: the pages "Block entity format", "Item format" and "Java Edition data
//! values/Pre-flattening" of the Minecraft Wiki.

use std::collections::BTreeMap;

use crate::markers::bounds::{ChunkMarkers, MAX_OF_CHUNK};
use crate::markers::contents::{Contents, ItemCount};
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::names::title;
use crate::markers::old_items::old_item;
use pixelmap_base::coord::{ChunkPos, ColumnPos};
use pixelmap_world::chunk::{Chunk, EntityList};
use pixelmap_world::nbt::{Error, OrderedReader, Tag};
use pixelmap_world::text::{self, letters};

/// The most kinds of items that a marker lists. A chest has 27 slots.
const MAX_LISTED: usize = 27;
/// The most kinds of items that are counted in a container. Further kinds are only counted
/// together.
const MAX_KINDS: usize = 1024;
/// The longest id of an item, and the longest text of a container, in bytes. Longer ones are left
/// out.
const MAX_TEXT: usize = 200;

/// The most effects of a beacon.
const MAX_EFFECTS: usize = 2;

/// The kinds of block entities that are containers, by their ids in lower-case letters only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContainerKind {
    Items,
    Lectern,
    Beacon,
}

/// The fields of a block entity that containers need.
#[derive(Default)]
struct ContainerEntity<'a> {
    id: &'a [u8],
    at: [Option<i64>; 3],
    name: String,
    items: Items,
    loot: Option<String>,
    book: String,
    effects: Vec<String>,
}

/// The items of a container, by id.
#[derive(Default)]
struct Items {
    counts: BTreeMap<String, u64>,
    /// The number of items of kinds that are not counted.
    uncounted: usize,
}

/// Returns whether a block entity is a container. The containers of mods are included, because
/// their ids have the same endings as the game's.
fn container(id: &str) -> Option<ContainerKind> {
    let name = id
        .rsplit([':', '/'])
        .next()
        .unwrap_or(id)
        .to_ascii_lowercase()
        .replace('_', "");

    let has_items = ["chest", "barrel", "shulkerbox", "hopper"]
        .iter()
        .any(|ending| name.ends_with(ending));
    match &*name {
        // The items of an ender chest belong to players and are not in the chest.
        "enderchest" => None,
        "lectern" => Some(ContainerKind::Lectern),
        "beacon" => Some(ContainerKind::Beacon),
        _ => has_items.then_some(ContainerKind::Items),
    }
}

/// Reads the containers among the block entities of the chunk at `position`.
pub(crate) fn read(
    chunk: &Chunk<'_>,
    position: ChunkPos,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    markers.begin(MAX_OF_CHUNK);

    let Some(entities) = chunk.block_entities() else {
        return Ok(());
    };

    match entities {
        EntityList::List(mut reader) => {
            let Some(list) = reader.list(Tag::List)? else {
                return Ok(());
            };
            for _ in 0..list.len {
                read_entity(&mut reader, list.tag, chunk, position, markers)?;
            }
        }
        EntityList::Roots(mut reader) => {
            while let Some((tag, _)) = reader.entry()? {
                read_entity(&mut reader, tag, chunk, position, markers)?;
            }
        }
    }

    Ok(())
}

fn read_entity<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
    chunk: &Chunk<'_>,
    position: ChunkPos,
    markers: &mut ChunkMarkers,
) -> Result<(), Error> {
    if reader.compound(tag)?
        && let Some(marker) = ContainerEntity::read(reader, chunk)?.marker(position)
    {
        markers.push(marker);
    }

    Ok(())
}

impl<'a> ContainerEntity<'a> {
    fn read<const LITTLE: bool>(
        reader: &mut OrderedReader<'a, LITTLE>,
        chunk: &Chunk<'_>,
    ) -> Result<Self, Error> {
        let mut entity = Self::default();
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"id" => entity.id = reader.string(tag)?.unwrap_or_default(),
                b"x" => entity.at[0] = reader.int(tag)?,
                b"y" => entity.at[1] = reader.int(tag)?,
                b"z" => entity.at[2] = reader.int(tag)?,
                b"CustomName" => entity.name = text::read(reader, tag, chunk.meta().data_version)?,
                b"Items" => entity.items.read(reader, tag, chunk)?,
                b"LootTable" => {
                    entity.loot = reader
                        .string(tag)?
                        .map(loot_table)
                        .filter(|table| !table.is_empty());
                }
                b"Book" | b"book" => entity.book = entity.items.item(reader, tag, chunk)?,
                b"Primary" | b"primary" | b"Secondary" | b"secondary" | b"primary_effect"
                | b"secondary_effect" => {
                    if let Some(effect) = effect(reader, tag)?
                        && entity.effects.len() < MAX_EFFECTS
                        && !entity.effects.contains(&effect)
                    {
                        entity.effects.push(effect);
                    }
                }
                _ => reader.skip(tag)?,
            }
        }

        Ok(entity)
    }

    fn marker(&self, position: ChunkPos) -> Option<Marker> {
        let [Some(x), Some(y), Some(z)] = self.at.map(|number| i32::try_from(number?).ok()) else {
            return None;
        };

        let at = ColumnPos { x, z };
        let stored = letters(self.id);
        let container = container(&stored)?;
        if at.chunk() != position || stored.len() > MAX_TEXT {
            return None;
        }

        let id = present_id(&stored);
        let is_named = !self.name.is_empty() && self.name.len() <= MAX_TEXT;
        let name = if is_named {
            self.name.clone()
        } else {
            title(&id)
        };

        let contents = match container {
            ContainerKind::Items => Contents {
                loot: self.loot.as_deref(),
                ..self.items.contents()
            },
            ContainerKind::Lectern => Contents {
                book: Some(&*self.book).filter(|book| !book.is_empty()),
                ..self.items.contents()
            },
            ContainerKind::Beacon => Contents {
                effects: &self.effects,
                ..Contents::default()
            },
        };

        let properties = Properties {
            name: &name,
            id: Some(&id),
            y: Some(y),
            contents: Some(contents),
            ..Properties::default()
        };

        Some(Marker::new(MarkerKind::Containers, at, &properties))
    }
}

/// Returns the id as Java Edition has written it since 1.11: `TrappedChest` becomes
/// `minecraft:trapped_chest`.
fn present_id(stored: &str) -> String {
    if stored.contains(':') {
        return stored.to_owned();
    }

    let mut id = "minecraft:".to_owned();
    for (at, letter) in stored.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            id.push('_');
        }
        id.push(letter.to_ascii_lowercase());
    }

    id
}

/// Returns the id of a loot table. Bedrock Edition stores the path of its file.
fn loot_table(stored: &[u8]) -> String {
    let stored = letters(stored);
    let path = stored.strip_prefix("loot_tables/").unwrap_or(&stored);
    let path = path.strip_suffix(".json").unwrap_or(path);
    if path.len() <= MAX_TEXT {
        path.to_owned()
    } else {
        String::new()
    }
}

/// Reads an effect of a beacon. It is a number until 1.20.1 and in Bedrock Edition.
fn effect<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
) -> Result<Option<String>, Error> {
    if tag == Tag::String {
        let id = reader.string(tag)?.map(letters);
        return Ok(id.filter(|id| !id.is_empty() && id.len() <= MAX_TEXT));
    }

    let name = match reader.int(tag)? {
        Some(1) => "speed",
        Some(3) => "haste",
        Some(5) => "strength",
        Some(8) => "jump_boost",
        Some(10) => "regeneration",
        Some(11) => "resistance",
        _ => return Ok(None),
    };

    Ok(Some(format!("minecraft:{name}")))
}

impl Items {
    fn read<const LITTLE: bool>(
        &mut self,
        reader: &mut OrderedReader<'_, LITTLE>,
        tag: Tag,
        chunk: &Chunk<'_>,
    ) -> Result<(), Error> {
        let Some(list) = reader.list(tag)? else {
            return Ok(());
        };

        for _ in 0..list.len {
            self.item(reader, list.tag, chunk)?;
        }

        reader.leave();
        Ok(())
    }

    /// Reads an item and counts it. Returns the title if it is a written book.
    fn item<const LITTLE: bool>(
        &mut self,
        reader: &mut OrderedReader<'_, LITTLE>,
        tag: Tag,
        chunk: &Chunk<'_>,
    ) -> Result<String, Error> {
        let mut book = String::new();
        if !reader.compound(tag)? {
            return Ok(book);
        }

        let mut id = String::new();

        let mut number = None;
        let mut count = 1;
        let mut damage = 0;
        while let Some((tag, name)) = reader.entry()? {
            match name {
                b"id" | b"Name" if tag == Tag::String => {
                    id = reader.string(tag)?.map(letters).unwrap_or_default();
                }
                b"id" => number = reader.int(tag)?,
                b"Count" | b"count" => count = reader.int(tag)?.unwrap_or(1),
                b"Damage" => damage = reader.int(tag)?.unwrap_or(0),
                b"tag" => book = title_in(reader, tag)?,
                b"components" if reader.compound(tag)? => {
                    while let Some((tag, name)) = reader.entry()? {
                        if name == b"minecraft:written_book_content" {
                            book = title_in(reader, tag)?;
                        } else {
                            reader.skip(tag)?;
                        }
                    }
                }
                b"components" => {}
                _ => reader.skip(tag)?,
            }
        }

        if let Some(number) = number
            && id.is_empty()
        {
            id = old_item(number, damage, |id, data| chunk.numeric_name(id, data));
        }

        // A slot without an item is stored as 0 pieces of air.
        if let Some(count) = u64::try_from(count)
            .ok()
            .filter(|&count| count > 0 && !id.is_empty())
        {
            self.add(id, count);
        }

        Ok(book)
    }

    fn add(&mut self, id: String, count: u64) {
        let id = if id.contains(':') {
            id
        } else {
            format!("minecraft:{id}")
        };
        if let Some(sum) = self.counts.get_mut(&id) {
            *sum = sum.saturating_add(count);
        } else if id.len() > MAX_TEXT || self.counts.len() == MAX_KINDS {
            self.uncounted += 1;
        } else {
            self.counts.insert(id, count);
        }
    }

    fn contents(&self) -> Contents<'_> {
        let mut items: Vec<_> = self
            .counts
            .iter()
            .map(|(id, &count)| ItemCount { id, count })
            .collect();
        items.sort_by_key(|item| std::cmp::Reverse(item.count));
        let more = items.len().saturating_sub(MAX_LISTED) + self.uncounted;
        items.truncate(MAX_LISTED);

        Contents {
            items,
            more: Some(more).filter(|&more| more > 0),
            ..Contents::default()
        }
    }
}

/// Reads the title of a written book from its compound: a text, or since 1.20.5 a compound with the
/// text.
fn title_in<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
) -> Result<String, Error> {
    let mut title = String::new();
    if !reader.compound(tag)? {
        return Ok(title);
    }

    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"title" if tag == Tag::String => title = plain_title(reader, tag)?,
            b"title" if reader.compound(tag)? => {
                while let Some((tag, name)) = reader.entry()? {
                    match name {
                        b"raw" => title = plain_title(reader, tag)?,
                        _ => reader.skip(tag)?,
                    }
                }
            }
            b"title" => {}
            _ => reader.skip(tag)?,
        }
    }

    Ok(title)
}

/// Reads the text of a title. An overlong title counts as empty.
fn plain_title<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    tag: Tag,
) -> Result<String, Error> {
    let stored = reader.string(tag)?.unwrap_or_default();
    let mut title = text::plain_text(&letters(stored));
    if title.len() > MAX_TEXT {
        title.clear();
    }

    Ok(title)
}
