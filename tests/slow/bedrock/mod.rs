//! Tests Bedrock worlds with the slow reader.

mod against;
mod itself;

use std::path::{Path, PathBuf};

use crate::missing;

/// The folder of the real worlds beside the project. None where they are not at hand, which is reported on the terminal.
fn real_worlds() -> Option<PathBuf> {
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/worlds-bedrock");
    if !worlds.exists() {
        missing::report("shared", &format!("real worlds of Bedrock: {} is not here", worlds.display()));
    }
    Some(worlds).filter(|worlds| worlds.exists())
}
