//! Models for blocks that the game draws as entities, such as chests, and beds before 26.2. Their
//! block models are empty, and their upper faces are in the textures of entities, at places that
//! only the game's code contains.

use crate::palette::resolver::model::{Element, Face, Model};
use crate::palette::resolver::states::{Apply, State};

/// The pixels along a side of an entity's texture. Models count sixteenths of the side instead.
const SIDE: f32 = 64.0;

/// The upper face of a block in the texture of an entity.
#[derive(Debug, Clone, PartialEq)]
struct UpperFace {
    texture: String,
    /// The west, north, east and south ends of the face in the block, in sixteenths.
    ends: [u8; 4],
    /// The first column and row of the face's pixels on the texture.
    corner: [u8; 2],
    /// Clockwise quarter turns.
    turns: u8,
}

/// Returns the properties on which the look of a block depends. Returns none for blocks that are
/// not drawn as entities.
pub(super) fn properties(name: &str) -> &'static [&'static str] {
    match kind(name) {
        Some(EntityKind::Bed(_)) => &["facing", "part"],
        Some(EntityKind::Chest(_)) => &["facing", "type"],
        Some(EntityKind::ShulkerBox(_)) | None => &[],
    }
}

/// Returns the model of a block that is drawn as an entity, and how the model is turned. Returns
/// `None` for other blocks.
pub(super) fn model(name: &str, state: &State) -> Option<(Model, Apply)> {
    let UpperFace {
        texture,
        ends,
        corner,
        turns,
    } = upper_face(&kind(name)?, state);
    let [x0, z0, x1, z1] = ends.map(f32::from);

    let [u, v] = corner.map(f32::from);
    let uv = [u, v, u + x1 - x0, v + z1 - z0].map(|pixel| pixel * 16.0 / SIDE);
    let mut element = Element {
        from: [x0, 0.0, z0],
        to: [x1, 16.0, z1],
        faces: [const { None }; 6],
        rotation: None,
    };

    element.faces[Model::UP] = Some(Face {
        uv: Some(uv),
        texture,
        turns: 0,
        tinted: false,
    });

    let apply = Apply {
        model: String::new(),
        x: 0,
        y: turns,
        is_uv_locked: false,
        weight: 1,
    };

    Some((Model::from_elements(vec![element]), apply))
}

/// A kind of block that is drawn as an entity, with the part of its texture's name that varies.
enum EntityKind<'a> {
    /// The dye of the bed.
    Bed(&'a str),
    /// The texture of the chest.
    Chest(&'static str),
    /// The dye of the shulker box, or an empty text if it is not dyed.
    ShulkerBox(&'a str),
}

fn kind(name: &str) -> Option<EntityKind<'_>> {
    let name = name.strip_prefix("minecraft:")?;
    match name {
        "chest" => Some(EntityKind::Chest("normal")),
        "trapped_chest" => Some(EntityKind::Chest("trapped")),
        "ender_chest" => Some(EntityKind::Chest("ender")),
        "copper_chest" | "waxed_copper_chest" => Some(EntityKind::Chest("copper")),
        "exposed_copper_chest" | "waxed_exposed_copper_chest" => {
            Some(EntityKind::Chest("copper_exposed"))
        }
        "weathered_copper_chest" | "waxed_weathered_copper_chest" => {
            Some(EntityKind::Chest("copper_weathered"))
        }
        "oxidized_copper_chest" | "waxed_oxidized_copper_chest" => {
            Some(EntityKind::Chest("copper_oxidized"))
        }
        "shulker_box" => Some(EntityKind::ShulkerBox("")),
        _ => {
            let bed = name.strip_suffix("_bed").map(EntityKind::Bed);
            bed.or_else(|| {
                name.strip_suffix("_shulker_box")
                    .map(EntityKind::ShulkerBox)
            })
        }
    }
}

fn upper_face(kind: &EntityKind<'_>, state: &State) -> UpperFace {
    let value = |key: &str| state.get(key).map_or("", String::as_str);

    // Counts the quarter turns from the direction in which the texture is painted.
    let turns_from = |first: usize| {
        let facings = ["north", "east", "south", "west"];
        let facing = facings
            .iter()
            .position(|facing| *facing == value("facing"))
            .unwrap_or(first);
        ((facing + 4 - first) % 4) as u8
    };

    match kind {
        EntityKind::Bed(dye) => UpperFace {
            texture: format!("minecraft:entity/bed/{dye}"),
            ends: [0, 0, 16, 16],
            corner: if value("part") == "head" {
                [6, 6]
            } else {
                [6, 28]
            },
            turns: turns_from(0),
        },
        EntityKind::Chest(chest) => {
            let (ending, [west, east], first) = match value("type") {
                "left" => ("_left", [0, 15], 29),
                "right" => ("_right", [1, 16], 29),
                _ => ("", [1, 15], 28),
            };

            UpperFace {
                texture: format!("minecraft:entity/chest/{chest}{ending}"),
                ends: [west, 1, east, 15],
                corner: [first, 0],
                turns: turns_from(2),
            }
        }
        EntityKind::ShulkerBox(dye) => UpperFace {
            texture: if dye.is_empty() {
                "minecraft:entity/shulker/shulker".to_owned()
            } else {
                format!("minecraft:entity/shulker/shulker_{dye}")
            },
            ends: [0, 0, 16, 16],
            corner: [16, 0],
            turns: 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::resolver::parse_state;

    #[test]
    fn beds_and_chests_lie_as_they_face() {
        let face = |name: &str, state: &str| upper_face(&kind(name).unwrap(), &parse_state(state));
        let bed = face("minecraft:red_bed", "facing=east,part=head");
        assert_eq!(
            (bed.texture.as_str(), bed.corner, bed.turns),
            ("minecraft:entity/bed/red", [6, 6], 1)
        );

        assert_eq!(
            face("minecraft:red_bed", "facing=north,part=foot").corner,
            [6, 28]
        );

        let chest = face("minecraft:chest", "facing=north,type=left");
        assert_eq!(
            (chest.texture.as_str(), chest.ends[2], chest.turns),
            ("minecraft:entity/chest/normal_left", 15, 2)
        );

        for (name, texture) in [
            ("copper_chest", "copper_left"),
            ("waxed_copper_chest", "copper_left"),
            ("exposed_copper_chest", "copper_exposed_left"),
            ("waxed_oxidized_copper_chest", "copper_oxidized_left"),
        ] {
            let chest = face(&format!("minecraft:{name}"), "facing=north,type=left");
            assert_eq!(chest.texture, format!("minecraft:entity/chest/{texture}"));
        }

        assert_eq!(
            face("minecraft:lime_shulker_box", "").texture,
            "minecraft:entity/shulker/shulker_lime"
        );
        assert!(
            model("minecraft:stone", &State::new()).is_none()
                && model("mod:red_bed", &State::new()).is_none()
        );
    }
}
