//! Prepares a run before anything is written: its layers, dimensions, colours, hidden places and
//! workers.

use std::sync::Arc;

use crate::request::ceilings::Ceilings;
use crate::request::colours::RunColours;
use crate::request::error::RenderError;
use crate::request::hide::HiddenPlaces;
use crate::request::layers::MapLayers;
use crate::request::plan::{MapDimension, Plan, PlanRequest, find_dimensions, plan};
use crate::request::settings::Settings;
use crate::request::{descriptors, hide};
use crate::schedule;
use pixelmap_map::atlas::Naming;
use pixelmap_map::store::Identity;
use pixelmap_paint::layers::Layer;
use pixelmap_paint::layers::Slimes;
use pixelmap_paint::markers::OwnerFiles;
use pixelmap_paint::palette::Palette;
use pixelmap_paint::textures::Textures;
use pixelmap_world::internal::World;

/// Returns the requested number of workers, and the number that the limit of open files allows.
fn workers(world: &World, settings: &Settings) -> (usize, usize) {
    let wanted = if settings.run.threads == 0 {
        schedule::available_threads()
    } else {
        settings.run.threads
    };

    // More workers than regions would have nothing to do. The minimum also bounds the memory that
    // is used for workers.
    let wanted = wanted.min(
        world
            .dimensions
            .iter()
            .map(|dimension| dimension.regions.len())
            .sum(),
    );
    (wanted, descriptors::allow(wanted))
}

/// Returns a warning if fewer workers were started than wanted.
pub(crate) fn fewer_workers(wanted: usize, threads: usize) -> Option<String> {
    (threads < wanted).then(|| {
        format!(
            "{threads} workers instead of {wanted}, because the limit of open files is too low: \
             raise it (ulimit -n)"
        )
    })
}

/// Returns the slime chunks, if a layer shows them and its dimension is drawn.
fn find_slimes(
    world: &World,
    plan: &Plan,
    settings: &Settings,
) -> Result<Option<Slimes>, RenderError> {
    let mut layers = settings.request.layers.iter().copied();
    let Some(layer) = layers.find(|&layer| layer.needs_seed() && has_dimension(plan, layer)) else {
        return Ok(None);
    };

    let seed = world
        .slime_seed()
        .map_err(|error| RenderError::Seed(layer, error))?;
    Ok(Some(seed.map_or(Slimes::Bedrock, |seed| {
        Slimes::from_seed(seed.number())
    })))
}

fn has_dimension(plan: &Plan, layer: Layer) -> bool {
    plan.dimensions
        .iter()
        .any(|dimension| layer.shows_dimension(&dimension.id))
}

/// Returns warnings about layers that do not show any of the drawn dimensions.
pub(crate) fn empty_layers<'a>(
    layers: &'a [Layer],
    dimensions: &'a [MapDimension<'_>],
) -> impl Iterator<Item = String> + use<'a> {
    let empty = layers.iter().filter(|layer| {
        !dimensions
            .iter()
            .any(|dimension| layer.shows_dimension(dimension.id))
    });

    empty.map(|layer| {
        format!(
            "layer {} is empty: it shows only the overworld, which is not drawn",
            layer.name()
        )
    })
}

/// Returns the warnings of a run that do not come from its workers.
pub(crate) fn early_warnings(prepared: &RunPlan, settings: &Settings) -> Vec<String> {
    let RunPlan {
        wanted,
        threads,
        notes,
        plan,
        left_out,
        own,
        ..
    } = prepared;

    let mut warnings = notes.clone();
    warnings.extend(empty_layers(
        &settings.request.layers,
        &plan.map_dimensions(),
    ));

    // There would never have been more workers than regions.
    warnings.extend(fewer_workers((*wanted).min(plan.order.len()), *threads));
    warnings.extend(left_out.iter().cloned());
    warnings.extend(own.warnings.iter().cloned());

    warnings
}

