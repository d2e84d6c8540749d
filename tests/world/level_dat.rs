//! Writes level.dat in its forms: spawn before and since 1.21.9, and the tables of Forge.

use super::nbt::Tag;
use super::payload::gzip;

/// A level.dat that is built step by step.
#[derive(Debug, Clone)]
pub struct LevelDat {
    data: Tag,
    root: Vec<(&'static str, Tag)>,
}

impl LevelDat {
    /// Makes a level.dat with a name. Versions before 15w32a store no `DataVersion`.
    pub fn new(name: &str, data_version: Option<i32>) -> Self {
        let mut data = Tag::compound([
            ("LevelName", Tag::string(name)),
            ("version", Tag::Int(19133)),
            ("RandomSeed", Tag::Long(1)),
        ]);

        if let Some(version) = data_version {
            data.set("DataVersion", Tag::Int(version));
            let named =
                Tag::compound([("Id", Tag::Int(version)), ("Name", Tag::string("fixture"))]);
            data.set("Version", named);
        }

        Self {
            data,
            root: Vec::new(),
        }
    }

    /// Adds the spawn of 1.21.8 and before.
    pub fn old_spawn(mut self, x: i32, y: i32, z: i32) -> Self {
        for (name, value) in [("SpawnX", x), ("SpawnY", y), ("SpawnZ", z)] {
            self.data.set(name, Tag::Int(value));
        }
        self
    }

    /// Adds the spawn of 1.21.9 and later.
    pub fn new_spawn(mut self, dimension: &str, pos: [i32; 3]) -> Self {
        let spawn = [
            ("dimension", Tag::string(dimension)),
            ("pos", Tag::Ints(pos.to_vec())),
            ("yaw", Tag::Float(0.0)),
            ("pitch", Tag::Float(0.0)),
        ];
        self.data.set("spawn", Tag::compound(spawn));
        self
    }

    /// Adds a field.
    pub fn with(mut self, name: &str, value: Tag) -> Self {
        self.data.set(name, value);
        self
    }

    /// Adds a field next to `Data`, as mod loaders do.
    pub fn with_root(mut self, name: &'static str, value: Tag) -> Self {
        self.root.push((name, value));
        self
    }

    /// Adds Forge's table of 1.8 to 1.12: `FML.Registries."minecraft:blocks".ids`.
    pub fn forge_registry(self, blocks: &[(&str, i32)]) -> Self {
        self.forge_tables("FML", &[("minecraft:blocks", blocks)])
    }

    /// Adds tables of Forge in `FML.Registries` (1.8 to 1.12) or `fml.Registries` (since 1.13).
    pub fn forge_tables(mut self, fml: &'static str, tables: &[(&str, &[(&str, i32)])]) -> Self {
        let tables = tables.iter().map(|&(table, ids)| {
            let ids = pairs(ids.iter().map(|(name, id)| ((*name).to_owned(), *id)));
            (table, Tag::compound([("ids", ids)]))
        });

        let mut registries = Tag::compound([]);
        for (table, ids) in tables {
            registries.set(table, ids);
        }

        self.root
            .push((fml, Tag::compound([("Registries", registries)])));

        self
    }

    /// Adds Forge's table of 1.7: `FML.ItemData`, in which the key of a block begins with U+0001
    /// and the key of an item with U+0002.
    pub fn forge_item_data(mut self, blocks: &[(&str, i32)], items: &[(&str, i32)]) -> Self {
        let blocks = blocks
            .iter()
            .map(|(name, id)| (format!("\u{1}{name}"), *id));
        let items = items.iter().map(|(name, id)| (format!("\u{2}{name}"), *id));
        self.root.push((
            "FML",
            Tag::compound([("ItemData", pairs(blocks.chain(items)))]),
        ));
        self
    }

    /// Adds Forge's table of 1.3 to 1.6, `FML.ModItemData`: number, mod, class, and the name if
    /// there is one.
    pub fn forge_mod_items(mut self, items: &[(i32, &str, &str, Option<&str>)]) -> Self {
        let items = items.iter().map(|&(id, of_mod, class, name)| {
            let mut item = Tag::compound([
                ("ModId", Tag::string(of_mod)),
                ("ItemId", Tag::Int(id)),
                ("ItemType", Tag::string(class)),
                ("ordinal", Tag::Int(2)),
            ]);

            if let Some(name) = name {
                item.set("ForcedName", Tag::string(name));
            }

            item
        });

        self.root.push((
            "FML",
            Tag::compound([("ModItemData", Tag::List(items.collect()))]),
        ));
        self
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut root = Tag::compound([("Data", self.data.clone())]);
        for (name, tag) in &self.root {
            root.set(name, tag.clone());
        }
        gzip(&root.document())
    }
}

fn pairs(table: impl Iterator<Item = (String, i32)>) -> Tag {
    Tag::List(
        table
            .map(|(name, id)| Tag::compound([("K", Tag::String(name)), ("V", Tag::Int(id))]))
            .collect(),
    )
}
