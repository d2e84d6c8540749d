//! Finds the file for the address of a request. A site is a map's folder, a live map that is drawn
//! into a folder, or an archive with its page. Files outside the site and hidden files are never
//! found.
//!
//! This module opens the files; `reply` makes the answers from them, and `live` answers for tiles
//! that are not drawn yet.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use super::body::Body;
use super::entity::Entity;
use super::events;
use super::live::{LiveMap, PAGES};
use super::path::{AddressPath, BasePath};
use super::reply::{is_read, not_allowed, send, status_response, to_folder};
use super::streams::Client;
use pixelmap_base::own_folder::{OwnFolder, is_link_error};
use pixelmap_base::{disk, retry};
use pixelmap_draw::{LayerTile, staged_path};
use pixelmap_map::atlas::{self, AtlasError, FileKind, HISTORY, Manifest, MapFolder, OutputKind};

/// The name of a folder's page.
const PAGE: &str = "index.html";

/// A map and the base path of its addresses.
#[derive(Debug)]
pub struct Site {
    base: BasePath,
    shown: SiteContent,
    /// The drawing of the map, if the map is drawn while it is served.
    live: Option<Arc<LiveMap>>,
    /// Visitors must not learn which regions changed, and when.
    hides_changes: bool,
}

#[derive(Debug)]
enum SiteContent {
    /// The canonical path of a folder.
    Folder(PathBuf),
    /// An archive, its name, and the page that shows it.
    Archive {
        path: PathBuf,
        name: String,
        page: Bytes,
    },
}

/// The file or folder at an address.
#[derive(Debug)]
enum SiteEntry {
    File(Entity),
    /// A folder with a page. The address of the request lacks the slash at the end, so the client
    /// is redirected.
    Folder,
}

impl Site {
    /// Opens a map's folder or an archive.
    ///
    /// # Errors
    /// The map does not exist or cannot be read.
    pub fn open(out: &Path, base: BasePath) -> Result<Self, AtlasError> {
        let unreadable = |error| AtlasError::Io(out.to_owned(), error);

        if OutputKind::at(out) == OutputKind::Archive {
            disk::open_file(out).map_err(unreadable)?;
            let name = out
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();

            let page = pixelmap_map::page::archive_page(&name).into();
            return Ok(Self {
                base,
                shown: SiteContent::Archive {
                    path: out.to_owned(),
                    name,
                    page,
                },
                live: None,
                hides_changes: false,
            });
        }

        let folder = OwnFolder::open(out).map_err(unreadable)?;
        if !atlas::is_site_of_worlds(&folder).map_err(unreadable)? {
            MapFolder::open(out)?;
        }

        Ok(Self {
            base,
            shown: SiteContent::Folder(out.canonicalize().map_err(unreadable)?),
            live: None,
            hides_changes: false,
        })
    }

    /// Makes the site of a folder into which a map is drawn.
    ///
    /// # Errors
    /// The folder does not exist.
    pub(super) fn live(out: &Path, base: BasePath, map: Arc<LiveMap>) -> Result<Self, AtlasError> {
        let root = out
            .canonicalize()
            .map_err(|error| AtlasError::Io(out.to_owned(), error))?;
        Ok(Self {
            base,
            shown: SiteContent::Folder(root),
            live: Some(map),
            hides_changes: false,
        })
    }

    /// Leaves out the manifests, the history, the times of files, and the events after the first
    /// publication. Visitors could see from them which regions changed, and when.
    #[must_use]
    pub fn hiding_changes(self) -> Self {
        Self {
            hides_changes: true,
            ..self
        }
    }

    /// Returns whether requests may wait for tiles that are not drawn yet.
    pub(super) fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// Answers a request from the folder. If the path is the path of a drawn tile of a live map,
    /// `tile` is this tile. Reads files, so it may block for a while.
    pub(super) fn answer(&self, request: &Parts, tile: Option<LayerTile>) -> Response<Body> {
        if !is_read(request) {
            return not_allowed();
        }

        let path = request.uri.path();
        let staged = tile.and_then(|_| self.staged(path));
        let answer = match staged.map_or_else(|| self.find(path), Ok) {
            Ok(SiteEntry::File(entity)) if self.hides_changes && !entity.kind.is_page() => {
                send(entity.without_time(), request)
            }
            Ok(SiteEntry::File(entity)) => send(entity, request),
            Ok(SiteEntry::Folder) => Ok(to_folder(&request.uri)),
            Err(status) => Ok(match (&self.live, tile) {
                // Empty tiles are drawn without a file.
                (Some(live), Some(tile)) if status == StatusCode::NOT_FOUND => {
                    live.empty_tile_response(tile)
                }
                _ => status_response(status),
            }),
        };

        answer.unwrap_or_else(|_| status_response(StatusCode::INTERNAL_SERVER_ERROR))
    }

    /// Answers a request for a file that a live map has in memory, or a tile that it still draws.
    ///
    /// # Errors
    /// The folder must answer instead. The error is the `tile` that [`Site::answer`] then needs.
    pub(super) async fn answer_live(
        &self,
        request: &Parts,
        client: Client,
    ) -> Result<Response<Body>, Option<LayerTile>> {
        let live = self.live.as_ref().ok_or(None)?;
        if !is_read(request) {
            return Err(None);
        }

        let path = self.live_path(request.uri.path()).ok_or(None)?;
        if path == events::ADDRESS {
            return Ok(events::response(live, request, client, self.hides_changes));
        }

        live.answer(&path, request).await
    }

