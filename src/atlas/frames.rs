//! `frames.json`: the frames of a time-lapse that lie in a folder, each with its moment.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Moment;
use crate::base::disk::{if_there, read_file};
use crate::base::json;

/// The frames of a time-lapse in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameList {
    /// The name of the world.
    pub name: String,
    /// The dimension and the layer that they show.
    pub dimension: String,
    pub layer: String,
    /// In their order: the first is that of file 1.
    pub frames: Vec<FrameFacts>,
}

/// A frame of a time-lapse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameFacts {
    /// The name of its file.
    pub file: String,
    /// The time of its moment, and its label.
    pub time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl FrameList {
    /// The name of the list in its folder.
    pub const FILE: &'static str = "frames.json";

    /// Adds the frame of a moment, and returns the name of its file.
    pub fn add(&mut self, moment: &Moment) -> &str {
        let file = Self::file_name(self.frames.len() + 1);
        self.frames.push(FrameFacts { file, time: moment.time_text(), label: moment.label.clone() });
        self.frames.last().map_or("", |frame| &frame.file)
    }

    /// The name of the frame with this number, counted from 1.
    pub fn file_name(number: usize) -> String {
        format!("frame-{number:05}.png")
    }

    /// Reads the list in a folder; `None`: there is none, or it is damaged.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn read(root: &Path) -> io::Result<Option<Self>> {
        let bytes = if_there(read_file(&root.join(Self::FILE)))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// The text of the list.
    pub fn json(&self) -> String {
        // These types have nothing that JSON cannot hold.
        json::pretty(self).unwrap_or_default()
    }
}
