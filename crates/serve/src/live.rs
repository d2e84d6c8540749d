//! Keeps a map that is drawn while it is served, until it is published. The page and its files come
//! from memory, because the folder has none yet. Requests for native tiles wait until the tile is
//! drawn, and outer tiles are answered with sketches.
//!
//! A requested native tile is the most urgent job of the drawing, but only while its request waits:
//! if the client gives up, the tile loses its urgency. The regions that open pages show have the
//! next priority; each page names its view in the address of its event stream. The drawing itself
//! is done by `draw`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use hyper::body::Bytes;
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use tokio::sync::{Semaphore, SemaphorePermit, broadcast, oneshot, watch};

use super::body::Body;
use super::entity::Entity;
use super::path::{decode_percent, query_value};
use super::reply::{drawn_now, found_now, send, status_response};
use super::streams::Streams;
use pixelmap_base::coord::{INNER_ZOOM, RegionPos, TilePos};
use pixelmap_base::mutex;
use pixelmap_draw::schedule::Stop;
use pixelmap_draw::{
    BlockPattern, BlockQueries, BlockQuery, DrawnTile, Find, FindDepth, InnerTile, InnerTiles,
    LEAST_SHARE, LayerTile, Live, ShownPlaces, TileState, ViewJobs, Viewport,
};
use pixelmap_map::atlas::{FileKind, MapFile};
use pixelmap_map::page::{self, PageTexts};

/// The pages to which [`LiveMap::with_live_tag`] adds a tag.
pub(super) const PAGES: [&str; 2] = ["index.html", "terrain.html"];
/// The tag is added in front of this.
const HEAD_END: &str = "</head>";
/// Urgent jobs are set again after this number of drawn regions, so that no viewport uses up its
/// least share before.
const RENEW_AFTER: usize = LEAST_SHARE / 2;
/// The start of the address of the found blocks of a region.
const FOUND: &str = "found/";
/// The most blocks that a page may look for at a time.
const MAX_FOUND: usize = 16;
/// The most changes that are kept for a slow page. A page that falls further behind reloads all
/// tiles that it shows.
const BEHIND: usize = 4096;

/// A change of the map.
#[derive(Debug, Clone, Copy)]
pub(super) enum MapChange {
    Drawn(DrawnTile),
    /// Another drawing begins, the map is published in its folder, or the server ends.
    Stage,
}

/// A map that is drawn while it is served.
#[derive(Debug)]
pub(super) struct LiveMap {
    /// The page of the map that is being drawn. `None` after it is published, because the folder
    /// then has a page.
    page: Mutex<Option<Arc<LivePage>>>,
    drawing: Mutex<Option<Drawing>>,
    changes: broadcast::Sender<MapChange>,
    /// The number of publications: the first one, and one after each redraw.
    published: AtomicU64,
    has_ended: AtomicBool,
    /// The regions that were drawn since the start, including regions that have changed since then.
    drawn: Mutex<HashSet<(usize, TilePos)>>,
    wishes: Mutex<Wishes>,
    /// Counts drawn regions, because the urgent jobs are set again after every few of them.
    drawn_since: AtomicUsize,
    streams: Streams,
    /// Held by the stream whose view is looked up, so that only one is looked up at a time.
    view_turn: Semaphore,
    /// Draws the tiles with textures. `None` if there are no textures.
    inner_tiles: Option<InnerTiles>,
    /// Looks for the blocks that pages ask for. `None` unless the user looks for some.
    block_queries: Option<BlockQueries>,
    /// The players who are online, as JSON for pages.
    players: watch::Sender<Arc<str>>,
    /// The places where players may be shown.
    places: Mutex<Arc<ShownPlaces>>,
}

/// The page of a map that is not finished.
#[derive(Debug)]
struct LivePage {
    live: Arc<Live>,
    /// The page and its files, by path.
    files: BTreeMap<String, Bytes>,
    regions: u64,
    /// An earlier drawing was already shown, so pages may have its tiles.
    is_again: bool,
}

/// A handle by which a drawing is ended.
#[derive(Debug, Clone)]
pub(super) enum Drawing {
    /// Draws the regions that pages show first.
    Live(Arc<Live>),
    /// Draws in the order of the plan, because pages show the map that was published before.
    Plain(Stop),
}

