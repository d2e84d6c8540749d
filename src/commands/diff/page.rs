//! Makes the page of `pixelmap diff --html`. It is one file that contains everything it needs. Each
//! tile has a slider that moves between before and after.

use std::fmt::Write as _;

use data_encoding::BASE64;
use pixelmap_map::compare::{self, CompareRequest, DifferencePart, Sides, Trouble};
use pixelmap_map::page::{Code, Document, PageLoads};

use super::judged::JudgedDifference;
use super::texts;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns the page of a comparison.
///
/// # Errors
/// Fails if a tile or picture cannot be read.
pub(super) fn comparison_page(
    judged: &JudgedDifference<'_>,
    sides: Sides<'_>,
    request: &CompareRequest,
) -> Result<String, Trouble> {
    let verdict = texts::verdict(judged);

    let paths = [sides.a, sides.b].map(|side| texts::xml(&side.path().display().to_string()));
    let mut text = format!("<p>{} and {}</p>\n<table>\n<tr>", paths[0], paths[1]);
    for heading in texts::HEADINGS {
        let _ = write!(text, "<th>{heading}</th>");
    }

    for layer in &judged.difference.layers {
        text += "</tr>\n<tr>";
        for cell in texts::row(layer) {
            let _ = write!(text, "<td>{}</td>", texts::xml(&cell));
        }
    }

    text += "</tr>\n</table>\n";

    if judged.has_pixels()
        && let Some(layer) = judged.difference.first_to_show()
    {
        let tiles = judged.differing_tiles();

        if judged.difference.layers[layer].changed.len() > 1 {
            let name = (
                "all differences".to_owned(),
                texts::differences(&judged.difference.layers[layer]),
            );

            figure(
                &mut text,
                judged,
                sides,
                request,
                DifferencePart {
                    layer,
                    changed: None,
                },
                &name,
            )?;
        }

        for tile in &tiles {
            let at = DifferencePart {
                layer: tile.layer,
                changed: Some(tile.changed),
            };

            figure(
                &mut text,
                judged,
                sides,
                request,
                at,
                &texts::describe_tile(judged, tile),
            )?;
        }

        if judged.differing_tile_count() > tiles.len() {
            let _ = writeln!(
                text,
                "<p>and {} more tiles</p>",
                judged.differing_tile_count() - tiles.len()
            );
        }
    }

    Ok(page(&verdict, &text))
}

/// Returns the page of a comparison that failed.
pub(super) fn trouble_page(message: &str) -> String {
    page(
        "it cannot be compared",
        &format!("<p>{}</p>\n", texts::xml(message)),
    )
}

fn page(title: &str, content: &str) -> String {
    let title = texts::xml(title);
    let document = Document {
        template: TEMPLATE,
        styles: &[Code::Inline(STYLE)],
        scripts: &[Code::Inline(SCRIPT)],
        loads: PageLoads::OwnPictures,
        html: &[
            ("title", &format!("<title>{title}</title>\n")),
            ("heading", &format!("<h1>{title}</h1>\n")),
            ("content", content),
        ],
    };
    document.assemble()
}

/// Adds a tile to the page: before and after on top of each other, and the difference next to
/// them.
fn figure(
    text: &mut String,
    judged: &JudgedDifference<'_>,
    sides: Sides<'_>,
    request: &CompareRequest,
    part: DifferencePart,
    (name, what): &(String, String),
) -> Result<(), Trouble> {
    let shown = compare::show_part(sides, request, &judged.difference, part, compare::MEDIUM)?;
    let [before, after, marked] = shown
        .into_pngs()
        .map(|png| format!("data:image/png;base64,{}", BASE64.encode(&png)));

    let name = texts::xml(name);
    let what = texts::xml(what);
    let _ = write!(
        text,
        "<figure>\n<figcaption><b>{name}</b> {what}</figcaption>\n<div class=\"panels\"><div \
         class=\"pair\">\
         <img alt=\"after\" src=\"{after}\"><img alt=\"before\" class=\"before\" src=\"{before}\">\
         <span>before</span><span>after</span>\
         <input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"before and \
                       after\"></div>\n\
         <img alt=\"difference\" src=\"{marked}\"></div>\n</figure>\n"
    );

    Ok(())
}
