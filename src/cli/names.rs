//! Checks the names of maps in a configuration file.
//!
//! A name becomes the name of a folder, a part of an address, and a text on the page. So a name
//! must be valid as a folder on every system, including Windows.

use std::path::Path;

use pixelmap_map::atlas::OutputKind;

/// The maximum length of a name, in bytes.
pub(super) const MAX_BYTES: usize = 64;
/// Characters that Windows forbids in names of files, including the separators of folders.
const NOT_IN_FILES: &str = "/\\<>:\"|?*";
/// Windows treats these names as devices even with an ending, as in `con.txt` (learn.microsoft.com,
/// "Naming Files, Paths, and Namespaces").
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Windows treats these names as devices if one digit follows.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Checks that a map may have this name.
///
/// # Errors
/// Fails if the name is not allowed. The message contains the remedy.
pub(super) fn check(name: &str) -> Result<(), String> {
    let lower = name.to_lowercase();

    if name.len() > MAX_BYTES {
        return Err(format!(
            "a name has at most {MAX_BYTES} bytes: write a shorter one"
        ));
    }

    if name.contains(|c: char| NOT_IN_FILES.contains(c) || c.is_control()) {
        return Err(format!(
            "{name} cannot be a folder's name: leave out {NOT_IN_FILES} and control characters"
        ));
    }

    let why = if name.is_empty() {
        "is empty"
    } else if name.starts_with('.') {
        "begins with a dot"
    } else if name.ends_with(['.', ' ']) {
        "ends with a dot or a space"
    } else if lower == "index.html" {
        "is the name of the page that lists the maps"
    } else if is_device(&lower) {
        "is the name of a device on Windows"
    } else if OutputKind::from_name(Path::new(name)) != OutputKind::Folder {
        "ends like the name of a file"
    } else {
        return Ok(());
    };

    Err(format!("the name \"{name}\" {why}: write another one"))
}

/// Returns whether Windows treats a name as a device. The name must be in small letters.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let without_digit =
        stem.strip_suffix(|c: char| c.is_ascii_digit() || "\u{b9}\u{b2}\u{b3}".contains(c));
    DEVICES.contains(&stem)
        || without_digit.is_some_and(|device| NUMBERED_DEVICES.contains(&device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_folder_on_every_system() {
        let longest = "\u{e9}".repeat(MAX_BYTES / 2);
        for good in [
            "Survival",
            "a b",
            "1.20",
            "\u{4e16}\u{754c}",
            "100% #1 & 'co'",
            "com",
            "com10",
            "nulls",
            &longest,
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }

        let long = format!("{longest}x");
        let stems = [
            "CON",
            "nul.txt",
            "Com1",
            "lpt9 .x",
            "com\u{b2}",
            "CONOUT$",
            "Index.HTML",
            "a.png",
            "b.PMTILES",
            "c.zip",
        ];

        let marked = [
            "a/b", "a\\b", "a\nb", "a\u{7f}", "a:b", "<b>", "a\"", "a|b", "a?", "*",
        ];
        for bad in ["", ".", "..", ".a", "a.", "a ", &long]
            .iter()
            .chain(&stems)
            .chain(&marked)
        {
            assert!(check(bad).is_err_and(|why| why.contains(": ")), "{bad}");
        }
    }
}
