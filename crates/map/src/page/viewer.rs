//! Lists the files of the viewer, and assembles its pages from them.

use super::built::{BuiltFile, built};
use super::document::{Code, Document, PageLoads};
use super::page_file::PageFile;
use super::page_texts::PageTexts;
use pixelmap_base::hash::content_version;

/// A page of the viewer, with its own files next to it.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) path: &'static str,
    pub(super) template: &'static str,
    pub(super) script: BuiltFile,
    pub(super) style: BuiltFile,
    /// The licence of the library in script and style, which must accompany them.
    pub(super) licence: BuiltFile,
}

pub(super) static FLAT: Page = Page {
    path: "index.html",
    template: include_str!("index.html"),
    script: built!("viewer.js"),
    style: built!("viewer.css"),
    licence: built!("leaflet.LICENSE.txt"),
};

/// The additional page of maps with heights.
pub(super) static TERRAIN: Page = Page {
    path: "terrain.html",
    template: include_str!("terrain.html"),
    script: built!("terrain.js"),
    style: built!("terrain.css"),
    licence: built!("maplibre-gl.LICENSE.txt"),
};

/// The script with the facts of a map. It is not among the viewer's files, because it differs for
/// each map.
const FACTS: &str = "map.js";

/// Every page of pixelmap contains this tag, so that a run can recognise its own pages.
pub(crate) const MARK: &str = r#"<meta name="generator" content="pixelmap">"#;

/// Returns the viewer's files. `facts` is the text of the map's `map.js`. In the pages the address of
/// each file ends with a hash of the file's bytes. `texts` appear where a link to the page is pasted.
pub fn files(facts: &str, texts: &PageTexts, has_terrain: bool) -> Vec<PageFile> {
    let mut files = FLAT.files(facts, texts);
    if has_terrain {
        files.extend(TERRAIN.files(facts, texts));
    }
    files
}

/// Returns the paths of all viewer files that a map may have.
pub fn paths() -> impl Iterator<Item = &'static str> {
    FLAT.paths().chain(terrain_paths())
}

/// Returns the paths of the viewer files that only a map with heights has.
pub fn terrain_paths() -> impl Iterator<Item = &'static str> {
    TERRAIN.paths()
}

/// Returns whether a path leads to a page. Addresses of pages do not have versions.
pub(crate) fn is_page_path(path: &str) -> bool {
    [FLAT.path, TERRAIN.path].contains(&path)
}

/// Returns whether a file is a page of pixelmap.
pub(crate) fn is_page(bytes: &[u8]) -> bool {
    bytes
        .windows(MARK.len())
        .any(|part| part == MARK.as_bytes())
}

impl Page {
    fn paths(&self) -> impl Iterator<Item = &'static str> {
        [
            self.path,
            self.script.path,
            self.style.path,
            self.licence.path,
        ]
        .into_iter()
    }

    fn files(&'static self, facts: &str, texts: &PageTexts) -> Vec<PageFile> {
        let facts = content_version(|out| out.write_all(facts.as_bytes()));
        let [script, style] = [&self.script, &self.style].map(BuiltFile::version);

        let page = self.assemble(
            &[Code::file(self.style.path, &style)],
            &[
                Code::file(FACTS, &facts),
                Code::file(self.script.path, &script),
            ],
            &texts.head(),
            "",
        );

        let mut files = vec![PageFile::assembled(self.path, page)];
        files.extend([&self.script, &self.style, &self.licence].map(PageFile::built));
        files
    }

    fn assemble(
        &self,
        styles: &[Code<'_>],
        scripts: &[Code<'_>],
        title: &str,
        licence: &str,
    ) -> String {
        let document = Document {
            template: self.template,
            styles,
            scripts,
            loads: PageLoads::Maps,
            html: &[("title", title), ("licence", licence)],
        };
        document.assemble()
    }
}

/// Returns the page that shows the archive called `name` next to it. The page is a single file,
/// because the archive is one.
pub fn archive_page(name: &str) -> String {
    // The name may contain "</script>", which would end the page's script early.
    let name = serde_json::Value::from(name)
        .to_string()
        .replace('<', "\\u003c");
    let name = format!("var PIXELMAP_ARCHIVE = {name};\n");

    let [script, style, licence] = [&FLAT.script, &FLAT.style, &FLAT.licence].map(BuiltFile::text);
    FLAT.assemble(
        &[Code::Inline(&style)],
        &[Code::Inline(&name), Code::Inline(&script)],
        &PageTexts::default().head(),
        &format!("<!-- Leaflet:\n{licence}-->\n"),
    )
}
