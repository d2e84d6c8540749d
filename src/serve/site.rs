//! What is served, and where: a map's folder, or an archive with its page. Finds the file of an address, and nothing that
//! does not belong to the site.

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
use crate::atlas::{self, AtlasError, FileKind, HISTORY, Manifest, MapFolder, OutputKind};
use crate::base::{disk, retry};
use crate::draw::{LayerTile, staged_path};

/// The name of the page of a folder.
const PAGE: &str = "index.html";

/// A drawn map at an address.
#[derive(Debug)]
pub struct Site {
    base: BasePath,
    shown: SiteContent,
    /// The drawing of the map, where it is drawn while it is served.
    live: Option<Arc<LiveMap>>,
    /// Visitors are not helped to find out which regions changed, and when.
    hides_changes: bool,
}

#[derive(Debug)]
enum SiteContent {
    /// A folder, without links in its path.
    Folder(PathBuf),
    /// An archive, its name, and the page that shows it.
    Archive { path: PathBuf, name: String, page: Bytes },
}

/// The file or folder at an address.
#[derive(Debug)]
enum SiteEntry {
    File(Entity),
    /// A folder with a page: its address ends in a slash, and this one does not.
    Folder,
}

impl Site {
    /// A map's folder, or an archive.
    ///
    /// # Errors
    /// There is no drawn map, or it cannot be read.
    pub fn open(out: &Path, base: BasePath) -> Result<Self, AtlasError> {
        let unreadable = |error| AtlasError::Io(out.to_owned(), error);
        if OutputKind::at(out) == OutputKind::Archive {
            disk::open_file(out).map_err(unreadable)?;
            let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let page = crate::page::archive_page(&name).into();
            return Ok(Self {
                base,
                shown: SiteContent::Archive { path: out.to_owned(), name, page },
                live: None,
                hides_changes: false,
            });
        }
        if !atlas::is_site_of_worlds(out).map_err(unreadable)? {
            MapFolder::open(out)?;
        }
        Ok(Self {
            base,
            shown: SiteContent::Folder(out.canonicalize().map_err(unreadable)?),
            live: None,
            hides_changes: false,
        })
    }

    /// A folder into which a map is drawn.
    ///
    /// # Errors
    /// The folder is not there.
    pub(super) fn live(out: &Path, base: BasePath, map: Arc<LiveMap>) -> Result<Self, AtlasError> {
        let root = out.canonicalize().map_err(|error| AtlasError::Io(out.to_owned(), error))?;
        Ok(Self { base, shown: SiteContent::Folder(root), live: Some(map), hides_changes: false })
    }

    /// Leaves out the manifests, the history, the times of files, and the events after the first publication, because they
    /// show visitors which regions changed, and when.
    #[must_use]
    pub fn hiding_changes(self) -> Self {
        Self { hides_changes: true, ..self }
    }

