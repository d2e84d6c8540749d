//! The owner's texts for a map's page: its title, and the preview that other programs show for a
//! link to the page.

use serde::{Deserialize, Serialize};

/// The texts of a map's page. Programs show them where a link to the page is pasted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageTexts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A sentence about the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The address of the map's folder on its host, with a slash at the end. Pictures in link
    /// previews need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl PageTexts {
    /// The file name of the picture that link previews show.
    pub const PREVIEW: &'static str = "preview.png";

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the elements for the page's head, as defined by the Open Graph protocol (ogp.me).
    pub(crate) fn head(&self) -> String {
        let Self {
            title,
            description,
            url,
        } = self;

        let shown = title
            .as_deref()
            .map_or_else(|| "pixelmap".to_owned(), escape_html);

        let mut head = format!("<title>{shown}</title>\n");
        let mut meta = |kind: &str, name: &str, text: &str| {
            head += &format!(
                "<meta {kind}=\"{name}\" content=\"{}\">\n",
                escape_html(text)
            );
        };

        if let Some(text) = description {
            meta("name", "description", text);
            meta("property", "og:description", text);
        }

        if title.is_some() || description.is_some() || url.is_some() {
            meta("property", "og:type", "website");
            meta(
                "property",
                "og:title",
                title.as_deref().unwrap_or("pixelmap"),
            );
        }

        if let Some(url) = url {
            meta("property", "og:url", url);
            meta("property", "og:image", &format!("{url}{}", Self::PREVIEW));
            meta("name", "twitter:card", "summary_large_image");
        }

        head
    }
}

/// Escapes a text for HTML, including attributes in double quotes.
pub(crate) fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_alone_describes_the_page() {
        let some = |text: &str| Some(text.to_owned());
        let none = PageTexts::default();
        assert_eq!(none.head(), "<title>pixelmap</title>\n");

        for (texts, named) in [
            (
                PageTexts {
                    title: some("ours"),
                    ..none.clone()
                },
                "ours",
            ),
            (
                PageTexts {
                    description: some("a map"),
                    ..none.clone()
                },
                "pixelmap",
            ),
            (
                PageTexts {
                    url: some("https://map.example/"),
                    ..none.clone()
                },
                "pixelmap",
            ),
        ] {
            let head = texts.head();
            assert!(
                head.contains(r#"<meta property="og:type" content="website">"#),
                "{head}"
            );
            assert!(
                head.contains(&format!(r#"<meta property="og:title" content="{named}">"#)),
                "{head}"
            );
        }
    }
}
