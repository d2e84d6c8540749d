//! Sends pages the events of a live map as server-sent events (WHATWG HTML 9.2): tiles that look
//! different, the progress of the drawing, each publication, and the players who are online.
//!
//! The query of the event stream names the part of the map that the page shows. As long as the
//! stream is open, the regions of this part are drawn first. `live` holds the map itself, and
//! `streams` limits the number of streams.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::http::request::Parts;
use hyper::{Response, StatusCode, header};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use super::body::Body;
use super::live::{LiveMap, MapChange, Wish};
use super::path::query_value;
use super::reply::text_response;
use super::streams::Client;
use pixelmap_base::coord::{
    Area, ColumnPos, INNER_ZOOM, NATIVE_ZOOM, OUTER_ZOOM, TILE_SIDE, TilePos,
};
use pixelmap_draw::{DrawnTile, Viewport};

/// The path of the event stream in the map's folder.
pub(super) const ADDRESS: &str = "live";
/// The shortest time between two messages. A page requests each changed tile again, and the server
/// must first make some of them, so that more messages would cost too much.
const EVERY: Duration = Duration::from_secs(1);
/// The time without news after which an empty message is sent, as a sign to the page that the
/// server still runs.
const SILENCE: Duration = Duration::from_secs(15);
/// The most tiles that a page ever shows at a time.
const MOST_SHOWN: i64 = 1024;
/// A viewport is larger than the visible part of the map: on each side by the length of that part
/// divided by this.
const MARGIN: i32 = 2;

/// The part of the map that a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageView {
    dimension: usize,
    /// The zoom level of the tiles.
    zoom: u8,
    area: Area,
    /// An earlier drawing was already shown, so the page may have native tiles that it must request
    /// again.
    is_again: bool,
}

impl PageView {
    /// Parses the query of the event stream's address. `None` if a value is missing or invalid, the
    /// layer is unknown, or the map is not live.
    fn parse(query: &str, map: &LiveMap) -> Option<Self> {
        // The value is the path of the dimension followed by the path of the layer, with encoded
        // slashes and colons.
        let path = query_value(query, "layer")?
            .replace("%2F", "/")
            .replace("%3A", ":");

        let live = map.live()?;
        let dimensions = &live.facts().dimensions;
        let dimension = dimensions
            .iter()
            .position(|facts| facts.layers.iter().any(|layer| layer.path == path))?;

        let zoom = u8::try_from(query_number(query, "zoom")?)
            .ok()
            .filter(|zoom| (OUTER_ZOOM..=INNER_ZOOM).contains(zoom))?;
        let area = Area {
            x0: query_number(query, "x0")?,
            z0: query_number(query, "z0")?,
            x1: query_number(query, "x1")?,
            z1: query_number(query, "z1")?,
        };

        (area.x0 < area.x1 && area.z0 < area.z1).then(|| Self {
            dimension,
            zoom,
            area,
            is_again: map.is_again(),
        })
    }

    /// Returns the part of the map that is drawn first for this view.
    fn viewport(self) -> Viewport {
        let Area { x0, z0, x1, z1 } = self.area;
        let wide = x1.saturating_sub(x0) / MARGIN;
        let high = z1.saturating_sub(z0) / MARGIN;
        let area = Area {
            x0: x0.saturating_sub(wide),
            z0: z0.saturating_sub(high),
            x1: x1.saturating_add(wide),
            z1: z1.saturating_add(high),
        };

        Viewport {
            dimension: self.dimension,
            area,
        }
    }

    /// Returns the visible tiles, at the zoom level of the view, that look different since a tile
    /// was drawn. In the first drawing native tiles and tiles of inner levels are left out, because
    /// requests for them wait until they are drawn.
    fn changed_tiles(self, DrawnTile { dimension, tile }: DrawnTile) -> Vec<TilePos> {
        if dimension != self.dimension
            || tile.zoom < self.zoom.min(NATIVE_ZOOM)
            || self.are_waited_for()
        {
            return Vec::new();
        }

        let tiles = if self.zoom > tile.zoom {
            tile.inner_tiles(self.zoom).collect()
        } else {
            vec![ancestor_at(tile, self.zoom)]
        };

        tiles
            .into_iter()
            .filter(|tile| !tile.area().overlap(self.area).is_empty())
            .collect()
    }

