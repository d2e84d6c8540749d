//! How the layers of a map were drawn, in the words of whoever drew them: kept in the state folder, so that the same can
//! be done again. What a call says is nobody's business here.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::moved::appear;
use super::output::{STATE, if_there, open_file};
use super::{Output, PublishError};
use crate::json;

const FILE: &str = "calls.json";
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A call, and the layers that it was the last to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The layers' folders in the map.
    pub layers: Vec<String>,
    /// What the caller says of it.
    pub says: String,
}

/// The calls that drew the map in a folder, each once, the latest last. None where none was kept, or where what was kept
/// is no list of calls.
///
/// # Errors
/// It is there and cannot be read.
pub fn calls(root: &Path) -> Result<Vec<Call>, PublishError> {
    let path = root.join(STATE).join(FILE);
    let mut bytes = Vec::new();
    let read = open_file(&path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    let there = if_there(read).map_err(PublishError::io(&path))?;
    Ok(there.and_then(|_| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
}

impl Output {
    /// Notes that these layers are drawn by this call from now on; `None`: by one that cannot be told.
    ///
    /// # Errors
    /// What was kept cannot be read, or it cannot be written.
    pub fn keep_call(&self, mut layers: Vec<String>, says: Option<&str>) -> Result<(), PublishError> {
        let before = calls(self.root())?;
        let mut calls = before.clone();
        for call in &mut calls {
            call.layers.retain(|layer| !layers.contains(layer));
        }
        if let Some(says) = says {
            // It may draw other layers, too.
            let same = calls.iter().position(|call| call.says == says).map(|at| calls.remove(at));
            layers.extend(same.into_iter().flat_map(|call| call.layers));
            layers.sort_unstable();
            calls.push(Call { layers, says: says.to_owned() });
        }
        calls.retain(|call| !call.layers.is_empty());
        if calls == before {
            return Ok(());
        }
        let path = self.state(FILE);
        let write = || {
            let text = json::pretty(&calls)?;
            let mut file = self.temporary_file()?;
            file.write_all(text.as_bytes())?;
            appear(file, &path)
        };
        write().map_err(|error: io::Error| PublishError::Io(path.clone(), error))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::publish::Identity;

    #[cfg(unix)]
    fn mode(path: &Path) -> u32 {
        std::os::unix::fs::MetadataExt::mode(&path.metadata().unwrap()) & 0o777
    }

    #[test]
    fn a_layer_is_of_the_call_that_drew_it_last() {
        let folder = tempfile::tempdir().unwrap();
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.path().join("world") };
        let output = Output::open(&folder.path().join("map"), &world, &[]).unwrap();
        let keep = |layers: &[&str], says: Option<&str>| {
            output.keep_call(layers.iter().map(|&layer| layer.to_owned()).collect(), says).unwrap();
            let calls = calls(output.root()).unwrap();
            calls.into_iter().map(|call| format!("{}: {}", call.says, call.layers.join(" "))).collect::<Vec<_>>()
        };
        assert_eq!(keep(&["o/day", "o/night"], Some("one")), ["one: o/day o/night"]);
        assert_eq!(keep(&["o/day"], Some("two")), ["one: o/night", "two: o/day"]);
        assert_eq!(keep(&["o/biome"], Some("one")), ["two: o/day", "one: o/biome o/night"]);
        assert_eq!(keep(&["o/day"], None), ["one: o/biome o/night"]);
        let file = output.state(FILE);
        // The umask says who may read it, as of all that lies there.
        #[cfg(unix)]
        assert_eq!(["world.json", FILE].map(|name| mode(&output.state(name))), [mode(&output.state("lock")); 2]);
        for broken in ["", "{}", "[{\"layers\": 3}]", "\u{0}"] {
            File::create(&file).unwrap().write_all(broken.as_bytes()).unwrap();
            assert_eq!(calls(output.root()).unwrap(), []);
        }
        assert_eq!(keep(&["o/day"], Some("two")), ["two: o/day"]);
        // What cannot be read is not taken for nothing, and stays.
        #[cfg(unix)]
        {
            std::fs::remove_file(&file).unwrap();
            std::os::unix::fs::symlink(&file, &file).unwrap();
            assert!(calls(output.root()).is_err() && output.keep_call(vec!["o/day".to_owned()], None).is_err());
            assert!(file.is_symlink());
        }
    }
}
