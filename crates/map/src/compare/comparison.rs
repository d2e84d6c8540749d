//! Compares two renders.

use crate::compare::difference::{Difference, LayerDifference};
use crate::compare::request::CompareRequest;
use crate::compare::side::{self, Side};
use crate::compare::threads::on_threads;
use crate::compare::trouble::Trouble;
use crate::compare::{maps, picture};

/// # Errors
/// Fails if the two cannot be compared, or if one of them is incomplete.
pub fn compare(a: &Side, b: &Side, request: &CompareRequest) -> Result<Difference, Trouble> {
    side::check_two(a, b)?;

    let layers = if let (Side::Picture(a), Side::Picture(b)) = (a, b) {
        vec![picture::differences(a, b, request)?]
    } else {
        let pairs = maps::pairs(a, b, request)?;
        on_threads(request.threads, || compare_maps(&pairs, request))??
    };

    let layers = layers.into_iter().map(|layer| LayerDifference {
        percent: layer.share(),
        ..layer
    });

    Ok(Difference {
        layers: layers.collect(),
    })
}

fn compare_maps(
    pairs: &[maps::LayerPair<'_>],
    request: &CompareRequest,
) -> Result<Vec<LayerDifference>, Trouble> {
    let layers = pairs.iter().map(|pair| maps::differences(pair, request));
    let mut layers = layers.collect::<Result<Vec<_>, _>>()?;

    // Counting drawn pixels opens every tile, so we skip it if nothing differs.
    if layers.iter().any(|layer| layer.change.is_some()) {
        for (layer, pair) in layers.iter_mut().zip(pairs) {
            layer.pixels_drawn = maps::count_drawn(pair, request)?;
        }
    }

    Ok(layers)
}
