//! Makes the lines of the table, with the fewest states that decide between the blocks of Java.

use std::collections::{BTreeMap, BTreeSet};

use super::{Samples, States, rows, split};

/// A line of the table: the values of the states for which it counts, and the block of Java.
type Line = (BTreeMap<String, Vec<String>>, String);

/// Returns the smallest set of states that decides between the blocks of Java, with the blocks for
/// their values.
fn deciding(samples: &[(&States, &String)]) -> BTreeMap<States, String> {
    let keys: Vec<&String> = samples
        .iter()
        .flat_map(|(states, _)| states.keys())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut choices: Vec<u32> = (0..1 << keys.len()).collect();
    choices.sort_by_key(|choice| choice.count_ones());

    let decide = |choice: u32| {
        let is_chosen = |key: &String| {
            keys.iter()
                .position(|other| *other == key)
                .is_some_and(|at| choice >> at & 1 == 1)
        };

        let mut decided = BTreeMap::new();
        for (states, java) in samples {
            let chosen: States = states
                .iter()
                .filter(|(key, _)| is_chosen(key))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            if decided.entry(chosen).or_insert(*java) != java {
                return None;
            }
        }

        Some((choice.count_ones(), decided))
    };

    let mut best: Option<(u32, BTreeMap<States, &String>)> = None;
    for choice in choices {
        if best
            .as_ref()
            .is_some_and(|(fewest, _)| choice.count_ones() > *fewest)
        {
            break;
        }

        let shorter = decide(choice)
            .filter(|(_, new)| best.as_ref().is_none_or(|(_, old)| new.len() < old.len()));
        best = shorter.or(best);
    }

    best.unwrap()
        .1
        .into_iter()
        .map(|(states, java)| (states, java.clone()))
        .collect()
}

/// Returns the block of a name for states that no line lists: the block of data 0, or the most
/// frequent one.
fn usual(
    name: &str,
    samples: &BTreeMap<States, String>,
    decided: &BTreeMap<States, String>,
) -> String {
    let plain = decided.get(&States::new());
    if let Some(java) =
        plain.or_else(|| samples.get(&States::from([("val".to_owned(), "0".to_owned())])))
    {
        return java.clone();
    }

    let count = |java: &String| decided.values().filter(|other| *other == java).count();

    decided
        .values()
        .max_by_key(|java| (count(java), *java == name, std::cmp::Reverse(*java)))
        .unwrap()
        .clone()
}

fn lines(name: &str, samples: &BTreeMap<States, String>) -> Vec<Line> {
    let (data, states): (Vec<_>, Vec<_>) = samples
        .iter()
        .partition(|(states, _)| states.contains_key("val"));
    let mut decided = BTreeMap::new();
    for group in [states, data].into_iter().filter(|group| !group.is_empty()) {
        for (states, java) in deciding(&group) {
            decided.entry(states).or_insert(java);
        }
    }

    let usual = usual(name, samples, &decided);

    // A default needs a line only if another line with fewer states also fits.
    let is_within = |few: &States, many: &States| {
        few.len() < many.len() && few.iter().all(|(key, value)| many.get(key) == Some(value))
    };

    let needed = |states: &States, java: &String| {
        !states.is_empty()
            && (*java != usual
                || decided
                    .keys()
                    .any(|few| !few.is_empty() && is_within(few, states)))
    };

    let single = decided.iter().filter(|(states, java)| needed(states, java));
    let single = single.map(|(states, java)| {
        (
            states
                .iter()
                .map(|(k, v)| (k.clone(), vec![v.clone()]))
                .collect(),
            java.clone(),
        )
    });

    let mut all = joined(single.collect());
    all.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
    all.insert(0, (BTreeMap::new(), usual));

    all
}

/// Joins lines that differ only in the value of one state.
fn joined(mut lines: Vec<Line>) -> Vec<Line> {
    let keys: BTreeSet<String> = lines
        .iter()
        .flat_map(|(when, _)| when.keys().cloned())
        .collect();

    for key in keys {
        let mut by_rest = BTreeMap::<_, Vec<String>>::new();
        for (mut when, java) in lines {
            let values = when.remove(&key);
            by_rest
                .entry((when, java, values.is_some()))
                .or_default()
                .extend(values.unwrap_or_default());
        }

        let with_values =
            |((mut when, java, has_key), mut values): ((BTreeMap<_, _>, _, bool), Vec<String>)| {
                values.sort_by_key(|value| (value.len(), value.clone()));
                if has_key {
                    when.insert(key.clone(), values);
                }
                (when, java)
            };

        lines = by_rest.into_iter().map(with_values).collect();
    }

    lines
}

fn print((when, java): &Line, name: &str) -> String {
    let states: Vec<_> = when
        .iter()
        .map(|(key, values)| format!("{key}={}", values.join("|")))
        .collect();

    let states = if states.is_empty() {
        String::new()
    } else {
        format!("[{}]", states.join(","))
    };

    let java = java
        .strip_prefix(name)
        .filter(|rest| rest.starts_with('['))
        .unwrap_or(java);
    format!("{name}{states}\t{java}\n")
}

/// Returns the block of the line that fits and has the most states.
fn find<'a>(lines: &'a [Line], states: &States) -> &'a str {
    let fits = |when: &BTreeMap<String, Vec<String>>| {
        when.iter()
            .all(|(key, values)| states.get(key).is_some_and(|value| values.contains(value)))
    };
    &lines
        .iter()
        .filter(|(when, _)| fits(when))
        .max_by_key(|(when, _)| when.len())
        .unwrap()
        .1
}

pub(super) fn block_table(samples: &Samples, rules: &str) -> String {
    let mut table = BTreeMap::<&str, String>::new();
    for (name, samples) in samples {
        let lines = lines(name, samples);
        for (states, java) in samples {
            assert_eq!(find(&lines, states), java, "{name} {states:?}");
        }

        let text = lines
            .iter()
            .filter(|(when, java)| !when.is_empty() || java != name)
            .map(|line| print(line, name));
        table.insert(name, text.collect());
    }

    let mut ruled = BTreeMap::<&str, String>::new();
    for (key, java) in rows(rules) {
        let line = if key == java {
            String::new()
        } else {
            format!("{key}\t{java}\n")
        };
        *ruled.entry(split(key).0).or_default() += &line;
    }

    table.extend(ruled);
    table.into_values().collect()
}
