//! HTTP over a map: its folder, also while the map is drawn, or an archive with its page.
//!
//! `access` refuses requests that are not for this server, `path` reads the path of an address, `site` finds its file, `entity` opens it, `reply` makes the answer,
//! `body` sends it, `connections` takes requests from the network. One thread waits for all connections; files are read
//! on others, so that a slow disk stops no other request. Knows nothing of what the files show, and writes nothing.
//!
//! Of a world `follow` has the map drawn, and drawn again when the game has saved, for which `changes` waits and
//! `poll` looks. Of a map
//! that is not finished `live` has the page and what is wanted of it, and `events` sends what is drawn to pages, as many
//! as `streams` admits.
//!
//! What is kept in memory is bounded: so many connections, each with the head of a request, and with a file that is not
//! long, or a piece of one that is.

mod access;
mod body;
mod changes;
mod connections;
mod entity;
mod events;
mod follow;
mod live;
mod path;
mod poll;
mod range;
mod reply;
mod site;
mod streams;

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;

use tokio::sync::Notify;

use access::Guard;
use connections::Answerer;

pub use access::{Access, HostName};
pub use follow::{Follow, FollowError, FollowLog};
pub use path::BasePath;
pub use poll::POLL_EVERY;
pub use site::Site;

/// An address of this machine, where connections wait.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    access: Access,
    stop: Arc<Notify>,
}

impl Server {
    /// Takes an address, such as `127.0.0.1:8080`; port 0 is any port that is free.
    ///
    /// # Errors
    /// The address cannot be had: it is in use, is none of this machine, or is no address.
    pub fn listen(address: impl ToSocketAddrs, access: Access) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        connections::lengthen_queue(&listener)?;
        Ok(Self { address: listener.local_addr()?, listener, access, stop: Arc::default() })
    }

    /// The address that was taken, with its port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends the server from any thread, also before it runs.
    pub fn stopper(&self) -> impl Fn() + Clone + Send + Sync + use<> {
        let stop = Arc::clone(&self.stop);
        move || stop.notify_one()
    }

    /// Answers requests until it is stopped. Then answers that are being sent get a few seconds to come to their end.
    ///
    /// # Errors
    /// The system has no means to wait for connections.
    pub fn run(self, site: Site) -> io::Result<()> {
        let guard = Guard::new(self.access, self.address);
        connections::run(self.listener, Answerer { guard, site }, &self.stop)
    }
}