    /// Returns whether a request for a tile of this view waits until the tile is drawn.
    fn are_waited_for(self) -> bool {
        self.zoom >= NATIVE_ZOOM && !self.is_again
    }
}

/// Returns the answer with the event stream of one page. The part of the map that the page shows is
/// drawn first until the client closes the stream.
pub(super) fn response(
    map: &Arc<LiveMap>,
    request: &Parts,
    client: Client,
    hides_changes: bool,
) -> Response<Body> {
    let Some(slot) = map.streams().enter(client) else {
        return text_response(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many pages follow this map. Try again later",
        );
    };

    let (sender, messages) = mpsc::channel(4);
    let query: Arc<str> = request.uri.query().unwrap_or_default().into();
    let map = Arc::clone(map);
    tokio::spawn(async move {
        let wish = send_events(&map, &query, sender, hides_changes).await;
        give_up(&map, wish).await;
        drop(slot);
    });

    let mut response = Response::new(Body::Events(messages));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("text/event-stream"),
    );

    headers.insert(
        header::CACHE_CONTROL,
        header::HeaderValue::from_static("no-store"),
    );

    // Without this header nginx collects the messages before it passes them on.
    headers.insert("x-accel-buffering", header::HeaderValue::from_static("no"));

    response
}

/// Changes that were not sent to a page yet.
#[derive(Default)]
struct News {
    /// Tiles that look different.
    tiles: BTreeSet<TilePos>,
    /// The last progress that was sent.
    progress: Option<(u64, u64)>,
    /// The number of publications when the last message was sent.
    published: u64,
}

impl News {
    /// Removes the unsent changes and returns them as messages. Without changes it returns an empty
    /// comment, which shows the page that the server still runs.
    fn take(&mut self, map: &LiveMap, hides_changes: bool) -> String {
        let mut text = String::new();

        // The first publication is always sent, because it does not show what changed in the world.
        // Pages find later ones by their own check, once a minute.
        let published = if hides_changes {
            map.publish_count().min(1)
        } else {
            map.publish_count()
        };

        if published > self.published {
            self.published = published;
            text.push_str("event: finished\ndata: {}\n\n");
        }

        if !self.tiles.is_empty() {
            let tiles = std::mem::take(&mut self.tiles);
            let tiles: Vec<String> = tiles
                .iter()
                .map(|TilePos { zoom, x, y }| format!("[{zoom},{x},{y}]"))
                .collect();
            text += &format!("event: tiles\ndata: [{}]\n\n", tiles.join(","));
        }

        let progress = map.progress();
        if self.published == 0 && self.progress != Some(progress) {
            self.progress = Some(progress);
            text += &format!(
                "event: progress\ndata: {{\"drawn\":{},\"of\":{}}}\n\n",
                progress.0, progress.1
            );
        }

        if text.is_empty() {
            text.push_str(":\n\n");
        }

        text
    }
}

