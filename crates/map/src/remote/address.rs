//! The address of a world: in a bucket, or on the web.

use super::error::RemoteError;
use pixelmap_base::address::AddressParts;

/// The endings of archives of worlds. An archive with another ending can be at the end of an address,
/// but no path inside the archive can follow.
const ENDINGS: [&str; 8] = [
    ".zip",
    ".mcworld",
    ".mctemplate",
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.zst",
    ".tzst",
];

/// The parts of the address of a world.
pub(super) struct WorldAddress {
    pub(super) kind: AddressKind,
    /// The address that the user gave, which may contain a password or a signature.
    pub(super) secret: String,
    /// The address without the name of a user, a password, a query and a fragment.
    pub(super) shown: String,
    /// The path in the archive; empty: the archive itself.
    pub(super) inside: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressKind {
    /// The files below a prefix of a bucket.
    BucketFolder,
    /// An archive in a bucket.
    BucketArchive,
    /// An archive on the web.
    Web,
}

impl WorldAddress {
    /// Reads an address. An archive in it ends at the first name with the ending of an archive; the
    /// rest is a path in the archive, as in `https://example.org/backup.zip/world`.
    ///
    /// # Errors
    /// Fails if the text is not the address of a world.
    pub(super) fn parse(text: &str) -> Result<Self, RemoteError> {
        let parts = AddressParts::parse(text).unwrap_or_default();
        let AddressParts {
            authority,
            host,
            path,
            query,
            ..
        } = parts;
        let scheme = &*parts.scheme.to_ascii_lowercase();
        let (path, inside) = split_inside(path.trim_end_matches('/'));
        let shown = AddressParts {
            scheme,
            path,
            ..parts
        }
        .without_secrets();

        let is_web = matches!(scheme, "http" | "https");
        if !is_web && (authority != host || !query.is_empty()) {
            return Err(RemoteError::Address(format!(
                "{shown}: the address of a bucket contains no keys and no query: the keys come from \
                 the environment"
            )));
        }
        if host.is_empty() || is_web && path.is_empty() {
            return Err(RemoteError::Address(format!(
                "{shown} is not the address of a world: write s3://BUCKET/WORLD or \
                 https://example.org/world.zip"
            )));
        }

        let kind = match (is_web, is_archive(path)) {
            (true, _) => AddressKind::Web,
            (false, true) => AddressKind::BucketArchive,
            (false, false) => AddressKind::BucketFolder,
        };
        Ok(Self {
            kind,
            secret: format!("{scheme}://{authority}/{path}{}", without_fragment(query)),
            shown,
            inside: inside.to_owned(),
        })
    }
}

/// Returns a query without the fragment behind it, which clients do not send.
fn without_fragment(query: &str) -> &str {
    query.split('#').next().unwrap_or_default()
}

/// Splits a path after the first name that has the ending of an archive.
fn split_inside(path: &str) -> (&str, &str) {
    let ends = path.match_indices('/').map(|(end, _)| end);
    let mut archives = ends.filter(|&end| is_archive(&path[..end]));
    archives
        .next()
        .map_or((path, ""), |end| (&path[..end], &path[end + 1..]))
}

/// Returns whether a path ends like an archive of a world.
fn is_archive(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (AddressKind, String, String, String) {
        let WorldAddress {
            kind,
            secret,
            shown,
            inside,
        } = WorldAddress::parse(text).unwrap();
        (kind, secret, shown, inside)
    }

    #[test]
    fn secrets_are_not_shown() {
        let text = "HTTPS://me:pass@example.org:81/a/w.zip/inner/world?sig=S3CRET#x";
        assert_eq!(
            parsed(text),
            (
                AddressKind::Web,
                "https://me:pass@example.org:81/a/w.zip?sig=S3CRET".to_owned(),
                "https://example.org:81/a/w.zip".to_owned(),
                "inner/world".to_owned()
            )
        );
    }

    #[test]
    fn archives_and_folders_of_buckets_are_told_apart() {
        for (text, kind, inside) in [
            ("s3://b/worlds/ours/", AddressKind::BucketFolder, ""),
            ("gs://b", AddressKind::BucketFolder, ""),
            ("az://b/a.tar.zst", AddressKind::BucketArchive, ""),
            ("s3://b/a.TGZ/world", AddressKind::BucketArchive, "world"),
            ("http://h/download", AddressKind::Web, ""),
        ] {
            let found = parsed(text);
            assert_eq!((found.0, &*found.3), (kind, inside), "{text}");
        }
        assert_eq!(parsed("s3://b/worlds/ours/").2, "s3://b/worlds/ours");
    }

    #[test]
    fn refusals_of_addresses_hide_secrets() {
        for text in [
            "s3://key:S3CRET@bucket/w",
            "az://c/w?sig=S3CRET",
            "https://u:S3CRET@h",
            "s3:///w",
            "http://?S3CRET",
        ] {
            let error = WorldAddress::parse(text).err().unwrap();
            assert!(!error.to_string().contains("S3CRET"), "{text}: {error}");
            assert!(!error.retryable(), "{text}");
        }
    }
}
