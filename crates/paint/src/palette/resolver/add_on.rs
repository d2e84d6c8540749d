//! Finds the colours of blocks in add-ons of Bedrock Edition, which consist of resource packs and
//! behaviour packs.
//!
//! A block has the mean colour of its upper face, weighted by alpha, or of a side if the upper face
//! is transparent. If the textures of all these faces are transparent everywhere, the block is not
//! visible. If its packs lack a texture for it, it has the colour that it has on the game's maps.
//! `blocks.json` and the components of a block (`blocks/*.json`) contain short names of textures,
//! and `textures/terrain_texture.json` contains the files for these names.
//!
//! A pack may have subpacks for devices with more memory, in folders that its manifest lists. A
//! player can choose one; we use the one for the most memory, which is above its pack. Sources:
//! learn.microsoft.com, "Block components", "blocks.json", "Building sub-packs", "Create a
//! variations block texture".

use std::collections::BTreeMap;

use serde_json::Value;

use crate::palette::resolver::assets::Assets;
use crate::palette::resolver::assets::is_add_on;
use crate::palette::resolver::generated_table::GeneratedTable;
use crate::palette::resolver::texture::Texture;
use crate::palette::table::{Flags, Row, parse_rgb};
use crate::palette::tint::Tint;
use pixelmap_base::edited_json;
use pixelmap_world::pack::{Pack, PackError};

/// The largest file that is read as JSON, and the largest texture, in bytes.
const MAX_JSON: u64 = 4 << 20;
const MAX_TEXTURE: u64 = 32 << 20;

/// The faces of a block that may be visible from above, in the order in which their textures are
/// tried. `*` means all faces without a texture of their own.
const FACES: [&str; 7] = ["up", "*", "side", "north", "south", "east", "west"];

/// The endings of textures, in the order in which they are tried.
const ENDINGS: [&str; 2] = [".png", TGA];
const TGA: &str = ".tga";

/// The facts that packs contain about a block.
#[derive(Debug, Default)]
struct AddOnBlock {
    /// The short names of the textures of its [`FACES`].
    textures: Vec<String>,
    map_colour: Option<[u8; 3]>,
    tint: Option<Multiplied>,
}

/// The colour by which the colour of a block is multiplied.
#[derive(Debug, Clone, Copy)]
enum Multiplied {
    Biome(Tint),
    Always([u8; 3]),
}

impl Multiplied {
    /// Returns the colour that a `tint_method` of the game means. The two fixed colours are the
    /// game's.
    fn parse(method: &str) -> Option<Self> {
        Some(match method {
            "grass" => Self::Biome(Tint::Grass),
            "default_foliage" => Self::Biome(Tint::Foliage),
            "dry_foliage" => Self::Biome(Tint::DryFoliage),
            "water" => Self::Biome(Tint::Water),
            "birch_foliage" => Self::Always([0x80, 0xa7, 0x55]),
            "evergreen_foliage" => Self::Always([0x61, 0x99, 0x61]),
            _ => return None,
        })
    }
}

/// A pack, or one of its subpacks.
struct PackLayer<'a> {
    pack: &'a Pack,
    /// The folder of the subpack as a prefix of its files. Empty for the pack itself.
    folder: String,
}

impl PackLayer<'_> {
    fn read(&self, file: &str, limit: u64) -> Result<Option<Vec<u8>>, PackError> {
        self.pack.read(&format!("{}{file}", self.folder), limit)
    }

    fn read_json(&self, file: &str) -> Result<Option<Value>, PackError> {
        let Some(bytes) = self.read(file, MAX_JSON)? else {
            return Ok(None);
        };

        match edited_json::parse(&bytes) {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                let path = format!("{}, {}{file}", self.pack.path().display(), self.folder);
                Err(PackError::new(path, error))
            }
        }
    }
}

/// A colour, and the percentage of the area that it covers.
type Covering = ([u8; 3], u8);

