//! Finds the type of each dimension of a world: its heights and its ceiling.
//!
//! The game's own types are built in. Data packs and mods define more in `data/*/dimension_type/`.
//! The type of a dimension is named in `data/*/dimension/` or in level.dat. The height of its
//! terrain, which determines its ceiling, is in `data/*/worldgen/noise_settings/`. A damaged file
//! affects no other.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use crate::pack::{Pack, PackError, Resource};
use crate::save::dimensions::dimension::canonical_id;
use crate::save::dimensions::dimension_type::{
    DescribedDimension, DimensionType, DimensionTypeRef, Noise, NoiseRef, NoiseSettings,
};
use crate::save::dimensions::world_gen::DescribedDimensions;
use crate::save::left_out::LeftOut;
use pixelmap_base::coord::Ceiling;

/// The most types, and the most dimensions, that are kept.
const MAX_TYPES: usize = 10_000;

#[derive(Debug, Clone)]
pub struct DimensionTypes {
    by_name: BTreeMap<String, DimensionType>,
    by_dimension: BTreeMap<String, DimensionTypeRef>,
    noises: BTreeMap<String, Noise>,
    noise_by_dimension: BTreeMap<String, NoiseRef>,
}

impl Default for DimensionTypes {
    /// Returns the game's own dimensions.
    fn default() -> Self {
        let types = [
            game_type("overworld", -64, 384, 384, false),
            game_type("overworld_caves", -64, 384, 384, true),
            game_type("the_nether", 0, 256, 128, true),
            game_type("the_end", 0, 256, 256, false),
        ];
        let by_dimension = ["overworld", "the_nether", "the_end"].map(|name| {
            (
                name.to_owned(),
                DimensionTypeRef::Named(format!("minecraft:{name}")),
            )
        });

        // The game has no other settings with a ceiling that a pack can change and that a dimension
        // uses by default.
        let noises = [("minecraft:nether".to_owned(), Noise::new(0, 128))];
        let noise_by_dimension = [(
            "the_nether".to_owned(),
            NoiseRef::Named("minecraft:nether".to_owned()),
        )];

        Self {
            by_name: BTreeMap::from(types),
            by_dimension: BTreeMap::from(by_dimension),
            noises: BTreeMap::from(noises),
            noise_by_dimension: BTreeMap::from(noise_by_dimension),
        }
    }
}

/// Returns a type of the game itself with its full name.
fn game_type(
    name: &str,
    min_y: i32,
    height: i32,
    logical_height: i32,
    has_ceiling: bool,
) -> (String, DimensionType) {
    let dimension_type = DimensionType {
        min_y,
        height,
        logical_height: Some(logical_height),
        has_ceiling,
    };

    (format!("minecraft:{name}"), dimension_type)
}

impl DimensionTypes {
    /// Returns the game's own types and dimensions, extended by the dimensions that a world lists.
    pub fn with_dimensions(described: &DescribedDimensions) -> Self {
        let mut types = Self::default();
        for (id, described) in described {
            types.describe(id.clone(), described.clone());
        }
        types
    }

    fn describe(&mut self, id: String, described: DescribedDimension) {
        self.noise_by_dimension
            .insert(id.clone(), described.generator.settings);
        self.by_dimension.insert(id, described.dimension_type);
    }

    /// Adds the types and dimensions of a pack, which replace others with the same name. Warns of
    /// damaged files.
    ///
    /// # Errors
    /// Fails if a file cannot be read now, but perhaps later.
    pub fn add(&mut self, pack: &Pack, warnings: &mut Vec<String>) -> Result<(), PackError> {
        let mut left_out = LeftOut::default();
        for (name, dimension_type) in files::<DimensionType>(pack, "dimension_type", warnings)? {
            if !dimension_type.is_sound() {
                warnings.push(format!(
                    "{}: the dimension type {name} is left out: the game does not have such \
                     heights",
                    pack.path().display()
                ));
            } else if has_room(&self.by_name, &name, &mut left_out) {
                self.by_name.insert(name, dimension_type);
            }
        }

        for (id, described) in files::<DescribedDimension>(pack, "dimension", warnings)? {
            let id = canonical_id(&id);
            if has_room(&self.by_dimension, &id, &mut left_out) {
                self.describe(id, described);
            }
        }

        for (name, settings) in files::<NoiseSettings>(pack, "worldgen/noise_settings", warnings)? {
            if has_room(&self.noises, &name, &mut left_out) {
                self.noises.insert(name, settings.noise);
            }
        }

        let reason = format!("only {MAX_TYPES} of each kind are read");
        left_out.warn("dimension file", &reason, warnings);

        Ok(())
    }

