//! A map that is not finished: its page from memory, its tiles when they are drawn, sketches until then, and the wishes of
//! those who look at it.
//!
//! A native tile that is asked for is the most urgent one as long as its request waits; a request that is given up wants
//! nothing any more. What a page shows is told by the address of its events, and comes next.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hyper::body::Bytes;
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use tokio::sync::{broadcast, oneshot};

use super::body::Body;
use super::entity::Entity;
use super::kind::Kind;
use super::reply::{drawn_now, refused, send};
use crate::pipeline::{At, Ended, LayerTile, Live, Look, Sight};
use crate::publish::{MapFile, PageTexts, viewer};

/// The script that the page gets beside the viewer's own.
const SCRIPT: (&str, &str) = ("live.js", include_str!("live.js"));
/// The changes that a slow page may fall behind; one that falls further takes all that it shows anew.
const BEHIND: usize = 4096;

/// A change of the map.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Drawn(Ended),
    /// The map stands in its folder, or the server ends.
    Stage,
}

/// A map that is drawn while it is served.
#[derive(Debug)]
pub struct LiveMap {
    /// What is drawn, from the time when that is known.
    drawing: OnceLock<Drawing>,
    changes: broadcast::Sender<Change>,
    /// How often the map was published: at first, and each time with what the game saved.
    published: AtomicU64,
    /// The server ends.
    has_ended: AtomicBool,
    drawn: AtomicU64,
    wishes: Mutex<Wishes>,
}

#[derive(Debug)]
struct Drawing {
    live: Arc<Live>,
    /// The page and its files.
    files: BTreeMap<String, Bytes>,
    regions: u64,
}

/// What is wanted, by number: what was asked for first comes first.
#[derive(Debug, Default)]
struct Wishes {
    next: u64,
    tiles: BTreeMap<u64, LayerTile>,
    sights: BTreeMap<u64, Sight>,
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
            drawing: OnceLock::new(),
            changes: broadcast::Sender::new(BEHIND),
            published: AtomicU64::new(0),
            has_ended: AtomicBool::new(false),
            drawn: AtomicU64::new(0),
            wishes: Mutex::default(),
        }
    }
}

impl LiveMap {
    /// A tile is drawn.
    pub fn ended(&self, ended: Ended) {
        self.drawn.fetch_add(u64::from(ended.tile.region().is_some()), Ordering::Relaxed);
        // Without a page that listens, there is nobody to tell.
        let _ = self.changes.send(Change::Drawn(ended));
    }

    /// Shows a map that begins to be drawn, of so many regions.
    pub fn begin(&self, live: Arc<Live>, regions: u64, page: &PageTexts) {
        let files = files(live.facts(), page);
        let _ = self.drawing.set(Drawing { live, files, regions });
    }

    /// The map is whole, and stands in its folder; also when that is so again.
    pub fn publish(&self) {
        self.published.fetch_add(1, Ordering::Release);
        let _ = self.changes.send(Change::Stage);
    }

    /// Nothing more is drawn: what waits goes on without.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        let _ = self.changes.send(Change::Stage);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// How often the map was published.
    pub(super) fn published(&self) -> u64 {
        self.published.load(Ordering::Acquire)
    }

    fn is_finished(&self) -> bool {
        self.published() > 0
    }

    /// The regions that are drawn, and those that are to be.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.drawn.load(Ordering::Relaxed), self.drawing.get().map_or(0, |drawing| drawing.regions))
    }

    pub(super) fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// The live map, until it is finished.
    pub(super) fn live(&self) -> Option<&Arc<Live>> {
        self.drawing.get().map(|drawing| &drawing.live).filter(|_| !self.is_finished())
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
        let drawing = self.drawing.get().filter(|_| !self.is_finished()).ok_or(None)?;
        if let Some(bytes) = drawing.files.get(file) {
            return Ok(send(bytes.clone()));
        }
        let live = &drawing.live;
        match live.at(path).ok_or(None)? {
            At::Drawn(tile) => Err(Some(tile)),
            At::LeftOut(tile) => Ok(self.blank(tile)),
            At::Open(tile) if live.can_be_sketched(tile) => Ok(sketch(live, tile).await),
            At::Open(tile) if tile.is_native() => {
                self.wait(drawing, tile).await;
                // Else it is in its place now.
                let is_missing = live.is_open(tile) && !self.is_finished();
                if is_missing { Ok(refused(StatusCode::SERVICE_UNAVAILABLE)) } else { Err(Some(tile)) }
            }
            At::Open(_) => Ok(refused(StatusCode::NOT_FOUND)),
        }
    }

    /// The answer for a tile with nothing on it.
    pub(super) fn blank(&self, tile: LayerTile) -> Response<Body> {
        let picture = self.live().and_then(|live| Some(drawn_now(live.format(tile), live.blank(tile)?)));
        picture.unwrap_or_else(|| refused(StatusCode::NOT_FOUND))
    }

    /// Waits until a tile is drawn, and has it drawn first.
    async fn wait(self: &Arc<Self>, drawing: &Drawing, tile: LayerTile) {
        let mut changes = self.changes();
        let wish = self.wish(|wishes, number| {
            wishes.tiles.insert(number, tile);
        });
        while drawing.live.is_open(tile) && !self.has_ended() {
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
        let sight = self.live()?.sight(look);
        Some(self.wish(|wishes, number| drop(wishes.sights.insert(number, sight))))
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
            live.want(wishes.tiles.values().copied(), wishes.sights.values());
        }
    }

    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
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

/// The answer with what is known of an outer tile.
async fn sketch(live: &Live, tile: LayerTile) -> Response<Body> {
    let (sender, receiver) = oneshot::channel();
    // Both closures need it: the one looks whether somebody still waits, the other sends.
    let sender = Arc::new(Mutex::new(Some(sender)));
    let asked = Arc::clone(&sender);
    let lock =
        |sender: &Mutex<Option<oneshot::Sender<Vec<u8>>>>| sender.lock().unwrap_or_else(PoisonError::into_inner).take();
    let is_awaited = move || {
        let sender = asked.lock().unwrap_or_else(PoisonError::into_inner);
        sender.as_ref().is_some_and(|sender| !sender.is_closed())
    };
    let reply = move |picture| {
        if let Some(sender) = lock(&sender) {
            let _ = sender.send(picture);
        }
    };
    live.sketch(tile, is_awaited, reply);
    match receiver.await {
        Ok(picture) => drawn_now(live.format(tile), picture),
        Err(_) => refused(StatusCode::SERVICE_UNAVAILABLE),
    }
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
        viewer::files(&script, page).into_iter().map(|(path, bytes)| (path, bytes.into_owned())).collect();
    if let Some(html) = files.get_mut("index.html") {
        *html = with_script(html);
    }
    files.insert(MapFile::VERSION, MapFile::version(&script).into_bytes());
    files.insert(MapFile::FILE, facts.json().into_bytes());
    files.insert(MapFile::SCRIPT, script.into_bytes());
    files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.into())).collect()
}
