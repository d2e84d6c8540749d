//! The table of numeric block ids, from `pc/common/legacy.json` of the package `minecraft-data`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ResolveError;

#[derive(Deserialize)]
struct Legacy {
    blocks: BTreeMap<String, String>,
}

/// The lines of the table by id and data, properties sorted.
///
/// # Errors
///
/// Text that is not such a file.
pub fn numeric_blocks(file: &str, text: &str) -> Result<String, ResolveError> {
    let legacy: Legacy = serde_json::from_str(text).map_err(|error| ResolveError::new(file, error))?;
    let mut lines = BTreeMap::new();
    for (key, state) in &legacy.blocks {
        let pair = key.split_once(':').and_then(|(id, data)| Some((id.parse::<u16>().ok()?, data.parse::<u8>().ok()?)));
        let pair = pair.ok_or_else(|| ResolveError::new(file, format!("{key:?} is not id:data")))?;
        let (name, properties) = state.split_once('[').unwrap_or((state, ""));
        let mut properties: Vec<&str> = properties.trim_end_matches(']').split(',').filter(|p| !p.is_empty()).collect();
        properties.sort_unstable();
        let state = if properties.is_empty() { String::new() } else { format!("[{}]", properties.join(",")) };
        lines.insert(pair, format!("{key}\t{name}{state}\n"));
    }
    Ok(lines.into_values().collect())
}
