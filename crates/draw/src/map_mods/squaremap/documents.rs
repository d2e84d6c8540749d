//! Makes the JSON documents of squaremap: the facts of the map and of each world, and the markers
//! with their icons.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::map_mods::features::{BlockPosition, COLOUR, Feature, FeatureShape, parse_colour};
use pixelmap_base::coord::NATIVE_ZOOM;
use pixelmap_base::json;
use pixelmap_map::atlas::{DimensionFacts, FinishedLayer, MapFile};
use pixelmap_tile::{Pixel, rgba_png};

/// The property of `settings.json` that marks it as made by pixelmap.
const MADE_BY: (&str, &str) = ("made_by", "pixelmap");
/// The seconds after which a page checks for changes.
const INTERVAL: u32 = 300;
/// Pixels along a side of an icon. An icon of the owner is shown in this size.
const ICON_SIDE: u32 = 16;

/// Returns squaremap's name for the world of a dimension.
pub(crate) fn world_name(dimension: &str) -> String {
    let id = if dimension.contains(':') {
        dimension.to_owned()
    } else {
        format!("minecraft:{dimension}")
    };
    id.replace(
        |c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)),
        "_",
    )
}

/// Returns whether a `settings.json` was written by an earlier export.
pub(crate) fn is_ours(settings: &[u8]) -> bool {
    serde_json::from_slice::<Value>(settings).is_ok_and(|settings| settings[MADE_BY.0] == MADE_BY.1)
}

fn bytes(document: &Value) -> Vec<u8> {
    // JSON can hold every text, so this cannot fail.
    json::text(document).unwrap_or_default().into_bytes()
}

