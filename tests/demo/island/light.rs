//! Spreads the light of torches, lamps and lava as the game does: one less per step, and none
//! through solid blocks.

use super::canvas::Canvas;
use crate::world::block::Block;

/// The light that a block gives.
pub fn given(block: Block) -> u8 {
    match block.name {
        "minecraft:lava" | "minecraft:glowstone" | "minecraft:lantern" => 15,
        "minecraft:torch" => 14,
        "minecraft:magma_block" => 3,
        _ => 0,
    }
}

/// Returns whether light passes a block.
fn is_passed(block: Block) -> bool {
    let name = block.name.trim_start_matches("minecraft:");
    let thin = [
        "air", "torch", "lantern", "water", "ice", "leaves", "fence", "grass", "petals", "poppy",
        "kelp", "plant",
    ];

    let thin = thin.iter().any(|ending| name.ends_with(ending));
    thin || matches!(
        name,
        "snow"
            | "wheat"
            | "carrots"
            | "dandelion"
            | "fern"
            | "dead_bush"
            | "lily_pad"
            | "wildflowers"
    )
}

/// Spreads the light of all lamps over the world, and marks the light of every chunk as known.
pub fn spread(canvas: &mut Canvas) {
    let mut levels: Vec<Vec<[i32; 3]>> = vec![Vec::new(); 16];
    for place @ [x, y, z] in canvas.shining() {
        let level = given(canvas.get(x, y, z));
        if level > canvas.light(place) {
            canvas.set_light(place, level);
            levels[usize::from(level)].push(place);
        }
    }

    for level in (2..16_u8).rev() {
        for [x, y, z] in std::mem::take(&mut levels[usize::from(level)]) {
            for (dx, dy, dz) in [
                (1, 0, 0),
                (-1, 0, 0),
                (0, 1, 0),
                (0, -1, 0),
                (0, 0, 1),
                (0, 0, -1),
            ] {
                let place = [x + dx, y + dy, z + dz];
                if canvas.light(place) < level - 1
                    && is_passed(canvas.get(place[0], place[1], place[2]))
                {
                    canvas.set_light(place, level - 1);
                    levels[usize::from(level - 1)].push(place);
                }
            }
        }
    }

    canvas.know_light();
}
