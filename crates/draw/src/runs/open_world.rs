//! Opens a world to draw it.

use std::path::Path;

use crate::painter::early::EarlyColumns;
use crate::request::colours::RunColours;
use crate::request::prepare::choose_colours;
use crate::request::settings::Settings;
use pixelmap_map::store::Output;
use pixelmap_world::internal::{EarlyReaders, UnlistedWorld, World, WorldError, WorldRequest};

/// The parts of a map that were made while its world was listed.
#[derive(Debug)]
pub struct EarlyReading {
    pub(super) colours: RunColours,
    pub(super) columns: EarlyColumns,
}

impl EarlyReading {
    /// Prepares to decode the chunks of a whole map while its world is listed. Returns `None` for
    /// other maps, and if the colours cannot be chosen, which the run itself reports.
    fn new(world: &World, settings: &Settings) -> Option<Self> {
        let is_whole = settings.look.area.is_none() && settings.request.shard.is_none();
        if !is_whole || settings.is_hiding() {
            return None;
        }

        let colours = choose_colours(world, settings).ok()?;
        let columns = EarlyColumns::new(world, settings, &colours);
        Some(Self { colours, columns })
    }
}

/// Opens a world that is drawn into the folder `output`, or into the `part` of a shard in it. Uses
/// the cache of earlier runs in place of the one of the request.
///
/// # Errors
/// Fails for the same reasons as [`World::open_for`].
pub fn open_world(
    world: &Path,
    output: &Path,
    part: Option<&str>,
    request: WorldRequest<'_>,
) -> Result<World, WorldError> {
    let (world, _) = open_world_early(world, output, part, request, |_| None)?;
    Ok(world)
}

/// Opens a world like [`open_world`]. If all chunks of a database have to be listed, they are decoded
/// meanwhile for the map whose settings `settings` returns. It gets the world without its
/// dimensions.
///
/// # Errors
/// Fails for the same reasons as [`World::open_for`].
pub fn open_world_early(
    world: &Path,
    output: &Path,
    part: Option<&str>,
    request: WorldRequest<'_>,
    settings: impl FnOnce(&World) -> Option<Settings>,
) -> Result<(World, Option<EarlyReading>), WorldError> {
    let cache = Output::read_world_cache(output, part);
    let cache = cache.map_err(|(path, error)| WorldError::Unreadable(path, error))?;
    let request = WorldRequest {
        cache: &cache,
        ..request
    };
    let unlisted = UnlistedWorld::find(world, &request)?;

    let mut early = None;
    if let Some(world) = unlisted.without_dimensions()
        && cache.is_empty()
        && let Some(settings) = settings(world)
    {
        early = EarlyReading::new(world, &settings);
    }

    let readers = early
        .as_ref()
        .map(|early| &early.columns as &dyn EarlyReaders);
    let world = unlisted.list(readers)?;
    Ok((world, early))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::request::plan::Shard;
    use crate::request::reserved::RESERVED_NAMES;
    use crate::request::settings::Mode;
    use pixelmap_base::coord::RegionPos;

    const REGION: RegionPos = RegionPos { x: 0, z: 0 };

    /// A world of the tests.
    fn fixture(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures")
            .join(name)
    }

    /// Opens a world that is drawn into `output`.
    fn open(name: &str, output: &Path, settings: &Settings) -> (World, Option<EarlyReading>) {
        let request = WorldRequest::new(RESERVED_NAMES);
        open_world_early(&fixture(name), output, None, request, |_| {
            Some(settings.clone())
        })
        .unwrap()
    }

    #[test]
    fn no_more_early_chunks_wait_than_fit() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::new(Mode::Map, folder.path().join("map"));
        let request = WorldRequest::new(RESERVED_NAMES);
        let unlisted = UnlistedWorld::find(&fixture("bedrock"), &request).unwrap();

        let world = unlisted.without_dimensions().unwrap();
        let early = EarlyReading::new(world, &settings).unwrap();
        early.columns.fill();
        unlisted.list(Some(&early.columns)).unwrap();
        assert_eq!(early.columns.waiting(), 0);
    }

    #[test]
    fn only_whole_maps_without_hidden_places_are_early() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::new(Mode::Map, folder.path().join("map"));
        let is_early = |name, change: fn(&mut Settings)| {
            let mut changed = settings.clone();
            change(&mut changed);
            open(name, folder.path(), &changed).1.is_some()
        };

        assert!(is_early("bedrock", |_| ()));
        assert!(!is_early("demo", |_| ()));
        assert!(!is_early("bedrock", |own| own.look.min_inhabited = 1));
        assert!(!is_early("bedrock", |own| own.look.area = Some(REGION.area())));
        assert!(!is_early("bedrock", |own| own.request.shard = Shard::new(1, 2)));
    }
}