/// Returns `tiles/settings.json`.
pub(crate) fn settings(map: &MapFile, layers: &[FinishedLayer<'_>]) -> Vec<u8> {
    let worlds: Vec<Value> = (0..)
        .zip(layers)
        .map(|(order, layer)| world(order, layer.dimension))
        .collect();

    bytes(&json!({
        MADE_BY.0: MADE_BY.1,
        "static": true,
        "ui": {
            "title": map.name,
            "coordinates": {"enabled": true, "html": "Coordinates<br />{x} {z}"},
            "link": {"enabled": true},
            "sidebar": {"pinned": "unpinned", "player_list_label": "Players ({cur}/{max})", "world_list_label": "Worlds"},
        },
        "worlds": worlds,
    }))
}

fn world(order: u32, dimension: &DimensionFacts) -> Value {
    let kind = match &*dimension.id {
        "the_nether" => "nether",
        "the_end" => "the_end",
        _ => "normal",
    };
    json!({"name": world_name(&dimension.id), "display_name": dimension.name, "icon": "", "type": kind, "order": order})
}

/// Returns `tiles/players.json`. Its list is empty, because a drawn map does not follow players.
pub(crate) fn players() -> Vec<u8> {
    bytes(&json!({"players": [], "max": 0}))
}

/// Returns `tiles/WORLD/settings.json`.
pub(crate) fn world_settings(layer: FinishedLayer<'_>) -> Vec<u8> {
    let [x, _, z] = layer.dimension.spawn.unwrap_or_default();
    let levels = NATIVE_ZOOM - layer.facts.min_zoom;
    bytes(&json!({
        "spawn": {"x": x, "z": z},
        "zoom": {"max": levels, "def": levels, "extra": 2},
        "marker_update_interval": INTERVAL,
        "tiles_update_interval": INTERVAL,
        "player_tracker": {"enabled": false, "update_interval": INTERVAL, "label": "Players"},
    }))
}

/// The markers of a world.
pub(crate) struct Markers {
    /// One layer of squaremap per kind of marker, sorted by the names of the kinds.
    layers: Vec<Value>,
    /// The icons that they use, as PNG, by name.
    pub(crate) icons: NamedIcons,
    pub(crate) count: u64,
}

/// Pictures as PNG, by name.
pub(crate) type NamedIcons = BTreeMap<String, Vec<u8>>;

impl Markers {
    /// Makes the markers of a dimension. `own` are the owner's icons.
    pub(crate) fn new(features: &[Feature], dimension: &str, own: &NamedIcons) -> Self {
        let mut kinds: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        let mut icons = NamedIcons::new();
        let mut count = 0;
        for feature in features
            .iter()
            .filter(|feature| feature.dimension == dimension)
        {
            let Some(marker) = feature
                .shape()
                .and_then(|shape| marker(feature, &shape, own, &mut icons))
            else {
                continue;
            };
            kinds.entry(&feature.kind).or_default().push(marker);
            count += 1;
        }

        let layers = (0..).zip(kinds).map(|(order, (kind, markers)): (u32, _)| {
            // Structures are hidden at first, because thousands of them would cover the map.
            let is_hidden = kind == "structures";
            json!({
                "id": format!("pixelmap-{kind}"), "name": title(kind), "hide": is_hidden, "control": true, "order": order,
                "z_index": order, "markers": markers,
            })
        });

        Self {
            layers: layers.collect(),
            icons,
            count,
        }
    }

    /// Returns `tiles/WORLD/markers.json`.
    pub(crate) fn json(&self) -> Vec<u8> {
        bytes(&Value::from(self.layers.clone()))
    }
}

/// Returns the name of a kind with a capital letter.
fn title(kind: &str) -> String {
    let mut letters = kind.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn marker(
    feature: &Feature,
    shape: &FeatureShape,
    own: &NamedIcons,
    icons: &mut NamedIcons,
) -> Option<Value> {
    let name = escape_html(feature.name()?);
    let description = feature
        .text("description")
        .map(|text| format!("<br>{}", escape_html(text)));
    let popup = format!("{name}{}", description.unwrap_or_default());

    let colour_text = ["color", "marker-color", "stroke"]
        .iter()
        .find_map(|property| feature.text(property));
    let colour = colour_text.and_then(parse_colour).unwrap_or(COLOUR);
    let mut marker = match shape {
        FeatureShape::Point(at) => {
            let (name, png) = point_icon(feature, colour, own);
            icons.insert(name.clone(), png);
            json!({
                "type": "icon", "point": point(*at), "icon": name, "size": point([ICON_SIDE as i32; 2]),
                "anchor": point([ICON_SIDE as i32 / 2; 2]), "tooltip_anchor": {"x": 0, "z": -8},
            })
        }
        FeatureShape::Line(line) => json!({"type": "polyline", "points": points(line)}),
        FeatureShape::Area(rings) => {
            let rings: Vec<Vec<Value>> = rings.iter().map(|ring| points(ring)).collect();
            let fill = feature
                .text("fill")
                .and_then(parse_colour)
                .unwrap_or(colour);
            let opacity = feature.number("fill-opacity").unwrap_or(0.2);
            json!({"type": "polygon", "points": [rings], "fillColor": hex(fill), "fillOpacity": opacity})
        }
    };

    marker["tooltip"] = name.into();
    marker["popup"] = popup.into();

    if !matches!(shape, FeatureShape::Point(_)) {
        marker["color"] = hex(colour).into();
        marker["weight"] = feature.number("stroke-width").unwrap_or(3.0).into();
        marker["opacity"] = 1.0.into();
    }

    Some(marker)
}

fn point([x, z]: BlockPosition) -> Value {
    json!({"x": x, "z": z})
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\n', "<br>")
}

/// Returns the name and the picture of a point: an icon of the owner, or a dot of this colour.
fn point_icon(feature: &Feature, colour: [u8; 3], own: &NamedIcons) -> (String, Vec<u8>) {
    let named = feature
        .text("icon")
        .and_then(|name| own.get_key_value(name));

    match named {
        Some((name, png)) => (format!("pixelmap-icon-{name}"), png.clone()),
        None => (format!("pixelmap-{}", &hex(colour)[1..]), dot(colour)),
    }
}

fn points(line: &[BlockPosition]) -> Vec<Value> {
    line.iter().map(|&at| point(at)).collect()
}

/// Returns a dot with a dark border as PNG.
fn dot(colour: [u8; 3]) -> Vec<u8> {
    let side = ICON_SIDE as i32;
    let mut pixels = Vec::new();

    for y in 0..side {
        for x in 0..side {
            // Distances are doubled so that they are whole numbers.
            let [dx, dy] = [x, y].map(|at| 2 * at + 1 - side);
            pixels.push(match dx * dx + dy * dy {
                ..121 => Pixel::from_rgb(colour),
                121..=225 => Pixel::from_rgb([40; 3]),
                _ => Pixel::CLEAR,
            });
        }
    }

    rgba_png(ICON_SIDE as usize, &pixels)
}
