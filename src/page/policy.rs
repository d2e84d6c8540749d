//! Makes the content security policy of a page, from which a browser learns which files the page
//! may load and run.
//!
//! Anyone who plays in the world can choose names of places and texts of signs. The viewer shows
//! them as text, and the policy ensures that they cannot run as scripts even if the viewer has a
//! mistake there. The policy is computed from the finished page, by the hashes or addresses of its
//! scripts and styles, so that the two always agree.

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

/// The policy follows this tag, in front of everything that the page loads.
const PLACE: &str = "<meta charset=\"utf-8\">\n";
const START: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
const END: &str = "\">\n";
/// The policy is within this number of bytes at the start of a page.
#[cfg(feature = "serve")]
const HEAD: usize = 4096;

/// Files next to the page. If a page is opened from disk, some browsers include the disk in
/// `'self'` and others do not, so `file:` is listed as well. On a web host `file:` allows nothing.
const BESIDE: &str = "'self' file:";
#[cfg(feature = "serve")]
const FROM_DISK: &str = " file:";

/// The kinds of files that a page may load in addition to its scripts and styles.
#[derive(Debug, Clone, Copy)]
pub enum PageLoads {
    /// Pictures that the page itself contains.
    OwnPictures,
    /// Tiles and facts of this map, and of a map on another host that the address names
    /// (`?compare=`). `blob:` is needed because MapLibre runs its worker from such an address, and
    /// because files that a visitor has chosen are read from one.
    Maps,
}

impl PageLoads {
    const fn directives(self) -> &'static str {
        match self {
            Self::OwnPictures => "img-src data:",
            Self::Maps => {
                "img-src 'self' file: http: https: data: blob:; connect-src 'self' http: https: \
                 blob:; worker-src blob:"
            }
        }
    }
}

/// Adds a policy to a finished page. The policy allows only the scripts and styles of this page.
pub fn with_policy(page: &str, loads: PageLoads) -> String {
    let Sources { scripts, styles } = Sources::of(page);
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; {}; base-uri 'none'; form-action 'none'",
        list(&scripts),
        list(&styles),
        loads.directives()
    );
    page.replacen(PLACE, &format!("{PLACE}{START}{policy}{END}"), 1)
}

/// Returns the policy that a page declares, in the form for an HTTP header. `None` if the page
/// declares none.
#[cfg(feature = "serve")]
pub(crate) fn content_policy(page: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&page[..page.len().min(HEAD)]);
    let (_, rest) = head.split_once(START)?;
    let (policy, _) = rest.split_once(END)?;
    Some(policy.replace(FROM_DISK, ""))
}

/// The scripts and styles of a page, in the form that a policy uses.
#[derive(Default)]
struct Sources {
    scripts: Vec<String>,
    styles: Vec<String>,
}

impl Sources {
    fn of(page: &str) -> Self {
        let mut sources = Self::default();
        let mut rest = page;
        while let Some((tag, after)) = next_tag(rest) {
            let (list, address, end) = if tag.starts_with("script") {
                (&mut sources.scripts, "src", "</script>")
            } else if tag.starts_with("style") {
                (&mut sources.styles, "", "</style>")
            } else if tag.starts_with("link rel=\"stylesheet\"") {
                (&mut sources.styles, "href", "")
            } else {
                rest = after;
                continue;
            };

            let (content, after) = after.split_once(end).unwrap_or((after, ""));
            let source = attribute(tag, address).map_or_else(|| inline(content), linked);
            if !list.contains(&source) {
                list.push(source);
            }

            rest = after;
        }

        sources
    }
}

/// Returns the inside of the next tag, and the text after the tag.
fn next_tag(html: &str) -> Option<(&str, &str)> {
    let (_, tag) = html.split_once('<')?;

    // A `<` may be plain text, as in a comment. Then the search continues at the next `<`, which
    // may begin a tag.
    let end = tag.find(['<', '>'])?;
    Some(if tag[end..].starts_with('>') {
        (&tag[..end], &tag[end + 1..])
    } else {
        ("", &tag[end..])
    })
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

/// Returns the policy's source for a file next to the page, or for a file at an address of another
/// host.
fn linked(address: &str) -> String {
    if address.contains("://") {
        address.to_owned()
    } else {
        BESIDE.to_owned()
    }
}

/// Returns the policy's source for a script or style inside the page, which is its hash.
fn inline(content: &str) -> String {
    // Browsers normalise the ends of lines in this way before they compute the hash.
    let content = content.replace("\r\n", "\n").replace('\r', "\n");
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(content)))
}

fn list(sources: &[String]) -> String {
    if sources.is_empty() {
        "'none'".to_owned()
    } else {
        sources.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(body: &str) -> String {
        let page = with_policy(&format!("{PLACE}{body}"), PageLoads::OwnPictures);
        content_policy(page.as_bytes()).unwrap()
    }

    #[test]
    fn only_the_scripts_of_a_page_are_allowed() {
        // This is the hash that Chromium prints in its error for this script.
        let inline = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        let rest = "img-src data:; base-uri 'none'; form-action 'none'";
        assert_eq!(
            policy("<script>alert(1)</script>"),
            format!("default-src 'none'; script-src {inline}; style-src 'none'; {rest}")
        );

        assert_eq!(
            policy(
                "a < b <!-- < --><script src=\"a.js\"></script><script src=\"b.js\"></script><link \
                 rel=\"stylesheet\" href=\"https://cdn.example/a.css\">"
            ),
            format!(
                "default-src 'none'; script-src 'self'; style-src https://cdn.example/a.css; {rest}"
            )
        );

        assert_eq!(
            policy("<style>\r\n</style>"),
            policy("<style>\n</style>"),
            "browsers read both alike"
        );
    }

    #[test]
    fn a_page_without_a_policy_has_none() {
        assert_eq!(content_policy(b"<!doctype html><script>1</script>"), None);
        assert_eq!(with_policy("no head", PageLoads::Maps), "no head");
    }
}
