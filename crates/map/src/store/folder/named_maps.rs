//! The folder of several named maps. Each map is in the folder of its name, and a front page leads
//! to the first map that has a page. This module uses only the names of the maps, and not their
//! contents.

use std::path::{Path, PathBuf};

use crate::atlas::Content;
use crate::atlas::named_maps::{LIST, PAGE};
use crate::page::{Code, Document, MARK, PageLoads, escape_html};
use crate::store::error::PublishError;
use crate::store::folder::identity::{Identity, WantedNaming};
use crate::store::folder::output::Output;
use pixelmap_base::json;

/// The front page, which leads to the first map.
const TEMPLATE: &str = include_str!("named_maps.html");

impl Output {
    /// Opens and locks the folder of maps with these names, and makes it if it is missing. The
    /// folder of a map must not be a link. `folders` are the folders of all worlds.
    ///
    /// # Errors
    /// See [`Output::open_for`].
    pub fn open_worlds(
        root: &Path,
        names: &[&str],
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        Self::look_at_worlds(root, names, folders)?;
        Self::open_for(
            Content::Worlds,
            WantedNaming::default(),
            root,
            &Identity::from_name(""),
            folders,
        )
    }

    /// Opens the folder for reading only, with the same checks as [`Output::open_worlds`].
    ///
    /// # Errors
    /// See [`Output::look`].
    pub fn look_at_worlds(
        root: &Path,
        names: &[&str],
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        let front = Self::look(
            Content::Worlds,
            WantedNaming::default(),
            root,
            &Identity::from_name(""),
            folders,
        )?;

        for name in names {
            let map = front.place(name)?;
            map.check_folder().map_err(PublishError::at(&map))?;
        }

        Ok(front)
    }

    /// Writes the front page, which leads to the first of these maps that has a page and links to
    /// all that have one. If no map has a page, nothing is written.
    ///
    /// # Errors
    /// The page cannot be written.
    pub fn put_page_of_worlds(&self, names: &[&str]) -> Result<(), PublishError> {
        let mut shown = Vec::new();
        for &name in names {
            let page = self.place(&format!("{name}/{PAGE}"))?;
            if page.is_file().map_err(PublishError::at(&page))? {
                shown.push(name);
            }
        }

        match shown.first() {
            Some(first) => self.put(PAGE, page(first, &shown).as_bytes()).map(drop),
            None => Ok(()),
        }
    }
}

/// Returns the front page, which leads to the map called `first`. It has links for browsers that
/// run no scripts.
fn page(first: &str, names: &[&str]) -> String {
    // Encoding the name as an address keeps it from ending the script early. Text always fits into
    // JSON, so the default is never used.
    let script = json::text(&address(first)).unwrap_or_default();

    let mut links = String::new();
    for name in names {
        links += &format!(
            "<li><a href=\"{}\">{}</a></li>\n",
            escape_html(&address(name)),
            escape_html(name)
        );
    }

    let document = Document {
        template: TEMPLATE,
        styles: &[],
        scripts: &[Code::Inline(&format!(
            "location.replace({script} + location.hash);"
        ))],
        loads: PageLoads::OwnPictures,
        html: &[
            (
                "title",
                &format!("{MARK}\n<title>{}</title>\n", escape_html(first)),
            ),
            ("links", &format!("{LIST}\n{links}</ul>\n")),
        ],
    };
    document.assemble()
}

/// Returns the address of a map's page relative to the front page, escaped as `encodeURIComponent`
/// does.
fn address(name: &str) -> String {
    let mut address = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address += &format!("%{byte:02X}");
        }
    }

    format!("{address}/{PAGE}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::is_site_of_worlds;
    use pixelmap_base::own_folder::OwnFolder;

    #[test]
    fn the_front_page_leads_to_the_first_map() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("site");
        let is_site = |path: &Path| is_site_of_worlds(&OwnFolder::open(path).unwrap()).unwrap();
        let names = ["not drawn", "a & 100%#\u{e9}", "b"];
        let output = Output::open_worlds(&root, &names, &[]).unwrap();
        output.put_page_of_worlds(&names).unwrap();

        assert!(
            !root.join(PAGE).exists() && !is_site(&root),
            "no map has a page"
        );

        for name in &names[1..] {
            output.put(&format!("{name}/{PAGE}"), b"").unwrap();
        }

        output.put_page_of_worlds(&names).unwrap();
        let text = std::fs::read_to_string(root.join(PAGE)).unwrap();
        assert!(
            text.contains(
                r#"location.replace("a%20%26%20100%25%23%C3%A9/index.html" + location.hash)"#
            ),
            "{text}"
        );

        assert!(text.contains(
            "<li><a href=\"a%20%26%20100%25%23%C3%A9/index.html\">a &amp; 100%#\u{e9}</a></li>\n"
        ));
        assert!(
            text.contains(">b</a>") && !text.contains("not drawn"),
            "{text}"
        );

        // The folder is recognised by its page, even without its state.
        drop(output);
        std::fs::remove_dir_all(root.join(".pixelmap")).unwrap();
        assert!(is_site(&root) && Output::look_at_worlds(&root, &names, &[]).is_ok());

        let world = Identity {
            path: folder.path().join("world"),
            ..Identity::from_name("")
        };

        let refused = Output::open(&root, &world, &[]).unwrap_err();
        assert!(
            matches!(refused, PublishError::OtherContent(_, Content::Worlds)),
            "{refused}"
        );
        assert!(!is_site(&root.join("b")), "a map's own page is another");
    }
}
