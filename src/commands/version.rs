//! Runs `pixelmap --version`.

use pixelmap_draw::{LOOK, newest_data_version};
use serde_json::json;

use crate::outcome::{Ending, OK, print};

/// Prints the name of this program and its versions.
pub(super) fn run(as_json: bool) -> Result<u8, Ending> {
    let version = env!("CARGO_PKG_VERSION");
    let text = if as_json {
        json!({ "version": version, "look": LOOK, "newest_data_version": newest_data_version() })
            .to_string()
    } else {
        format!("pixelmap {version}")
    };
    print((text + "\n").as_bytes()).map(|_| OK)
}