    /// Answers a request from the folder; `tile` is the one of a live map whose path it has. Reads files, so it may take
    /// a while.
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
                // It is drawn, and has no file since nothing is on it.
                (Some(live), Some(tile)) if status == StatusCode::NOT_FOUND => live.empty_tile_response(tile),
                _ => status_response(status),
            }),
        };
        answer.unwrap_or_else(|_| status_response(StatusCode::INTERNAL_SERVER_ERROR))
    }

    /// The answer to a request for what a live map has in memory, or draws for it.
    ///
    /// # Errors
    /// The folder answers; with what [`Site::answer`] then needs.
    pub(super) async fn answer_live(
        &self,
        request: &Parts,
        client: Client,
    ) -> Result<Response<Body>, Option<LayerTile>> {
        let live = self.live.as_ref().filter(|_| is_read(request)).ok_or(None)?;
        let path = self.live_path(request.uri.path()).ok_or(None)?;
        if path == events::ADDRESS {
            return Ok(events::response(live, request, client, self.hides_changes));
        }
        live.answer(&path, request).await
    }

    /// The path of an address in the map's folder.
    fn live_path(&self, path: &str) -> Option<String> {
        let AddressPath { names, is_folder } = AddressPath::parse(path).ok()?;
        let names = self.base.strip_base(&names)?;
        (is_folder == names.is_empty()).then(|| names.join("/"))
    }

    /// The file of a drawn tile that does not lie in its place before the map is drawn to its end, as in one with history.
    fn staged(&self, path: &str) -> Option<SiteEntry> {
        let SiteContent::Folder(root) = &self.shown else { return None };
        let staged = root.join(staged_path(&self.live_path(path)?));
        Entity::open(&staged).ok().map(SiteEntry::File)
    }

    /// Finds what is at the path of an address.
    ///
    /// # Errors
    /// The status of the answer where nothing is there, or it cannot be read.
    fn find(&self, path: &str) -> Result<SiteEntry, StatusCode> {
        let AddressPath { names, is_folder } = AddressPath::parse(path)?;
        let names = self.base.strip_base(&names).ok_or(StatusCode::NOT_FOUND)?;
        if self.hides_changes && shows_changes(names) {
            return Err(StatusCode::NOT_FOUND);
        }
        let entry = match (&self.shown, names) {
            (_, []) if !is_folder => Ok(SiteEntry::Folder),
            (SiteContent::Folder(root), names) => in_folder(root, names, is_folder).and_then(|entry| match entry {
                SiteEntry::File(page) if is_page(names) => match &self.live {
                    Some(live) => page.with_changes(|page| live.with_script(page)).map(SiteEntry::File),
                    None => Ok(SiteEntry::File(page)),
                },
                other => Ok(other),
            }),
            (SiteContent::Archive { page, .. }, []) => {
                Ok(SiteEntry::File(Entity::from_bytes(page.clone(), FileKind::from_path(Path::new(PAGE)))))
            }
            (SiteContent::Archive { path, name, .. }, [wanted]) if wanted == name && !is_folder => {
                Entity::open(path).map(SiteEntry::File)
            }
            (SiteContent::Archive { .. }, _) => Err(io::ErrorKind::NotFound.into()),
        };
        entry.map_err(|error| status(&error))
    }
}

/// Returns whether names lead to a list of tiles with their hashes, or to earlier moments of a map, which may be one of
/// several in the folder.
fn shows_changes(names: &[String]) -> bool {
    names.last().is_some_and(|name| name.eq_ignore_ascii_case(Manifest::FILE))
        || names.iter().take(2).any(|name| name.eq_ignore_ascii_case(HISTORY))
}

/// Returns whether names lead to a page of the map.
fn is_page(names: &[String]) -> bool {
    let path = names.join("/");
    path.is_empty() || PAGES.contains(&&*path)
}

/// Finds a file in a folder, or the page of a folder.
fn in_folder(root: &Path, names: &[String], is_folder: bool) -> io::Result<SiteEntry> {
    let mut place: PathBuf = root.to_owned();
    place.extend(names);
    if is_folder {
        place.push(PAGE);
    }
    let file = resolve_inside(root, &place)?;
    if !is_folder && disk::is_folder(&file)? {
        let page = resolve_inside(root, &file.join(PAGE))?;
        return if disk::is_file(&page)? { Ok(SiteEntry::Folder) } else { Err(io::ErrorKind::NotFound.into()) };
    }
    Entity::open(&file).map(SiteEntry::File)
}

/// Follows the links of a path. What they lead to must lie in the folder, and must not be hidden there: names that begin
/// with a dot are of the state, or of other programs.
fn resolve_inside(root: &Path, place: &Path) -> io::Result<PathBuf> {
    let file = place.canonicalize()?;
    let relative = file.strip_prefix(root).map_err(|_| io::ErrorKind::NotFound)?;
    let is_hidden = relative.iter().any(|name| name.as_encoded_bytes().starts_with(b"."));
    if is_hidden { Err(io::ErrorKind::NotFound.into()) } else { Ok(file) }
}

/// The status of the answer where a file cannot be opened or read.
fn status(error: &io::Error) -> StatusCode {
    use io::ErrorKind as Kind;
    match error.kind() {
        // A hidden file has the answer of one that is not there.
        Kind::NotFound | Kind::NotADirectory | Kind::InvalidFilename | Kind::InvalidInput | Kind::PermissionDenied => {
            StatusCode::NOT_FOUND
        }
        _ if is_link_loop(error) => StatusCode::NOT_FOUND,
        _ if retry::retryable(error) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns whether a link leads to itself, so that a file is never found.
#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
const fn is_link_loop(_: &io::Error) -> bool {
    false
}
