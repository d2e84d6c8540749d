//! Counts the requests to a store and their bytes, because stores are paid by both. The count is
//! made below the retries, so that a repeated request counts each time.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

/// The requests of one bucket so far.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    requests: AtomicU64,
    bytes_up: AtomicU64,
    bytes_down: AtomicU64,
}

/// The cost of a run's requests to a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrafficCounts {
    /// Requests, including repeated ones.
    pub requests: u64,
    /// Bytes in the bodies of requests.
    pub bytes_up: u64,
    /// Bytes in the bodies of answers, as far as the store announces their length.
    pub bytes_down: u64,
}

impl Traffic {
    pub(super) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_down(&self, bytes: u64) {
        self.bytes_down.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> TrafficCounts {
        TrafficCounts {
            requests: self.requests.load(Ordering::Relaxed),
            bytes_up: self.bytes_up.load(Ordering::Relaxed),
            bytes_down: self.bytes_down.load(Ordering::Relaxed),
        }
    }
}

/// Makes HTTP clients that count their requests.
#[derive(Debug)]
pub(crate) struct CountingConnector(pub(super) Arc<Traffic>);

impl HttpConnector for CountingConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(CountingClient {
            client: ReqwestConnector::default().connect(options)?,
            traffic: Arc::clone(&self.0),
        }))
    }
}

#[derive(Debug)]
struct CountingClient {
    client: HttpClient,
    traffic: Arc<Traffic>,
}

impl HttpService for CountingClient {
    fn call<'s, 'f>(
        &'s self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        let bytes = request.body().content_length() as u64;
        self.traffic.requests.fetch_add(1, Ordering::Relaxed);
        self.traffic.bytes_up.fetch_add(bytes, Ordering::Relaxed);
        Box::pin(async move {
            let answer = self.client.execute(request).await?;
            let length = answer.headers().get("content-length");
            let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
            self.traffic
                .bytes_down
                .fetch_add(length.unwrap_or(0), Ordering::Relaxed);
            Ok(answer)
        })
    }
}
