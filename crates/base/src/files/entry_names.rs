//! The names of entries in archives, which may come from anyone.

/// The longest name of an entry, in bytes, and the most folders in it. File systems do not allow
/// longer paths, and without these limits the folders of one name would cost the square of its
/// length.
pub(super) const MAX_NAME: usize = 4096;
pub(super) const MAX_FOLDERS: usize = 64;
/// The most names in a warning about files that are left out, and the most letters of each name.
const MAX_NAMED: usize = 5;
const MAX_LETTERS: usize = 80;

/// Returns the path of an entry from its name, with `/` as separator; `None`: the path leads out of
/// the archive, or is too long. The path of a folder ends with a separator.
pub(super) fn path_of(name: &str) -> Option<String> {
    if name.len() > MAX_NAME {
        return None;
    }

    // Some programs write the separators of Windows.
    let slashed = name.replace('\\', "/");
    let parts: Vec<&str> = slashed
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    let leads_out = is_on_drive(&slashed)
        || parts
            .iter()
            .any(|part| *part == ".." || part.contains('\0'));

    let end = if slashed.ends_with('/') && !parts.is_empty() {
        "/"
    } else {
        ""
    };

    (!leads_out && parts.len() <= MAX_FOLDERS).then(|| parts.join("/") + end)
}

/// Returns whether a path begins with a drive of Windows, which would replace the path before it.
fn is_on_drive(path: &str) -> bool {
    let mut letters = path.chars();
    letters
        .next()
        .is_some_and(|drive| drive.is_ascii_alphabetic())
        && letters.next() == Some(':')
}

/// Entries that are not read.
#[derive(Debug, Default)]
pub(super) struct LeftOutEntries {
    pub(super) count: usize,
    names: Vec<String>,
}

impl LeftOutEntries {
    pub(super) fn add(&mut self, name: &str) {
        self.count += 1;
        if self.names.len() < MAX_NAMED {
            let shown: String = name.chars().take(MAX_LETTERS).collect();
            self.names.push(if shown.len() < name.len() {
                shown + "..."
            } else {
                shown
            });
        }
    }

    /// Counts an entry whose name cannot be read.
    pub(super) fn add_nameless(&mut self) {
        self.count += 1;
    }

    /// Returns the reason for leaving out entries, and their names; `None`: all entries are used.
    pub(super) fn text(&self) -> Option<String> {
        let Self { count, names } = self;
        let more = if *count > names.len() {
            format!("... ({count} in all)")
        } else {
            String::new()
        };

        (*count > 0).then(|| {
            format!(
                "entries left out, because they are links, or because their names lead out of the \
                 archive or have more than {MAX_NAME} bytes or {MAX_FOLDERS} folders: {}{more}",
                names.join(", ")
            )
        })
    }
}
