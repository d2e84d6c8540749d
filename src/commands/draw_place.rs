//! The place of a map that is drawn: a folder, or a bucket that gets the map from a temporary
//! folder.

use std::path::Path;

#[cfg(feature = "object-store")]
use pixelmap_draw::report::BucketFacts;
use pixelmap_draw::report::Report;
use pixelmap_map::atlas::Elsewhere;
#[cfg(feature = "object-store")]
use pixelmap_map::export::{Bucket, BucketAccess, BucketCounts, BucketMap, ExportError, Pieces};
#[cfg(feature = "object-store")]
use pixelmap_map::remote::TrafficCounts;

use super::signals::Signals;
#[cfg(feature = "object-store")]
use crate::cli::RETRIES;
use crate::cli::{MergeArgs, RenderRequest};
use crate::log::Log;
use crate::outcome::Ending;
#[cfg(feature = "object-store")]
use crate::outcome::{FAILED, NOT_NOW, is_cut_short};
#[cfg(feature = "object-store")]
use crate::progress;
#[cfg(feature = "object-store")]
use crate::summary::{INTERRUPTED, count_text, human_count, sent_amount, size};

/// The place of a map.
pub(super) enum DrawPlace {
    /// The output that the request names.
    Output,
    /// A bucket, whose map is drawn in a temporary folder.
    #[cfg(feature = "object-store")]
    Bucket(Box<BucketMap>),
}

impl DrawPlace {
    /// Opens the place of a map that is drawn. A dry run only reads it.
    #[cfg(feature = "object-store")]
    pub(super) fn for_render(request: &RenderRequest, signals: &Signals) -> Result<Self, Ending> {
        let access = match request.args.shard {
            _ if request.args.dry_run => BucketAccess::Look,
            Some(shard) => BucketAccess::Part(shard.name()),
            None => BucketAccess::Change,
        };

        Self::open(request.bucket(), access, signals)
    }

    /// Opens the place of a map that is merged.
    #[cfg(feature = "object-store")]
    pub(super) fn for_merge(args: &MergeArgs, signals: &Signals) -> Result<Self, Ending> {
        Self::open(args.bucket(), BucketAccess::Merge, signals)
    }

    /// Opens the bucket at an address: locks it, and downloads its state.
    #[cfg(feature = "object-store")]
    fn open(
        address: Option<String>,
        access: BucketAccess,
        signals: &Signals,
    ) -> Result<Self, Ending> {
        let Some(address) = address else {
            return Ok(Self::Output);
        };

        let bucket = Bucket::open(&address, RETRIES).map_err(ExportError::from)?;
        BucketMap::open(bucket, access, &|| signals.stop().is_requested())?
            .map(|map| Self::Bucket(Box::new(map)))
            .ok_or_else(|| interrupted(signals))
    }

    #[cfg(not(feature = "object-store"))]
    #[expect(clippy::unnecessary_wraps, reason = "as with object stores")]
    pub(super) fn for_render(_: &RenderRequest, _: &Signals) -> Result<Self, Ending> {
        Ok(Self::Output)
    }

    #[cfg(not(feature = "object-store"))]
    #[expect(clippy::unnecessary_wraps, reason = "as with object stores")]
    pub(super) fn for_merge(_: &MergeArgs, _: &Signals) -> Result<Self, Ending> {
        Ok(Self::Output)
    }

    /// Returns the folder in which the map is made.
    pub(super) fn folder<'a>(&'a self, output: &'a Path) -> &'a Path {
        match self {
            Self::Output => output,
            #[cfg(feature = "object-store")]
            Self::Bucket(map) => map.root(),
        }
    }

    /// Returns the files of the map that are not in that folder.
    pub(super) fn elsewhere(&self) -> Option<Elsewhere> {
        match self {
            Self::Output => None,
            #[cfg(feature = "object-store")]
            Self::Bucket(map) => Some(map.files()),
        }
    }

