//! Reads block state files, which list the models of each state of a block. It does not read the
//! models themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::palette::resolver::model::quarter_turns;

/// The properties of a state with their values.
pub type State = BTreeMap<String, String>;

/// One model of a state, with the quarter turns that the state gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Apply {
    pub(crate) model: String,
    /// Quarter turns about the x axis. They are made first.
    pub(crate) x: u8,
    /// Quarter turns about the y axis. They are made second.
    pub(crate) y: u8,
    /// Whether the textures do not turn with the model.
    pub(crate) is_uv_locked: bool,
    /// How often this model is chosen, relative to the other models.
    pub(crate) weight: u32,
}

/// How many of the models among which the game chooses are read. The game has fewer than 20 per
/// state.
const MAX_CHOICES: usize = 64;

/// The largest weight that is used. Larger weights are reduced to it, so that sums stay small.
const MAX_WEIGHT: u64 = 1 << 16;

/// The values that properties have in an untouched block. If the default state is not known, the
/// variant with the most of them is used.
const CALM: [&str; 14] = [
    "false", "none", "y", "bottom", "lower", "north", "straight", "0", "1", "single", "floor",
    "up", "normal", "foot",
];

/// Returns the models of `state`. Properties that `state` leaves out have a calm value. If the game
/// chooses one of several models at random, the first is returned.
pub(super) fn applies(file: &Value, state: &State) -> Vec<Apply> {
    choices(file, state)
        .into_iter()
        .filter_map(|choice| choice.into_iter().next())
        .collect()
}

/// Returns the models of `state`. Each is a list of the models among which the game chooses at
/// random.
pub(crate) fn choices(file: &Value, state: &State) -> Vec<Vec<Apply>> {
    if let Some(variants) = file.get("variants").and_then(Value::as_object) {
        let best = variants
            .iter()
            .enumerate()
            .max_by_key(|(index, (key, _))| (score(key, state), std::cmp::Reverse(*index)));
        return best
            .map(|(_, (_, value))| choice(value))
            .into_iter()
            .collect();
    }

    let parts = file
        .get("multipart")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);

    let chosen = parts
        .iter()
        .filter(|part| part.get("when").is_none_or(|when| holds(when, state)));
    let mut models: Vec<Vec<Apply>> = chosen
        .filter_map(|part| part.get("apply").map(choice))
        .collect();
    if models.is_empty() {
        models.extend(parts.first().and_then(|part| part.get("apply").map(choice)));
    }

    models
}

/// Returns the models of each variant, or of each part. If the game chooses one of several models
/// at random, the first is returned.
pub(super) fn variants(file: &Value) -> impl Iterator<Item = Vec<Apply>> {
    let variants = file
        .get("variants")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(serde_json::Map::values);
    let parts = file
        .get("multipart")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let all = variants.chain(parts.filter_map(|part| part.get("apply")));
    all.map(|value| choice(value).into_iter().take(1).collect())
}

/// Returns how well a variant's key such as `axis=x,lit=true` fits. Contradictions count most, calm
/// values least.
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
    let Some(map) = when.as_object() else {
        return false;
    };
    map.iter().all(|(key, value)| match (key.as_str(), value) {
        ("OR", Value::Array(list)) => list
            .iter()
            .any(|inner| inner.is_object() && holds_flat(inner, state)),
        ("AND", Value::Array(list)) => list.iter().all(|inner| holds_flat(inner, state)),
        _ => holds_one(key, value, state),
    })
}

/// Returns whether a condition without `OR` and `AND` holds. The game does not nest these two.
fn holds_flat(when: &Value, state: &State) -> bool {
    when.as_object()
        .is_some_and(|map| map.iter().all(|(key, value)| holds_one(key, value, state)))
}

fn holds_one(key: &str, value: &Value, state: &State) -> bool {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let (text, wanted) = text
        .strip_prefix('!')
        .map_or((text.as_str(), true), |rest| (rest, false));
    let matches = text.split('|').any(|one| match state.get(key) {
        Some(value) => value == one,
        None => CALM.contains(&one),
    });
    matches == wanted
}

/// Parses a model reference, or a list of references among which the game chooses at random.
fn choice(value: &Value) -> Vec<Apply> {
    let all = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    all.iter().take(MAX_CHOICES).filter_map(apply).collect()
}

fn apply(one: &Value) -> Option<Apply> {
    let weight = one.get("weight").and_then(Value::as_u64).unwrap_or(1);
    Some(Apply {
        model: one.get("model")?.as_str()?.to_owned(),
        x: quarter_turns(one.get("x")),
        y: quarter_turns(one.get("y")),
        is_uv_locked: one.get("uvlock").and_then(Value::as_bool).unwrap_or(false),
        weight: weight.clamp(1, MAX_WEIGHT) as u32,
    })
}

/// Returns the names of the properties that affect the models of a block, sorted.
pub(crate) fn properties(file: &Value) -> Vec<String> {
    let mut names = BTreeSet::new();
    for key in file
        .get("variants")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, _)| key)
    {
        names.extend(
            key.split(',')
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, _)| name.to_owned()),
        );
    }

    for when in file
        .get("multipart")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("when"))
    {
        add_properties(when, &mut names);
    }

    names.into_iter().collect()
}

fn add_properties(when: &Value, names: &mut BTreeSet<String>) {
    for (key, value) in when.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("OR" | "AND", Value::Array(list)) => {
                let conditions = list.iter().filter_map(Value::as_object).flatten();
                names.extend(conditions.map(|(key, _)| key.clone()));
            }
            _ => {
                names.insert(key.clone());
            }
        }
    }
}