/// Adds the blocks of all packs of Bedrock Edition among the assets.
pub(super) fn add_blocks(assets: &Assets, generated: &mut GeneratedTable) -> Result<(), PackError> {
    let packs = layers(assets.packs().filter(|pack| is_add_on(pack)))?;
    let mut blocks: BTreeMap<String, AddOnBlock> = BTreeMap::new();
    let mut textures: BTreeMap<String, String> = BTreeMap::new();

    // The topmost pack is read last, so that it overrides the others.
    for layer in packs.iter().rev() {
        let mut files = vec![
            "blocks.json".to_owned(),
            "textures/terrain_texture.json".to_owned(),
        ];

        let components = layer
            .pack
            .files_below(&format!("{}blocks", layer.folder), ".json")?;
        files.extend(
            components
                .iter()
                .filter_map(|file| file.strip_prefix(&layer.folder))
                .map(str::to_owned),
        );

        for file in files {
            match layer.read_json(&file) {
                Ok(None) => {}
                Ok(Some(json)) if file.starts_with("textures/") => {
                    add_textures(&json, &mut textures);
                }
                Ok(Some(json)) if file.starts_with("blocks/") => add_components(&json, &mut blocks),
                Ok(Some(json)) => add_faces(&json, &mut blocks),
                Err(error) if error.retryable => return Err(error),
                Err(error) => generated.problems.push(error.to_string()),
            }
        }
    }

    for (name, block) in blocks {
        match row(&packs, &textures, &block) {
            Ok(row) => generated.text += &format!("{name}\t{row}\n"),
            Err(error) => generated.problems.push(format!("{name}: {error}")),
        }
    }

    Ok(())
}

/// Returns the layers of the packs, the topmost first.
fn layers<'a>(packs: impl Iterator<Item = &'a Pack>) -> Result<Vec<PackLayer<'a>>, PackError> {
    let mut layers = Vec::new();
    for pack in packs {
        let own = PackLayer {
            pack,
            folder: String::new(),
        };

        let subpack = match own.read_json("manifest.json") {
            Ok(manifest) => manifest.and_then(|manifest| best_subpack(&manifest)),
            Err(error) if error.retryable => return Err(error),
            Err(_) => None,
        };

        layers.extend(subpack.map(|name| PackLayer {
            pack,
            folder: format!("subpacks/{name}/"),
        }));
        layers.push(own);
    }

    Ok(layers)
}

/// Returns the folder of the subpack for the most memory, which is the last of several.
fn best_subpack(manifest: &Value) -> Option<String> {
    let mut best: Option<(u64, &str)> = None;
    for subpack in manifest.get("subpacks")?.as_array()? {
        let Some(name) = subpack.get("folder_name").and_then(Value::as_str) else {
            continue;
        };

        let is_plain = !matches!(name, "" | "." | "..") && !name.contains(['/', '\\']);
        let tier = ["memory_tier", "memory_performance_tier"]
            .iter()
            .find_map(|key| subpack.get(key)?.as_u64())
            .unwrap_or(0);

        if is_plain && best.is_none_or(|(most, _)| tier >= most) {
            best = Some((tier, name));
        }
    }

    best.map(|(_, name)| name.to_owned())
}

