//! Accepts connections from the network, limits their number and their waiting times, and ends them
//! in order.
//!
//! All connections are served by one thread with an asynchronous runtime. A request is answered by
//! the guard, by the live map, or by the site on a blocking thread that reads files.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, body::Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

use super::access::Guard;
use super::body::Body;
use super::reply::status_response;
use super::site::Site;
use super::streams::Client;

/// The most open connections. The same number may wait in the queue of the system.
pub(super) const MAX_CONNECTIONS: usize = 1024;
/// The most threads that read files.
const MAX_READERS: usize = 64;
/// The most bytes of a request's head.
const MAX_HEAD: usize = 16 << 10;
/// The wait after a failed accept, because file descriptors may be free again by then.
const LACK_TIME: Duration = Duration::from_millis(100);

/// The times that the server gives its clients.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// The longest time in which a connection must send the head of its next request.
    pub head: Duration,
    /// The longest time for which a client may stop receiving an answer before its connection is
    /// closed.
    pub write: Duration,
    /// The time that running answers have to finish after the stop.
    pub stop: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            write: Duration::from_secs(20),
            stop: Duration::from_secs(5),
        }
    }
}

/// Lengthens the queue of connections that wait to be accepted. The default queue of a listener is
/// too short when many clients connect at once.
#[cfg(unix)]
pub(super) fn lengthen_queue(listener: &StdListener) -> io::Result<()> {
    Ok(rustix::net::listen(listener, MAX_CONNECTIONS as i32)?)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(super) const fn lengthen_queue(_: &StdListener) -> io::Result<()> {
    Ok(())
}

/// Answers requests: the guard checks each one, and the site has the files.
#[derive(Debug)]
pub(super) struct Answerer {
    pub(super) guard: Guard,
    pub(super) site: Site,
    pub(super) limits: TimeLimits,
}

impl Answerer {
    /// Returns the answer to a request on a connection from `peer`.
    async fn answer(self: Arc<Self>, peer: IpAddr, head: Parts) -> Response<Body> {
        let mut response = match self.guard.answer(&head) {
            Some(refusal) => refusal,
            None => self.answer_from_site(peer, head).await,
        };
        self.guard.seal(&mut response);
        response
    }

    async fn answer_from_site(self: &Arc<Self>, peer: IpAddr, head: Parts) -> Response<Body> {
        let tile = match self
            .site
            .answer_live(&head, Client::of(peer, &head.headers))
            .await
        {
            Ok(response) => return response,
            Err(tile) => tile,
        };
        let answerer = Arc::clone(self);
        let answered = spawn_blocking(move || answerer.site.answer(&head, tile)).await;
        answered.unwrap_or_else(|_| status_response(StatusCode::INTERNAL_SERVER_ERROR))
    }
}

/// Runs the server until `stop` is notified.
pub(super) fn run(listener: StdListener, answerer: Answerer, stop: &Notify) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(MAX_READERS)
        .thread_keep_alive(Duration::from_secs(10))
        .build()?;

    let done = runtime.block_on(async {
        accept(TcpListener::from_std(listener)?, Arc::new(answerer), stop).await
    });

    // A read from a disk that does not respond must not keep the program running.
    runtime.shutdown_background();

    done
}

/// Accepts connections until the stop, then lets the open ones finish within the time limit.
async fn accept(listener: TcpListener, answerer: Arc<Answerer>, stop: &Notify) -> io::Result<()> {
    let slots = Arc::new(Semaphore::new(slots()));
    let limit = answerer.limits.stop;

    let open = GracefulShutdown::new();
    loop {
        let (stream, peer, slot) = tokio::select! {
            () = stop.notified() => break,
            next = next(&listener, &slots) => next,
        };
        let answerer = answerer.clone();
        let watcher = open.watcher();
        tokio::spawn(async move {
            serve(stream, peer, answerer, watcher).await;
            drop(slot);
        });
    }

    drop(listener);
    let _ = timeout(limit, open.shutdown()).await;

    Ok(())
}

/// Waits until a further connection is allowed, and then accepts one.
async fn next(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> (TcpStream, IpAddr, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed.
    let slot = slots.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer.ip(), slot),
            // Either the client has left, or file descriptors have run out. Both problems pass.
            Err(_) => sleep(LACK_TIME).await,
        }
    }
}

/// Answers the requests of one connection. An error ends only this connection.
async fn serve(stream: TcpStream, peer: IpAddr, answerer: Arc<Answerer>, watcher: Watcher) {
    // Otherwise the system would hold back small answers until more data follows.
    let _ = stream.set_nodelay(true);
    let TimeLimits { head, write, .. } = answerer.limits;
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(write));

    let is_live = answerer.site.is_live();
    let service = service_fn(move |request: Request<Incoming>| {
        let (head, _) = request.into_parts();
        let answerer = answerer.clone();
        async move { Ok::<_, Infallible>(answerer.answer(peer, head).await) }
    });

    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(MAX_HEAD);

    // A client may end its side of the connection after its request, and still gets the answer. A
    // page of a live map ends its connections when it is closed. Its event stream and its waiting
    // tiles must end then, so that they leave their places to others.
    http.half_close(!is_live);
    let _ = watcher
        .watch(http.serve_connection(TokioIo::new(Box::pin(stream)), service))
        .await;
}

/// Returns the number of connections to allow: at most half of the process's file descriptors,
/// because each connection may need a second one for a file.
fn slots() -> usize {
    let descriptors = limit()
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(usize::MAX);
    MAX_CONNECTIONS.min(descriptors / 2).max(1)
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
const fn limit() -> Option<u64> {
    None
}
