//! Writes world files. A world file gives the position of a picture to geographic software.

/// Returns the six lines of a world file: the width of a pixel, two shears, its negative height,
/// and the position of the middle of the first pixel. `x0` and `z0` are the column of blocks at the
/// picture's north-western corner; `width` and `height` are the size of a pixel in blocks. The y
/// axis of geographic software points north, so y is -z.
pub fn world_file(x0: i32, z0: i32, (width, height): (f64, f64)) -> String {
    let x = f64::from(x0) + width / 2.0;
    let y = -f64::from(z0) - height / 2.0;
    format!("{width}\n0\n0\n-{height}\n{x}\n{y}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::pictures::grid::Scale;

    #[test]
    fn world_files_place_the_first_pixel_centre() {
        let text =
            |scale: Scale| world_file(-512, 512, (scale.pixel_blocks(), scale.pixel_blocks()));
        assert_eq!(text(Scale::Times(1)), "1\n0\n0\n-1\n-511.5\n-512.5\n");
        assert_eq!(text(Scale::Halved(3)), "8\n0\n0\n-8\n-508\n-516\n");
        assert_eq!(
            text(Scale::Times(4)),
            "0.25\n0\n0\n-0.25\n-511.875\n-512.125\n"
        );
    }
}
