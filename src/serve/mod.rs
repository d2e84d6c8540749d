//! Serves a map over HTTP: a map's folder, an archive with its page, or a world whose map is drawn
//! while it is served.
//!
//! `connections` accepts connections from the network, and `access` refuses requests that are not
//! meant for this server. `path` decodes the path of the address, `site` finds the file, `entity`
//! opens it, `reply` makes the answer (with `range` for partial requests), and `body` sends it. One
//! thread waits for all connections. Other threads read the files, so that a slow disk does not
//! delay other requests. The module does not interpret the files, and writes none.
//!
//! To serve a world, `follow` draws its map, and draws it again when the game has saved. `changes`
//! waits for that, with the help of `poll` on drives whose changes the system does not report.
//! `live` holds the page of an unfinished map and the tiles that visitors request, and `events`
//! reports drawn tiles to pages, to at most as many as `streams` admits. `players` asks a game
//! server by `rcon` for its players (`online_names` reads their names), whom `events` shows on open
//! pages.
//!
//! Memory is bounded, because the number of connections is. Each connection holds at most the head
//! of one request, and either a whole short file or one piece of a long file.

mod access;
mod body;
mod changes;
mod connections;
mod entity;
mod events;
mod follow;
mod live;
mod online_names;
mod path;
mod players;
mod poll;
mod range;
mod rcon;
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
pub use connections::TimeLimits;
pub use follow::{Follow, FollowError, FollowLog};
pub use path::BasePath;
pub use players::{RconAccess, RconNews};
pub use poll::POLL_EVERY;
pub use site::Site;

/// A listener at an address of this machine. Connections wait in its queue until the server runs.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    access: Access,
    limits: TimeLimits,
    stop: Arc<Notify>,
}

impl Server {
    /// Binds an address, such as `127.0.0.1:8080`. Port 0 binds any free port.
    ///
    /// # Errors
    /// The address is in use, is not an address of this machine, or is invalid.
    pub fn listen(address: impl ToSocketAddrs, access: Access) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        connections::lengthen_queue(&listener)?;
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            access,
            limits: TimeLimits::default(),
            stop: Arc::default(),
        })
    }

    /// Gives clients other times than the usual ones.
    #[must_use]
    pub fn with_time_limits(self, limits: TimeLimits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the bound address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a function that ends the server. It may be called from any thread, even before the
    /// server runs.
    pub fn stopper(&self) -> impl Fn() + Clone + Send + Sync + use<> {
        let stop = Arc::clone(&self.stop);
        move || stop.notify_one()
    }

    /// Answers requests until the server is stopped. Answers that are being sent then get a few
    /// seconds to finish.
    ///
    /// # Errors
    /// The system cannot wait for connections.
    pub fn run(self, site: Site) -> io::Result<()> {
        let guard = Guard::new(self.access, self.address);
        connections::run(
            self.listener,
            Answerer {
                guard,
                site,
                limits: self.limits,
            },
            &self.stop,
        )
    }
}