fn row(
    packs: &[PackLayer<'_>],
    textures: &BTreeMap<String, String>,
    block: &AddOnBlock,
) -> Result<Row, PackError> {
    let seen = covering(packs, textures, block);
    let (rgb, coverage) = match (seen, block.map_colour) {
        (Ok(covering), _) => covering,
        (Err(_), Some(rgb)) => (rgb, 100),
        (Err(error), None) => return Err(error),
    };

    let (rgb, tint) = match block.tint {
        None => (rgb, Tint::None),
        Some(Multiplied::Biome(tint)) => (rgb, tint),
        Some(Multiplied::Always(by)) => (
            std::array::from_fn(|i| (u16::from(rgb[i]) * u16::from(by[i]) / 255) as u8),
            Tint::None,
        ),
    };

    Ok(Row {
        rgb,
        coverage,
        tint,
        flags: Flags::WETTABLE,
        map: 0,
    })
}

/// Returns the mean colour of the first texture of a block that is not transparent everywhere.
fn covering(
    packs: &[PackLayer<'_>],
    textures: &BTreeMap<String, String>,
    block: &AddOnBlock,
) -> Result<Covering, PackError> {
    let [first, others @ ..] = &block.textures[..] else {
        return Err(PackError::new(
            "its packs",
            "no texture and no colour for maps",
        ));
    };

    if let Some(seen) = mean(packs, textures, first)? {
        return Ok(seen);
    }

    let at_side = others
        .iter()
        .find_map(|name| mean(packs, textures, name).ok().flatten());
    Ok(at_side.unwrap_or(([0; 3], 0)))
}

/// Returns the mean colour of a texture; `None`: it is transparent everywhere.
fn mean(
    packs: &[PackLayer<'_>],
    textures: &BTreeMap<String, String>,
    name: &str,
) -> Result<Option<Covering>, PackError> {
    let path = textures
        .get(name)
        .ok_or_else(|| PackError::new(name, "terrain_texture.json does not name it"))?;
    for (layer, ending) in packs
        .iter()
        .flat_map(|layer| ENDINGS.map(|ending| (layer, ending)))
    {
        let file = format!("{path}{ending}");
        let Some(bytes) = layer.read(&file, MAX_TEXTURE)? else {
            continue;
        };

        let texture = if ending == TGA {
            Texture::from_tga(&bytes)
        } else {
            Texture::from_png(&bytes)
        };

        let texture = texture
            .map_err(|reason| PackError::new(&file, reason))?
            .first_frame();
        let mut sums = [0_u64; 4];
        let mut count = 0_u64;
        for [r, g, b, alpha] in texture.pixels() {
            for (sum, channel) in sums.iter_mut().zip([r, g, b]) {
                *sum += u64::from(channel) * u64::from(alpha);
            }
            sums[3] += u64::from(alpha);
            count += 255;
        }

        let [.., alpha] = sums;
        if alpha == 0 {
            return Ok(None);
        }

        let rgb = std::array::from_fn(|i| ((sums[i] + alpha / 2) / alpha) as u8);
        return Ok(Some((rgb, ((alpha * 100 + count / 2) / count) as u8)));
    }

    Err(PackError::new(
        format!("{path}.png"),
        "no pack has this file, nor one that ends in .tga",
    ))
}

/// Reads the short names of textures.
fn add_textures(json: &Value, textures: &mut BTreeMap<String, String>) {
    for (name, entry) in json
        .get("texture_data")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        // The value is one path, or a list from which the game chooses one by the block's state.
        // Each path may be an object that also has a tint, or that lists variations.
        let mut first = &entry["textures"];
        first = first.get(0).unwrap_or(first);
        first = first
            .get("variations")
            .and_then(most_frequent)
            .unwrap_or(first);
        let path = first.as_str().or_else(|| first.get("path")?.as_str());
        textures.extend(path.map(|path| (name.clone(), path.to_owned())));
    }
}

/// Returns the variation that most places show: the first one with the greatest weight.
fn most_frequent(variations: &Value) -> Option<&Value> {
    variations
        .as_array()?
        .iter()
        .rev()
        .max_by(|a, b| weight(a).total_cmp(&weight(b)))
}

fn weight(variation: &Value) -> f64 {
    variation
        .get("weight")
        .and_then(Value::as_f64)
        .unwrap_or(0.0)
}

/// Reads the textures of blocks from `blocks.json`. The game's own blocks are skipped, because they
/// already have colours.
fn add_faces(json: &Value, blocks: &mut BTreeMap<String, AddOnBlock>) {
    for (name, block) in json
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| is_own(name))
    {
        let faces = &block["textures"];
        let textures = match faces.as_str() {
            Some(all) => vec![all.to_owned()],
            None => textures_of(|face| faces[face].as_str()),
        };
        if !textures.is_empty() {
            blocks.entry(name.clone()).or_default().textures = textures;
        }
    }
}

/// Reads a block of a behaviour pack.
fn add_components(json: &Value, blocks: &mut BTreeMap<String, AddOnBlock>) {
    let block = &json["minecraft:block"];
    let Some(name) = block["description"]["identifier"]
        .as_str()
        .filter(|name| is_own(name))
    else {
        return;
    };

    let components = &block["components"];
    let materials = &components["minecraft:material_instances"];
    let textures = textures_of(|face| materials[face]["texture"].as_str());
    let tint = FACES
        .iter()
        .find(|face| materials[**face].is_object())
        .map(|face| &materials[*face]["tint_method"]);

    let found = blocks.entry(name.to_owned()).or_default();
    if let Some(tint) = tint {
        found.tint = tint.as_str().and_then(Multiplied::parse);
    }

    if !textures.is_empty() {
        found.textures.clone_from(&textures);
    }

    let on_maps = &components["minecraft:map_color"];
    found.map_colour = map_colour(on_maps).or(found.map_colour);

    if textures.is_empty() {
        found.tint = on_maps["tint_method"]
            .as_str()
            .and_then(Multiplied::parse)
            .or(found.tint);
    }
}

/// Returns the textures of the faces that have one.
fn textures_of<'a>(texture: impl Fn(&str) -> Option<&'a str>) -> Vec<String> {
    FACES
        .iter()
        .filter_map(|face| texture(face))
        .map(str::to_owned)
        .collect()
}

