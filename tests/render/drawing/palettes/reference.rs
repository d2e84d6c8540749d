//! Compares the tables with measurements by other programs, if these files are on the machine.

use std::fs;
use std::path::Path;

use pixelmap_paint::palette::Palette;

use super::rgb;
use crate::missing;

/// Returns the lines of a reference table. Reports on the terminal if the table is missing.
fn reference(name: &str) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/reference")
        .join(name);

    let Ok(text) = fs::read_to_string(&path) else {
        missing::report(
            "shared",
            &format!(
                "colours against a reference: {} is not here",
                path.display()
            ),
        );
        return None;
    };

    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Some(
        lines
            .map(|line| line.split('\t').map(str::to_owned).collect())
            .collect(),
    )
}

#[test]
fn block_colours_are_near_independent_measurements() {
    let Some(lines) = reference("palette.tsv") else {
        return;
    };

    let palette = Palette::builtin();
    let distance = |line: &Vec<String>| -> f64 {
        let paint = palette.paint(&format!("minecraft:{}", line[0]), "");
        let apart =
            std::iter::zip(paint.rgb, rgb(&line[1])).map(|(a, b)| f64::from(a.abs_diff(b)).powi(2));
        apart.sum::<f64>().sqrt()
    };

    let mut apart: Vec<f64> = lines.iter().map(distance).collect();
    apart.sort_by(f64::total_cmp);
    assert!(apart.len() > 1300, "{} blocks were compared", apart.len());
    assert!(
        apart[apart.len() / 2] < 3.0,
        "median {}",
        apart[apart.len() / 2]
    );

    assert!(
        apart[apart.len() * 85 / 100] < 3.0,
        "85 of 100 are within {}",
        apart[apart.len() * 85 / 100]
    );
}

#[test]
fn biome_colours_equal_independent_results() {
    let Some(lines) = reference("biomes.tsv") else {
        return;
    };

    let palette = Palette::builtin();
    assert_eq!(lines.len(), 66);

    for line in lines {
        let tints = palette.tints(&format!("minecraft:{}", line[0])).unwrap();
        let ours = [tints.grass, tints.foliage, tints.water, tints.dry_foliage];
        assert_eq!(
            ours,
            [rgb(&line[1]), rgb(&line[2]), rgb(&line[3]), rgb(&line[4])],
            "{}",
            line[0]
        );
    }
}
