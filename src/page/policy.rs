//! The content security policy of a page, by which a browser decides which files the page loads and runs.
//!
//! Names of places and texts of signs on a map come from anyone who plays in the world. The viewer shows them as text, and
//! the policy makes sure that no mistake there lets such a text run as a script. The policy follows from the finished
//! page: its own scripts and styles are named by their hashes or addresses, so that it cannot differ from what the page
//! holds.

use sha2::{Digest as _, Sha256};

use crate::base::base64::base64;

/// The place of the policy in a page: before everything that the page loads.
const PLACE: &str = "<meta charset=\"utf-8\">\n";
const START: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
const END: &str = "\">\n";
/// The policy is among the first bytes of a page.
#[cfg(feature = "serve")]
const HEAD: usize = 4096;

/// Files next to the page. Browsers differ in whether `'self'` includes the disk where a page is opened from there; on a
/// web host `file:` allows nothing.
const BESIDE: &str = "'self' file:";
const FROM_DISK: &str = " file:";

/// The kinds of files that a page may load in addition to its scripts and styles.
#[derive(Debug, Clone, Copy)]
pub enum PageLoads {
    /// Pictures that the page itself holds.
    OwnPictures,
    /// Tiles and facts of this map, and of a map on another host that the address names (`?compare=`). MapLibre runs its
    /// worker from a `blob:`, and files that a visitor has chosen are read from such addresses.
    Maps,
}

impl PageLoads {
    const fn directives(self) -> &'static str {
        match self {
            Self::OwnPictures => "img-src data:",
            Self::Maps => {
                "img-src 'self' file: http: https: data: blob:; connect-src 'self' http: https: blob:; worker-src blob:"
            }
        }
    }
}

/// Adds to a finished page the policy that allows its scripts and styles, and no others.
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

/// Returns the policy that a page names for itself, as a header of an HTTP answer. `None`: it names none.
#[cfg(feature = "serve")]
pub(crate) fn content_policy(page: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&page[..page.len().min(HEAD)]);
    let (_, rest) = head.split_once(START)?;
    let (policy, _) = rest.split_once(END)?;
    Some(policy.replace(FROM_DISK, ""))
}

/// The scripts and styles of a page, as a policy names them.
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

/// The inside of the next tag, and the text after the tag.
fn next_tag(html: &str) -> Option<(&str, &str)> {
    let (_, tag) = html.split_once('<')?;
    // A `<` that begins no tag, as in a comment, is followed by one that may.
    let end = tag.find(['<', '>'])?;
    Some(if tag[end..].starts_with('>') { (&tag[..end], &tag[end + 1..]) } else { ("", &tag[end..]) })
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

/// A file next to the page, or one at an address of another host.
fn linked(address: &str) -> String {
    if address.contains("://") { address.to_owned() } else { BESIDE.to_owned() }
}

/// A script or style that the page itself holds, by its hash.
fn inline(content: &str) -> String {
    // A browser reads the ends of lines so before it makes the hash.
    let content = content.replace("\r\n", "\n").replace('\r', "\n");
    format!("'sha256-{}'", base64(&Sha256::digest(content)))
}

fn list(sources: &[String]) -> String {
    if sources.is_empty() { "'none'".to_owned() } else { sources.join(" ") }
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
        // The hash is the one that Chromium names in its error for this script.
        let inline = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        let rest = "img-src data:; base-uri 'none'; form-action 'none'";
        assert_eq!(
            policy("<script>alert(1)</script>"),
            format!("default-src 'none'; script-src {inline}; style-src 'none'; {rest}")
        );
        assert_eq!(
            policy(
                "a < b <!-- < --><script src=\"a.js\"></script><script src=\"b.js\"></script><link rel=\"stylesheet\" href=\"https://cdn.example/a.css\">"
            ),
            format!("default-src 'none'; script-src 'self'; style-src https://cdn.example/a.css; {rest}")
        );
        assert_eq!(policy("<style>\r\n</style>"), policy("<style>\n</style>"), "browsers read both alike");
    }

    #[test]
    fn a_page_without_a_policy_has_none() {
        assert_eq!(content_policy(b"<!doctype html><script>1</script>"), None);
        assert_eq!(with_policy("no head", PageLoads::Maps), "no head");
    }
}