    /// Returns the ceiling of a dimension; `None`: the dimension is open at the top, or its type is
    /// unknown.
    pub fn ceiling(&self, id: &str) -> Option<Ceiling> {
        let dimension_type = self.get(id)?;
        let type_y = dimension_type.ceiling_y()?;
        let noise = match self.noise_by_dimension.get(id) {
            Some(NoiseRef::Named(name)) if name.contains(':') => self.noises.get(name).copied(),
            Some(NoiseRef::Named(name)) => self.noises.get(&format!("minecraft:{name}")).copied(),
            Some(NoiseRef::Inline(noise)) => Some(*noise),
            Some(NoiseRef::None) | None => None,
        };
        let highest = dimension_type.min_y.saturating_add(dimension_type.height) - 1;
        let noise_y = noise.map_or(type_y, |noise| {
            noise.top_y().min(highest).max(dimension_type.min_y)
        });
        Some(Ceiling { noise_y, type_y })
    }

    /// Returns the type of a dimension; `None`: it is unknown.
    pub fn get(&self, id: &str) -> Option<DimensionType> {
        match self.by_dimension.get(id)? {
            DimensionTypeRef::Inline(dimension_type) => {
                if dimension_type.is_sound() {
                    Some(*dimension_type)
                } else {
                    None
                }
            }
            DimensionTypeRef::Named(name) if name.contains(':') => self.by_name.get(name).copied(),
            DimensionTypeRef::Named(name) => {
                self.by_name.get(&format!("minecraft:{name}")).copied()
            }
        }
    }
}

/// Returns whether a name may be added to a table or replaced in it. If not, counts it as left out.
fn has_room<T>(table: &BTreeMap<String, T>, name: &str, left_out: &mut LeftOut) -> bool {
    let has_room = table.len() < MAX_TYPES || table.contains_key(name);
    left_out.add(usize::from(!has_room), || name.to_owned());
    has_room
}

