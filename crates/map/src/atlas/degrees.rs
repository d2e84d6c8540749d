//! Converts block coordinates to degrees, for programs that expect positions on the earth. The
//! possible world, 2^26 blocks wide, covers the square that Web Mercator makes of the earth, with
//! block 0, 0 at longitude and latitude 0.

use std::f64::consts::PI;

use pixelmap_base::coord::{REGION_LIMIT, REGION_SIDE};

/// Blocks from the origin to an edge of the possible world.
const HALF: f64 = REGION_LIMIT as f64 * REGION_SIDE as f64;

/// Returns the longitude of the western edge of a column.
pub(crate) fn longitude(x: i32) -> f64 {
    f64::from(x) / HALF * 180.0
}

/// Returns the latitude of the northern edge of a column (the inverse of Mercator's projection).
/// Uses only the four operations and square roots, because every machine rounds those alike; the
/// system's `exp` and `atan` may differ.
pub(crate) fn latitude(z: i32) -> f64 {
    let power = exp(-f64::from(z) / HALF * PI);
    2.0 * atan((power - 1.0) / (power + 1.0)) / PI * 180.0
}

fn exp(x: f64) -> f64 {
    // Sums the series for x / 8, where it converges quickly, and squares the result three times.
    let x = x / 8.0;
    let mut sum = 1.0;
    let mut term = 1.0;
    for n in 1..24 {
        term *= x / f64::from(n);
        sum += term;
    }

    let squared = sum * sum;
    let fourth = squared * squared;

    fourth * fourth
}

fn atan(x: f64) -> f64 {
    // Halves the angle twice so that the series converges quickly, and multiplies the result by
    // four.
    let x = half_angle(half_angle(x));
    let mut sum = 0.0;
    let mut power = x;
    for n in 0..24 {
        sum += power / f64::from(2 * n + 1);
        power *= -x * x;
    }

    4.0 * sum
}

/// Returns the tangent of half of the angle that has the tangent `x`.
fn half_angle(x: f64) -> f64 {
    x / (1.0 + (1.0 + x * x).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_web_mercator() {
        let edge = 1 << 25;
        for z in [
            -edge,
            -edge / 2,
            -512,
            -1,
            0,
            1,
            77_777,
            9_000_000,
            edge - 1,
            edge,
        ] {
            let wanted = (-f64::from(z) / HALF * PI).sinh().atan().to_degrees();
            assert!(
                (latitude(z) - wanted).abs() < 1e-12,
                "{z}: {} {wanted}",
                latitude(z)
            );
        }

        // The latitude at which Web Mercator ends, from the definition of the projection.
        assert!((latitude(-edge) - 85.051_128_779_806_59).abs() < 1e-12);
        assert_eq!(
            (longitude(-edge), longitude(edge / 2), latitude(0).abs()),
            (-180.0, 90.0, 0.0)
        );
    }
}
