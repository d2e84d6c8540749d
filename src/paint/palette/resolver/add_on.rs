//! Finds the colours of blocks in add-ons of Bedrock Edition, which consist of resource packs and behaviour packs.
//!
//! A block has the mean colour of its upper face, weighted by alpha, or of a side if the upper face is transparent. If
//! the textures of all these faces are transparent everywhere, the block is not visible. If its packs lack a texture for
//! it, it has the colour that it has on the game's maps. `blocks.json` and the components of a block (`blocks/*.json`) contain short
//! names of textures, and `textures/terrain_texture.json` contains the files for these names. Source:
//! learn.microsoft.com, "Block components", "blocks.json".

use std::collections::BTreeMap;

use serde_json::Value;

use super::assets::is_add_on;
use super::texture::Texture;
use super::{Assets, Flags, Generated, Row, Tint, parse_rgb};
use crate::base::edited_json;
use crate::world::pack::{Pack, PackError};

/// The largest file that is read as JSON, and the largest texture, in bytes.
const MAX_JSON: u64 = 4 << 20;
const MAX_TEXTURE: u64 = 32 << 20;

/// The faces of a block that may be visible from above, in the order in which their textures are tried. `*` means all
/// faces without a texture of their own.
const FACES: [&str; 7] = ["up", "*", "side", "north", "south", "east", "west"];

/// The facts that packs contain about a block.
#[derive(Debug, Default)]
struct AddOnBlock {
    /// The short names of the textures of its [`FACES`].
    textures: Vec<String>,
    map_colour: Option<[u8; 3]>,
}

/// A colour, and the percentage of the area that it covers.
type Covering = ([u8; 3], u8);