    /// Returns the path inside the map's folder that an address names.
    fn live_path(&self, path: &str) -> Option<String> {
        let AddressPath { names, is_folder } = AddressPath::parse(path).ok()?;
        let names = self.base.strip_base(&names)?;
        (is_folder == names.is_empty()).then(|| names.join("/"))
    }

    /// Returns the staged file of a drawn tile. Some drawings, such as drawings with history, put
    /// their tiles into place only when the whole map is drawn.
    fn staged(&self, path: &str) -> Option<SiteEntry> {
        let SiteContent::Folder(root) = &self.shown else {
            return None;
        };
        let staged = PathBuf::from(staged_path(&self.live_path(path)?));
        open_inside(root, &staged).ok().map(SiteEntry::File)
    }

    /// Finds the file or folder at the path of an address.
    ///
    /// # Errors
    /// The status of the answer if the file is missing or cannot be read.
    fn find(&self, path: &str) -> Result<SiteEntry, StatusCode> {
        let AddressPath { names, is_folder } = AddressPath::parse(path)?;
        let names = self.base.strip_base(&names).ok_or(StatusCode::NOT_FOUND)?;
        if self.hides_changes && shows_changes(names) {
            return Err(StatusCode::NOT_FOUND);
        }

        let entry = match (&self.shown, names) {
            (_, []) if !is_folder => Ok(SiteEntry::Folder),
            (SiteContent::Folder(root), names) => {
                in_folder(root, names, is_folder).and_then(|entry| match entry {
                    SiteEntry::File(page) if is_page(names) => match &self.live {
                        Some(live) => page
                            .with_changes(|page| live.with_live_tag(page))
                            .map(SiteEntry::File),
                        None => Ok(SiteEntry::File(page)),
                    },
                    other => Ok(other),
                })
            }
            (SiteContent::Archive { page, .. }, []) => Ok(SiteEntry::File(Entity::from_bytes(
                page.clone(),
                FileKind::from_path(Path::new(PAGE)),
            ))),
            (SiteContent::Archive { path, name, .. }, [wanted]) if wanted == name && !is_folder => {
                disk::open_file(path)
                    .and_then(|file| Entity::read(file, path))
                    .map(SiteEntry::File)
            }
            (SiteContent::Archive { .. }, _) => Err(io::ErrorKind::NotFound.into()),
        };

        entry.map_err(|error| status(&error))
    }
}

/// Returns whether a path leads to a manifest or to the history of a map. The map may be one of
/// several in the folder, so its name may come first.
fn shows_changes(names: &[String]) -> bool {
    names
        .last()
        .is_some_and(|name| name.eq_ignore_ascii_case(Manifest::FILE))
        || names
            .iter()
            .take(2)
            .any(|name| name.eq_ignore_ascii_case(HISTORY))
}

/// Returns whether a path leads to a page of the map.
fn is_page(names: &[String]) -> bool {
    let path = names.join("/");
    path.is_empty() || PAGES.contains(&&*path)
}

/// Finds a file in a folder, or the page of a folder inside it.
fn in_folder(root: &Path, names: &[String], is_folder: bool) -> io::Result<SiteEntry> {
    let mut place: PathBuf = root.to_owned();
    place.extend(names);

    if is_folder {
        place.push(PAGE);
    }

    let file = resolve_inside(root, &place)?;
    if !is_folder && disk::is_folder(&root.join(&file))? {
        let page = resolve_inside(root, &place.join(PAGE))?;
        return if disk::is_file(&root.join(page))? {
            Ok(SiteEntry::Folder)
        } else {
            Err(io::ErrorKind::NotFound.into())
        };
    }

    open_inside(root, &file).map(SiteEntry::File)
}

/// Opens a file in a folder and follows no link, so that a link that is made now cannot lead out of
/// the folder either. The folder itself is opened for each request, because a new map may have
/// taken its place.
fn open_inside(root: &Path, relative: &Path) -> io::Result<Entity> {
    let file = OwnFolder::open(root)?.place(relative)?.open()?;
    Entity::read(file, relative)
}

/// Follows the links of a path, and returns the path of the target in the folder. Fails if the
/// target is outside the folder, or hidden in it: names that begin with a dot belong to the state
/// of the map or to other programs.
fn resolve_inside(root: &Path, place: &Path) -> io::Result<PathBuf> {
    let file = place.canonicalize()?;
    let relative = file
        .strip_prefix(root)
        .map_err(|_| io::ErrorKind::NotFound)?;
    let is_hidden = relative
        .iter()
        .any(|name| name.as_encoded_bytes().starts_with(b"."));
    if is_hidden {
        Err(io::ErrorKind::NotFound.into())
    } else {
        Ok(relative.to_owned())
    }
}

/// Returns the status of the answer for a file that cannot be opened or read.
fn status(error: &io::Error) -> StatusCode {
    use io::ErrorKind as Kind;

    match error.kind() {
        // A hidden or forbidden file gets the answer of a missing one, so that nobody learns that
        // it exists.
        Kind::NotFound
        | Kind::NotADirectory
        | Kind::InvalidFilename
        | Kind::InvalidInput
        | Kind::PermissionDenied => StatusCode::NOT_FOUND,
        _ if is_link_loop(error) || is_link_error(error) => StatusCode::NOT_FOUND,
        _ if retry::retryable(error) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns whether a link leads back to itself.
#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
const fn is_link_loop(_: &io::Error) -> bool {
    false
}
