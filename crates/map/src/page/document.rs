//! Assembles a page from a template and the list of its scripts and styles.
//!
//! The same list gives the page's tags, the versions in its addresses, and its content security
//! policy, so that these always agree. The policy lists for browsers which files the page may
//! load and run. Anyone who plays in the world can choose names of places and texts of signs. The
//! viewer shows them as text, and the policy ensures that they cannot run as scripts even if the
//! viewer has a mistake there.

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

/// The marks in a template: comments with these names. The policy must precede everything that the
/// page loads.
const POLICY: &str = "policy";
const STYLES: &str = "styles";
const SCRIPTS: &str = "scripts";

const POLICY_START: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
const POLICY_END: &str = "\">";
/// The policy is within this number of bytes at the start of a page.
const HEAD: usize = 4096;

/// The source of files next to the page. If a page is opened from disk, some browsers include the
/// disk in `'self'` and others do not, so `file:` is listed as well. On a web host `file:` allows
/// nothing.
const OWN_FILES: &str = "'self' file:";
const FROM_DISK: &str = " file:";

/// A page before it is put together.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// The page with marks: comments such as `<!-- scripts -->`.
    pub template: &'a str,
    pub styles: &'a [Code<'a>],
    /// The scripts in the order in which they run.
    pub scripts: &'a [Code<'a>],
    pub loads: PageLoads,
    /// The names of further marks, and the HTML that replaces them.
    pub html: &'a [(&'a str, &'a str)],
}

/// A script or a style of a page.
#[derive(Debug, Clone, Copy)]
pub enum Code<'a> {
    /// The text, which becomes a part of the page.
    Inline(&'a str),
    /// A file next to the page. The version changes with its content, so that a browser never uses
    /// an earlier file from its cache.
    File { path: &'a str, version: &'a str },
}

/// The kinds of files that a page may load in addition to its scripts and styles.
#[derive(Debug, Clone, Copy)]
pub enum PageLoads {
    /// Pictures that the page itself contains.
    OwnPictures,
    /// Picture files next to the page.
    PictureFiles,
    /// Tiles and facts of this map, and of a map on another host that the address names
    /// (`?compare=`). `blob:` is needed because MapLibre runs its worker from such an address, and
    /// because files that a visitor has chosen are read from one.
    Maps,
}

impl Document<'_> {
    /// Returns the page.
    pub fn assemble(&self) -> String {
        let preloads: String = self.scripts.iter().map(Code::preload_tag).collect();
        let styles: String = self.styles.iter().map(Code::style_tag).collect();
        let styles = preloads + &styles;
        let scripts: String = self.scripts.iter().map(Code::script_tag).collect();
        let policy = format!("{POLICY_START}{}{POLICY_END}\n", self.policy());
        let own = [(POLICY, &*policy), (STYLES, &styles), (SCRIPTS, &scripts)];

        let mut page = String::with_capacity(self.template.len() + scripts.len() + styles.len());
        for line in self.template.split_inclusive('\n') {
            let mark = line
                .trim()
                .strip_prefix("<!-- ")
                .and_then(|mark| mark.strip_suffix(" -->"));

            let mut marks = own.iter().chain(self.html);
            match marks.find(|(name, _)| mark == Some(*name)) {
                Some((_, html)) => page += html,
                None => page += line,
            }
        }

        page
    }

    fn policy(&self) -> String {
        format!(
            "default-src 'none'; script-src {}; style-src {}; {}; base-uri 'none'; form-action \
             'none'",
            sources(self.scripts),
            sources(self.styles),
            self.loads.directives()
        )
    }
}

impl<'a> Code<'a> {
    /// A file next to the page.
    pub const fn file(path: &'a str, version: &'a str) -> Self {
        Self::File { path, version }
    }
}

