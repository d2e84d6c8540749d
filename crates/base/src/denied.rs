//! Describes a failed write so that the reader can repair it: which user may not write, and who
//! owns the place. In a container this is easily overlooked, because the user inside has another id
//! than the owner of a folder outside.

use crate::words::USER;
use std::io;
use std::path::Path;

use super::retry;

/// Describes an error of writing at a path.
pub fn describe_write(path: &Path, error: &io::Error) -> String {
    let text = retry::describe(error);
    match (error.kind(), facts(path)) {
        (io::ErrorKind::PermissionDenied, Some(facts)) => format!("{text}: {}", facts.remedy()),
        _ => text,
    }
}

/// The users on both sides of a refusal.
struct DeniedFacts<'p> {
    /// The user that this process runs as.
    user: u32,
    /// The part of the path that exists, and its owner and group.
    place: &'p Path,
    owner: u32,
    group: u32,
    is_in_container: bool,
}

impl DeniedFacts<'_> {
    fn remedy(&self) -> String {
        let Self {
            user, owner, group, ..
        } = self;
        let place = self.place.display();
        if user == owner {
            return format!(
                "{place} belongs to this user ({user}), who may not write there: allow it with \
                 chmod u+w"
            );
        }

        let run = if self.is_in_container {
            format!("start the container with {USER} {owner}:{group}")
        } else {
            format!("run pixelmap as user {owner}")
        };

        format!(
            "pixelmap runs as user {user}, and {place} belongs to user {owner}: {run}, or give it \
             away with chown {user}"
        )
    }
}

#[cfg(unix)]
fn facts(path: &Path) -> Option<DeniedFacts<'_>> {
    use std::os::unix::fs::MetadataExt as _;

    let found = path
        .ancestors()
        .find_map(|place| Some((place, place.metadata().ok()?)));
    // A relative path ends where the current folder begins.
    let (place, metadata) =
        found.or_else(|| Some((Path::new("."), Path::new(".").metadata().ok()?)))?;
    let user = rustix::process::geteuid().as_raw();
    let (owner, group) = (metadata.uid(), metadata.gid());
    Some(DeniedFacts {
        user,
        place,
        owner,
        group,
        is_in_container: is_in_container(),
    })
}

#[cfg(not(unix))]
const fn facts(_: &Path) -> Option<DeniedFacts<'_>> {
    None
}

/// Returns whether this is a container of Docker, Podman or Kubernetes, by the marks that they
/// leave for programs.
#[cfg(unix)]
fn is_in_container() -> bool {
    let marks = ["/.dockerenv", "/run/.containerenv"];
    let variables = ["container", "KUBERNETES_SERVICE_HOST"];
    marks.iter().any(|mark| Path::new(mark).metadata().is_ok())
        || variables
            .iter()
            .any(|variable| std::env::var_os(variable).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_names_the_user_and_the_owner() {
        let facts = |user, is_in_container| DeniedFacts {
            user,
            place: Path::new("/maps"),
            owner: 1000,
            group: 100,
            is_in_container,
        };

        assert_eq!(
            facts(33, false).remedy(),
            "pixelmap runs as user 33, and /maps belongs to user 1000: run pixelmap as user 1000, \
             or give it away with chown 33"
        );

        assert!(
            facts(33, true)
                .remedy()
                .contains(": start the container with --user 1000:100, or")
        );

        assert!(
            facts(1000, true)
                .remedy()
                .ends_with("allow it with chmod u+w")
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_nearest_folder_that_exists_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = io::ErrorKind::PermissionDenied.into();
        let text = describe_write(&folder.path().join("a/b"), &error);
        assert!(
            text.contains(&format!("{} belongs to", folder.path().display())),
            "{text}"
        );
        let other = describe_write(folder.path(), &io::ErrorKind::NotFound.into());
        assert!(!other.contains("belongs"), "{other}");
    }
}
