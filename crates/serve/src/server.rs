//! A server at an address: it listens, runs, and can be stopped from any thread.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;

use tokio::sync::Notify;

use super::access::AccessRules;
use super::access::Guard;
use super::connections;
use super::connections::Answerer;
use super::connections::TimeLimits;
use super::site::Site;

/// A listener at an address of this machine. Connections wait in its queue until the server runs.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    access: AccessRules,
    limits: TimeLimits,
    stop: Arc<Notify>,
}

impl Server {
    /// Binds an address, such as `127.0.0.1:8080`. Port 0 binds any free port.
    ///
    /// # Errors
    /// The address is in use, is not an address of this machine, or is invalid.
    pub fn listen(address: impl ToSocketAddrs, access: AccessRules) -> io::Result<Self> {
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
