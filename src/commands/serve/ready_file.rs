//! The file that shows other programs that the server listens, and where.

use std::path::{Path, PathBuf};

use pixelmap_base::json;
use pixelmap_serve::Server;
use serde_json::json;

use super::url;
use crate::cli::ServeArgs;
use crate::outcome::{Ending, put};

/// The file of `--ready-file`, which is removed when the server ends.
pub(super) struct ReadyFile(Option<PathBuf>);

impl ReadyFile {
    /// Writes the file, if the user asked for one. Connections wait in the queue of the listener
    /// until the server answers them.
    pub(super) fn put(args: &ServeArgs, server: &Server) -> Result<Self, Ending> {
        let Some(path) = &args.ready_file else {
            return Ok(Self(None));
        };

        let facts = json!({"url": url(server.address(), args, None)});
        // This cannot fail, because JSON can hold every text.
        let line = json::text(&facts).unwrap_or_default() + "\n";
        put(path, line.as_bytes())?;

        let is_file = path != Path::new("-");
        Ok(Self(is_file.then(|| path.clone())))
    }
}

impl Drop for ReadyFile {
    fn drop(&mut self) {
        // A file that cannot be removed must not change the result of the server.
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}
