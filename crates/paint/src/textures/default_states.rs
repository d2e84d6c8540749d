//! The default states of the game's blocks. Since 26.3 worlds do not store the properties of a
//! block in its default state, and a picture of the block needs them.

use twox_hash::XxHash3_64;

use crate::palette::resolver::parse_state;
use crate::palette::resolver::states::State;
use pixelmap_base::name_lines::lines_with_name;

/// One line per block that has properties, sorted by name.
const TABLE: &str = include_str!("default_states.tsv");

/// Returns a hash of the table, which changes whenever a default state may have changed.
pub(super) fn fingerprint() -> u64 {
    XxHash3_64::oneshot(TABLE.as_bytes())
}

/// Returns all properties of a block: the ones in `state`, and the default values of the others. A
/// block of a mod has no known defaults. `name` includes the namespace.
pub(super) fn whole_state(name: &str, state: &State) -> State {
    let line = name
        .strip_prefix("minecraft:")
        .and_then(|name| lines_with_name(TABLE, name).next());
    let default = line
        .and_then(|line| line.split_once('\t'))
        .map_or("", |(_, default)| default);
    let mut whole = parse_state(default);
    whole.extend(state.clone());
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_properties_have_their_default_values() {
        let whole = |name: &str, state: &str| whole_state(name, &parse_state(state));
        assert_eq!(
            whole("minecraft:rail", ""),
            parse_state("shape=north_south,waterlogged=false")
        );
        assert_eq!(
            whole("minecraft:rail", "shape=east_west")["shape"],
            "east_west"
        );
        assert_eq!(whole("minecraft:campfire", "")["lit"], "true");
        assert_eq!(whole("minecraft:stone", ""), State::new());
        assert_eq!(whole("mod:rail", "a=b"), parse_state("a=b"));
    }
}
