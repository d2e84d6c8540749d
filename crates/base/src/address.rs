//! Splits an address into its parts, so that every message leaves out the same ones as secrets.

/// The parts of an address, such as `https://me:password@example.org/world.zip?signature=1`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddressParts<'a> {
    pub scheme: &'a str,
    /// The host, perhaps behind the name of a user and a password.
    pub authority: &'a str,
    /// The host with its port, or a bucket.
    pub host: &'a str,
    pub path: &'a str,
    /// The query and the fragment, with the character before them.
    pub query: &'a str,
}

impl<'a> AddressParts<'a> {
    /// Returns `None` if the text lacks a scheme.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (plain, query) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
        let (authority, path) = plain.split_once('/').unwrap_or((plain, ""));

        Some(Self {
            scheme,
            authority,
            host: authority.rsplit('@').next().unwrap_or_default(),
            path,
            query,
        })
    }

    /// Returns the address without the name of a user, a password, a query and a fragment.
    pub fn without_secrets(&self) -> String {
        let Self {
            scheme, host, path, ..
        } = self;
        let shown = format!("{scheme}://{host}/{path}");
        shown.trim_end_matches('/').to_owned()
    }
}
