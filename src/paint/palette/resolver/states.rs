//! Block state files: the models of each state of a block. Knows no textures.

use std::collections::BTreeMap;

use serde_json::Value;

use super::model::quarter_turns;

/// Values of properties of a state.
pub type State = BTreeMap<String, String>;

/// One model of a state, with the quarter turns that the state gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Apply {
    pub(super) model: String,
    /// Quarter turns about the x axis, first.
    pub(super) x: u8,
    /// Quarter turns about the y axis, second.
    pub(super) y: u8,
}

/// Values of properties in an untouched block. If the default state is not known, the variant with most of them is
/// used.
const CALM: [&str; 14] =
    ["false", "none", "y", "bottom", "lower", "north", "straight", "0", "1", "single", "floor", "up", "normal", "foot"];

/// The models of `state`; properties that `state` leaves out have a calm value.
pub(super) fn applies(file: &Value, state: &State) -> Vec<Apply> {
    if let Some(variants) = file.get("variants").and_then(Value::as_object) {
        let best =
            variants.iter().enumerate().max_by_key(|(index, (key, _))| (score(key, state), std::cmp::Reverse(*index)));
        return best.and_then(|(_, (_, value))| apply(value)).into_iter().collect();
    }
    let parts = file.get("multipart").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let chosen = parts.iter().filter(|part| part.get("when").is_none_or(|when| holds(when, state)));
    let mut models: Vec<Apply> = chosen.filter_map(|part| apply(part.get("apply")?)).collect();
    if models.is_empty() {
        models.extend(parts.first().and_then(|part| apply(part.get("apply")?)));
    }
    models
}

/// How well a variant's key such as `axis=x,lit=true` fits: contradictions count most, calm values least.
fn score(key: &str, state: &State) -> i32 {
    let mut score = 0;
    for (name, value) in key.split(',').filter_map(|pair| pair.split_once('=')) {
        score += match state.get(name) {
            Some(wanted) if wanted == value => 100,
            Some(_) => -10_000,
            None => i32::from(CALM.contains(&value)),
        };
    }
    score
}

/// Returns whether a condition of a multipart file holds.
fn holds(when: &Value, state: &State) -> bool {
    let Some(map) = when.as_object() else { return false };
    map.iter().all(|(key, value)| match (key.as_str(), value) {
        ("OR", Value::Array(list)) => list.iter().any(|inner| inner.is_object() && holds_flat(inner, state)),
        ("AND", Value::Array(list)) => list.iter().all(|inner| holds_flat(inner, state)),
        _ => holds_one(key, value, state),
    })
}

/// Returns whether a condition without `OR` and `AND` holds; the game does not nest them.
fn holds_flat(when: &Value, state: &State) -> bool {
    when.as_object().is_some_and(|map| map.iter().all(|(key, value)| holds_one(key, value, state)))
}

fn holds_one(key: &str, value: &Value, state: &State) -> bool {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let (text, wanted) = text.strip_prefix('!').map_or((text.as_str(), true), |rest| (rest, false));
    let matches = text.split('|').any(|one| match state.get(key) {
        Some(value) => value == one,
        None => CALM.contains(&one),
    });
    matches == wanted
}

/// A model reference, or the first of several among which the game chooses at random.
fn apply(value: &Value) -> Option<Apply> {
    let one = value.as_array().map_or(Some(value), |list| list.first())?;
    Some(Apply {
        model: one.get("model")?.as_str()?.to_owned(),
        x: quarter_turns(one.get("x")),
        y: quarter_turns(one.get("y")),
    })
}
