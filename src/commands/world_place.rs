//! The place of a world: a path on this machine, or an address from which it is downloaded.

use std::path::{Path, PathBuf};
#[cfg(feature = "object-store")]
use std::sync::Arc;

use pixelmap_base::files::Files;
#[cfg(feature = "object-store")]
use pixelmap_draw::report::DownloadFacts;
use pixelmap_draw::report::Report;
#[cfg(feature = "object-store")]
use pixelmap_draw::schedule::Stop;
#[cfg(feature = "object-store")]
use pixelmap_map::remote::{DownloadWatch, Fetch, RemoteRequest, RemoteWorld, TrafficCounts};

use super::saves_list::find_named;
use super::signals::Signals;
#[cfg(feature = "object-store")]
use crate::cli::RETRIES;
use crate::cli::{is_address, shown_address};
use crate::log::Log;
use crate::outcome::{Ending, USAGE};
#[cfg(feature = "object-store")]
use crate::progress;
#[cfg(feature = "object-store")]
use crate::summary::{count_text, received_amount, size};

/// The place of a world.
pub(super) struct WorldPlace {
    path: PathBuf,
    /// The world if it is at an address.
    #[cfg(feature = "object-store")]
    remote: Option<RemoteWorld>,
}

impl WorldPlace {
    /// Returns the place of a world that a user named by a path, a name or an address. An archive at
    /// an address is downloaded, until `signals` end that.
    ///
    /// # Errors
    /// Fails if no world, or more than one, has this name, or if the address cannot be read.
    pub(super) fn find(
        path: &Path,
        log: Log<'_>,
        signals: Option<&Signals>,
    ) -> Result<Self, Ending> {
        if is_address(path) {
            Self::at_address(path, log, signals)
        } else {
            Ok(Self::of_path(find_named(path, log)?))
        }
    }

    /// Returns the place of a folder on this machine.
    ///
    /// # Errors
    /// Fails if the path is an address.
    pub(super) fn of_folder(path: &Path) -> Result<Self, Ending> {
        check_folder(path)?;
        Ok(Self::of_path(path.to_owned()))
    }

    fn of_path(path: PathBuf) -> Self {
        Self {
            path,
            #[cfg(feature = "object-store")]
            remote: None,
        }
    }

    #[cfg(feature = "object-store")]
    fn at_address(path: &Path, log: Log<'_>, signals: Option<&Signals>) -> Result<Self, Ending> {
        let stop = signals.map(|signals| signals.stop().clone());
        let fetch = Fetch {
            retries: RETRIES,
            is_stopped: Arc::new(move || stop.as_ref().is_some_and(Stop::is_requested)),
        };

        let watch = DownloadWatch::default();
        let request = RemoteRequest {
            address: &path.to_string_lossy(),
            fetch,
            watch: &watch,
            is_needed: pixelmap_world::internal::is_needed,
        };

        let is_quiet = log.quiet || log.is_json();
        let opened = progress::show_bytes(&watch, is_quiet, received_amount, || {
            RemoteWorld::open(&request)
        });
        let remote = opened.map_err(|error| match signals.map(Signals::code) {
            Some(code) if code != crate::outcome::OK => {
                Ending::new(code, crate::summary::INTERRUPTED)
            }
            _ => error.into(),
        })?;

        Ok(Self {
            path: remote.path().to_owned(),
            remote: Some(remote),
        })
    }

    #[cfg(not(feature = "object-store"))]
    fn at_address(path: &Path, _: Log<'_>, _: Option<&Signals>) -> Result<Self, Ending> {
        let message = format!(
            "{}: this build reads no world at an address: download it, or build pixelmap with \
             --features object-store",
            shown_address(path)
        );
        Err(Ending::new(USAGE, message))
    }

    /// Returns the path of the world; for an address, the address without secrets.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files of a world at an address; `None`: they are on this machine.
    #[cfg_attr(
        not(feature = "object-store"),
        expect(clippy::unused_self, reason = "as with object stores")
    )]
    pub(super) fn files(&self) -> Option<&Files> {
        #[cfg(feature = "object-store")]
        return self.remote.as_ref().map(RemoteWorld::files);
        #[cfg(not(feature = "object-store"))]
        None
    }

    /// Writes the cost of the downloads to the log. Returns the report with this cost.
    #[cfg(feature = "object-store")]
    pub(super) fn count_downloads(&self, report: Report, log: Log<'_>) -> Report {
        let Some(remote) = &self.remote else {
            return report;
        };

        let TrafficCounts {
            requests,
            bytes_down,
            ..
        } = remote.traffic();
        log.note(&format!(
            "{}: {}, {} down",
            self.path.display(),
            count_text(requests, "request"),
            size(bytes_down)
        ));
        Report {
            download: Some(DownloadFacts {
                requests,
                bytes_down,
            }),
            ..report
        }
    }

    #[cfg(not(feature = "object-store"))]
    #[expect(clippy::unused_self, reason = "as with object stores")]
    pub(super) fn count_downloads(&self, report: Report, _: Log<'_>) -> Report {
        report
    }
}

/// Fails if a path is an address, where a folder on this machine is needed.
pub(super) fn check_folder(path: &Path) -> Result<(), Ending> {
    if !is_address(path) {
        return Ok(());
    }

    let message = format!(
        "{} is an address, and this command needs a folder on this machine: draw the world with \
         pixelmap render, or download it",
        shown_address(path)
    );
    Err(Ending::new(USAGE, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "object-store")]
    #[test]
    fn exit_codes_tell_passing_failures_apart() {
        use crate::outcome::{FAILED, NOT_NOW};
        use pixelmap_map::remote::RemoteError;

        let (address, why) = (|| "s3://b/w".to_owned(), || "500".to_owned());
        for (error, code) in [
            (RemoteError::Away(address(), why()), NOT_NOW),
            (RemoteError::NoRoom(address(), why()), NOT_NOW),
            (RemoteError::Refused(address(), why()), FAILED),
            (RemoteError::Missing(address(), why()), FAILED),
            (RemoteError::Address(address()), USAGE),
        ] {
            assert_eq!(Ending::from(error).code, code);
        }
    }

    #[cfg(not(feature = "object-store"))]
    #[test]
    fn a_build_without_object_stores_names_the_feature() {
        let path = Path::new("https://me:S3CRET@h/w.zip?sig=S3CRET");
        let log = Log::new(crate::cli::LogFormat::Text);
        let refused = WorldPlace::find(path, log, None).err().unwrap();
        assert_eq!(refused.code, USAGE);
        assert!(refused.message.contains("--features object-store"));
        assert!(!refused.message.contains("S3CRET"));
    }

    #[test]
    fn commands_that_need_a_folder_refuse_an_address() {
        let refused = check_folder(Path::new("s3://bucket/w?S3CRET")).unwrap_err();
        assert!(refused.code == USAGE && !refused.message.contains("S3CRET"));
        assert!(check_folder(Path::new("worlds/w")).is_ok());
    }
}
