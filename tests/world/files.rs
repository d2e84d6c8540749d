//! A tree of files in memory: the contents of a fixture, to write into a folder or to compare with
//! one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::region::RegionSpec;

/// Paths with `/` between the folders, and the bytes of each file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// Makes a tree without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// A world of these regions without a level.dat.
    pub fn of_regions(regions: impl IntoIterator<Item = RegionSpec>) -> Self {
        let mut files = Self::new();
        for region in regions {
            files.put_region("region", &region);
        }
        files
    }

    /// Adds one file.
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) {
        let before = self.0.insert(path.to_owned(), bytes);
        assert!(before.is_none(), "{path} is there already");
    }

    /// Adds a region to `folder`, and the `.mcc` files of its chunks.
    pub fn put_region(&mut self, folder: &str, region: &RegionSpec) {
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        self.put(&format!("{prefix}{}", region.file_name()), region.bytes());
        for (name, bytes) in region.external() {
            self.put(&format!("{prefix}{name}"), bytes.clone());
        }
    }

    /// Adds all files of `other` under `folder`.
    pub fn put_all(&mut self, folder: &str, other: &Self) {
        for (path, bytes) in &other.0 {
            self.put(&format!("{folder}/{path}"), bytes.clone());
        }
    }

    /// Writes all files under `folder`, making folders where needed.
    #[allow(
        clippy::disallowed_methods,
        reason = "fixtures are no output of the program"
    )]
    pub fn write_under(&self, folder: &Path) {
        for (path, bytes) in &self.0 {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
        }
    }

    /// Returns the files under `folder`.
    pub fn read_under(folder: &Path) -> Self {
        let mut files = Self::new();
        files.gather(folder, "");
        files
    }

    /// Fails unless a folder of `fixtures/` contains exactly these files. With the variable `BLESS`
    /// it writes them instead. `command` is the command of the test.
    #[allow(
        clippy::disallowed_methods,
        reason = "fixtures are no output of the program"
    )]
    pub fn check_or_bless(&self, name: &str, command: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(name);
        if std::env::var_os("BLESS").is_some() {
            if folder.exists() {
                fs::remove_dir_all(&folder).unwrap();
            }
            self.write_under(&folder);
            return;
        }

        let found = Self::read_under(&folder);
        let remedy = format!("BLESS=1 {command} writes it again");
        for (path, bytes) in &self.0 {
            match found.0.get(path) {
                None => panic!("fixtures/{name}/{path} is missing; {remedy}"),
                Some(other) => assert!(
                    other == bytes,
                    "fixtures/{name}/{path} differs from the built file; {remedy}"
                ),
            }
        }

        let extra: Vec<_> = found
            .0
            .keys()
            .filter(|path| !self.0.contains_key(*path))
            .collect();
        assert!(
            extra.is_empty(),
            "fixtures/{name} contains files that nobody builds: {extra:?}"
        );
    }

    fn gather(&mut self, folder: &Path, prefix: &str) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                self.gather(&entry.path(), &format!("{path}/"));
            } else {
                self.put(&path, fs::read(entry.path()).unwrap());
            }
        }
    }
}
