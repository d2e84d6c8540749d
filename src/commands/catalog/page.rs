//! Makes the page of a catalog, and the script with its facts. Both open from the disk.

use pixelmap_map::page::{Code, Document, PageLoads};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The script with the facts, because a page that was opened from the disk cannot read JSON.
pub(super) const FACTS: &str = "worlds.js";

/// Returns the page. `version` changes with the facts.
pub(super) fn page(version: &str) -> String {
    let document = Document {
        template: TEMPLATE,
        styles: &[Code::Inline(STYLE)],
        scripts: &[Code::file(FACTS, version), Code::Inline(SCRIPT)],
        loads: PageLoads::PictureFiles,
        html: &[],
    };
    document.assemble()
}

/// Returns the script with the facts, given `worlds.json`.
pub(super) fn facts(json: &str) -> String {
    format!("window.PIXELMAP_CATALOG = {json};\n")
}
