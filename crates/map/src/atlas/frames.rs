//! `frames.json`: the list of a time-lapse's frames in a folder, each with its moment. `export`
//! writes the pictures; this module only defines the list and the names of the files.

use std::io;

use serde::{Deserialize, Serialize};

use super::history::Moment;
use pixelmap_base::disk::if_there;
use pixelmap_base::json;
use pixelmap_base::own_folder::OwnFolder;

/// The frames of a time-lapse in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameList {
    /// The name of the world.
    pub name: String,
    /// The dimension and the layer that the frames show.
    pub dimension: String,
    pub layer: String,
    /// The frames in their order: the first one is file number 1.
    pub frames: Vec<FrameFacts>,
}

/// A frame of a time-lapse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameFacts {
    /// The name of its file.
    pub file: String,
    /// The time of its moment; `label` is the moment's label, if it has one.
    pub time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl FrameList {
    /// The name of the list's file in its folder.
    pub const FILE: &'static str = "frames.json";

    /// Adds the frame of a moment and returns the name of the frame's file.
    pub fn add(&mut self, moment: &Moment) -> &str {
        let file = Self::file_name(self.frames.len() + 1);
        self.frames.push(FrameFacts {
            file,
            time: moment.time_text(),
            label: moment.label.clone(),
        });
        self.frames.last().map_or("", |frame| &frame.file)
    }

    /// Returns the file name of the frame with this number, counted from 1.
    pub fn file_name(number: usize) -> String {
        format!("frame-{number:05}.png")
    }

    /// Reads the list in a folder. Returns `None` if the list is missing or damaged.
    ///
    /// # Errors
    /// Fails if the list exists but cannot be read.
    pub fn read(folder: &OwnFolder) -> io::Result<Option<Self>> {
        let bytes = if_there(folder.place(Self::FILE)?.read())?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Returns the text of the file.
    pub fn json(&self) -> String {
        // JSON can represent every value of these types, so this cannot fail.
        json::pretty(self).unwrap_or_default()
    }
}
