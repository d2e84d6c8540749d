//! Reads the players of a Bedrock Edition world.

use crate::bedrock::Database;
use crate::save::bedrock::tables::DimensionNames;
use crate::save::bedrock::values::visit_values;
use crate::save::dat::Dat;
use crate::save::left_out::LeftOut;
use crate::save::player::{MAX_PLAYERS, Player, is_uuid};

/// The key of the player of a single-player world.
const LOCAL_PLAYER: &[u8] = b"~local_player";
/// The prefix of the keys of all other players. The player's unique id follows, in newer versions
/// after the word `server_`. Some values under these keys only refer to such a
/// `server_` key.
const PLAYER: &[u8] = b"player_";
const SERVER: &str = "server_";
/// The coordinate that the game stores for a player without a bed.
const NO_BED: i32 = i32::MIN;

/// Reads the players. Damaged values are left out. Warns of players beyond the bound.
pub(crate) fn players(
    database: &Database,
    names: &DimensionNames,
    warnings: &mut Vec<String>,
) -> Vec<Player> {
    let local = database.opened().value(LOCAL_PLAYER).ok().flatten();
    let mut players: Vec<Player> = local
        .and_then(|value| player(&value, None, names))
        .into_iter()
        .collect();

    let mut left_out = LeftOut::default();
    visit_values(database, PLAYER, "player", warnings, |key, value| {
        let name = key
            .strip_prefix(PLAYER)
            .and_then(|name| str::from_utf8(name).ok())
            .unwrap_or_default();

        let uuid = Some(name.trim_start_matches(SERVER))
            .filter(|name| is_uuid(name))
            .map(str::to_owned);
        match player(value, uuid, names) {
            Some(player) if players.len() < MAX_PLAYERS => players.push(player),
            Some(_) => left_out.add(1, || name.to_owned()),
            None => {}
        }
    });

    left_out.warn("player", &format!("only {MAX_PLAYERS} are read"), warnings);
    players
}

fn player(value: &[u8], uuid: Option<String>, names: &DimensionNames) -> Option<Player> {
    let dat = Dat::from_little_endian(value.to_vec()).ok()?;
    let position: Vec<f32> = dat.get("Pos")?;
    let at = <[f32; 3]>::try_from(position)
        .ok()?
        .map(|along| along.floor() as i32);

    // Until 1.16 the game stored the block under the bed as `Spawn`.
    let bed = ["SpawnBlockPosition", "Spawn"]
        .iter()
        .find_map(|field| bed_block(&dat, field));

    Some(Player {
        name: None,
        uuid,
        at: (dimension_in(&dat, "DimensionId", names), at),
        bed: bed.map(|bed| (dimension_in(&dat, "SpawnDimension", names), bed)),
        seen: None,
    })
}

/// Returns the block `[x, y, z]` whose coordinates are in three fields that begin with `field`.
fn bed_block(dat: &Dat, field: &str) -> Option<[i32; 3]> {
    let [x, y, z] = ["X", "Y", "Z"].map(|along| {
        dat.get::<i32>(&format!("{field}{along}"))
            .filter(|&at| at != NO_BED)
    });
    Some([x?, y?, z?])
}

/// Returns the id of the dimension whose number is in a field; the overworld if it is missing.
fn dimension_in(dat: &Dat, field: &str, names: &DimensionNames) -> String {
    names.id(dat.get(field).unwrap_or(0))
}