/// Adds the blocks of all packs of Bedrock Edition among the assets.
pub(super) fn add_blocks(assets: &Assets, generated: &mut Generated) -> Result<(), PackError> {
    let packs: Vec<&Pack> = assets.packs().filter(|pack| is_add_on(pack)).collect();
    let mut blocks: BTreeMap<String, AddOnBlock> = BTreeMap::new();
    let mut textures: BTreeMap<String, String> = BTreeMap::new();
    // The topmost pack is read last, so that it overrides the others.
    for pack in packs.iter().rev() {
        let mut files = vec!["blocks.json".to_owned(), "textures/terrain_texture.json".to_owned()];
        files.extend(pack.files_below("blocks", ".json")?);
        for file in files {
            match read_json(pack, &file) {
                Ok(None) => {}
                Ok(Some(json)) if file.starts_with("textures/") => add_textures(&json, &mut textures),
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

fn row(packs: &[&Pack], textures: &BTreeMap<String, String>, block: &AddOnBlock) -> Result<Row, PackError> {
    let row = |rgb, coverage| Row { rgb, coverage, tint: Tint::None, flags: Flags::WETTABLE, map: 0 };
    let seen = covering(packs, textures, block);
    match (seen, block.map_colour) {
        (Ok((rgb, coverage)), _) => Ok(row(rgb, coverage)),
        (Err(_), Some(rgb)) => Ok(row(rgb, 100)),
        (Err(error), None) => Err(error),
    }
}

/// Returns the mean colour of the first texture of a block that is not transparent everywhere.
fn covering(packs: &[&Pack], textures: &BTreeMap<String, String>, block: &AddOnBlock) -> Result<Covering, PackError> {
    let [first, others @ ..] = &block.textures[..] else {
        return Err(PackError::new("its packs", "no texture and no colour for maps"));
    };
    let seen = mean(packs, textures, first)?;
    let at_side = || others.iter().find_map(|name| mean(packs, textures, name).ok().flatten());
    Ok(seen.or_else(at_side).unwrap_or(([0; 3], 0)))
}

/// Returns the mean colour of a texture; `None`: it is transparent everywhere.
fn mean(packs: &[&Pack], textures: &BTreeMap<String, String>, name: &str) -> Result<Option<Covering>, PackError> {
    let path = textures.get(name).ok_or_else(|| PackError::new(name, "terrain_texture.json does not name it"))?;
    let file = format!("{path}.png");
    for pack in packs {
        let Some(bytes) = pack.read(&file, MAX_TEXTURE)? else { continue };
        let texture = Texture::from_png(&bytes).map_err(|reason| PackError::new(&file, reason))?.first_frame();
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
    Err(PackError::new(&file, "no pack has this file"))
}

/// Reads the short names of textures.
fn add_textures(json: &Value, textures: &mut BTreeMap<String, String>) {
    for (name, entry) in json.get("texture_data").and_then(Value::as_object).into_iter().flatten() {
        // The value is one path or a list of paths, from which the game chooses one. Each path may be an object that
        // also has a tint.
        let mut first = &entry["textures"];
        first = first.get(0).unwrap_or(first);
        let path = first.as_str().or_else(|| first.get("path")?.as_str());
        textures.extend(path.map(|path| (name.clone(), path.to_owned())));
    }
}

/// Reads the textures of blocks from `blocks.json`. The game's own blocks are skipped, because they already have
/// colours.
fn add_faces(json: &Value, blocks: &mut BTreeMap<String, AddOnBlock>) {
    for (name, block) in json.as_object().into_iter().flatten().filter(|(name, _)| is_own(name)) {
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
    let Some(name) = block["description"]["identifier"].as_str().filter(|name| is_own(name)) else { return };
    let components = &block["components"];
    let materials = &components["minecraft:material_instances"];
    let textures = textures_of(|face| materials[face]["texture"].as_str());
    let found = blocks.entry(name.to_owned()).or_default();
    if !textures.is_empty() {
        found.textures = textures;
    }
    found.map_colour = map_colour(&components["minecraft:map_color"]).or(found.map_colour);
}

/// Returns the textures of the faces that have one.
fn textures_of<'a>(texture: impl Fn(&str) -> Option<&'a str>) -> Vec<String> {
    FACES.iter().filter_map(|face| texture(face)).map(str::to_owned).collect()
}

/// Parses a colour that is written as `#rrggbb` or `[r, g, b]`, either directly or in the field `color`.
fn map_colour(value: &Value) -> Option<[u8; 3]> {
    let value = value.get("color").unwrap_or(value);
    if let Some(text) = value.as_str() {
        return parse_rgb(text.strip_prefix('#')?).ok();
    }
    let channel = |index| value.get(index)?.as_u64().and_then(|channel| u8::try_from(channel).ok());
    Some([channel(0)?, channel(1)?, channel(2)?])
}

/// Returns whether this is the name of an add-on's block. Only such names may begin a line of a colour file.
fn is_own(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    name.contains(':') && !name.starts_with("minecraft:") && name.len() <= 256 && name.chars().all(is_plain)
}

fn read_json(pack: &Pack, file: &str) -> Result<Option<Value>, PackError> {
    let Some(bytes) = pack.read(file, MAX_JSON)? else { return Ok(None) };
    let json = edited_json::parse(&bytes);
    json.map(Some).map_err(|error| PackError::new(format!("{}, {file}", pack.path().display()), error))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::paint::palette::resolver::{BUILT_IN_RULES, Registry, Rules, Sources, generate};

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
        encoder.write_header().unwrap().write_image_data(&pixels.concat()).unwrap();
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
                ("textures/blocks/top.png", &png(&[[10, 20, 30, 255], [20, 40, 60, 255]])),
                ("textures/blocks/pane.png", &png(&[[200, 100, 50, 255], [0, 0, 0, 0]])),
                ("textures/blocks/beam.png", &png(&[[1, 2, 3, 255]])),
            ],
        );
        let block = |name: &str, components: &str| {
            format!(
                r#"{{"minecraft:block": {{"description": {{"identifier": "{name}"}}, "components": {{{components}}}}}}}"#
            )
        };
        let beam = block("mod:beam", r#""minecraft:material_instances": {"*": {"texture": "beam"}}"#);
        let named = block("mod:named", r##""minecraft:map_color": "#0a0b0c""##);
        let listed = block("mod:listed", r#""minecraft:map_color": {"color": [7, 8, 9]}"#);
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
        let made = generate(&Sources { assets, registry: Registry::builtin(), rules }).unwrap();
        let colours: Vec<&str> =
            made.text.lines().map(|line| line.rsplit_once("\t-").map_or(line, |(line, _)| line)).collect();
        let wanted =
            ["mod:beam\t010203", "mod:glass\tc86432", "mod:listed\t070809", "mod:named\t0a0b0c", "mod:table\t0f1e2d"];
        assert!(colours.iter().zip(wanted).all(|(line, wanted)| line.starts_with(wanted)), "{colours:?}");
        assert_eq!(colours.len(), wanted.len(), "{colours:?}");
        assert!(made.text.contains("mod:glass\tc86432\t50"), "{}", made.text);
        assert_eq!(made.problems.len(), 2, "{:?}", made.problems);
        assert!(made.problems[0].contains("broken.json") && made.problems[1].starts_with("mod:lost: "));
    }
}
