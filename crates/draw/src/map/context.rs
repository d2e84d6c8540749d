//! The values that travel together through a run.

use crate::painter::early::EarlyColumns;
use crate::report::progress::Progress;
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use crate::schedule::Stop;
use pixelmap_map::store::Output;
use pixelmap_world::internal::World;

/// A run that draws a map of a world. `'m` is the time for which the drawn map exists.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'m, 'r> {
    pub(crate) world: &'r World,
    pub(crate) settings: &'m Settings,
    pub(crate) prepared: &'m RunPlan,
    /// The chunks that were decoded while the world was listed.
    pub(crate) early: Option<&'r EarlyColumns>,
    pub(crate) output: &'r Output,
    pub(crate) progress: &'r Progress,
    pub(crate) stop: &'r Stop,
}