impl Drawing {
    pub(super) fn end(&self) {
        match self {
            Self::Live(live) => live.end(),
            Self::Plain(stop) => stop.request(),
        }
    }

    pub(super) fn stop(&self) -> &Stop {
        match self {
            Self::Live(live) => live.stop(),
            Self::Plain(stop) => stop,
        }
    }
}

/// Requested tiles and views by number, in the order of the requests.
#[derive(Debug, Default)]
struct Wishes {
    next: u64,
    tiles: BTreeMap<u64, LayerTile>,
    /// The views of open pages, each with the drawing to which its jobs belong.
    views: BTreeMap<u64, (Arc<Live>, ViewJobs)>,
}

/// Keeps a requested tile or view urgent until it is dropped.
#[derive(Debug)]
pub(super) struct Wish {
    map: Arc<LiveMap>,
    number: u64,
}

impl LiveMap {
    pub(super) fn new(
        inner_tiles: Option<InnerTiles>,
        block_queries: Option<BlockQueries>,
    ) -> Self {
        Self {
            page: Mutex::default(),
            drawing: Mutex::default(),
            changes: broadcast::Sender::new(BEHIND),
            published: AtomicU64::new(0),
            has_ended: AtomicBool::new(false),
            drawn: Mutex::default(),
            wishes: Mutex::default(),
            drawn_since: AtomicUsize::new(0),
            streams: Streams::default(),
            view_turn: Semaphore::new(1),
            inner_tiles,
            block_queries,
            players: watch::Sender::new("[]".into()),
            places: Mutex::default(),
        }
    }

    pub(super) fn block_queries(&self) -> Option<&BlockQueries> {
        self.block_queries.as_ref()
    }

    /// Returns the players who are online, as JSON, for one open page.
    pub(super) fn players(&self) -> watch::Receiver<Arc<str>> {
        self.players.subscribe()
    }

    /// Returns whether a page is open.
    pub(super) fn has_pages(&self) -> bool {
        self.players.receiver_count() > 0
    }

    /// Sends the players who are online to all open pages, if something has changed.
    pub(super) fn set_players(&self, players: &str) {
        self.players.send_if_modified(|shown| {
            let is_new = &**shown != players;
            if is_new {
                *shown = players.into();
            }
            is_new
        });
    }

    pub(super) fn places(&self) -> Arc<ShownPlaces> {
        Arc::clone(&mutex::lock(&self.places))
    }

    /// Sets the places where players may be shown.
    pub(super) fn set_places(&self, places: ShownPlaces) {
        *mutex::lock(&self.places) = Arc::new(places);
    }

    pub(super) fn inner_tiles(&self) -> Option<&InnerTiles> {
        self.inner_tiles.as_ref()
    }

    pub(super) fn streams(&self) -> &Streams {
        &self.streams
    }

