//! Several named maps in one folder: how their pages link to each other, and how to recognise the
//! page in front of them.

use std::io;

use serde::{Deserialize, Serialize};

use crate::page;
use pixelmap_base::disk::if_there;
use pixelmap_base::own_folder::OwnFolder;

/// The name of the page in front of the maps.
pub(crate) const PAGE: &str = "index.html";
/// A part of that page which no map's page contains, because names in a page are escaped.
pub(crate) const LIST: &str = r#"<ul id="maps">"#;

/// A named map, as the pages of all named maps link to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldLink {
    pub name: String,
    /// The path to its folder, relative to the folder of the page; ends with a slash.
    pub path: String,
    /// `true` for the map that the page shows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub this: bool,
}

impl WorldLink {
    /// Returns links to the maps with these names, for the page of the map called `this`.
    pub fn all<'a>(names: impl Iterator<Item = &'a str>, this: &str) -> Vec<Self> {
        names
            .map(|name| Self {
                name: name.to_owned(),
                path: format!("../{name}/"),
                this: name == this,
            })
            .collect()
    }
}

/// Returns whether a folder contains the page in front of named maps.
///
/// # Errors
/// Fails if the page exists but cannot be read.
pub fn is_site_of_worlds(folder: &OwnFolder) -> io::Result<bool> {
    let page = if_there(folder.place(PAGE)?.read())?.unwrap_or_default();
    Ok(page::is_page(&page) && page.windows(LIST.len()).any(|part| part == LIST.as_bytes()))
}
