//! Smooth noise from additions and multiplications only, which every platform rounds alike.

use crate::world::seed::of_place;

/// Eight directions of length one.
const DIRECTIONS: [(f64, f64); 8] = {
    const DIAGONAL: f64 = 0.707_106_781_186_547_5;
    [
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 1.0),
        (0.0, -1.0),
        (DIAGONAL, DIAGONAL),
        (-DIAGONAL, DIAGONAL),
        (DIAGONAL, -DIAGONAL),
        (-DIAGONAL, -DIAGONAL),
    ]
};

/// From 0 at `low` to 1 at `high`, flat at both ends.
pub fn rise(low: f64, high: f64, value: f64) -> f64 {
    let at = ((value - low) / (high - low)).clamp(0.0, 1.0);
    at * at * (3.0 - 2.0 * at)
}

/// Gradient noise, about -1 to 1, one hill or dale a unit.
fn gradient(x: f64, z: f64, salt: u64) -> f64 {
    let (left, top) = (x.floor(), z.floor());
    let (dx, dz) = (x - left, z - top);
    let corner = |cx: i32, cz: i32| {
        let hash = of_place(left as i32 + cx, top as i32 + cz, salt);
        let (gx, gz) = DIRECTIONS[(hash >> 40 & 7) as usize];
        gx * (dx - f64::from(cx)) + gz * (dz - f64::from(cz))
    };
    let (u, v) = (rise(0.0, 1.0, dx), rise(0.0, 1.0, dz));
    let upper = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * u;
    let lower = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * u;
    (upper + (lower - upper) * v) * 1.5
}

/// Octaves of noise, each half as strong and half as wide; the widest spans `width` blocks.
pub fn noise(x: f64, z: f64, width: f64, octaves: u32, salt: u64) -> f64 {
    let (mut sum, mut strength, mut scale) = (0.0, 1.0, 1.0 / width);
    for octave in 0..octaves {
        sum += gradient(x * scale, z * scale, salt * 16 + u64::from(octave)) * strength;
        strength *= 0.5;
        scale *= 2.0;
    }
    sum / 1.4
}

/// The distance of two places. A square root is exact everywhere.
pub fn distance(x: f64, z: f64, to: (f64, f64)) -> f64 {
    ((x - to.0) * (x - to.0) + (z - to.1) * (z - to.1)).sqrt()
}

/// The distance of a place to a line of straight pieces, and how far along it (0 to 1) the nearest
/// point is.
pub fn distance_to_line(x: f64, z: f64, line: &[(f64, f64)]) -> (f64, f64) {
    let mut best = (f64::MAX, 0.0);
    let pieces = (line.len() - 1) as f64;
    for (number, piece) in line.windows(2).enumerate() {
        let ((ax, az), (bx, bz)) = (piece[0], piece[1]);
        let (vx, vz) = (bx - ax, bz - az);
        let at = (((x - ax) * vx + (z - az) * vz) / (vx * vx + vz * vz)).clamp(0.0, 1.0);
        let away = distance(x, z, (ax + vx * at, az + vz * at));
        if away < best.0 {
            best = (away, (number as f64 + at) / pieces);
        }
    }

    best
}