    /// Waits until no other stream looks up its view. Never returns `None`, because the semaphore
    /// is never closed.
    pub(super) async fn view_turn(&self) -> Option<SemaphorePermit<'_>> {
        self.view_turn.acquire().await.ok()
    }

    /// Reports a drawn tile to the pages.
    pub(super) fn tile_is_drawn(&self, drawn: DrawnTile) {
        if drawn.tile.region().is_some() {
            self.drawn_tiles().insert((drawn.dimension, drawn.tile));

            // Refill the urgent jobs before a view has used up its share.
            if self
                .drawn_since
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(RENEW_AFTER)
            {
                self.set_urgent(&mut self.wishes());
            }
        }

        // Sending fails if no page listens, which is fine.
        let _ = self.changes.send(MapChange::Drawn(drawn));
    }

    /// Shows the map of a drawing of `regions` regions that begins now: the first one, or a new one
    /// after the world has changed.
    pub(super) fn begin(&self, live: Arc<Live>, regions: u64, texts: &PageTexts) {
        let files = self.files(live.facts(), texts);
        let is_again = self.page().is_some();
        self.set_page(Some(Arc::new(LivePage {
            live,
            files,
            regions,
            is_again,
        })));
    }

    /// Shows the map that was published in its folder. Called again after each redraw.
    pub(super) fn publish(&self) {
        self.published.fetch_add(1, Ordering::Release);
        self.set_page(None);
    }

    fn set_page(&self, page: Option<Arc<LivePage>>) {
        *mutex::lock(&self.page) = page;
        let _ = self.changes.send(MapChange::Stage);
    }

    fn page(&self) -> Option<Arc<LivePage>> {
        mutex::lock(&self.page).clone()
    }

    /// Returns the page, its files, and the facts of the map, by path.
    fn files(&self, facts: &MapFile, page: &PageTexts) -> BTreeMap<String, Bytes> {
        let script = facts.script();
        let mut files: HashMap<&str, Vec<u8>> = page::files(&script, page, facts.has_hills())
            .into_iter()
            .map(|file| (file.path, file.into_bytes()))
            .collect();

        for page in PAGES {
            if let Some(html) = files.get_mut(page) {
                *html = self.with_live_tag(html);
            }
        }

        files.insert(MapFile::VERSION, MapFile::version(&script).into_bytes());
        files.insert(MapFile::FILE, facts.json().into_bytes());
        files.insert(MapFile::SCRIPT, script.into_bytes());

        files
            .into_iter()
            .map(|(path, bytes)| (path.to_owned(), bytes.into()))
            .collect()
    }

    /// Adds the tag by which a page learns that a server draws its map, so that it follows the
    /// drawing. The tag lists the layers that have textures.
    pub(super) fn with_live_tag(&self, page: &[u8]) -> Vec<u8> {
        let layers: Vec<&str> = self
            .inner_tiles()
            .into_iter()
            .flat_map(InnerTiles::layers)
            .map(|layer| layer.name())
            .collect();

        let tag = format!(
            "<meta name=\"pixelmap-live\" content=\"{}\" data-innermost=\"{INNER_ZOOM}\">\n{HEAD_END}",
            layers.join(" ")
        );

        String::from_utf8_lossy(page)
            .replacen(HEAD_END, &tag, 1)
            .into_bytes()
    }

    /// Makes this the drawing that [`LiveMap::end`] ends.
    pub(super) fn set_drawing(&self, drawing: Drawing) {
        let mut current = mutex::lock(&self.drawing);
        // The server may have ended a moment ago, when this drawing was not set yet and so was not
        // ended.
        if self.has_ended() {
            drawing.end();
        }
        *current = Some(drawing);
    }

    fn drawn_tiles(&self) -> MutexGuard<'_, HashSet<(usize, TilePos)>> {
        mutex::lock(&self.drawn)
    }

    /// Ends the drawing, and the requests that wait for a tile, because otherwise they would delay
    /// the end of the server.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);

        if let Some(drawing) = &*mutex::lock(&self.drawing) {
            drawing.end();
        }

        if let Some(inner_tiles) = &self.inner_tiles {
            inner_tiles.requests().close();
        }

        if let Some(block_queries) = &self.block_queries {
            block_queries.requests().close();
        }

        let _ = self.changes.send(MapChange::Stage);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    pub(super) fn is_published(&self) -> bool {
        self.publish_count() > 0
    }

    /// Returns the number of publications.
    pub(super) fn publish_count(&self) -> u64 {
        self.published.load(Ordering::Acquire)
    }

    /// Returns whether an earlier drawing was already shown.
    pub(super) fn is_again(&self) -> bool {
        self.page().is_some_and(|page| page.is_again)
    }

    /// Returns the number of drawn regions, and the number of regions that the current drawing has.
    pub(super) fn progress(&self) -> (u64, u64) {
        (
            self.drawn_tiles().len() as u64,
            self.page().map_or(0, |page| page.regions),
        )
    }

    pub(super) fn changes(&self) -> broadcast::Receiver<MapChange> {
        self.changes.subscribe()
    }

    /// Returns the current drawing; `None` after the map is published.
    pub(super) fn live(&self) -> Option<Arc<Live>> {
        self.page().map(|page| Arc::clone(&page.live))
    }

    /// Answers a request for a file that is in memory, or a tile that is still to be drawn.
    ///
    /// # Errors
    /// The file must be read from the folder instead. The error holds the tile if `path` is the
    /// path of a drawn one.
    pub(super) async fn answer(
        self: &Arc<Self>,
        path: &str,
        request: &Parts,
    ) -> Result<Response<Body>, Option<LayerTile>> {
        let file = if path.is_empty() { "index.html" } else { path };
        if let Some(inner_tiles) = &self.inner_tiles
            && let Some(tile) = inner_tiles.tile(path)
        {
            return Ok(inner_tile_response(inner_tiles, tile).await);
        }

        if let Some(region) = path.strip_prefix(FOUND)
            && let Some(block_queries) = &self.block_queries
        {
            return Ok(found_response(
                block_queries,
                region,
                request.uri.query().unwrap_or_default(),
            )
            .await);
        }

        let page = self.page().ok_or(None)?;
        if let Some(bytes) = page.files.get(file) {
            let kind = FileKind::from_path(Path::new(file));
            return Ok(send(Entity::from_bytes(bytes.clone(), kind), request)
                .unwrap_or_else(|_| status_response(StatusCode::INTERNAL_SERVER_ERROR)));
        }

        while let Some(live) = self.live() {
            match live.tile(path).ok_or(None)? {
                TileState::Drawn(tile) => return Err(Some(tile)),
                TileState::LeftOut(tile) => return Ok(self.empty_tile_response(tile)),
                TileState::Open(_) if self.has_ended() => {
                    return Ok(status_response(StatusCode::SERVICE_UNAVAILABLE));
                }
                TileState::Open(tile) if live.can_be_sketched(tile) => match sketch(&live, tile)
                    .await
                {
                    // This drawing is over because another one is about to begin. Wait for that
                    // one, which can make the sketch.
                    None if live.is_over() => self.wait(&live, tile).await,
                    sketch => {
                        return Ok(sketch
                            .unwrap_or_else(|| status_response(StatusCode::SERVICE_UNAVAILABLE)));
                    }
                },
                TileState::Open(tile) if tile.is_native() => self.wait(&live, tile).await,
                TileState::Open(_) => return Ok(status_response(StatusCode::NOT_FOUND)),
            }
        }

        Err(None)
    }

    /// Returns the answer for a tile without any content: an empty picture, or status 404.
    pub(super) fn empty_tile_response(&self, tile: LayerTile) -> Response<Body> {
        let picture = self
            .live()
            .and_then(|live| Some(drawn_now(live.format(tile), live.empty_picture(tile)?)));
        picture.unwrap_or_else(|| status_response(StatusCode::NOT_FOUND))
    }

    /// Makes a tile the most urgent one and waits until it is drawn, another drawing begins, or the
    /// server ends.
    async fn wait(self: &Arc<Self>, live: &Arc<Live>, tile: LayerTile) {
        let mut changes = self.changes();
        let wish = self.wish(|wishes, number| {
            wishes.tiles.insert(number, tile);
        });

        while live.is_open(tile) && self.is_current(live) && !self.has_ended() {
            match changes.recv().await {
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => break,
            }
        }

        drop(wish);
    }

    fn is_current(&self, live: &Arc<Live>) -> bool {
        self.live().is_some_and(|now| Arc::ptr_eq(&now, live))
    }

    /// Gives the regions of a viewport priority until the wish is dropped. `None` if the map is
    /// published.
    pub(super) fn watch(self: &Arc<Self>, viewport: Viewport) -> Option<Wish> {
        // This is done before the wishes are locked, because it takes a while in a large world.
        let live = self.live()?;
        let jobs = live.view_jobs(viewport);
        Some(self.wish(|wishes, number| drop(wishes.views.insert(number, (live, jobs)))))
    }

    fn wish(self: &Arc<Self>, add: impl FnOnce(&mut Wishes, u64)) -> Wish {
        let mut wishes = self.wishes();
        let number = wishes.next;
        wishes.next += 1;
        add(&mut wishes, number);
        self.set_urgent(&mut wishes);
        Wish {
            map: Arc::clone(self),
            number,
        }
    }

    /// Replaces the urgent jobs of the current drawing with the tiles and views of all wishes.
    fn set_urgent(&self, wishes: &mut Wishes) {
        if let Some(live) = self.live() {
            let views = wishes
                .views
                .values_mut()
                .filter(|(drawing, _)| Arc::ptr_eq(drawing, &live));
            let views: Vec<&mut ViewJobs> = views.map(|(_, jobs)| jobs).collect();
            live.want(wishes.tiles.values().copied(), views.into_iter());
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
        wishes.views.remove(&self.number);
        self.map.set_urgent(&mut wishes);
    }
}

