//! The row of FTB Chunks in the table of map mods.

use crate::explored::ftb_chunks::folders;
use crate::explored::ftb_chunks::region_file;
use crate::explored::map_mod::MapModInfo;

pub(in crate::explored) const INFO: MapModInfo = MapModInfo {
    name: "FTB Chunks",
    example: "minecraft_overworld",
    find: folders::find,
    read: region_file::read,
    file_name: folders::file_name,
    read_waypoints: None,
};
