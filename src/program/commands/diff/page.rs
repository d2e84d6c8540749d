//! The page of `pixelmap diff --html`: one file that needs no other, with a slider over before and after of each place.

use std::fmt::Write as _;

use pixelmap::base::base64::base64;
use pixelmap::compare::{self, CompareRequest, DifferencePart, Sides, Trouble};
use pixelmap::page::{PageLoads, with_policy};

use super::{Judged, texts};

/// The page around its content: style and script, of which it needs no other.
const PAGE: &str = include_str!("page.html");
/// The place of the title, and of the content.
const TITLE: &str = "<!-- title -->";
const CONTENT: &str = "<!-- content -->";

/// The page of a comparison.
///
/// # Errors
/// A tile or picture cannot be read.
pub(super) fn comparison_page(
    judged: &Judged<'_>,
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
    if let Some(layer) = judged.difference.first_to_show().filter(|_| judged.has_pixels()) {
        let places = judged.places();
        if judged.difference.layers[layer].changed.len() > 1 {
            let name = ("all differences".to_owned(), texts::differences(&judged.difference.layers[layer]));
            figure(&mut text, judged, sides, request, DifferencePart { layer, changed: None }, &name)?;
        }
        for place in &places {
            let at = DifferencePart { layer: place.layer, changed: Some(place.changed) };
            figure(&mut text, judged, sides, request, at, &texts::place(judged, place))?;
        }
        if judged.place_count() > places.len() {
            let _ = writeln!(text, "<p>and {} more tiles</p>", judged.place_count() - places.len());
        }
    }
    Ok(page(&verdict, &text))
}

/// The page of a comparison that could not be made.
pub(super) fn trouble_page(message: &str) -> String {
    page("it cannot be compared", &format!("<p>{}</p>\n", texts::xml(message)))
}

fn page(title: &str, content: &str) -> String {
    // Before the texts are in it: they are of no script, and must not bring one.
    with_policy(PAGE, PageLoads::OwnPictures).replace(TITLE, &texts::xml(title)).replace(CONTENT, content)
}

/// Adds a place: before and after on each other, and the difference beside them.
fn figure(
    text: &mut String,
    judged: &Judged<'_>,
    sides: Sides<'_>,
    request: &CompareRequest,
    part: DifferencePart,
    (name, what): &(String, String),
) -> Result<(), Trouble> {
    let shown = compare::show_part(sides, request, &judged.difference, part, compare::MEDIUM)?;
    let [before, after, marked] = shown.into_pngs().map(|png| format!("data:image/png;base64,{}", base64(&png)));
    let name = texts::xml(name);
    let what = texts::xml(what);
    let _ = write!(
        text,
        "<figure>\n<figcaption><b>{name}</b> {what}</figcaption>\n<div class=\"panels\"><div class=\"pair\">\
         <img alt=\"after\" src=\"{after}\"><img alt=\"before\" class=\"before\" src=\"{before}\">\
         <span>before</span><span>after</span>\
         <input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"before and after\"></div>\n\
         <img alt=\"difference\" src=\"{marked}\"></div>\n</figure>\n"
    );
    Ok(())
}
