//! Biome colours from temperature and downfall, as the game works them out from its three colour maps.
//!
//! `x = int((1 - t) * 255)`, `y = int((1 - d * t) * 255)` with both clamped to 0..1 is the pixel of the map; a biome
//! may set any colour itself, and two have a rule for grass. Source of the figures: `worldgen/biome.json` of
//! `net.minestom:data` (Apache-2.0); the formula agrees with two independent tables for all 66 biomes of 26.2.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ResolveError;
use super::texture::Texture;

/// Water where a biome sets no colour.
const WATER: [u8; 3] = [0x3f, 0x76, 0xe4];

/// Swamp grass; the game takes 4c763c where a noise is low, a constant is enough from above.
const SWAMP_GRASS: [u8; 3] = [0x6a, 0x70, 0x39];

/// The pictures that give grass, foliage and dry foliage their colour.
#[derive(Debug, Clone)]
pub struct Colormaps {
    grass: Texture,
    foliage: Texture,
    dry_foliage: Texture,
}

impl Colormaps {
    /// Reads the PNG bytes of the three colour maps: grass, foliage, dry foliage.
    ///
    /// # Errors
    ///
    /// A picture that cannot be read.
    pub fn from_png(grass: &[u8], foliage: &[u8], dry_foliage: &[u8]) -> Result<Self, ResolveError> {
        let read = |name: &str, bytes: &[u8]| Texture::from_png(bytes).map_err(|e| ResolveError::new(name, e));
        Ok(Self {
            grass: read("grass colour map", grass)?,
            foliage: read("foliage colour map", foliage)?,
            dry_foliage: read("dry foliage colour map", dry_foliage)?,
        })
    }
}

#[derive(Debug, Clone, Deserialize)]
struct Biome {
    temperature: f64,
    downfall: f64,
    effects: Effects,
}

#[derive(Debug, Clone, Deserialize)]
struct Effects {
    grass_color: Option<String>,
    foliage_color: Option<String>,
    dry_foliage_color: Option<String>,
    water_color: Option<String>,
    grass_color_modifier: Option<String>,
}

/// Biomes with temperature, downfall and what they set themselves.
#[derive(Debug, Clone)]
pub struct Climates {
    biomes: BTreeMap<String, Biome>,
}

impl Climates {
    /// Reads `worldgen/biome.json`.
    ///
    /// # Errors
    ///
    /// Text that is not such a file.
    pub fn parse(file: &str, text: &str) -> Result<Self, ResolveError> {
        let biomes = serde_json::from_str(text).map_err(|error| ResolveError::new(file, error))?;
        Ok(Self { biomes })
    }

    /// The biome table: a line a biome and the lines of `added`, sorted.
    ///
    /// # Errors
    ///
    /// A colour that is none, or a modifier that is not known.
    pub fn table(&self, maps: &Colormaps, added: &str) -> Result<String, ResolveError> {
        let line = |(name, biome): (&String, &Biome)| {
            let name = name.strip_prefix("minecraft:").unwrap_or(name);
            biome.line(name, maps).map_err(|reason| ResolveError::new(name, reason))
        };
        let mut lines = self.biomes.iter().map(line).collect::<Result<Vec<_>, _>>()?;
        lines.extend(added.lines().filter(|line| !line.starts_with('#')).map(str::to_owned));
        lines.sort();
        Ok(lines.join("\n") + "\n")
    }
}

impl Biome {
    fn line(&self, name: &str, maps: &Colormaps) -> Result<String, String> {
        let effects = &self.effects;
        let pick = |set: &Option<String>, map: &Texture| match set {
            Some(text) => colour(text),
            None => Ok(self.on_map(map)),
        };
        let mut grass = pick(&effects.grass_color, &maps.grass)?;
        match effects.grass_color_modifier.as_deref() {
            None | Some("none") => {}
            Some("swamp") => grass = SWAMP_GRASS,
            Some("dark_forest") => grass = darkened(grass),
            Some(other) => return Err(format!("the grass modifier {other:?} is not known")),
        }
        let foliage = pick(&effects.foliage_color, &maps.foliage)?;
        let dry = pick(&effects.dry_foliage_color, &maps.dry_foliage)?;
        let water = effects.water_color.as_deref().map_or(Ok(WATER), colour)?;
        let [grass, foliage, water, dry] =
            [grass, foliage, water, dry].map(|[r, g, b]| format!("{r:02x}{g:02x}{b:02x}"));
        Ok(format!("{name}\t{grass}\t{foliage}\t{water}\t{dry}\t{}\t{}", self.temperature, self.downfall))
    }

    fn on_map(&self, map: &Texture) -> [u8; 3] {
        let warm = self.temperature.clamp(0.0, 1.0);
        let moist = self.downfall.clamp(0.0, 1.0) * warm;
        let place = |share: f64| ((1.0 - share) * 255.0) as u32;
        let [r, g, b, _] = map.pixel(place(warm), place(moist)).unwrap_or_default();
        [r, g, b]
    }
}

/// The dark forest's rule: halfway to 28340a, bit by bit as the game does it.
fn darkened([r, g, b]: [u8; 3]) -> [u8; 3] {
    let value = u32::from_be_bytes([0, r, g, b]);
    let [_, r, g, b] = (((value & 0x00fe_fefe) + 0x0028_340a) >> 1).to_be_bytes();
    [r, g, b]
}

fn colour(text: &str) -> Result<[u8; 3], String> {
    crate::palette::table::parse_rgb(text.trim_start_matches('#'))
}
