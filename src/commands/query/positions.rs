//! Prints the columns at some positions, in the order in which the user gave them.

use pixelmap_base::coord::ColumnPos;
use pixelmap_draw::ask::{self, Answer, ColumnPart, MissingColumn};
use pixelmap_world::internal::{Dimension, World};

use super::line::{append_column, append_missing};
use crate::outcome::{Ending, GAPS, OK, print};

/// Prints a line per position. Returns the exit code.
pub(super) fn print_positions(
    world: &World,
    dimension: &Dimension,
    columns: &[ColumnPos],
    part: ColumnPart,
    is_json: bool,
) -> Result<u8, Ending> {
    let answers = ask::query(world, dimension, columns, part)?;
    let mut text = Vec::new();
    for (&column, answer) in columns.iter().zip(&answers) {
        match answer {
            Answer::Found(highest) => append_column(&mut text, column, highest, None, is_json),
            Answer::Missing(missing) => append_missing(&mut text, column, missing, is_json),
        }
    }

    let is_read = print(&text)?;
    let damaged = answers
        .iter()
        .any(|answer| matches!(answer, Answer::Missing(MissingColumn::Damaged(_))));

    Ok(if damaged && is_read { GAPS } else { OK })
}
