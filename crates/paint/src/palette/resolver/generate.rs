//! Makes the table of block colours from the assets of the game, of a pack or of a mod.
//!
//! For each block: block state file → models of one state → parents merged → upward faces laid over
//! each other by height → mean weighted by alpha, in plain sRGB. If every face of the block faces
//! sideways or down (plants, doors), we use the mean of the faces at the side. If a model lacks
//! faces (water, heads), we use the texture of its particles. If all of its textures are
//! transparent everywhere, the block is not visible. Facts that models do not contain are in
//! `rules.tsv` next to the tables. There are two simplifications: boxes that are rotated inside a
//! model count as unrotated, and if the game chooses one of several models at random, we use the
//! first.
//!
//! The test `tests/render/drawing/palettes/tables.rs` makes the built-in tables and describes how.
//! A damaged model affects only its own block, and is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::palette::resolver::add_on;
use crate::palette::resolver::assets::Assets;
use crate::palette::resolver::generated_table::GeneratedTable;
use crate::palette::resolver::model::{BoxSide, ElementBudget, Model, SIDES};
use crate::palette::resolver::registry::{BlockFacts, Registry, parse_state};
use crate::palette::resolver::rules::{RuleFacts, Rules};
use crate::palette::resolver::states::{self, Apply, State};
use crate::palette::resolver::texture::Texture;
use crate::palette::resolver::view::{self, Mean, ViewedFace};
use crate::palette::table::{Flags, Row, split_state};
use crate::palette::tint::Tint;
use pixelmap_world::pack::{self, PackError};

/// The limit of the textures of one block. The game's blocks have fewer than 10.
const MAX_TEXTURES: usize = 64;

/// The most variants of a block that are searched for a visible one.
const MAX_VARIANTS: usize = 64;

/// The model of air, which mods use for blocks that are not visible.
const AIR_MODEL: &str = "minecraft:block/air";

#[derive(Debug)]
pub struct TableSources {
    /// Block states, models and textures.
    pub assets: Assets,
    /// Facts from the game's registry; may be empty.
    pub registry: Registry,
    /// Facts that models do not contain.
    pub rules: Rules,
}

/// Makes the table of all blocks in the sources. If the game's own assets are among the sources,
/// the table includes the game's blocks that are drawn without an asset.
///
/// # Errors
/// Fails if the blocks of a source cannot be listed.
pub fn generate(sources: &TableSources) -> Result<GeneratedTable, PackError> {
    let aliases: BTreeMap<&str, &str> = sources.rules.aliases().collect();
    let listed = sources.assets.blocks()?;
    let mut names: BTreeSet<&str> = listed
        .iter()
        .map(|name| name.strip_prefix("minecraft:").unwrap_or(name))
        .collect();

    // The game's own blocks are added only if the game's assets are among the sources, not for a
    // pack or mod alone.
    let whole = names.contains("stone");
    if whole {
        names.extend(sources.registry.names().chain(aliases.keys().copied()));
    }

    let listed: BTreeSet<&str> = listed
        .iter()
        .map(|name| name.strip_prefix("minecraft:").unwrap_or(name))
        .collect();

    let mut generated = GeneratedTable::default();
    for name in names {
        if let Some(target) = aliases.get(name) {
            generated.text.extend([name, "\t=", target, "\n"]);
            continue;
        }

        match rows(sources, name) {
            Ok(rows) => generated.text.extend(rows),
            Err(reason) if listed.contains(name) => {
                generated.problems.push(format!("{name}: {reason}"));
            }
            // The block is in the registry but not in the assets, because the assets are from an
            // older version of the game.
            Err(_) => {}
        }
    }

    add_on::add_blocks(&sources.assets, &mut generated)?;
    Ok(generated)
}

