//! Downloads a file from a web server.
//!
//! A request that fails in a way that may pass is repeated with backoff, from the start of the file.
//! Redirects are followed, but the name of a user and a password stay at the first server, and
//! nothing that was fetched over TLS continues without it. Messages name only the address without
//! its secrets, because errors of the client contain the whole address.

use std::error::Error as _;
use std::fs::File;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use tokio::time::sleep;

use super::address::WorldAddress;
use super::error::RemoteError;
use super::fetch::{DownloadWatch, Downloader};
use super::store::{BACKOFF, RETRY_TIME, install_cryptography};
use super::temporary::TemporaryFile;

/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 10;
/// A server that is not connected to after this time, or sends nothing for this time, is away.
const SILENCE: Duration = Duration::from_mins(1);

/// A download of one file.
pub(super) struct WebDownload<'a> {
    pub(super) address: &'a WorldAddress,
    pub(super) watch: &'a DownloadWatch,
    pub(super) silence: Duration,
    pub(super) first_wait: Duration,
}

/// How one attempt has failed.
enum Failure {
    /// The next attempt may succeed: the reason.
    Passing(String),
    Final(RemoteError),
}

impl From<RemoteError> for Failure {
    fn from(error: RemoteError) -> Self {
        Self::Final(error)
    }
}

impl<'a> WebDownload<'a> {
    pub(super) fn new(address: &'a WorldAddress, watch: &'a DownloadWatch) -> Self {
        Self {
            address,
            watch,
            silence: SILENCE,
            first_wait: BACKOFF.init_backoff,
        }
    }

    /// Downloads the file into a temporary file.
    ///
    /// # Errors
    /// Fails if the server is away after all attempts, refuses, or does not have the file, or if the disk
    /// is too full for it.
    pub(super) fn run(&self, downloader: &Downloader) -> Result<File, RemoteError> {
        downloader.run(&self.address.shown, self.download(downloader))
    }

    async fn download(&self, downloader: &Downloader) -> Result<File, RemoteError> {
        let client = self.client()?;
        let mut file = TemporaryFile::new(&self.address.shown, u64::MAX)?;
        let mut wait = self.first_wait;
        let mut failures = 0;
        let mut waited = Duration::ZERO;

        loop {
            let why = match self.attempt(&client, downloader, &mut file).await {
                Ok(()) => return file.finish(),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Passing(why)) => why,
            };

            failures += 1;
            if failures > downloader.retries() || waited > RETRY_TIME {
                return Err(RemoteError::Away(self.address.shown.clone(), why));
            }

            sleep(wait).await;
            waited += wait;
            wait = (wait * 2).min(BACKOFF.max_backoff);
            file.clear()?;
            self.watch.reach(0);
        }
    }

    fn client(&self) -> Result<Client, RemoteError> {
        install_cryptography();
        let client = Client::builder()
            .redirect(Policy::custom(follow))
            // A referrer would send a signature in the query to another host.
            .referer(false)
            .connect_timeout(self.silence)
            .read_timeout(self.silence)
            .user_agent(concat!("pixelmap/", env!("CARGO_PKG_VERSION")))
            .build();
        client.map_err(|error| self.unusable(reason(&error)))
    }

    /// Downloads the file once.
    async fn attempt(
        &self,
        client: &Client,
        downloader: &Downloader,
        file: &mut TemporaryFile<'_>,
    ) -> Result<(), Failure> {
        downloader.traffic.count_request();
        let sent = client.get(&self.address.secret).send().await;
        let mut answer = sent.map_err(|error| self.failure(&error))?;
        self.check_status(&answer)?;

        let len = answer.content_length();
        if let Some(len) = len {
            file.expect(len)?;
        }
        self.watch.expect(len.unwrap_or(0));

        loop {
            let bytes = answer.chunk().await;
            let Some(bytes) = bytes.map_err(|error| self.failure(&error))? else {
                return Ok(());
            };
            downloader.traffic.count_down(bytes.len() as u64);
            file.add(&bytes)?;
            self.watch.reach(file.len());
        }
    }

    /// Fails unless the server sends the file.
    fn check_status(&self, answer: &Response) -> Result<(), Failure> {
        let status = answer.status();
        let address = self.address.shown.clone();
        let why = status.to_string();
        match status {
            StatusCode::OK => Ok(()),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(RemoteError::Refused(address, why).into())
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                Err(RemoteError::Missing(address, why).into())
            }
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
                Err(Failure::Passing(why))
            }
            _ if status.is_server_error() => Err(Failure::Passing(why)),
            _ => {
                let why = format!("the server answers {why}, not with a file");
                Err(self.unusable(why).into())
            }
        }
    }

    /// Explains an error of the client.
    fn failure(&self, error: &reqwest::Error) -> Failure {
        let why = reason(error);
        let is_final = error.is_redirect() || error.is_builder() || why.contains("certificate");
        if is_final {
            Failure::Final(self.unusable(why))
        } else {
            Failure::Passing(why)
        }
    }

    fn unusable(&self, why: String) -> RemoteError {
        RemoteError::Unusable(self.address.shown.clone(), why)
    }
}

/// Decides whether a redirect is followed.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let was_secure = attempt
        .previous()
        .iter()
        .any(|before| before.scheme() == "https");
    if was_secure && attempt.url().scheme() != "https" {
        return attempt.error("it redirects from https to an address without TLS");
    }
    if attempt.previous().len() > MAX_REDIRECTS {
        return attempt.error("it redirects too often");
    }
    attempt.follow()
}

/// Returns the innermost reason of an error. The outer errors contain the whole address.
fn reason(error: &reqwest::Error) -> String {
    let mut innermost = error.source();
    while let Some(source) = innermost.and_then(std::error::Error::source) {
        innermost = Some(source);
    }

    match innermost {
        _ if error.is_timeout() => "it sends nothing".to_owned(),
        Some(source) => source.to_string(),
        None if error.is_builder() => "this is not a valid address".to_owned(),
        None => "the request failed".to_owned(),
    }
}
