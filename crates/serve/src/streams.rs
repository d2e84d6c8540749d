//! Counts the open event streams, in all and per client, and refuses further ones.
//!
//! A stream stays open as long as its page, and the regions that the page shows are drawn first.
//! Without a limit, one client with hundreds of streams would take the places and the priority of
//! all other clients.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};

use hyper::header::HeaderMap;

use pixelmap_base::mutex;

/// The most streams in all. Pages without a stream still check for a newer map once a minute.
const MAX_STREAMS: usize = 256;
/// The most streams of one client. A page in a hidden tab closes its stream.
const MAX_STREAMS_PER_CLIENT: usize = 16;
/// The header to which a proxy appends the address of its client. Earlier addresses in it may be
/// forged by the client.
const FORWARDED: &str = "x-forwarded-for";

/// The address that identifies a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Client(IpAddr);

impl Client {
    /// Returns the client that sent a request on a connection from `peer`. A proxy in front of the
    /// server connects from this machine or from a private network, so only then the header is
    /// trusted.
    pub(super) fn of(peer: IpAddr, headers: &HeaderMap) -> Self {
        let peer = peer.to_canonical();
        let named = if is_near(peer) {
            forwarded(headers)
        } else {
            None
        };

        Self(match named.unwrap_or(peer).to_canonical() {
            IpAddr::V4(ip) => ip.into(),
            // A household usually has 2^64 addresses, so only the network part counts.
            IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
        })
    }
}

/// Returns the address that the last proxy added to the header.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let value = headers.get_all(FORWARDED).iter().next_back()?;
    let list = value.to_str().ok()?;
    list.rsplit(',').next()?.trim().parse().ok()
}

fn is_near(peer: IpAddr) -> bool {
    match peer {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local(),
    }
}

/// The number of open streams per client.
#[derive(Debug, Default)]
pub(super) struct Streams(Arc<Mutex<HashMap<Client, usize>>>);

/// Reserves a place for a stream until it is dropped.
#[derive(Debug)]
pub(super) struct StreamPlace {
    streams: Streams,
    client: Client,
}

impl Streams {
    /// Reserves a place for a stream of a client. `None` if the client, or all clients together,
    /// have reached the limit.
    pub(super) fn enter(&self, client: Client) -> Option<StreamPlace> {
        let mut open = mutex::lock(&self.0);
        if open.values().sum::<usize>() >= MAX_STREAMS {
            return None;
        }

        let count = open.entry(client).or_default();
        if *count >= MAX_STREAMS_PER_CLIENT {
            return None;
        }

        *count += 1;

        Some(StreamPlace {
            streams: Self(Arc::clone(&self.0)),
            client,
        })
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut open = mutex::lock(&self.streams.0);
        if let Some(count) = open.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> Client {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(FORWARDED, value.parse().unwrap());
        }
        Client::of(peer.parse().unwrap(), &headers)
    }

    #[test]
    fn one_client_cannot_use_all_streams() {
        let streams = Streams::default();
        let greedy: Vec<_> =
            std::iter::from_fn(|| streams.enter(client("192.0.2.1", &[]))).collect();
        assert_eq!(greedy.len(), MAX_STREAMS_PER_CLIENT);
        assert!(streams.enter(client("192.0.2.2", &[])).is_some());
        drop(greedy);
        assert!(
            streams.enter(client("192.0.2.1", &[])).is_some(),
            "places that are left are free again"
        );
        assert_eq!(mutex::lock(&streams.0).len(), 0);
    }

    #[test]
    fn all_clients_together_are_bounded() {
        let streams = Streams::default();
        let each = (0..=u8::MAX)
            .flat_map(|host| [0, 1].map(|net| client(&format!("192.0.{net}.{host}"), &[])));
        let places: Vec<_> = each.filter_map(|client| streams.enter(client)).collect();
        assert_eq!(places.len(), MAX_STREAMS);
    }

    #[test]
    fn a_proxy_names_the_client_last() {
        assert_eq!(
            client("127.0.0.1", &["192.0.2.9, 192.0.2.1"]),
            client("192.0.2.1", &[])
        );
        assert_eq!(
            client("::ffff:10.0.0.3", &["192.0.2.9", "192.0.2.1"]),
            client("192.0.2.1", &[])
        );

        assert_eq!(
            client("192.0.2.1", &["192.0.2.7"]),
            client("192.0.2.1", &[]),
            "anyone may send the header"
        );

        assert_eq!(client("127.0.0.1", &["unknown"]), client("127.0.0.1", &[]));
        assert_eq!(
            client("2001:db8::1", &[]),
            client("2001:db8::2", &[]),
            "a household is one client"
        );
        assert_ne!(client("2001:db8::1", &[]), client("2001:db8:0:1::1", &[]));
    }
}
