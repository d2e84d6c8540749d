//! Makes the table of block colours from the game's assets, or from those of a pack or a mod.
//!
//! For each block: block state file → models of one state → parents merged → upward faces laid over each other by
//! height → mean weighted by alpha, in plain sRGB. Where nothing faces up (plants, doors), the mean of the faces at the
//! side; where a model has no faces (water, heads), the texture of its particles. Facts that no model holds stand in
//! `rules.tsv` beside the tables. Two simplifications: boxes that are rotated inside a model are taken as unrotated,
//! and of several models that the game picks from at random the first is taken.
//!
//! The test `tests/render/drawing/palettes/tables.rs` makes the built-in tables and describes how. A damaged model costs
//! its block alone and is reported.

mod assets;
mod climate;
mod model;
mod registry;
mod rules;
mod states;
mod texture;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use assets::Assets;
pub use climate::{Climates, Colormaps};
pub use registry::{Facts, Registry};
pub use rules::Rules;
pub use states::State;

use super::Tint;
use super::table::{Flags, Row, split_state};
use crate::world::pack::PackError;
use model::{Model, SIDES, Side};
use registry::parse_state;
use rules::Say;
use states::Apply;
use texture::Texture;
use view::{Mean, Seen};

/// The most textures of one block: the game's blocks have below 10.
const MAX_TEXTURES: usize = 64;

/// The sources of a table.
#[derive(Debug)]
pub struct Sources {
    /// Block states, models and textures.
    pub assets: Assets,
    /// Facts of the game's registry; may be empty.
    pub registry: Registry,
    /// Facts that no model holds.
    pub rules: Rules,
}

/// The rules that belong to the built-in tables.
pub const BUILT_IN_RULES: &str = include_str!("../rules.tsv");

/// A table as text, and the blocks that failed.
#[derive(Debug, Clone, Default)]
pub struct Generated {
    /// The table, as the palette reads it.
    pub text: String,
    /// Blocks that could not be resolved, with the reason.
    pub problems: Vec<String>,
}

/// Makes the table of all blocks in the sources. Where the game's own assets are among them, it includes the game's
/// blocks that need no asset.
///
/// # Errors
///
/// A source whose blocks cannot be listed.
pub fn generate(sources: &Sources) -> Result<Generated, PackError> {
    let aliases: BTreeMap<&str, &str> = sources.rules.aliases().collect();
    let listed = sources.assets.blocks()?;
    let mut names: BTreeSet<&str> = listed.iter().map(|name| name.strip_prefix("minecraft:").unwrap_or(name)).collect();
    // A pack or mod alone has none of the game's own blocks.
    let whole = names.contains("stone");
    if whole {
        names.extend(sources.registry.names().chain(aliases.keys().copied()));
    }
    let listed: BTreeSet<&str> = listed.iter().map(|name| name.strip_prefix("minecraft:").unwrap_or(name)).collect();
    let mut generated = Generated::default();
    for name in names {
        if let Some(target) = aliases.get(name) {
            generated.text.extend([name, "\t=", target, "\n"]);
            continue;
        }
        match rows(sources, name) {
            Ok(rows) => generated.text.extend(rows),
            Err(reason) if listed.contains(name) => generated.problems.push(format!("{name}: {reason}")),
            // The assets are of a game older than the block.
            Err(_) => {}
        }
    }
    Ok(generated)
}

/// The lines of one block: its own, then those of its states that look different.
fn rows(sources: &Sources, name: &str) -> Result<Vec<String>, String> {
    let say = sources.rules.say(name, None)?;
    if say.skip {
        return Ok(Vec::new());
    }
    let base = row(sources, name, None, &say)?;
    let mut lines = vec![format!("{name}\t{base}\n")];
    let mut states = say.states.clone();
    states.sort();
    states.dedup();
    for state in states {
        let said = sources.rules.say(name, Some(&state))?;
        let row = row(sources, name, Some(&state), &said)?;
        if row != base {
            lines.push(format!("{name}[{state}]\t{row}\n"));
        }
    }
    Ok(lines)
}

