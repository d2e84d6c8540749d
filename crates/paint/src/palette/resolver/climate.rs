//! Computes biome colours from temperature and downfall, as the game computes them from its three
//! colour maps.
//!
//! The pixel of the map is `x = int((1 - t) * 255)`, `y = int((1 - d * t) * 255)`, with `t` and `d`
//! clamped to 0..1. A biome may set any colour itself, and two biomes have a rule for grass. Source
//! of the figures: `worldgen/biome.json` of `net.minestom:data` (Apache-2.0). The formula agrees
//! with two independent tables for all 66 biomes of 26.2.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use crate::palette::resolver::assets::{Assets, is_add_on};
use crate::palette::resolver::texture::Texture;
use crate::palette::tint::BiomeTints;
use pixelmap_world::pack::{Pack, PackError};

/// The colour of water in biomes that set none.
const WATER: [u8; 3] = [0x3f, 0x76, 0xe4];

/// The colour of swamp grass. The game uses 4c763c in places where a noise is low, but on a map one
/// colour is enough.
const SWAMP_GRASS: [u8; 3] = [0x6a, 0x70, 0x39];

/// The limit of the biomes in all packs together. A chunk's names cannot have more ids.
const MAX_BIOMES: usize = 1 << 16;

/// The longest text that is read as a colour, in bytes.
const MAX_COLOUR_TEXT: usize = 100;

/// The number of steps of temperature, and of moisture, between the points of a built-in map.
const STEPS: usize = 4;

/// The points of a colour map, by temperature from 0 to 1, and for each temperature by moisture
/// from 0 up to the temperature.
type Points = [u32; 15];

/// Points of the game's own maps. If colours are interpolated between them, each channel differs by
/// at most 3 from the game's map.
const GRASS: Points = [
    0x80_b497, 0x90_b586, 0x84_b883, 0xa0_b676, 0x8e_b971, 0x7c_bd6b, 0xb0_b665, 0x97_bb5e,
    0x7f_bf57, 0x67_c450, 0xbf_b755, 0xa0_bd4d, 0x82_c245, 0x65_c83c, 0x47_cd33,
];
const FOLIAGE: Points = [
    0x60_a17b, 0x73_a267, 0x65_a563, 0x87_a353, 0x71_a74d, 0x5b_ab46, 0x9b_a33e, 0x7d_a936,
    0x60_ae2d, 0x41_b524, 0xae_a42a, 0x89_ab21, 0x64_b216, 0x3f_b90b, 0x1a_bf00,
];
const DRY_FOLIAGE: Points = [
    0x8f_7a5a, 0x97_7952, 0x9b_754e, 0x9e_784b, 0xa1_7448, 0xa3_7146, 0xa2_7a47, 0xa3_7746,
    0xa3_6f46, 0xa3_6846, 0xa3_8046, 0xa3_7b46, 0xa3_7146, 0xa3_6646, 0xa3_5f46,
];

/// The source of a biome's colour if the biome does not set it.
#[derive(Debug, Clone)]
enum ColourMap {
    Picture(Texture),
    Points(Points),
}

/// The colour maps of grass, foliage and dry foliage.
#[derive(Debug, Clone)]
pub struct Colormaps([ColourMap; 3]);

impl Colormaps {
    /// Returns an approximation of the game's own maps.
    pub fn builtin() -> Self {
        Self([GRASS, FOLIAGE, DRY_FOLIAGE].map(ColourMap::Points))
    }

    /// Returns the maps of the topmost source that has them. A missing or damaged map is replaced
    /// by the built-in one.
    pub fn from_assets(assets: &Assets) -> Self {
        let mut maps = Self::builtin();
        for (map, name) in maps.0.iter_mut().zip(["grass", "foliage", "dry_foliage"]) {
            if let Ok(picture) = assets.texture(&format!("colormap/{name}")) {
                *map = ColourMap::Picture(picture);
            }
        }
        maps
    }
}

impl ColourMap {
    /// Returns the colour at a temperature and a moisture. Both are 0 to 1, and the moisture is at
    /// most the temperature.
    fn colour_at(&self, warm: f64, moist: f64) -> [u8; 3] {
        match self {
            Self::Picture(map) => {
                let [x, y] = [warm, moist].map(|share| ((1.0 - share) * 255.0) as u32);
                let [r, g, b, _] = map.pixel(x, y).unwrap_or_default();
                [r, g, b]
            }
            Self::Points(points) => between(points, warm, moist),
        }
    }
}

