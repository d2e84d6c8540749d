//! A map that is not finished: its page from memory, its tiles when they are drawn, sketches until then, and the wishes of
//! those who look at it.
//!
//! A native tile that is asked for is the most urgent one as long as its request waits; a request that is given up wants
//! nothing any more. What a page shows is told by the address of its events, and comes next.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use hyper::body::Bytes;
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use tokio::sync::{broadcast, oneshot};

use super::body::Body;
use super::entity::Entity;
use super::reply::{drawn_now, refused, send};
use crate::atlas::{Kind, MapFile};
use crate::base::coord::TilePos;
use crate::base::mutex;
use crate::draw::{At, Ended, LayerTile, Live, Look, Sight};
use crate::page::{self, PageTexts};

/// The script that the page gets beside the viewer's own.
const SCRIPT: (&str, &str) = ("live.js", include_str!("live.js"));
/// The changes that a slow page may fall behind; one that falls further takes all that it shows anew.
const BEHIND: usize = 4096;

/// A change of the map.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Drawn(Ended),
    /// Another drawing begins, the map stands in its folder, or the server ends.
    Stage,
}

/// A map that is drawn while it is served.
#[derive(Debug)]
pub struct LiveMap {
    /// What is drawn, from the time when that is known until the map is published.
    drawing: Mutex<Option<Arc<Drawing>>>,
    changes: broadcast::Sender<Change>,
    /// How often the map was published: at first, and each time with what the game saved.
    published: AtomicU64,
    /// The server ends.
    has_ended: AtomicBool,
    /// The regions that were drawn, also those that have changed since.
    drawn: Mutex<HashSet<(usize, TilePos)>>,
    wishes: Mutex<Wishes>,
}

#[derive(Debug)]
struct Drawing {
    live: Arc<Live>,
    /// The page and its files.
    files: BTreeMap<String, Bytes>,
    regions: u64,
    /// It is not the first one: pages show what others drew.
    is_again: bool,
}

/// What is wanted, by number: what was asked for first comes first.
#[derive(Debug, Default)]
struct Wishes {
    next: u64,
    tiles: BTreeMap<u64, LayerTile>,
    /// Each with the drawing that it is of.
    sights: BTreeMap<u64, (Arc<Live>, Sight)>,
}

/// A wish, until it is dropped.
#[derive(Debug)]
pub(super) struct Wish {
    map: Arc<LiveMap>,
    number: u64,
}

impl Default for LiveMap {
    fn default() -> Self {
        Self {
            drawing: Mutex::default(),
            changes: broadcast::Sender::new(BEHIND),
            published: AtomicU64::new(0),
            has_ended: AtomicBool::new(false),
            drawn: Mutex::default(),
            wishes: Mutex::default(),
        }
    }
}

impl LiveMap {
    /// A tile is drawn.
    pub fn ended(&self, ended: Ended) {
        if ended.tile.region().is_some() {
            self.drawn().insert((ended.dimension, ended.tile));
        }
        // Without a page that listens, there is nobody to tell.
        let _ = self.changes.send(Change::Drawn(ended));
    }

    /// Shows a map that begins to be drawn, of so many regions; also when the world has changed.
    pub fn begin(&self, live: Arc<Live>, regions: u64, page: &PageTexts) {
        let files = files(live.facts(), page);
        let is_again = self.drawing().is_some();
        self.set(Some(Arc::new(Drawing { live, files, regions, is_again })));
    }

    /// The map is whole, and stands in its folder; also when that is so again.
    pub fn publish(&self) {
        self.published.fetch_add(1, Ordering::Release);
        self.set(None);
    }

    /// Changes what is drawn, and tells it.
    fn set(&self, drawing: Option<Arc<Drawing>>) {
        *mutex::lock(&self.drawing) = drawing;
        let _ = self.changes.send(Change::Stage);
    }

    fn drawing(&self) -> Option<Arc<Drawing>> {
        mutex::lock(&self.drawing).clone()
    }

