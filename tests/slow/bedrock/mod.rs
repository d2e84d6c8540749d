//! Tests Bedrock worlds with the slow reader.

mod against;
mod itself;

use std::path::{Path, PathBuf};

use crate::missing;

/// Returns the folder of the real worlds next to the project, or `None` if this machine does not
/// have them, which is reported on the terminal.
fn real_worlds() -> Option<PathBuf> {
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/worlds-bedrock");
    if !worlds.exists() {
        missing::report(
            "shared",
            &format!("real worlds of Bedrock: {} is not here", worlds.display()),
        );
    }
    Some(worlds).filter(|worlds| worlds.exists())
}