impl Code<'_> {
    fn script_tag(&self) -> String {
        match self {
            Self::Inline(text) => format!("<script>{text}</script>\n"),
            Self::File { path, version } => {
                format!("<script src=\"{path}?v={version}\"></script>\n")
            }
        }
    }

    /// Returns a tag that lets a browser load a script at once. Otherwise browsers first wait for
    /// the styles, because the scripts are at the end of the page.
    fn preload_tag(&self) -> String {
        match self {
            Self::Inline(_) => String::new(),
            Self::File { path, version } => {
                format!("<link rel=\"preload\" as=\"script\" href=\"{path}?v={version}\">\n")
            }
        }
    }

    fn style_tag(&self) -> String {
        match self {
            Self::Inline(text) => format!("<style>{text}</style>\n"),
            Self::File { path, version } => {
                format!("<link rel=\"stylesheet\" href=\"{path}?v={version}\">\n")
            }
        }
    }

    /// Returns the source in the form of a policy: a script or style inside the page is known by
    /// its hash.
    fn source(&self) -> String {
        match self {
            Self::Inline(text) => {
                // Browsers normalise the ends of lines in this way before they compute the hash.
                let text = text.replace("\r\n", "\n").replace('\r', "\n");
                format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text)))
            }
            Self::File { .. } => OWN_FILES.to_owned(),
        }
    }
}

/// Returns the sources of scripts or styles, each one once.
fn sources(codes: &[Code<'_>]) -> String {
    let mut sources: Vec<String> = codes.iter().map(Code::source).collect();
    sources.dedup();
    if sources.is_empty() {
        "'none'".to_owned()
    } else {
        sources.join(" ")
    }
}

impl PageLoads {
    const fn directives(self) -> &'static str {
        match self {
            Self::OwnPictures => "img-src data:",
            Self::PictureFiles => "img-src 'self' file:",
            Self::Maps => {
                "img-src 'self' file: http: https: data: blob:; connect-src 'self' http: https: \
                 blob:; worker-src blob:"
            }
        }
    }
}

/// Returns the policy that a page declares, in the form for an HTTP header. `None` if the page
/// declares none.
pub fn content_policy(page: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&page[..page.len().min(HEAD)]);
    let (_, rest) = head.split_once(POLICY_START)?;
    let (policy, _) = rest.split_once(POLICY_END)?;
    Some(policy.replace(FROM_DISK, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "<meta charset=\"utf-8\">\n<!-- policy -->\n<!-- styles -->\n\
                            <!-- text -->\n<!-- a comment -->\n<!-- scripts -->\n";

    fn document<'a>(styles: &'a [Code<'a>], scripts: &'a [Code<'a>]) -> Document<'a> {
        Document {
            template: TEMPLATE,
            styles,
            scripts,
            loads: PageLoads::OwnPictures,
            html: &[("text", "<!-- scripts -->\n")],
        }
    }

    #[test]
    fn a_policy_allows_only_the_listed_scripts() {
        // This is the hash that Chromium prints in its error for this script.
        let inline = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        let rest = "img-src data:; base-uri 'none'; form-action 'none'";
        let policy = |styles: &[Code<'_>], scripts: &[Code<'_>]| document(styles, scripts).policy();

        assert_eq!(
            policy(&[], &[Code::Inline("alert(1)")]),
            format!("default-src 'none'; script-src {inline}; style-src 'none'; {rest}")
        );
        assert_eq!(
            policy(
                &[Code::file("a.css", "1")],
                &[Code::file("a.js", "1"), Code::file("b.js", "1")]
            ),
            format!("default-src 'none'; script-src 'self' file:; style-src 'self' file:; {rest}")
        );
        assert_eq!(
            policy(&[Code::Inline("\r\n")], &[]),
            policy(&[Code::Inline("\n")], &[]),
            "browsers read both alike"
        );
    }

    #[test]
    fn only_marks_of_the_template_are_replaced() {
        let page = document(&[Code::file("a.css", "1")], &[Code::file("a.js", "1")]).assemble();
        let (head, rest) = page.split_once("<link ").unwrap();
        assert!(head.contains("Content-Security-Policy"), "{head}");
        assert_eq!(
            rest,
            "rel=\"preload\" as=\"script\" href=\"a.js?v=1\">\n\
             <link rel=\"stylesheet\" href=\"a.css?v=1\">\n\
             <!-- scripts -->\n<!-- a comment -->\n<script src=\"a.js?v=1\"></script>\n"
        );
    }

    #[test]
    fn a_page_states_its_policy() {
        let page = document(&[], &[Code::file("a.js", "1")]).assemble();
        let policy = content_policy(page.as_bytes()).unwrap();
        assert!(
            policy.contains("script-src 'self'; style-src 'none'"),
            "{policy}"
        );
        assert_eq!(content_policy(b"<!doctype html><script>1</script>"), None);
    }
}