fn row(sources: &Sources, name: &str, state: Option<&str>, say: &Say) -> Result<Row, String> {
    let changed = parse_state(state.unwrap_or_default());
    let kin = say.kin.as_deref().and_then(|kin| sources.registry.facts(kin));
    let facts = sources.registry.facts(name).or(kin);
    let seen = match (say.rgb, say.cover) {
        (Some(rgb), Some(_)) => Mean { rgb: rgb.map(f32::from), coverage: 1.0, tinted: say.tint.is_some() },
        _ => look(sources, name, &changed, facts, say).map_err(|error| error.to_string())?,
    };
    let modded = name.contains(':');
    let tint = match say.tint {
        _ if !seen.tinted || say.untinted => Tint::None,
        Some(tint) => tint,
        None if say.times.is_some() => Tint::None,
        // Mods tint what grows; leaves and vines have rules.
        None if modded => Tint::Grass,
        None => return Err("its model has tinted faces, but no rule says with which colour".to_owned()),
    };
    let mut rgb = say.rgb.unwrap_or(seen.rgb.map(|channel| channel.round() as u8));
    if let Some(times) = say.times {
        rgb = std::array::from_fn(|i| ((u32::from(rgb[i]) * u32::from(times[i]) + 127) / 255) as u8);
    }
    let map_of = say.map_of.as_deref().and_then(|other| sources.registry.facts(other)).or(facts);
    let mut flags = say.flags;
    if modded || facts.is_some_and(Facts::wettable) {
        flags = flags.with(Flags::WETTABLE);
    }
    if facts.is_some_and(Facts::wet) {
        flags = flags.with(Flags::WET);
    }
    Ok(Row {
        rgb,
        coverage: say.cover.unwrap_or((seen.coverage * 100.0).round() as u8),
        tint,
        flags,
        map: map_of.map_or(0, |facts| facts.map_of(&changed)),
    })
}

/// The mean colour of a state, or of the block that it looks like.
fn look(sources: &Sources, name: &str, changed: &State, facts: Option<&Facts>, say: &Say) -> Result<Mean, PackError> {
    let mut state = facts.map(|facts| facts.default.clone()).unwrap_or_default();
    state.extend(parse_state(say.prefer.as_deref().unwrap_or_default()));
    state.extend(changed.clone());
    let mut shown = name;
    if let Some(like) = &say.like {
        let (other, other_state) = split_state(like).map_err(|reason| PackError::new(like, reason))?;
        shown = other;
        state = sources.registry.facts(other).map(|facts| facts.default.clone()).unwrap_or_default();
        state.extend(parse_state(other_state.unwrap_or_default()));
    }
    let applies = match &say.model {
        Some(model) => vec![Apply { model: model.clone(), x: 0, y: 0 }],
        None => states::applies(&sources.assets.state(shown)?, &state),
    };
    see(&sources.assets, shown, &applies)
}

/// The mean colour of models seen from above.
fn see(assets: &Assets, name: &str, applies: &[Apply]) -> Result<Mean, PackError> {
    let models = applies.iter().map(|apply| Model::read(assets, &apply.model)).collect::<Result<Vec<_>, _>>()?;
    let mut textures: BTreeMap<&str, Rc<Texture>> = BTreeMap::new();
    let (mut above, mut beside) = (Vec::new(), Vec::new());
    for (apply, model) in applies.iter().zip(&models) {
        let upward = view::side_above(apply.x);
        for element in &model.elements {
            for ((side, _), face) in SIDES.into_iter().zip(&element.faces) {
                let Some(face) = face else { continue };
                let up = side == upward;
                if !up && matches!(side, Side::Up | Side::Down) {
                    continue;
                }
                let reference = model.texture(&face.texture)?;
                let texture = match textures.get(reference) {
                    Some(texture) => Rc::clone(texture),
                    None if textures.len() == MAX_TEXTURES => {
                        return Err(PackError::new(name, format!("more than {MAX_TEXTURES} textures")));
                    }
                    None => Rc::clone(textures.entry(reference).or_insert(Rc::new(assets.texture(reference)?))),
                };
                let seen = Seen { element, side, face, texture, x: apply.x, y: apply.y };
                if up { above.push(seen) } else { beside.push(seen) }
            }
        }
    }
    if let Some(mean) = view::from_above(above).or_else(|| view::from_the_front(&beside)) {
        return Ok(mean);
    }
    let particle = models.iter().find_map(Model::particle).ok_or_else(|| PackError::new(name, "nothing to see"))?;
    view::whole(&assets.texture(particle)?).ok_or_else(|| PackError::new(particle, "wholly transparent"))
}