/// Everything that a run needs before it touches its output.
#[derive(Debug)]
pub(crate) struct RunPlan {
    /// The requested number of workers. `threads` is the number that the limit of open files
    /// allows.
    pub(crate) wanted: usize,
    pub(crate) threads: usize,
    pub(crate) palette: Arc<Palette>,
    pub(crate) ceilings: Ceilings,
    /// The textures of the assets, if inner tiles are drawn.
    pub(crate) textures: Option<Arc<Textures>>,
    /// Warnings about the sources of the colours.
    pub(crate) notes: Vec<String>,
    pub(crate) plan: Plan,
    /// Warnings about the parts of the world that a picture leaves out.
    pub(crate) left_out: Vec<String>,
    pub(crate) slimes: Option<Slimes>,
    pub(crate) identity: Identity,
    pub(crate) own: OwnerFiles,
}

impl RunPlan {
    /// Returns the most tiles with textures that the run may have. Empty regions have none.
    pub(crate) fn inner_tiles(&self, settings: &Settings) -> u64 {
        let map_layers = MapLayers::new(&self.plan, settings, Naming::default());
        map_layers.count_inner(self.plan.order.iter().copied(), settings.look.area)
    }
}

/// Plans the requested part of `world`. Writes nothing.
pub(crate) fn prepare(world: &World, settings: &Settings) -> Result<RunPlan, RenderError> {
    let colours = choose_colours(world, settings)?;
    prepare_with(world, settings, colours)
}

/// Chooses the colours of a run. The dimensions of the world need not be known.
pub(crate) fn choose_colours(
    world: &World,
    settings: &Settings,
) -> Result<RunColours, RenderError> {
    let with_textures = settings.request.zoom_in > 0;
    let chosen = settings.look.colours.choose(world, with_textures);
    chosen.map_err(RenderError::Colours)
}

/// Plans the requested part of `world`, like [`prepare`], with these colours.
pub(crate) fn prepare_with(
    world: &World,
    settings: &Settings,
    colours: RunColours,
) -> Result<RunPlan, RenderError> {
    let (wanted, threads) = workers(world, settings);
    let hidden = hide::read(&settings.look.hide).map_err(RenderError::Hide)?;
    let RunColours {
        palette,
        dimension_types,
        textures,
        mut notes,
    } = colours;

    let dimensions =
        find_dimensions(world, &settings.request.dimensions).map_err(RenderError::Plan)?;
    let ceilings = Ceilings::find(
        world,
        &dimension_types,
        &dimensions,
        &settings.look,
        &hidden,
    )?;
    notes.extend(ceilings.notes.iter().cloned());

    let plan = make_plan(world, settings, &ceilings, hidden, threads)?;
    let slimes = find_slimes(world, &plan, settings)?;

    let start = world.spawns.new_players.as_ref();
    let spawn = start.map(|(_, block)| *block);
    let identity = Identity {
        name: world.name(),
        spawn,
        path: world.full_path(),
    };

    let own = OwnerFiles::read(&settings.request.own, &settings.output.path)
        .map_err(RenderError::Markers)?;
    let left_out = Vec::new();
    Ok(RunPlan {
        wanted,
        threads,
        palette,
        ceilings,
        textures,
        notes,
        plan,
        left_out,
        slimes,
        identity,
        own,
    })
}

/// Plans the requested part of a world, without the `hidden` places.
pub(crate) fn make_plan(
    world: &World,
    settings: &Settings,
    ceilings: &Ceilings,
    hidden: HiddenPlaces,
    threads: usize,
) -> Result<Plan, RenderError> {
    let (area, shard) = (settings.look.area, settings.request.shard);
    let request = PlanRequest {
        dimensions: settings.request.dimensions.clone(),
        area,
        hidden,
        shard,
    };

    let mut plan = plan(world, ceilings, request, threads).map_err(RenderError::Plan)?;
    if let Some(levels) = settings.outer_levels() {
        plan.keep_levels(levels);
    }

    Ok(plan)
}
