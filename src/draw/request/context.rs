//! The values that travel together through a run.

use crate::draw::request::prepare::RunPlan;
use crate::draw::request::settings::Settings;
use crate::report::progress::Progress;
use crate::schedule::Stop;
use crate::store::Output;
use crate::world::World;

/// A run that draws a map of a world. `'m` is the time for which the drawn map exists.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'m, 'r> {
    pub(crate) world: &'r World,
    pub(crate) settings: &'m Settings,
    pub(crate) prepared: &'m RunPlan,
    pub(crate) output: &'r Output,
    pub(crate) progress: &'r Progress,
    pub(crate) stop: &'r Stop,
}
