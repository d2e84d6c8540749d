//! Checks the table of the numbers that block states have in the network protocol, which the reader
//! of zvcr needs.
//!
//! `TABLES_STATES` names the folder `data/pc` of the npm package minecraft-data 3.117.0. Without
//! it, the test prints a note and compares nothing.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::tables::{json, settle, source};

const HEAD: &str = "# Made by tests/render/drawing/palettes/network_states.rs from blocks.json of \
                    minecraft-data; do not change.\n# name\tprotocols\tproperties\n";

/// The blocks of a version in the order of their numbers, with their properties as text.
fn blocks(folder: &Path, version: &str) -> Vec<(String, String)> {
    let mut blocks = json(&folder.join(version).join("blocks.json"));
    let blocks = blocks.as_array_mut().unwrap();
    blocks.sort_by_key(|block| block["minStateId"].as_u64());
    blocks
        .iter()
        .map(|block| {
            let states = block["states"].as_array().unwrap();
            let properties: Vec<String> = states.iter().map(property).collect();
            let name = block["name"].as_str().unwrap().to_owned();
            (name, properties.join(" "))
        })
        .collect()
}

/// A property with its values. A property without values is true or false, and numbers are a range.
fn property(state: &Value) -> String {
    let name = state["name"].as_str().unwrap();
    if state["type"] == "bool" {
        return name.to_owned();
    }

    let count = state["num_values"].as_u64().unwrap();
    let values: Vec<String> = match state["values"].as_array() {
        Some(values) => values
            .iter()
            .map(|value| value.as_str().unwrap().to_owned())
            .collect(),
        None => (0..count).map(|number| number.to_string()).collect(),
    };

    let numbers: Option<Vec<u64>> = values.iter().map(|value| value.parse().ok()).collect();
    match numbers.as_deref() {
        Some([first, .., last]) if last - first + 1 == count => format!("{name}={first}..{last}"),
        _ => format!("{name}={}", values.join("|")),
    }
}

#[test]
fn network_states_match_their_source() {
    let Some(folder) = source("TABLES_STATES") else {
        return;
    };

    let old: BTreeMap<String, String> = blocks(&folder, "1.20.3").into_iter().collect();
    let mut table = String::new();
    for (name, properties) in blocks(&folder, "1.21.4") {
        let rows = match old.get(&name) {
            Some(same) if *same == properties => vec![("", &properties)],
            Some(other) => vec![("-765", other), ("769-", &properties)],
            None => vec![("769-", &properties)],
        };
        for (protocols, properties) in rows {
            let row = format!("{name}\t{protocols}\t{properties}");
            table += row.trim_end();
            table += "\n";
        }
    }

    settle("world/src/names/network_states.tsv", HEAD, &table);
}