/// Parses a colour that is written as `#rrggbb` or `[r, g, b]`, either directly or in the field
/// `color`.
fn map_colour(value: &Value) -> Option<[u8; 3]> {
    let value = value.get("color").unwrap_or(value);
    if let Some(text) = value.as_str() {
        return parse_rgb(text.strip_prefix('#')?).ok();
    }

    let channel = |index| {
        value
            .get(index)?
            .as_u64()
            .and_then(|channel| u8::try_from(channel).ok())
    };

    Some([channel(0)?, channel(1)?, channel(2)?])
}

/// Returns whether this is the name of an add-on's block. Only such names may begin a line of a
/// colour file.
fn is_own(name: &str) -> bool {
    name.contains(':')
        && !name.starts_with("minecraft:")
        && name.len() <= 256
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.:".contains(c))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::palette::resolver::generate::{TableSources, generate};
    use crate::palette::resolver::registry::Registry;
    use crate::palette::resolver::rules::{BUILT_IN_RULES, Rules};

    fn write(root: &Path, files: &[(&str, &[u8])]) -> PathBuf {
        for (path, bytes) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        root.to_owned()
    }

    fn png(pixels: &[[u8; 4]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, pixels.len() as u32, 1);
        encoder.set_color(png::ColorType::Rgba);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&pixels.concat())
            .unwrap();
        bytes
    }

    #[test]
    fn add_on_blocks_use_their_upper_face() {
        let folder = tempfile::tempdir().unwrap();
        let blocks = br#"{ // faces
            "format_version": [1, 1, 0],
            "stone": {"textures": "top"},
            "mod:table": {"textures": {"up": "top", "down": "side", "side": "side"}},
            "mod:glass": {"textures": "pane"},
            "mod:lost": {"textures": "nowhere"}
        }"#;

        let names = br#"{"texture_data": {
            "top": {"textures": "textures/blocks/top"}, /* one of several */
            "pane": {"textures": [{"path": "textures/blocks/pane", "tint_color": "x // y"}]},
            "beam": {"textures": ["textures/blocks/beam", "textures/blocks/none"]}
        }}"#;

        let resources = write(
            &folder.path().join("resources"),
            &[
                ("manifest.json", b"{}"),
                ("blocks.json", blocks),
                ("textures/terrain_texture.json", names),
                (
                    "textures/blocks/top.png",
                    &png(&[[10, 20, 30, 255], [20, 40, 60, 255]]),
                ),
                (
                    "textures/blocks/pane.png",
                    &png(&[[200, 100, 50, 255], [0, 0, 0, 0]]),
                ),
                ("textures/blocks/beam.png", &png(&[[1, 2, 3, 255]])),
            ],
        );

        let block = |name: &str, components: &str| {
            format!(
                r#"{{"minecraft:block": {{"description": {{"identifier": "{name}"}}, "components": {{{components}}}}}}}"#
            )
        };

        let beam = block(
            "mod:beam",
            r#""minecraft:material_instances": {"*": {"texture": "beam"}}"#,
        );

        let named = block("mod:named", r##""minecraft:map_color": "#0a0b0c""##);
        let listed = block(
            "mod:listed",
            r#""minecraft:map_color": {"color": [7, 8, 9]}"#,
        );

        let behaviour = write(
            &folder.path().join("behaviour"),
            &[
                ("manifest.json", b"{}"),
                ("blocks/beam.json", beam.as_bytes()),
                ("blocks/deep/named.json", named.as_bytes()),
                ("blocks/listed.json", listed.as_bytes()),
                ("blocks/broken.json", b"{"),
            ],
        );

        let rules = Rules::parse("rules.tsv", BUILT_IN_RULES).unwrap();
        let assets = Assets::open(&[behaviour, resources]).unwrap();
        let made = generate(&TableSources {
            assets,
            registry: Registry::builtin(),
            rules,
        })
        .unwrap();

        let colours: Vec<&str> = made
            .text
            .lines()
            .map(|line| line.rsplit_once("\t-").map_or(line, |(line, _)| line))
            .collect();

        let wanted = [
            "mod:beam\t010203",
            "mod:glass\tc86432",
            "mod:listed\t070809",
            "mod:named\t0a0b0c",
            "mod:table\t0f1e2d",
        ];

        assert!(
            colours
                .iter()
                .zip(wanted)
                .all(|(line, wanted)| line.starts_with(wanted)),
            "{colours:?}"
        );

        assert_eq!(colours.len(), wanted.len(), "{colours:?}");
        assert!(made.text.contains("mod:glass\tc86432\t50"), "{}", made.text);
        assert_eq!(made.problems.len(), 2, "{:?}", made.problems);
        assert!(
            made.problems[0].contains("broken.json") && made.problems[1].starts_with("mod:lost: ")
        );
    }

    /// A picture of one row as an uncompressed TGA.
    fn tga(pixels: &[[u8; 4]]) -> Vec<u8> {
        let mut bytes = vec![
            0,
            0,
            2,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            pixels.len() as u8,
            0,
            1,
            0,
            32,
            0x28,
        ];

        bytes.extend(pixels.iter().flat_map(|&[r, g, b, alpha]| [b, g, r, alpha]));
        bytes
    }

    /// Returns the row of each block of one pack with these files, and the problems.
    fn rows(files: &[(&str, &[u8])]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let pack = write(&folder.path().join("pack"), files);
        let rules = Rules::parse("rules.tsv", BUILT_IN_RULES).unwrap();
        let made = generate(&TableSources {
            assets: Assets::open(&[pack]).unwrap(),
            registry: Registry::builtin(),
            rules,
        })
        .unwrap();

        (
            made.text.lines().map(str::to_owned).collect(),
            made.problems,
        )
    }

    #[test]
    fn textures_may_be_tga_files_and_variations() {
        let blocks = br#"{"mod:tga": {"textures": "tga"}, "mod:varied": {"textures": "varied"},
            "mod:listed": {"textures": "listed"}, "mod:half": {"textures": "half"}}"#;
        let variations = r#"{"variations": [{"path": "textures/a", "weight": 2}, {"path": "textures/b", "weight": 5},
            {"path": "textures/c", "weight": 5}]}"#;
        let names = format!(
            r#"{{"texture_data": {{"tga": {{"textures": "textures/t"}}, "half": {{"textures": "textures/half"}},
                "varied": {{"textures": {variations}}}, "listed": {{"textures": [{variations}]}}}}}}"#
        );

        let cut = &tga(&[[1, 2, 3, 255]])[..20];
        let (rows, problems) = rows(&[
            ("manifest.json", b"{}"),
            ("blocks.json", blocks),
            ("textures/terrain_texture.json", names.as_bytes()),
            (
                "textures/t.tga",
                &tga(&[
                    [10, 20, 30, 255],
                    [30, 40, 50, 255],
                    [0, 0, 0, 0],
                    [0, 0, 0, 0],
                ]),
            ),
            ("textures/half.tga", cut),
            ("textures/a.png", &png(&[[1, 1, 1, 255]])),
            ("textures/b.png", &png(&[[2, 2, 2, 255]])),
            ("textures/c.png", &png(&[[3, 3, 3, 255]])),
        ]);

        let wanted = [
            "mod:listed\t020202\t100",
            "mod:tga\t141e28\t50",
            "mod:varied\t020202\t100",
        ];

        assert!(
            rows.len() == 3
                && rows
                    .iter()
                    .zip(wanted)
                    .all(|(row, wanted)| row.starts_with(wanted)),
            "{rows:?}"
        );

        assert!(
            problems.len() == 1 && problems[0].starts_with("mod:half: textures/half.tga"),
            "{problems:?}"
        );
    }

    #[test]
    fn the_subpack_for_most_memory_is_on_top() {
        let manifest = br#"{"subpacks": [{"folder_name": "low", "name": "a", "memory_tier": 0},
            {"folder_name": "high", "name": "b", "memory_tier": 8}, {"folder_name": "mid", "memory_tier": 4},
            {"folder_name": "../..", "memory_tier": 99}]}"#;
        let blocks = br#"{"mod:wall": {"textures": "wall"}, "mod:floor": {"textures": "floor"}}"#;
        let names =
            br#"{"texture_data": {"wall": {"textures": "textures/wall"}, "floor": {"textures": "textures/floor"}}}"#;

        let more = br#"{"texture_data": {"floor": {"textures": "textures/fine"}}}"#;
        let (rows, problems) = rows(&[
            ("manifest.json", manifest),
            ("blocks.json", blocks),
            ("textures/terrain_texture.json", names),
            ("textures/wall.png", &png(&[[1, 1, 1, 255]])),
            ("textures/floor.png", &png(&[[2, 2, 2, 255]])),
            ("subpacks/low/textures/wall.png", &png(&[[3, 3, 3, 255]])),
            ("subpacks/high/textures/wall.png", &png(&[[4, 4, 4, 255]])),
            ("subpacks/high/textures/fine.png", &png(&[[5, 5, 5, 255]])),
            ("subpacks/high/textures/terrain_texture.json", more),
        ]);

        let wanted = ["mod:floor\t050505", "mod:wall\t040404"];
        assert!(
            rows.len() == 2
                && rows
                    .iter()
                    .zip(wanted)
                    .all(|(row, wanted)| row.starts_with(wanted)),
            "{rows:?}"
        );
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn blocks_take_the_tint_of_their_material() {
        let block = |name: &str, components: &str| {
            format!(
                r#"{{"minecraft:block": {{"description": {{"identifier": "{name}"}}, "components": {{{components}}}}}}}"#
            )
        };

        let material = |method: &str| {
            format!(
                r#""minecraft:material_instances": {{"*": {{"texture": "leaf", "tint_method": "{method}"}}}}"#
            )
        };

        let files = [
            ("a", material("default_foliage")),
            ("b", material("birch_foliage")),
            ("c", material("none")),
            (
                "d",
                r##""minecraft:map_color": {"color": "#808080", "tint_method": "grass"}"##
                    .to_owned(),
            ),
        ]
        .map(|(name, components)| {
            (
                format!("blocks/{name}.json"),
                block(&format!("mod:{name}"), &components),
            )
        });

        let mut all: Vec<(&str, &[u8])> = vec![
            ("manifest.json", b"{}"),
            (
                "textures/terrain_texture.json",
                br#"{"texture_data": {"leaf": {"textures": "textures/leaf"}}}"#,
            ),
        ];

        let leaf = png(&[[128, 128, 128, 255]]);
        all.push(("textures/leaf.png", &leaf));
        all.extend(files.iter().map(|(path, text)| (&**path, text.as_bytes())));

        let (rows, problems) = rows(&all);
        let wanted = [
            "mod:a\t808080\t100\tfoliage",
            "mod:b\t40532a\t100\t-",
            "mod:c\t808080\t100\t-",
            "mod:d\t808080\t100\tgrass",
        ];

        assert!(
            rows.len() == 4
                && rows
                    .iter()
                    .zip(wanted)
                    .all(|(row, wanted)| row.starts_with(wanted)),
            "{rows:?}"
        );
        assert_eq!(problems, [""; 0]);
    }
}
