//! Names the items that had numbers, before 1.8 and in Bedrock Edition before 1.6.
//!
//! Source: the page "Java Edition data values/Pre-flattening/Item IDs" of the Minecraft Wiki.

/// The names of the items from 256 on, without their namespace. `-` is a number that no item had.
const ITEMS: &str = "\
    iron_shovel iron_pickaxe iron_axe flint_and_steel apple bow arrow coal diamond iron_ingot gold_ingot iron_sword \
    wooden_sword wooden_shovel wooden_pickaxe wooden_axe stone_sword stone_shovel stone_pickaxe stone_axe \
    diamond_sword diamond_shovel diamond_pickaxe diamond_axe stick bowl mushroom_stew golden_sword golden_shovel \
    golden_pickaxe golden_axe string feather gunpowder wooden_hoe stone_hoe iron_hoe diamond_hoe golden_hoe \
    wheat_seeds wheat bread leather_helmet leather_chestplate leather_leggings leather_boots chainmail_helmet \
    chainmail_chestplate chainmail_leggings chainmail_boots iron_helmet iron_chestplate iron_leggings iron_boots \
    diamond_helmet diamond_chestplate diamond_leggings diamond_boots golden_helmet golden_chestplate golden_leggings \
    golden_boots flint porkchop cooked_porkchop painting golden_apple sign wooden_door bucket water_bucket \
    lava_bucket minecart saddle iron_door redstone snowball boat leather milk_bucket brick clay_ball reeds paper \
    book slime_ball chest_minecart furnace_minecart egg compass fishing_rod clock glowstone_dust fish cooked_fish \
    dye bone sugar cake bed repeater cookie filled_map shears melon pumpkin_seeds melon_seeds beef cooked_beef \
    chicken cooked_chicken rotten_flesh ender_pearl blaze_rod ghast_tear gold_nugget nether_wart potion glass_bottle \
    spider_eye fermented_spider_eye blaze_powder magma_cream brewing_stand cauldron ender_eye speckled_melon \
    spawn_egg experience_bottle fire_charge writable_book written_book emerald item_frame flower_pot carrot potato \
    baked_potato poisonous_potato map golden_carrot skull carrot_on_a_stick nether_star pumpkin_pie fireworks \
    firework_charge enchanted_book comparator netherbrick quartz tnt_minecart hopper_minecart - - - - - - - - \
    iron_horse_armor golden_horse_armor diamond_horse_armor lead name_tag command_block_minecart";

/// Returns the id of the item with this number. `block` names the block with a number and data,
/// because the numbers of blocks mean the blocks as items.
pub(super) fn old_item(number: i64, damage: i64, block: impl Fn(u32, u16) -> String) -> String {
    let index = number
        .checked_sub(256)
        .and_then(|index| usize::try_from(index).ok());
    match index.and_then(|index| ITEMS.split(' ').nth(index)) {
        Some(name) if name != "-" => return format!("minecraft:{name}"),
        _ if (2256..=2267).contains(&number) => return "minecraft:music_disc".to_owned(),
        _ => {}
    }

    match (u32::try_from(number), u16::try_from(damage)) {
        (Ok(number), Ok(damage)) => block(number, damage),
        _ => format!("numeric:{number}:{damage}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_items_have_their_names() {
        for (number, id) in [
            (256, "minecraft:iron_shovel"),
            (264, "minecraft:diamond"),
            (322, "minecraft:golden_apple"),
            (358, "minecraft:filled_map"),
            (388, "minecraft:emerald"),
            (408, "minecraft:hopper_minecart"),
            (409, "numeric:409:0"),
            (422, "minecraft:command_block_minecart"),
            (2256, "minecraft:music_disc"),
            (-5, "numeric:-5:0"),
            (i64::MIN, "numeric:-9223372036854775808:0"),
        ] {
            assert_eq!(
                old_item(number, 0, |number, data| format!("numeric:{number}:{data}")),
                id
            );
        }
    }
}
