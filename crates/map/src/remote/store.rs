//! Opens one place in an object store, and explains its errors. Keys, region and endpoint come from
//! the environment, and failed requests are repeated with backoff.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, Checksum};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientConfigKey, Error, ObjectStore, RetryConfig};

use super::traffic::{CountingConnector, Traffic};

/// Failed requests are repeated for at most this time, so a store may be away for two minutes.
pub(super) const RETRY_TIME: Duration = Duration::from_mins(2);
/// The waits before a request is repeated: half a second at first, then each up to four times the
/// previous one.
pub(super) const BACKOFF: BackoffConfig = BackoffConfig {
    init_backoff: Duration::from_millis(500),
    max_backoff: Duration::from_secs(30),
    base: 4.0,
};
/// The longest time of one request, long enough for a part of a file over a slow line.
const REQUEST_TIME: &str = "180 seconds";

/// A bucket, and the prefix of all keys of a place in it.
#[derive(Clone)]
pub(crate) struct StorePlace {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The address that the user gave, without a trailing slash.
    pub(crate) address: String,
    pub(crate) prefix: String,
    pub(crate) traffic: Arc<Traffic>,
}

impl fmt::Debug for StorePlace {
    /// Leaves out the store, whose settings contain keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StorePlace")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl StorePlace {
    /// Opens a place by its address: `s3://BUCKET/PREFIX`, `gs://...` or `az://...`. A failed request
    /// is repeated up to `retries` times.
    ///
    /// # Errors
    /// Fails if the address does not name a place, or if the store's settings in the environment
    /// are missing or wrong. The error is a message.
    pub(crate) fn open(
        address: &str,
        retries: usize,
        traffic: Arc<Traffic>,
    ) -> Result<Self, String> {
        let wrong = || format!("{address} does not name a bucket: write s3://BUCKET/PREFIX");

        let address = address.trim_end_matches('/');
        let (scheme, rest) = address.split_once("://").ok_or_else(wrong)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() || prefix.starts_with('/') {
            return Err(wrong());
        }

        install_cryptography();

        let retry = RetryConfig {
            max_retries: retries,
            retry_timeout: RETRY_TIME,
            backoff: BACKOFF,
        };

        let store = store(scheme, bucket, retry, &traffic)
            .map_err(|error| format!("{address}: {}", reason(&error)))?;
        let store = store.ok_or_else(|| {
            format!("{address} is not an address of a bucket: write s3://, gs:// or az://")
        })?;

        let place = Self {
            store,
            address: address.to_owned(),
            prefix: prefix.to_owned(),
            traffic,
        };

        place.key("map.json").map(|_| place).map_err(|_| wrong())
    }

    /// Returns the key of a file of the place.
    pub(crate) fn key(&self, relative: &str) -> Result<Path, Error> {
        let prefix = if self.prefix.is_empty() {
            String::new()
        } else {
            format!("{}/", self.prefix)
        };
        Ok(Path::parse(prefix + relative)?)
    }
}

/// Chooses the cryptography of TLS.
pub(super) fn install_cryptography() {
    // Fails only if TLS has its cryptography already.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
}

/// Opens the store for the scheme of an address. Returns `None` for an unknown scheme.
fn store(
    scheme: &str,
    bucket: &str,
    retry: RetryConfig,
    traffic: &Arc<Traffic>,
) -> Result<Option<Arc<dyn ObjectStore>>, Error> {
    const TIME: ClientConfigKey = ClientConfigKey::Timeout;

    let connector = CountingConnector(Arc::clone(traffic));

    Ok(Some(match scheme {
        "s3" => {
            let builder = AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_http_connector(connector)
                .with_retry(retry);
            let endpoint = [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint];
            let is_plain = endpoint.iter().any(|key| {
                builder
                    .get_config_value(key)
                    .is_some_and(|endpoint| endpoint.starts_with("http://"))
            });

            let allow = AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp);
            let builder = if is_plain {
                builder.with_config(allow, "true")
            } else {
                builder
            };

            let builder = builder.with_config(AmazonS3ConfigKey::Client(TIME), REQUEST_TIME);
            Arc::new(builder.with_checksum_algorithm(Checksum::SHA256).build()?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_http_connector(connector)
                .with_retry(retry);
            Arc::new(
                builder
                    .with_config(GoogleConfigKey::Client(TIME), REQUEST_TIME)
                    .build()?,
            )
        }
        "az" => {
            let builder = MicrosoftAzureBuilder::from_env()
                .with_container_name(bucket)
                .with_http_connector(connector)
                .with_retry(retry);
            Arc::new(
                builder
                    .with_config(AzureConfigKey::Client(TIME), REQUEST_TIME)
                    .build()?,
            )
        }
        _ => return Ok(None),
    }))
}

/// Returns whether a store has answered in a way that will not change if the request is repeated.
pub(crate) fn is_refused(why: &str) -> bool {
    ["400", "403", "404", "405", "501"]
        .iter()
        .any(|status| why.starts_with(status))
        || ["redirect", "certificate"]
            .iter()
            .any(|word| why.contains(word))
}

/// Returns the innermost reason of an error as one line, because the outer errors repeat it. An XML
/// answer is reduced to its code and message.
pub(crate) fn reason(error: &Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }

    let text = innermost.to_string();
    let part = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once("</")?.0)
    };

    let answer = text.split('<').next().unwrap_or_default();

    let answer = answer
        .rsplit_once("status code: ")
        .map_or(answer, |(_, status)| status);
    let parts = [Some(answer), part("Code"), part("Message")]
        .into_iter()
        .flatten();
    let parts: Vec<&str> = parts
        .map(|part| part.trim_end_matches([':', '.', ' ']))
        .collect();
    parts
        .join(": ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
