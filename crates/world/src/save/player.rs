//! A player of a world, whatever edition stores it.

/// The most players that are read.
pub(crate) const MAX_PLAYERS: usize = 100_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Player {
    /// Absent if no file contains it.
    pub name: Option<String>,
    /// The unique id as the game writes it; absent before 1.7.6.
    pub uuid: Option<String>,
    /// The dimension and the block where the player was last.
    pub at: (String, [i32; 3]),
    /// The dimension and the block of the player's bed or other respawn point.
    pub bed: Option<(String, [i32; 3])>,
    /// When the player was last seen, in milliseconds since 1970; absent if no server stored it.
    pub seen: Option<i64>,
}

/// Returns whether a name is a unique id as the game writes it.
pub(crate) fn is_uuid(name: &str) -> bool {
    let are_digits = name
        .split('-')
        .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    are_digits && name.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}
