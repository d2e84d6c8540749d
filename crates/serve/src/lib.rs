//! Serves a map over HTTP: a map's folder, an archive with its page, or a world whose map is drawn
//! while it is served.
//!
//! `connections` accepts connections from the network, and `access` refuses requests that are not
//! meant for this server. `path` decodes the path of the address, `site` finds the file, `entity`
//! opens it, `reply` makes the answer (with `range` for partial requests), and `body` sends it. One
//! thread waits for all connections. Other threads read the files, so that a slow disk does not
//! delay other requests. This crate must never know chunks and pixels: it does not interpret the
//! files, and writes none.
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

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write files of their own")
)]

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
mod server;
mod site;
mod streams;

pub use access::{AccessRules, AnswerHeader, HostName};
pub use connections::TimeLimits;
pub use follow::{Follow, FollowError, FollowLog};
pub use path::BasePath;
pub use players::{RconAccess, RconNews};
pub use poll::POLL_EVERY;
pub use server::Server;
pub use site::Site;