/// Returns the colour at a place of the map, interpolated between the three points around it.
fn between(points: &Points, warm: f64, moist: f64) -> [u8; 3] {
    const ONE: i32 = 1024;

    let [(warm, along), (moist, up)] = [warm, moist].map(|share| {
        let steps = (share * f64::from(ONE) * STEPS as f64) as i32;
        let step = (steps / ONE).min(STEPS as i32 - 1);
        (step as usize, steps - step * ONE)
    });

    let low = point_bytes(points, warm, moist);
    let high = point_bytes(points, warm + 1, moist + 1);

    // A step of the grid consists of two triangles. At the edge of the map, where the air cannot be
    // moister, the upper triangle lacks a corner, so we use the lower one.
    let (corner, first, second) = if up <= along || moist == warm {
        (point_bytes(points, warm + 1, moist), along, up.min(along))
    } else {
        (point_bytes(points, warm, moist + 1), up, along)
    };

    std::array::from_fn(|channel| {
        let [low, corner, high] = [low, corner, high].map(|point| i32::from(point[channel + 1]));
        let sum = low * ONE + first * (corner - low) + second * (high - corner);
        ((sum + ONE / 2) / ONE).clamp(0, 255) as u8
    })
}

/// Returns the bytes of the point at a step of the temperature and of the moisture. The colour is in
/// the last three.
fn point_bytes(points: &Points, warm: usize, moist: usize) -> [u8; 4] {
    points[warm * (warm + 1) / 2 + moist.min(warm)].to_be_bytes()
}

#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(super) struct Biome {
    pub(super) temperature: f64,
    pub(super) downfall: f64,
    pub(super) effects: Effects,
}

impl Default for Biome {
    fn default() -> Self {
        Self {
            temperature: 0.5,
            downfall: 0.5,
            effects: Effects::default(),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Effects {
    pub(super) grass_color: Option<SetColour>,
    pub(super) foliage_color: Option<SetColour>,
    pub(super) dry_foliage_color: Option<SetColour>,
    pub(super) water_color: Option<SetColour>,
    grass_color_modifier: Option<GrassRule>,
}

/// The rule that changes the colour of grass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GrassRule {
    Swamp,
    DarkForest,
    /// The rules of mods are unknown.
    #[serde(other)]
    Other,
}

/// A colour that a biome sets. It is a number before 26.1, and `#rrggbb` since then.
#[derive(Debug, Clone)]
pub(super) enum SetColour {
    Number(i64),
    Text(String),
}

// Serde's untagged enums are not used because they copy the whole value before they choose.
impl<'de> Deserialize<'de> for SetColour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SetColourVisitor)
    }
}

struct SetColourVisitor;

