//! Puts the owner's icons into a map: the ones that markers of the map name, because the folder of
//! icons may hold others that nobody should see. Warns of names that no icon has.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::publish::drawn::UnpublishedMap;
use pixelmap_base::words::ICONS;
use pixelmap_map::atlas::{IconFile, MapFile};
use pixelmap_map::page::SYMBOLS;
use pixelmap_map::store::{Commit, PublishError};
use pixelmap_paint::markers::{MarkerKind, OwnerIcon, is_icon_name};

/// The most names that are listed because no icon has them.
const MAX_UNKNOWN: usize = 10;
/// A shorter name in the owner's files is rather a text that the page shows, such as a number.
const MIN_NAME: usize = 3;

/// Stages the icons that the marker files of a map name, and adds them to `facts`. `texts` are the
/// texts of all marker files by path. Returns warnings about names that no icon has.
pub(crate) fn put_icons(
    maps: &[UnpublishedMap<'_>],
    texts: &BTreeMap<String, String>,
    facts: &mut MapFile,
    commit: &mut Commit<'_>,
) -> Result<Vec<String>, PublishError> {
    let mut icons: BTreeMap<&str, &OwnerIcon> = BTreeMap::new();
    for icon in maps.iter().flat_map(|map| map.publishing.icons) {
        icons.insert(&icon.name, icon);
    }

    let files = facts
        .dimensions
        .iter()
        .flat_map(|dimension| &dimension.markers);
    let signs = files.filter(|file| file.kind == MarkerKind::Signs.name());
    let by_signs = named_in(signs.map(|file| &file.file), texts);
    let by_owner = if icons.is_empty() {
        BTreeSet::new()
    } else {
        named_in(facts.markers.iter().map(|own| &own.file), texts)
    };

    for (&name, icon) in &icons {
        if by_signs.contains(name) || by_owner.contains(name) {
            let file = IconFile::new(name, &icon.png);
            commit.put(&file.file, &icon.png)?;
            facts.icons.push(file);
        }
    }

    let mut unknown = by_signs;
    unknown.extend(by_owner.into_iter().filter(|name| name.len() >= MIN_NAME));
    unknown.retain(|name| !icons.contains_key(&**name) && !SYMBOLS.contains(&&**name));
    Ok(unknown_warnings(&unknown))
}

/// Returns the names of icons in files of markers. A feature that cannot be read, for example because
/// the owner edited it by hand, names none.
fn named_in<'f>(
    files: impl Iterator<Item = &'f String>,
    texts: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    #[derive(Deserialize)]
    struct Collection<'a> {
        #[serde(borrow)]
        features: Vec<&'a RawValue>,
    }

    #[derive(Deserialize)]
    struct Feature {
        properties: IconProperty,
    }

    #[derive(Deserialize)]
    struct IconProperty {
        icon: String,
    }

    let mut names = BTreeSet::new();
    for text in files.filter_map(|file| texts.get(file)) {
        let Ok(Collection { features }) = serde_json::from_str(text) else {
            continue;
        };

        for feature in features {
            let feature = serde_json::from_str(feature.get());
            names.extend(feature.map(|Feature { properties }| properties.icon));
        }
    }

    names.retain(|name| is_icon_name(name));
    names
}

fn unknown_warnings(unknown: &BTreeSet<String>) -> Vec<String> {
    let mut warnings = Vec::new();
    for name in unknown.iter().take(MAX_UNKNOWN) {
        warnings.push(format!(
            "markers name the icon {name}, which is neither a symbol nor in the folder of {ICONS}, so \
             they are shown without it: put {name}.png there or name another one"
        ));
    }

    let more = unknown.len().saturating_sub(MAX_UNKNOWN);
    if more > 0 {
        warnings.push(format!("markers name {more} more icons that do not exist"));
    }

    warnings
}