    fn drawn(&self) -> MutexGuard<'_, HashSet<(usize, TilePos)>> {
        mutex::lock(&self.drawn)
    }

    /// Nothing more is drawn: what waits goes on without.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        let _ = self.changes.send(Change::Stage);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Returns whether the map was published.
    pub fn is_published(&self) -> bool {
        self.published() > 0
    }

    /// How often the map was published.
    pub(super) fn published(&self) -> u64 {
        self.published.load(Ordering::Acquire)
    }

    /// Returns whether the drawing is not the first one.
    pub(super) fn is_again(&self) -> bool {
        self.drawing().is_some_and(|drawing| drawing.is_again)
    }

    /// The regions that are drawn, and those that are to be.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.drawn().len() as u64, self.drawing().map_or(0, |drawing| drawing.regions))
    }

    pub(super) fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// The live map, until it is published.
    pub(super) fn live(&self) -> Option<Arc<Live>> {
        self.drawing().map(|drawing| Arc::clone(&drawing.live))
    }

    /// Answers what does not stand in the folder, or not yet.
    ///
    /// # Errors
    /// The folder answers; with the tile whose path it is, if it is one.
    pub(super) async fn answer(
        self: &Arc<Self>,
        path: &str,
        request: &Parts,
    ) -> Result<Response<Body>, Option<LayerTile>> {
        let file = if path.is_empty() { "index.html" } else { path };
        let send = |bytes: Bytes| {
            let entity = Entity::of_bytes(bytes, Kind::of(Path::new(file)));
            send(entity, request).unwrap_or_else(|_| refused(StatusCode::INTERNAL_SERVER_ERROR))
        };
        if path == SCRIPT.0 {
            return Ok(send(Bytes::from_static(SCRIPT.1.as_bytes())));
        }
        let drawing = self.drawing().ok_or(None)?;
        if let Some(bytes) = drawing.files.get(file) {
            return Ok(send(bytes.clone()));
        }
        while let Some(live) = self.live() {
            match live.at(path).ok_or(None)? {
                At::Drawn(tile) => return Err(Some(tile)),
                At::LeftOut(tile) => return Ok(self.blank(tile)),
                At::Open(_) if self.has_ended() => return Ok(refused(StatusCode::SERVICE_UNAVAILABLE)),
                At::Open(tile) if live.can_be_sketched(tile) => match sketch(&live, tile).await {
                    // Another drawing is about to begin.
                    None if live.is_over() => self.wait(&live, tile).await,
                    sketch => return Ok(sketch.unwrap_or_else(|| refused(StatusCode::SERVICE_UNAVAILABLE))),
                },
                At::Open(tile) if tile.is_native() => self.wait(&live, tile).await,
                At::Open(_) => return Ok(refused(StatusCode::NOT_FOUND)),
            }
        }
        Err(None)
    }

    /// The answer for a tile with nothing on it.
    pub(super) fn blank(&self, tile: LayerTile) -> Response<Body> {
        let picture = self.live().and_then(|live| Some(drawn_now(live.format(tile), live.blank(tile)?)));
        picture.unwrap_or_else(|| refused(StatusCode::NOT_FOUND))
    }

    /// Waits until a tile is drawn, and has it drawn first; or until another drawing begins.
    async fn wait(self: &Arc<Self>, live: &Arc<Live>, tile: LayerTile) {
        let mut changes = self.changes();
        let wish = self.wish(|wishes, number| {
            wishes.tiles.insert(number, tile);
        });
        let is_now = || self.live().is_some_and(|now| Arc::ptr_eq(&now, live));
        while live.is_open(tile) && is_now() && !self.has_ended() {
            match changes.recv().await {
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => break,
            }
        }
        drop(wish);
    }

    /// Notes a look until the wish is dropped.
    pub(super) fn look(self: &Arc<Self>, look: Look) -> Option<Wish> {
        // Before the lock: in a large world it takes a while.
        let live = self.live()?;
        let sight = live.sight(look);
        Some(self.wish(|wishes, number| drop(wishes.sights.insert(number, (live, sight)))))
    }

    fn wish(self: &Arc<Self>, add: impl FnOnce(&mut Wishes, u64)) -> Wish {
        let mut wishes = self.wishes();
        let number = wishes.next;
        wishes.next += 1;
        add(&mut wishes, number);
        self.tell(&wishes);
        Wish { map: Arc::clone(self), number }
    }

    /// Tells the drawing what is wanted now.
    fn tell(&self, wishes: &Wishes) {
        if let Some(live) = self.live() {
            let sights = wishes.sights.values().filter(|(of, _)| Arc::ptr_eq(of, &live));
            live.want(wishes.tiles.values().copied(), sights.map(|(_, sight)| sight));
        }
    }

    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        mutex::lock(&self.wishes)
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        let mut wishes = self.map.wishes();
        wishes.tiles.remove(&self.number);
        wishes.sights.remove(&self.number);
        self.map.tell(&wishes);
    }
}

/// The answer with what is known of an outer tile; `None`: too many wait, or nothing is sketched any more.
async fn sketch(live: &Live, tile: LayerTile) -> Option<Response<Body>> {
    let (sender, receiver) = oneshot::channel();
    // Both closures need it: the one looks whether somebody still waits, the other sends.
    let sender = Arc::new(Mutex::new(Some(sender)));
    let asked = Arc::clone(&sender);
    let lock = |sender: &Mutex<Option<oneshot::Sender<Vec<u8>>>>| mutex::lock(sender).take();
    let is_awaited = move || {
        let sender = mutex::lock(&asked);
        sender.as_ref().is_some_and(|sender| !sender.is_closed())
    };
    let reply = move |picture| {
        if let Some(sender) = lock(&sender) {
            let _ = sender.send(picture);
        }
    };
    live.sketch(tile, is_awaited, reply);
    receiver.await.ok().map(|picture| drawn_now(live.format(tile), picture))
}

/// A page with the script that follows what is drawn.
pub(super) fn with_script(page: &[u8]) -> Vec<u8> {
    let (name, _) = SCRIPT;
    let before = r#"<script src="viewer.js"#;
    let page = String::from_utf8_lossy(page);
    page.replace(before, &format!("<script src=\"{name}\"></script>\n{before}")).into_bytes()
}

/// The page, its files and its facts.
fn files(facts: &MapFile, page: &PageTexts) -> BTreeMap<String, Bytes> {
    let script = facts.script();
    let mut files: HashMap<&str, Vec<u8>> =
        page::files(&script, page).into_iter().map(|(path, bytes)| (path, bytes.into_owned())).collect();
    if let Some(html) = files.get_mut("index.html") {
        *html = with_script(html);
    }
    files.insert(MapFile::VERSION, MapFile::version(&script).into_bytes());
    files.insert(MapFile::FILE, facts.json().into_bytes());
    files.insert(MapFile::SCRIPT, script.into_bytes());
    files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.into())).collect()
}
