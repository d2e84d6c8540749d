//! Lists the symbols that the page has for markers, so that a run can warn of other names. The
//! shapes of the symbols are in `markers/symbols.js`.

pub const SYMBOLS: [&str; 19] = [
    "dot", "star", "house", "tower", "portal", "boat", "pyramid", "cross", "bed", "bell",
    "compass", "hammer", "sign", "flag", "player", "heart", "shop", "chest", "farm",
];