/// Returns a sketch of an outer tile: a picture of the part that is known so far. `None` if too
/// many requests wait, or the drawing makes no sketches any more.
async fn sketch(live: &Live, tile: LayerTile) -> Option<Response<Body>> {
    let picture = asked(|is_awaited, reply| live.sketch(tile, is_awaited, reply)).await?;
    Some(drawn_now(live.format(tile), picture))
}

/// Returns a tile with textures.
async fn inner_tile_response(inner_tiles: &InnerTiles, tile: InnerTile) -> Response<Body> {
    match asked(|is_awaited, reply| inner_tiles.requests().ask(tile, is_awaited, reply)).await {
        Some(picture) if picture.is_empty() => status_response(StatusCode::NOT_FOUND),
        Some(picture) => drawn_now(inner_tiles.format(), picture),
        None => status_response(StatusCode::SERVICE_UNAVAILABLE),
    }
}

/// Returns the blocks in a region that a page looks for. `path` has the dimension and the region,
/// as in `overworld/3/-1`, and `query` has the blocks.
async fn found_response(block_queries: &BlockQueries, path: &str, query: &str) -> Response<Body> {
    let Some(query) = block_query(path, query) else {
        return status_response(StatusCode::BAD_REQUEST);
    };
    match asked(|is_awaited, reply| block_queries.requests().ask(query, is_awaited, reply)).await {
        Some(text) => found_now(text),
        None => status_response(StatusCode::SERVICE_UNAVAILABLE),
    }
}

