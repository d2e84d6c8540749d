//! Reads the biomes in add-ons of Bedrock Edition (`biomes/*.json`). A behaviour pack describes the
//! climate of a biome, and a resource pack its colours, so that both together make one biome.
//!
//! Only biomes of add-ons are read, because the game's own biomes have the colours of Java Edition.
//! Sources: learn.microsoft.com, "Biomes JSON documentation" and "Client biomes".

use serde_json::Value;

use crate::palette::resolver::climate::{Biome, Climates, Effects, SetColour, colour};
use pixelmap_base::edited_json;
use pixelmap_world::pack::{Pack, PackError};

/// The largest file that is read, in bytes.
const MAX_JSON: u64 = 1 << 20;

/// The descriptions of a biome: in a behaviour pack, and in a resource pack.
const DESCRIPTIONS: [&str; 2] = ["minecraft:biome", "minecraft:client_biome"];

const CLIMATE: &str = "minecraft:climate";
const GRASS: &str = "/minecraft:grass_appearance/color";
const FOLIAGE: &str = "/minecraft:foliage_appearance/color";
const DRY_FOLIAGE: &str = "/minecraft:dry_foliage_color/color";
const WATER: &str = "/minecraft:water_appearance/surface_color";

impl Climates {
    /// Adds the biomes of an add-on, until there are `most` in all. Returns the errors; a file that
    /// cannot be read does not affect the others.
    pub(super) fn add_from_add_on(&mut self, pack: &Pack, most: usize) -> Vec<PackError> {
        let files = match pack.files_below("biomes", ".json") {
            Ok(files) => files,
            Err(error) => return vec![error],
        };

        let mut problems = Vec::new();
        for file in files {
            match read_json(pack, &file) {
                Ok(None) => {}
                Ok(Some(json)) => self.add_descriptions(&json, most),
                Err(error) => problems.push(error),
            }
        }

        problems
    }

    fn add_descriptions(&mut self, json: &Value, most: usize) {
        for description in DESCRIPTIONS.iter().filter_map(|form| json.get(form)) {
            let identifier = description.pointer("/description/identifier");
            let Some(name) = identifier.and_then(Value::as_str) else {
                continue;
            };
            if !name.contains(':') || name.starts_with("minecraft:") {
                continue;
            }

            if let Some(biome) = self.biome_mut(name, most) {
                describe(biome, &description["components"]);
            }
        }
    }
}

/// Adds the values that the components of a biome set.
fn describe(biome: &mut Biome, components: &Value) {
    let climate = &components[CLIMATE];
    if let Some(temperature) = climate["temperature"].as_f64() {
        biome.temperature = temperature;
    }
    if let Some(downfall) = climate["downfall"].as_f64() {
        biome.downfall = downfall;
    }

    let Effects {
        grass_color,
        foliage_color,
        dry_foliage_color,
        water_color,
        ..
    } = &mut biome.effects;
    for (path, effect) in [
        (GRASS, grass_color),
        (FOLIAGE, foliage_color),
        (DRY_FOLIAGE, dry_foliage_color),
        (WATER, water_color),
    ] {
        // In place of a colour a pack may name a colour map, which the climate replaces.
        let Some(text) = components.pointer(path).and_then(Value::as_str) else {
            continue;
        };

        let set = SetColour::Text(text.to_owned());
        if colour(&set).is_ok() {
            *effect = Some(set);
        }
    }
}

fn read_json(pack: &Pack, file: &str) -> Result<Option<Value>, PackError> {
    let Some(bytes) = pack.read(file, MAX_JSON)? else {
        return Ok(None);
    };

    match edited_json::parse(&bytes) {
        Ok(json) => Ok(Some(json)),
        Err(error) => {
            let path = format!("{}, {file}", pack.path().display());
            Err(PackError::new(path, error))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::resolver::climate::Colormaps;
    use pixelmap_world::pack::Budget;

    fn pack(files: &[(&str, &str)]) -> (tempfile::TempDir, Pack) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("biomes")).unwrap();
        for (name, text) in [("manifest.json", "{}")].iter().chain(files) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let pack = Pack::open(folder.path(), &Budget::default()).unwrap();
        (folder, pack)
    }

    #[test]
    fn packs_of_an_add_on_colour_its_biomes() {
        let (_behaviour, behaviour) = pack(&[
            (
                "biomes/glade.json",
                r#"{"minecraft:biome": {"description": {"identifier": "mod:glade"},
                    "components": {"minecraft:climate": {"temperature": 0.0, "downfall": 0.0}}}}"#,
            ),
            (
                "biomes/plains.json",
                r#"{"minecraft:biome": {"description": {"identifier": "plains"}}}"#,
            ),
            ("biomes/torn.json", "{"),
        ]);
        let (_resource, resource) = pack(&[(
            "biomes/glade.client_biome.json",
            r##"{"minecraft:client_biome": {"description": {"identifier": "mod:glade"},
                "components": {"minecraft:water_appearance": {"surface_color": "#0a141e"},
                    "minecraft:grass_appearance": {"color": {"color_map": "birch"}}, // a comment
                    "minecraft:foliage_appearance": {"color": "#010203"}}}}"##,
        )]);

        let mut climates = Climates::default();
        let problems = climates.add(&behaviour);
        assert!(
            problems.len() == 1 && problems[0].to_string().contains("torn"),
            "{problems:?}"
        );
        assert_eq!(climates.add(&resource), []);

        let tints = climates.tints(&Colormaps::builtin());
        let [(name, tints)] = &tints[..] else {
            panic!("{tints:?}")
        };
        assert_eq!(name, "mod:glade");
        assert_eq!(
            [tints.grass, tints.foliage, tints.water],
            [[0x80, 0xb4, 0x97], [1, 2, 3], [10, 20, 30]]
        );
    }
}