/// Sends changes to a page until the page closes the stream or the server ends. Returns the wish of
/// the page, which the caller must give up.
async fn send_events(
    map: &Arc<LiveMap>,
    query: &Arc<str>,
    sender: mpsc::Sender<Bytes>,
    hides_changes: bool,
) -> Option<Wish> {
    let mut changes = map.changes();
    let (mut view, mut wish) = watch(map, query).await;
    let mut news = News::default();

    let mut players = map.players();
    if &**players.borrow() != "[]" {
        players.mark_changed();
    }

    // The times of the last message and of the next one.
    let mut last = Instant::now();
    let mut due = last;
    while !map.has_ended() {
        tokio::select! {
            () = sender.closed() => return wish,
            change = changes.recv() => {
                if matches!(change, Ok(MapChange::Stage) | Err(RecvError::Lagged(_))) && !map.has_ended() {
                    give_up(map, wish).await;
                    (view, wish) = watch(map, query).await;
                }
                match change {
                    // Every tile is reported by the first drawing, so its events reveal nothing.
                    // Later drawings report only the changed tiles, which must stay hidden.
                    Ok(MapChange::Drawn(_)) if hides_changes && view.is_none_or(|view| view.is_again) => {}
                    Ok(MapChange::Drawn(drawn)) => {
                        news.tiles.extend(view.into_iter().flat_map(|view| view.changed_tiles(drawn)));
                    }
                    Ok(MapChange::Stage) => {}
                    Err(RecvError::Lagged(_)) => news.tiles.extend(view.into_iter().flat_map(all_tiles)),
                    Err(RecvError::Closed) => return wish,
                }
                due = due.min(last + EVERY);
            },
            Ok(()) = players.changed() => {
                let text = format!("event: players\ndata: {}\n\n", *players.borrow_and_update());
                if sender.send(text.into()).await.is_err() {
                    return wish;
                }
            },
            () = sleep_until(due) => {
                if sender.send(news.take(map, hides_changes).into()).await.is_err() {
                    return wish;
                }
                last = Instant::now();
                due = last + SILENCE;
            }
        }
    }

    wish
}

/// Returns the part of the map that a page shows. This part is drawn first until the wish is
/// dropped.
async fn watch(map: &Arc<LiveMap>, query: &Arc<str>) -> (Option<PageView>, Option<Wish>) {
    // Streams take turns on one blocking thread. Finding the regions of a view takes a while in a
    // large world, so without turns many streams would take all threads, and requests for files
    // would have to wait.
    let _turn = map.view_turn().await;
    let (map, query) = (Arc::clone(map), Arc::clone(query));
    spawn_blocking(move || {
        let view = PageView::parse(&query, &map);
        (view, view.and_then(|view| map.watch(view.viewport())))
    })
    .await
    .unwrap_or_default()
}

/// Drops the wish of a view. Dropping sets the urgent regions of all views again, which takes a
/// while, so it happens in turn and on another thread, like `watch`.
async fn give_up(map: &Arc<LiveMap>, wish: Option<Wish>) {
    let Some(wish) = wish else { return };
    let _turn = map.view_turn().await;
    let _ = spawn_blocking(move || drop(wish)).await;
}

fn query_number(query: &str, key: &str) -> Option<i32> {
    query_value(query, key)?.parse().ok()
}

/// Returns the tile at a zoom level that contains a tile of the same level or further in.
fn ancestor_at(mut tile: TilePos, zoom: u8) -> TilePos {
    while tile.zoom > zoom {
        tile = tile.parent();
    }
    tile
}

/// Returns the tile at a zoom level that shows a column.
fn tile_at(column: ColumnPos, zoom: u8) -> TilePos {
    match zoom.checked_sub(NATIVE_ZOOM) {
        Some(inner) => {
            let side = (TILE_SIDE >> inner) as i32;
            TilePos {
                zoom,
                x: column.x.div_euclid(side),
                y: column.z.div_euclid(side),
            }
        }
        None => ancestor_at(column.chunk().region().tile(), zoom),
    }
}