fn block_query(path: &str, query: &str) -> Option<BlockQuery> {
    let mut names = path.rsplitn(3, '/');
    let [z, x, dimension] = std::array::from_fn(|_| names.next().unwrap_or_default());
    let region = RegionPos {
        x: x.parse().ok()?,
        z: z.parse().ok()?,
    };

    let depth = match query_value(query, "depth") {
        None | Some("surface") => FindDepth::Surface,
        Some("all") => FindDepth::All,
        Some(_) => return None,
    };

    // Browsers write some letters of names as escapes.
    let names = decode_percent(query_value(query, "find")?)?;
    let patterns = names
        .split(',')
        .take(MAX_FOUND + 1)
        .map(BlockPattern::parse)
        .collect::<Result<Vec<_>, _>>()
        .ok()?;
    let is_few = patterns.len() <= MAX_FOUND && region.is_on_map();

    let find = Find {
        patterns: patterns.into(),
        depth,
    };

    is_few.then_some(BlockQuery {
        dimension: dimension.to_owned(),
        region,
        find,
    })
}

/// Requests a picture by `ask` and waits for it. `None` if the request is dropped without a reply.
async fn asked(ask: impl FnOnce(IsAwaited, Reply)) -> Option<Vec<u8>> {
    let (sender, receiver) = oneshot::channel();
    // Both closures need the sender: one checks whether the client still waits, and the other one
    // sends the picture.
    let sender = Arc::new(Mutex::new(Some(sender)));
    let awaited = Arc::clone(&sender);

    let is_awaited = Box::new(move || {
        mutex::lock(&awaited)
            .as_ref()
            .is_some_and(|sender| !oneshot::Sender::is_closed(sender))
    });

    let reply = Box::new(move |picture| {
        let sender = mutex::lock(&sender).take();
        if let Some(sender) = sender {
            let _ = sender.send(picture);
        }
    });
    ask(is_awaited, reply);

    receiver.await.ok()
}

type IsAwaited = Box<dyn Fn() -> bool + Send>;
type Reply = Box<dyn FnOnce(Vec<u8>) + Send>;