/// Returns the lines of one block: its own line, then the lines of its states that look different.
fn rows(sources: &TableSources, name: &str) -> Result<Vec<String>, String> {
    let rules = sources.rules.rule_facts(name, None)?;
    if rules.skip {
        return Ok(Vec::new());
    }

    let base = row(sources, name, None, &rules)?;
    let mut lines = vec![format!("{name}\t{base}\n")];
    let mut states = rules.states.clone();
    states.sort();
    states.dedup();

    for state in states {
        let rules = sources.rules.rule_facts(name, Some(&state))?;
        let row = row(sources, name, Some(&state), &rules)?;
        if row != base {
            lines.push(format!("{name}[{state}]\t{row}\n"));
        }
    }

    Ok(lines)
}

fn row(
    sources: &TableSources,
    name: &str,
    state: Option<&str>,
    rules: &RuleFacts,
) -> Result<Row, String> {
    let changed = parse_state(state.unwrap_or_default());
    let kin = rules
        .kin
        .as_deref()
        .and_then(|kin| sources.registry.facts(kin));

    let facts = sources.registry.facts(name).or(kin);
    let seen = match (rules.rgb, rules.cover) {
        (Some(rgb), Some(_)) => Mean {
            rgb: rgb.map(f32::from),
            coverage: 1.0,
            tinted: rules.tint.is_some(),
        },
        _ => {
            state_mean(sources, name, &changed, facts, rules).map_err(|error| error.to_string())?
        }
    };

    let modded = name.contains(':');
    let tint = match rules.tint {
        _ if !seen.tinted || rules.untinted => Tint::None,
        Some(tint) => tint,
        None if rules.times.is_some() => Tint::None,
        // Mods tint blocks that grow, so grass is the best guess. Leaves and vines have rules.
        None if modded => Tint::Grass,
        None => {
            return Err(
                "its model has tinted faces, but no rule says with which colour".to_owned(),
            );
        }
    };

    let mut rgb = rules
        .rgb
        .unwrap_or(seen.rgb.map(|channel| channel.round() as u8));
    if let Some(times) = rules.times {
        rgb =
            std::array::from_fn(|i| ((u32::from(rgb[i]) * u32::from(times[i]) + 127) / 255) as u8);
    }

    let map_like = rules
        .map_like
        .as_deref()
        .and_then(|other| sources.registry.facts(other))
        .or(facts);

    let mut flags = rules.flags;
    if modded || facts.is_some_and(BlockFacts::can_be_waterlogged) {
        flags = flags.with(Flags::WETTABLE);
    }

    if facts.is_some_and(BlockFacts::is_waterlogged) {
        flags = flags.with(Flags::WET);
    }

    Ok(Row {
        rgb,
        coverage: if seen.is_clear() {
            0
        } else {
            rules.cover.unwrap_or((seen.coverage * 100.0).round() as u8)
        },
        tint,
        flags,
        map: map_like.map_or(0, |facts| facts.map_colour(&changed)),
    })
}

/// Returns the mean colour of a state, or of the block that it looks like according to a rule.
fn state_mean(
    sources: &TableSources,
    name: &str,
    changed: &State,
    facts: Option<&BlockFacts>,
    rules: &RuleFacts,
) -> Result<Mean, PackError> {
    let mut state = facts.map(|facts| facts.default.clone()).unwrap_or_default();
    state.extend(parse_state(rules.prefer.as_deref().unwrap_or_default()));
    state.extend(changed.clone());

    let mut shown = name;
    if let Some(like) = &rules.like {
        let (other, other_state) =
            split_state(like).map_err(|reason| PackError::new(like, reason))?;
        shown = other;
        state = sources
            .registry
            .facts(other)
            .map(|facts| facts.default.clone())
            .unwrap_or_default();
        state.extend(parse_state(other_state.unwrap_or_default()));
    }

    if let Some(model) = &rules.model {
        let apply = Apply {
            model: model.clone(),
            x: 0,
            y: 0,
            is_uv_locked: false,
            weight: 1,
        };
        return models_mean(&sources.assets, shown, &[apply]);
    }

    let file = sources.assets.state(shown)?;
    let mean = models_mean(&sources.assets, shown, &states::applies(&file, &state))?;
    if !mean.is_clear() || !changed.is_empty() {
        return Ok(mean);
    }

    // The block counts as visible if any of its variants is visible.
    let variants = states::variants(&file).take(MAX_VARIANTS);
    let mut means =
        variants.filter_map(|applies| models_mean(&sources.assets, shown, &applies).ok());

    Ok(means.find(|mean| !mean.is_clear()).unwrap_or(mean))
}