/// Returns all tiles that a page shows. Empty if their requests wait anyway, or if they are more
/// than a page ever shows.
fn all_tiles(view: PageView) -> Vec<TilePos> {
    let Area { x0, z0, x1, z1 } = view.area;
    let first = tile_at(ColumnPos { x: x0, z: z0 }, view.zoom);
    let last = tile_at(
        ColumnPos {
            x: x1 - 1,
            z: z1 - 1,
        },
        view.zoom,
    );

    let count = i64::from(last.x - first.x + 1) * i64::from(last.y - first.y + 1);
    if view.are_waited_for() || count > MOST_SHOWN {
        return Vec::new();
    }

    let zoom = view.zoom;
    (first.y..=last.y)
        .flat_map(|y| (first.x..=last.x).map(move |x| TilePos { zoom, x, y }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area {
        x0: 0,
        z0: -100,
        x1: 4096,
        z1: 100,
    };
    const VIEW: PageView = PageView {
        dimension: 1,
        zoom: 15,
        area: AREA,
        is_again: false,
    };

    fn tile(zoom: u8, x: i32, y: i32) -> TilePos {
        TilePos { zoom, x, y }
    }

    #[test]
    fn a_tile_change_updates_the_tile_above() {
        let changed = |dimension, tile| VIEW.changed_tiles(DrawnTile { dimension, tile }).pop();
        assert_eq!(changed(1, tile(17, 3, -1)), Some(tile(15, 0, -1)));
        assert_eq!(changed(1, tile(16, 2, 0)), Some(tile(15, 1, 0)));
        assert_eq!(changed(1, tile(15, 1, 0)), Some(tile(15, 1, 0)));
        assert_eq!(changed(1, tile(14, 0, 0)), None, "it lies above");
        assert_eq!(changed(0, tile(17, 3, -1)), None, "of another dimension");
        assert_eq!(changed(1, tile(17, -1, 0)), None, "it is not seen");
        assert_eq!(changed(1, tile(17, 0, 4)), None, "it is not seen");

        let native = PageView {
            zoom: NATIVE_ZOOM,
            ..VIEW
        };

        let drawn = DrawnTile {
            dimension: 1,
            tile: tile(17, 0, 0),
        };

        assert_eq!(native.changed_tiles(drawn), []);
        assert_eq!(
            PageView {
                is_again: true,
                ..native
            }
            .changed_tiles(drawn),
            [drawn.tile]
        );

        let near = PageView {
            zoom: 19,
            area: Area {
                x0: 120,
                z0: 10,
                x1: 130,
                z1: 20,
            },
            is_again: true,
            ..VIEW
        };

        assert_eq!(
            near.changed_tiles(drawn),
            [tile(19, 0, 0), tile(19, 1, 0)],
            "those with textures that are seen"
        );
    }

    #[test]
    fn a_page_that_missed_changes_reloads_everything() {
        assert_eq!(
            all_tiles(VIEW),
            [
                tile(15, 0, -1),
                tile(15, 1, -1),
                tile(15, 0, 0),
                tile(15, 1, 0)
            ]
        );

        let wide = Area {
            x0: -(1 << 25),
            z0: -(1 << 25),
            x1: 1 << 25,
            z1: 1 << 25,
        };

        assert_eq!(all_tiles(PageView { area: wide, ..VIEW }), []);
        assert_eq!(
            all_tiles(PageView {
                area: wide,
                zoom: 1,
                ..VIEW
            })
            .len(),
            4
        );

        let near = PageView {
            zoom: 21,
            area: Area {
                x0: -1,
                z0: 0,
                x1: 33,
                z1: 32,
            },
            is_again: true,
            ..VIEW
        };

        assert_eq!(
            all_tiles(near),
            [tile(21, -1, 0), tile(21, 0, 0), tile(21, 1, 0)]
        );
    }

    #[test]
    fn a_viewport_reaches_beyond_its_edges() {
        let Viewport { dimension, area } = VIEW.viewport();
        assert_eq!(
            (dimension, area),
            (
                1,
                Area {
                    x0: -2048,
                    z0: -200,
                    x1: 6144,
                    z1: 200
                }
            )
        );

        let all = Area {
            x0: i32::MIN,
            z0: i32::MIN,
            x1: i32::MAX,
            z1: i32::MAX,
        };
        assert_eq!(PageView { area: all, ..VIEW }.viewport().area, all);
    }
}