/// Reads the files of a pack in `data/*/<folder>/`, sorted by name.
fn files<T: DeserializeOwned>(
    pack: &Pack,
    folder: &str,
    warnings: &mut Vec<String>,
) -> Result<Vec<(String, T)>, PackError> {
    let listed = match pack.list("data", folder, ".json") {
        Err(error) if error.retryable => return Err(error),
        Err(error) => {
            warnings.push(format!("{error}; it is left out"));
            Vec::new()
        }
        Ok(listed) => listed,
    };

    let mut contents = Vec::new();
    for Resource { name, file } in listed {
        match pack.read_json(&file) {
            Ok(read) => contents.extend(read.map(|read| (name, read))),
            Err(error) if error.retryable => return Err(error),
            Err(error) => warnings.push(format!("{error}; it is left out")),
        }
    }

    Ok(contents)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;
    use crate::pack::Budget;
    use crate::save::dimensions::dimension_type::Generator;

    fn pack(files: &[(&str, &str)]) -> (tempfile::TempDir, Pack) {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = place.path().join("data").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::create(path)
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
        }

        let pack = Pack::open(place.path(), &Budget::default()).unwrap();
        (place, pack)
    }

    #[test]
    fn the_games_own_dimensions_have_known_types() {
        let types = DimensionTypes::default();
        let ceiling = |id: &str| types.get(id).unwrap().ceiling_y();
        assert_eq!(
            [
                ceiling("overworld"),
                ceiling("the_nether"),
                ceiling("the_end")
            ],
            [None, Some(127), None]
        );
        assert_eq!(types.get("mod:deep"), None);
    }

    #[test]
    fn packs_and_level_dat_give_dimensions_their_ceilings() {
        let (_low, low) = pack(&[
            (
                "mod/dimension_type/deep.json",
                r#"{"has_ceiling": true, "min_y": -64, "height": 128, "logical_height": 96}"#,
            ),
            (
                "mod/dimension/deep.json",
                r#"{"type": "mod:deep", "generator": {"type": "minecraft:noise"}}"#,
            ),
            (
                "mod/dimension/hell.json",
                r#"{"type": "minecraft:the_nether"}"#,
            ),
            (
                "mod/dimension/here.json",
                r#"{"type": {"has_ceiling": true, "min_y": 0, "height": 64}}"#,
            ),
            (
                "minecraft/dimension_type/the_nether.json",
                r#"{"has_ceiling": true, "height": 256, "logical_height": 256}"#,
            ),
        ]);

        let (_high, high) = pack(&[("mod/dimension_type/deep.json", r#"{"has_ceiling": false}"#)]);
        let named = |name: &str| DescribedDimension {
            dimension_type: DimensionTypeRef::Named(name.to_owned()),
            generator: Generator::default(),
        };
        let described = DescribedDimensions::from([
            ("mod:old".to_owned(), named("overworld_caves")),
            ("mod:here".to_owned(), named("minecraft:overworld")),
        ]);

        let mut warnings = Vec::new();
        let ceiling =
            |types: &DimensionTypes, id: &str| types.get(id).and_then(DimensionType::ceiling_y);
        let mut types = DimensionTypes::with_dimensions(&described);
        types.add(&low, &mut warnings).unwrap();
        assert_eq!(ceiling(&types, "mod:deep"), Some(31));
        assert_eq!(
            [ceiling(&types, "mod:hell"), ceiling(&types, "the_nether")],
            [Some(255); 2]
        );

        assert_eq!(
            [ceiling(&types, "mod:here"), ceiling(&types, "mod:old")],
            [Some(63), Some(319)]
        );
        types.add(&high, &mut warnings).unwrap();
        assert_eq!(ceiling(&types, "mod:deep"), None);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn long_files_of_dimensions_are_read() {
        let biomes = r#"{"biome": "mod:heath", "parameters": {"erosion": [-1.0, 1.0]}},"#;
        let source = format!("[{}{{}}]", biomes.repeat(40_000));
        let deep = format!(
            r#"{{"generator": {{"biome_source": {{"biomes": {source}}}, "settings": "mod:low"}},
                "type": {{"has_ceiling": true, "min_y": 0, "height": 64}}}}"#
        );
        assert!(deep.len() > 2 << 20);

        let name = format!(r#"{{"type": "{}"}}"#, "x".repeat(2 << 20));
        let (_place, pack) = pack(&[
            ("mod/dimension/deep.json", &deep),
            ("mod/dimension/named.json", &name),
        ]);

        let mut warnings = Vec::new();
        let mut types = DimensionTypes::default();
        types.add(&pack, &mut warnings).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        assert_eq!(types.get("mod:deep").unwrap().ceiling_y(), Some(63));
        assert_eq!(
            types.noise_by_dimension["mod:deep"],
            NoiseRef::Named("mod:low".to_owned())
        );

        let DimensionTypeRef::Named(name) = &types.by_dimension["mod:named"] else {
            panic!("a name");
        };
        assert!(name.len() < 300, "only its start is kept");
    }

    #[test]
    fn dimension_types_beyond_the_bound_are_counted() {
        let dimension_type = *DimensionTypes::default().by_name.values().next().unwrap();
        let mut types = DimensionTypes::default();
        types.by_name.extend(
            (types.by_name.len()..MAX_TYPES)
                .map(|number| (format!("mod:{number}"), dimension_type)),
        );

        let files = ["new", "other", "9"].map(|name| {
            (
                format!("mod/dimension_type/{name}.json"),
                r#"{"has_ceiling": true}"#,
            )
        });
        let (_place, pack) = pack(&files.each_ref().map(|(name, text)| (name.as_str(), *text)));

        let mut warnings = Vec::new();
        types.add(&pack, &mut warnings).unwrap();
        assert!(types.by_name.len() == MAX_TYPES && types.by_name["mod:9"].has_ceiling);
        assert!(
            warnings.len() == 1 && warnings[0].starts_with("2 dimension files are left out"),
            "{warnings:?}"
        );
    }

    #[test]
    fn a_damaged_file_costs_only_itself() {
        let nested = "[".repeat(100_000);
        let (_place, pack) = pack(&[
            ("mod/dimension_type/torn.json", r#"{"has_ceiling": tr"#),
            ("mod/dimension_type/deep.json", &nested),
            (
                "mod/dimension_type/tall.json",
                r#"{"has_ceiling": true, "min_y": 2000000000, "height": 2000000000}"#,
            ),
            ("mod/dimension_type/good.json", r#"{"has_ceiling": true}"#),
            ("mod/dimension/good.json", r#"{"type": "mod:good"}"#),
            ("mod/dimension/torn.json", r#"{"type": "mod:torn"}"#),
            (
                "mod/dimension/huge.json",
                r#"{"type": {"has_ceiling": true, "min_y": 2147483647, "height": 2147483647}}"#,
            ),
            ("mod/dimension/typeless.json", "{}"),
        ]);

        let mut warnings = Vec::new();
        let mut types = DimensionTypes::default();
        types.add(&pack, &mut warnings).unwrap();

        assert_eq!(types.get("mod:good").unwrap().ceiling_y(), Some(255));
        assert_eq!(
            [
                types.get("mod:torn"),
                types.get("mod:huge"),
                types.get("mod:typeless")
            ],
            [None; 3]
        );

        for (warning, part) in
            warnings
                .iter()
                .zip(["deep.json", "torn.json", "mod:tall", "typeless.json"])
        {
            assert!(warning.contains(part), "{warning}");
        }

        assert_eq!(warnings.len(), 4);
    }
}
