//! Turns ids of the game into names for people, and old ids of structures into the present ones.

/// Structures with several variants in the game. The id adds the variant, usually a biome:
/// `village_plains`.
const FAMILIES: [&str; 6] = [
    "abandoned_camp",
    "village",
    "ocean_ruin",
    "ruined_portal",
    "shipwreck",
    "mineshaft",
];

/// Returns a name of the game as people write it: `deep_dark` becomes `Deep dark`.
pub fn display_name(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Returns a title for an id: `minecraft:village_plains` becomes `Village (plains)`, `mod:tower`
/// becomes `Tower · mod`.
pub(crate) fn title(id: &str) -> String {
    let (namespace, path) = id.split_once(':').unwrap_or(("minecraft", id));
    let name = path.rsplit('/').next().unwrap_or(path);
    if namespace != "minecraft" {
        return format!("{} · {namespace}", display_name(name));
    }

    for family in FAMILIES {
        let rest = name.strip_prefix(family);
        if let Some(variant) = rest.and_then(|rest| rest.strip_prefix('_')) {
            return format!("{} ({})", display_name(family), variant.replace('_', " "));
        }
    }

    display_name(name)
}

/// Returns the present id of a structure. Until 1.15 the ids began with capitals and had no
/// namespace. Until 1.12 all temples shared one id, so the id of the first part, `piece`, decides
/// which temple it is.
pub(crate) fn structure_id(stored: &str, piece: Option<&str>) -> String {
    let name = stored.to_ascii_lowercase();
    let name = match (name.as_str(), piece) {
        ("temple", Some("TeDP")) => "desert_pyramid",
        ("temple", Some("TeJP")) => "jungle_pyramid",
        ("temple", Some("TeSH")) => "swamp_hut",
        ("temple", Some("Iglu")) => "igloo",
        ("endcity" | "minecraft:endcity", _) => "end_city",
        (name, _) => name,
    };

    if name.contains(':') {
        name.to_owned()
    } else {
        format!("minecraft:{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_as_people_write_them() {
        for (id, name) in [
            ("minecraft:village_plains", "Village (plains)"),
            ("minecraft:ocean_ruin_cold", "Ocean ruin (cold)"),
            ("minecraft:abandoned_camp_taiga", "Abandoned camp (taiga)"),
            ("minecraft:trial_chambers", "Trial chambers"),
            ("minecraft:mineshaft", "Mineshaft"),
            ("mod:dungeons/ice_tower", "Ice tower · mod"),
            ("", ""),
        ] {
            assert_eq!(title(id), name);
        }
    }

    #[test]
    fn old_structures_have_todays_ids() {
        for (stored, piece, id) in [
            ("Village", None, "minecraft:village"),
            ("Temple", Some("TeJP"), "minecraft:jungle_pyramid"),
            ("Temple", Some("?"), "minecraft:temple"),
            ("EndCity", None, "minecraft:end_city"),
            ("Buried_Treasure", None, "minecraft:buried_treasure"),
            ("minecraft:ancient_city", None, "minecraft:ancient_city"),
            ("mod:Tower", None, "mod:tower"),
        ] {
            assert_eq!(structure_id(stored, piece), id);
        }
    }
}
