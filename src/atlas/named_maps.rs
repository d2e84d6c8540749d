//! Maps with names in one folder, as their pages name each other, and the page in front of them.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::base::disk::{if_there, read_file};
use crate::page;

/// The page in front of the maps.
pub(crate) const PAGE: &str = "index.html";
/// A part of the page that no page of a map has: names in a page are escaped.
pub(crate) const LIST: &str = r#"<ul id="maps">"#;

/// A map with a name, as the pages of all of them name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldLink {
    pub name: String,
    /// The way to its folder from the folder of the page, which ends with a slash.
    pub path: String,
    /// `true` of the map that the page shows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub this: bool,
}

impl WorldLink {
    /// The maps with these names, for the page of the one called `this`.
    pub fn all<'a>(names: impl Iterator<Item = &'a str>, this: &str) -> Vec<Self> {
        names.map(|name| Self { name: name.to_owned(), path: format!("../{name}/"), this: name == this }).collect()
    }
}

/// Returns whether a folder holds the page in front of maps with names.
///
/// # Errors
/// The page is there and cannot be read.
pub fn is_site_of_worlds(root: &Path) -> io::Result<bool> {
    let page = if_there(read_file(&root.join(PAGE)))?.unwrap_or_default();
    Ok(page::is_page(&page) && page.windows(LIST.len()).any(|part| part == LIST.as_bytes()))
}