impl Visitor<'_> for SetColourVisitor {
    type Value = SetColour;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a colour")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<SetColour, E> {
        Ok(SetColour::Number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<SetColour, E> {
        i64::try_from(number)
            .map(SetColour::Number)
            .map_err(|_| E::custom("a number that is not a colour"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<SetColour, E> {
        if text.len() > MAX_COLOUR_TEXT {
            return Err(E::custom("a text that is too long for a colour"));
        }
        Ok(SetColour::Text(text.to_owned()))
    }
}

/// Biomes with their temperature, downfall and the colours that they set themselves.
#[derive(Debug, Clone, Default)]
pub struct Climates {
    biomes: BTreeMap<String, Biome>,
    /// The number of biomes that the bound leaves out.
    left_out: u64,
}

impl Climates {
    /// Adds the biomes of a pack (`data/*/worldgen/biome/`). They replace biomes of the same name.
    /// Also adds the biomes of an add-on of Bedrock Edition. Returns the errors; a biome that cannot
    /// be read does not affect the others.
    pub fn add(&mut self, pack: &Pack) -> Vec<PackError> {
        let mut problems = self.add_within(pack, MAX_BIOMES);
        if is_add_on(pack) {
            problems.extend(self.add_from_add_on(pack, MAX_BIOMES));
        }
        problems
    }

    /// Returns the biome with a name, and adds it if no pack has described it yet. `None`: there are
    /// already `most` others, so that this one is left out.
    pub(super) fn biome_mut(&mut self, name: &str, most: usize) -> Option<&mut Biome> {
        if self.biomes.len() >= most && !self.biomes.contains_key(name) {
            self.left_out += 1;
            return None;
        }
        Some(self.biomes.entry(name.to_owned()).or_default())
    }

    fn add_within(&mut self, pack: &Pack, most: usize) -> Vec<PackError> {
        let listed = match pack.list("data", "worldgen/biome", ".json") {
            Ok(listed) => listed,
            Err(error) => return vec![error],
        };

        let mut problems = Vec::new();
        for biome in listed {
            match read_biome(pack, &biome.file) {
                Ok(Some(read))
                    if self.biomes.len() < most || self.biomes.contains_key(&biome.name) =>
                {
                    self.biomes.insert(biome.name, read);
                }
                Ok(Some(_)) => self.left_out += 1,
                Ok(None) => {}
                Err(error) => problems.push(error),
            }
        }

        problems
    }

    /// Returns a warning if biomes are left out, because the packs have too many.
    pub fn warning(&self) -> Option<String> {
        let Self { left_out, .. } = self;
        (*left_out > 0).then(|| {
            format!("{left_out} biomes of packs are left out, because only {MAX_BIOMES} are read")
        })
    }

    /// Returns the colours of all biomes, by name with namespace.
    pub fn tints(&self, maps: &Colormaps) -> Vec<(String, BiomeTints)> {
        let tints = self
            .biomes
            .iter()
            .filter_map(|(name, biome)| Some((name.clone(), biome.tints(maps).ok()?)));
        tints.collect()
    }

    /// Returns the biomes as lines of a colour file.
    pub fn lines(&self, maps: &Colormaps) -> String {
        let mut lines = String::new();
        for (name, tints) in self.tints(maps) {
            lines += &format!("biome\t{name}\t{}\n", Self::columns(&tints));
        }
        lines
    }

    /// Returns the colours of a biome as columns of a table.
    pub fn columns(tints: &BiomeTints) -> String {
        [tints.grass, tints.foliage, tints.water, tints.dry_foliage]
            .map(|[r, g, b]| format!("{r:02x}{g:02x}{b:02x}"))
            .join("\t")
    }
}

/// Reads a biome whose colours are valid. Returns `None` if the pack lacks the file.
fn read_biome(pack: &Pack, file: &str) -> Result<Option<Biome>, PackError> {
    let Some(biome) = pack.read_json::<Biome>(file)? else {
        return Ok(None);
    };

    match biome.tints(&Colormaps::builtin()) {
        Ok(_) => Ok(Some(biome)),
        Err(reason) => {
            let path = format!("{}, {file}", pack.path().display());
            Err(PackError::new(path, reason))
        }
    }
}

impl Biome {
    fn tints(&self, maps: &Colormaps) -> Result<BiomeTints, String> {
        let effects = &self.effects;
        let Colormaps([grass_map, foliage_map, dry_foliage_map]) = maps;

        let warm = self.temperature.clamp(0.0, 1.0);
        let moist = self.downfall.clamp(0.0, 1.0) * warm;
        let pick = |set: &Option<SetColour>, map: &ColourMap| {
            set.as_ref()
                .map_or_else(|| Ok(map.colour_at(warm, moist)), colour)
        };

        let mut grass = pick(&effects.grass_color, grass_map)?;
        match effects.grass_color_modifier {
            Some(GrassRule::Swamp) => grass = SWAMP_GRASS,
            Some(GrassRule::DarkForest) => grass = darkened(grass),
            Some(GrassRule::Other) | None => {}
        }

        Ok(BiomeTints {
            grass,
            foliage: pick(&effects.foliage_color, foliage_map)?,
            water: effects.water_color.as_ref().map_or(Ok(WATER), colour)?,
            dry_foliage: pick(&effects.dry_foliage_color, dry_foliage_map)?,
        })
    }
}

/// Applies the dark forest's rule: halfway to 28340a, with the same bit operations as in the game.
fn darkened([r, g, b]: [u8; 3]) -> [u8; 3] {
    let value = u32::from_be_bytes([0, r, g, b]);
    let [_, r, g, b] = (((value & 0x00fe_fefe) + 0x0028_340a) >> 1).to_be_bytes();
    [r, g, b]
}

pub(super) fn colour(set: &SetColour) -> Result<[u8; 3], String> {
    match set {
        SetColour::Text(text) => crate::palette::table::parse_rgb(text.trim_start_matches('#')),
        // In the game's own packs the sign bit is sometimes set, so we use only the lower three
        // bytes.
        SetColour::Number(number) => {
            let [.., r, g, b] = number.to_be_bytes();
            Ok([r, g, b])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::sources::BIOMES;

    #[test]
    fn built_in_colour_maps_are_near_the_games() {
        let maps = Colormaps::builtin();
        let mut compared = 0;
        for line in BIOMES.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [_, grass, foliage, _, dry, warm, moist] = columns[..] else {
                continue;
            };
            let (Ok(temperature), Ok(downfall)) = (warm.parse(), moist.parse()) else {
                continue;
            };

            let tints = Biome {
                temperature,
                downfall,
                effects: Effects::default(),
            }
            .tints(&maps)
            .unwrap();

            // Those that differ by more set a colour of their own.
            let near = |ours: [u8; 3], theirs: &str| {
                let theirs = crate::palette::table::parse_rgb(theirs).unwrap();
                ours.iter().zip(theirs).all(|(a, b)| a.abs_diff(b) <= 3)
            };

            compared +=
                usize::from(near(tints.grass, grass)) + usize::from(near(tints.foliage, foliage));
            compared += usize::from(near(tints.dry_foliage, dry));
        }

        assert!(compared > 160, "{compared} of 195");
    }

    #[test]
    fn a_corner_of_a_colour_map_is_exact() {
        let at = |warm, moist| ColourMap::Points(GRASS).colour_at(warm, moist);
        assert_eq!(
            [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0)],
            [[0x80, 0xb4, 0x97], [0xbf, 0xb7, 0x55], [0x47, 0xcd, 0x33]]
        );
        assert_eq!(at(0.5, 0.25), [0x8e, 0xb9, 0x71]);
    }

    #[test]
    fn biomes_accept_colours_as_numbers_or_text() {
        let biome = |effects: &str| {
            let text = format!(r#"{{"temperature": 0.8, "downfall": 0.4, "effects": {effects}}}"#);
            serde_json::from_str::<Biome>(&text)
                .unwrap()
                .tints(&Colormaps::builtin())
        };

        let both = biome(r##"{"grass_color": 9470285, "water_color": "#0a141e"}"##).unwrap();
        assert_eq!((both.grass, both.water), ([0x90, 0x81, 0x4d], [10, 20, 30]));

        let dark =
            biome(r#"{"grass_color": 9551193, "grass_color_modifier": "dark_forest"}"#).unwrap();
        assert_eq!(dark.grass, darkened([0x91, 0xbd, 0x59]));
        assert_eq!(
            biome(r#"{"grass_color_modifier": "swamp"}"#).unwrap().grass,
            SWAMP_GRASS
        );
        assert!(biome(r#"{"grass_color_modifier": "mod:sky"}"#).is_ok());
        assert!(biome(r#"{"water_color": "blue"}"#).is_err());
    }

    #[test]
    fn biomes_beyond_the_bound_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let biomes = folder.path().join("data/mod/worldgen/biome");
        std::fs::create_dir_all(&biomes).unwrap();

        for name in ["a", "b", "c"] {
            let file = biomes.join(format!("{name}.json"));
            std::fs::write(
                file,
                r#"{"temperature": 0.8, "downfall": 0.4, "effects": {}}"#,
            )
            .unwrap();
        }

        let pack = Pack::open(folder.path(), &pixelmap_world::pack::Budget::default()).unwrap();
        let mut climates = Climates::default();
        assert_eq!(climates.add_within(&pack, 2), []);
        assert_eq!(
            climates.add_within(&pack, 2),
            [],
            "the same names replace the biomes"
        );

        assert_eq!((climates.biomes.len(), climates.left_out), (2, 2));
        assert!(
            climates
                .warning()
                .is_some_and(|warning| warning.starts_with("2 biomes"))
        );
    }
}
