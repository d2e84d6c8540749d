//! Remembers which hidden places were removed from the earlier moments of each layer, so that a run
//! only searches the history if other places are hidden now.
//!
//! The hash of a place lets a reader test guesses of the place. So the list is a file of the state
//! folder, which is never exported, copied to a bucket or served. If it is lost, the next run
//! searches the history again, which changes nothing.

use std::collections::BTreeMap;

use twox_hash::XxHash3_64;

use crate::publish::drawn::UnpublishedMap;
use pixelmap_base::json;
use pixelmap_map::store::{Commit, Output, PublishError};

/// The file in the state folder: one line `hash<TAB>layer` per layer.
const FILE: &str = "hidden.tsv";

/// The hash of the places that were removed from a layer's earlier moments, by the layer's path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HiddenLayers(BTreeMap<String, String>);

impl HiddenLayers {
    pub(crate) fn read(output: &Output) -> Result<Self, PublishError> {
        let path = output.state_path(FILE);
        if output.file_facts(&path)?.is_none() {
            return Ok(Self::default());
        }

        let text = output.read(&path)?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        let layers = lines.map(|(hash, layer)| (layer.to_owned(), hash.to_owned()));
        Ok(Self(layers.collect()))
    }

    /// Notes the places that the layers of a map hide now. Returns whether other places are hidden
    /// than in their earlier moments.
    pub(crate) fn note(&mut self, map: &UnpublishedMap<'_>) -> bool {
        let hidden = map.hidden.filter(|hidden| !hidden.is_empty());

        // Shards store the places in the same form. Every value fits into JSON.
        let text = hidden.map(|hidden| json::text(hidden).unwrap_or_default());
        let hash = text.map(|text| format!("{:016x}", XxHash3_64::oneshot(text.as_bytes())));

        let mut is_new = false;
        for map_layer in map.map_layers.all() {
            let path = map.map_layers.path(map_layer);
            if let Some(hash) = &hash {
                is_new |= self.0.insert(path, hash.clone()).as_ref() != Some(hash);
            } else {
                self.0.remove(&path);
            }
        }

        is_new
    }

    pub(crate) fn put(&self, commit: &mut Commit<'_>) -> Result<(), PublishError> {
        let path = commit.output().state_path(FILE);
        let lines = self
            .0
            .iter()
            .map(|(layer, hash)| format!("{hash}\t{layer}\n"));
        let text: String = lines.collect();
        if !text.is_empty() {
            commit.put(&path, text.as_bytes())?;
        } else if commit.output().file_facts(&path)?.is_some() {
            commit.remove(&path)?;
        }
        Ok(())
    }
}