/// Returns the mean colour of models, seen from above.
fn models_mean(assets: &Assets, name: &str, applies: &[Apply]) -> Result<Mean, PackError> {
    let is_air = |apply: &Apply| pack::split(&apply.model) == pack::split(AIR_MODEL);
    if !applies.is_empty() && applies.iter().all(is_air) {
        return Ok(Mean::CLEAR);
    }

    let mut budget = ElementBudget::default();
    let mut read: BTreeMap<&str, Rc<Model>> = BTreeMap::new();
    let mut models = Vec::new();
    for Apply {
        model: model_name, ..
    } in applies
    {
        let model = match read.get(&**model_name) {
            Some(model) => Rc::clone(model),
            None => Rc::clone(
                read.entry(model_name)
                    .or_insert(Rc::new(Model::read(assets, model_name)?)),
            ),
        };

        budget.spend(name, &model)?;
        models.push(model);
    }

    let mut textures: BTreeMap<&str, Rc<Texture>> = BTreeMap::new();
    let mut above = Vec::new();
    let mut at_side = Vec::new();
    for (apply, model) in applies.iter().zip(&models) {
        let upward = view::side_above(apply.x);
        for element in &model.elements {
            for ((side, _), face) in SIDES.into_iter().zip(&element.faces) {
                let Some(face) = face else { continue };
                let up = side == upward;
                if !up && matches!(side, BoxSide::Up | BoxSide::Down) {
                    continue;
                }

                let reference = model.texture(&face.texture)?;
                let texture = match textures.get(reference) {
                    Some(texture) => Rc::clone(texture),
                    None if textures.len() == MAX_TEXTURES => {
                        return Err(PackError::new(
                            name,
                            format!("more than {MAX_TEXTURES} textures"),
                        ));
                    }
                    None => Rc::clone(
                        textures
                            .entry(reference)
                            .or_insert(Rc::new(assets.texture(reference)?)),
                    ),
                };

                let seen = ViewedFace {
                    element,
                    side,
                    face,
                    texture,
                    x: apply.x,
                    y: apply.y,
                };

                if up {
                    above.push(seen);
                } else {
                    at_side.push(seen);
                }
            }
        }
    }

    if let Some(mean) = view::from_above(above).or_else(|| view::from_the_front(&at_side)) {
        return Ok(mean);
    }

    // The mean is also missing if no face has an area, but then the block may be visible.
    if !textures.is_empty()
        && textures
            .values()
            .all(|texture| view::whole(texture).is_none())
    {
        return Ok(Mean::CLEAR);
    }

    let particle = models
        .iter()
        .find_map(|model| model.particle())
        .ok_or_else(|| PackError::new(name, "it is invisible"))?;

    Ok(view::whole(&assets.texture(particle)?).unwrap_or(Mean::CLEAR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_with_excess_boxes_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("assets/minecraft/models/block");
        std::fs::create_dir_all(&models).unwrap();

        let element =
            r##"{"from": [0, 0, 0], "to": [16, 16, 16], "faces": {"up": {"texture": "#none"}}}"##;
        std::fs::write(
            models.join("stone.json"),
            format!(r#"{{"elements": [{}]}}"#, vec![element; 1000].join(",")),
        )
        .unwrap();

        let assets = Assets::open(&[folder.path().to_owned()]).unwrap();
        let apply = Apply {
            model: "block/stone".to_owned(),
            x: 0,
            y: 0,
            is_uv_locked: false,
            weight: 1,
        };

        let reason = |parts: usize| {
            models_mean(&assets, "stone", &vec![apply.clone(); parts])
                .unwrap_err()
                .reason
        };

        assert_eq!(
            reason(5),
            "the models of one state have more than 4096 boxes"
        );
        assert_eq!(reason(4), "no texture has this key");
    }
}