    /// Returns the request for a map that is drawn at this place.
    pub(super) fn redirect(&self, request: RenderRequest) -> RenderRequest {
        match self {
            Self::Output => request,
            #[cfg(feature = "object-store")]
            Self::Bucket(map) => request.drawn_in(map.root(), map.files()),
        }
    }

    /// Returns the address of a bucket.
    pub(super) fn address(&self) -> Option<&str> {
        match self {
            Self::Output => None,
            #[cfg(feature = "object-store")]
            Self::Bucket(map) => Some(map.address()),
        }
    }

    /// Returns an ending with the address of the bucket in place of the temporary folder, which the
    /// user does not know.
    pub(super) fn explain(&self, ending: &Ending) -> Ending {
        Ending::new(ending.code, self.name_bucket(&ending.message))
    }

    fn name_bucket(&self, message: &str) -> String {
        match self {
            Self::Output => message.to_owned(),
            #[cfg(feature = "object-store")]
            Self::Bucket(map) => message.replace(&map.root().display().to_string(), map.address()),
        }
    }

    /// Uploads a drawn map if it goes into a bucket and is complete. Returns the report with the
    /// cost of the bucket's requests.
    ///
    /// # Errors
    /// Fails if the bucket does not have the whole map afterwards.
    #[cfg_attr(
        not(feature = "object-store"),
        expect(unused_variables, reason = "as with object stores")
    )]
    pub(super) fn publish(
        &self,
        mut report: Report,
        signals: &Signals,
        log: Log<'_>,
    ) -> Result<Report, Ending> {
        if let Some(failure) = &mut report.error {
            failure.message = self.name_bucket(&failure.message);
        }

        match self {
            Self::Output => Ok(report),
            #[cfg(feature = "object-store")]
            Self::Bucket(map) if is_cut_short(&report) => Ok(Report {
                bucket: Some(facts(&BucketCounts::default(), map.traffic())),
                ..report
            }),
            #[cfg(feature = "object-store")]
            Self::Bucket(map) => {
                let counts = upload(map, signals, log)?;
                let facts = facts(&counts, map.traffic());
                log.note(&summary(map.address(), &facts));
                Ok(Report {
                    bucket: Some(facts),
                    ..report
                })
            }
        }
    }
}

#[cfg(feature = "object-store")]
fn upload(map: &BucketMap, signals: &Signals, log: Log<'_>) -> Result<BucketCounts, Ending> {
    let sent = Pieces::default();
    let is_quiet = log.quiet || log.is_json();
    let put = progress::show_pieces(&sent, is_quiet, sent_amount, || {
        map.publish(&|| signals.stop().is_requested(), &sent)
    });

    let counts = put?.ok_or_else(|| interrupted(signals))?;
    let Some((address, why)) = counts.named.first() else {
        return Ok(counts);
    };

    let message = format!(
        "{} could not be uploaded, the first is {address} ({why}): the earlier versions are still \
         there; run the same command again",
        count_text(counts.gaps, "file")
    );
    Err(Ending::new(NOT_NOW, message))
}

#[cfg(feature = "object-store")]
fn facts(counts: &BucketCounts, traffic: TrafficCounts) -> BucketFacts {
    let TrafficCounts {
        requests,
        bytes_up,
        bytes_down,
    } = traffic;
    BucketFacts {
        requests,
        bytes_up,
        bytes_down,
        written: counts.written,
        removed: counts.removed,
    }
}

/// Returns the line about an upload.
#[cfg(feature = "object-store")]
fn summary(address: &str, facts: &BucketFacts) -> String {
    format!(
        "{address}: {} written, {} removed; {}, {} down, {} up",
        count_text(facts.written, "file"),
        human_count(facts.removed),
        count_text(facts.requests, "request"),
        size(facts.bytes_down),
        size(facts.bytes_up)
    )
}

#[cfg(feature = "object-store")]
fn interrupted(signals: &Signals) -> Ending {
    let code = match signals.code() {
        0 => FAILED,
        code => code,
    };

    Ending::new(code, INTERRUPTED)
}
