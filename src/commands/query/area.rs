//! Prints all columns of an area while the world is read, so that the area may have any size.

use pixelmap_base::coord::Area;
use pixelmap_draw::ask::{self, AreaAnswer, AreaColumn, ColumnPart, DamagedPlace};
use pixelmap_world::internal::{Dimension, World, WorldError};

use super::line::append_column;
use crate::cli::LogFormat;
use crate::log::Log;
use crate::outcome::{Ending, GAPS, OK, print};

/// Lines are printed as soon as they have this many bytes, because each call of the system takes
/// time.
const PRINTED_BYTES: usize = 64 << 10;

/// The reason why no more columns are read.
enum End {
    /// The reader of standard output has closed it.
    Closed,
    Failed(Ending),
}

impl From<WorldError> for End {
    fn from(error: WorldError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Ending> for End {
    fn from(ending: Ending) -> Self {
        Self::Failed(ending)
    }
}

/// Prints a line per column, and a warning per place that cannot be read. Returns the exit code.
pub(super) fn print_area(
    world: &World,
    dimension: &Dimension,
    area: Area,
    part: ColumnPart,
    is_json: bool,
) -> Result<u8, Ending> {
    let mut lines = Vec::new();
    let mut code = OK;

    let visit = |answer| {
        match answer {
            AreaAnswer::Column(column, AreaColumn { highest, ground }) => {
                append_column(&mut lines, column, &highest, Some(&ground), is_json);
            }
            AreaAnswer::Damaged(place) => {
                warn(&place);
                code = GAPS;
            }
        }

        if lines.len() < PRINTED_BYTES {
            Ok(())
        } else {
            print_lines(&mut lines)
        }
    };

    let read = ask::query_area(world, dimension, area, part, visit);
    match read.and_then(|()| print_lines(&mut lines)) {
        Ok(()) => Ok(code),
        Err(End::Closed) => Ok(OK),
        Err(End::Failed(ending)) => Err(ending),
    }
}

/// Prints the lines of a buffer and empties it.
fn print_lines(lines: &mut Vec<u8>) -> Result<(), End> {
    let is_read = print(lines)?;
    lines.clear();

    if is_read { Ok(()) } else { Err(End::Closed) }
}

fn warn(place: &DamagedPlace) {
    let DamagedPlace {
        region,
        chunk,
        reason,
    } = place;

    let message = match chunk {
        Some([x, z]) => format!(
            "{region}: chunk {x},{z} cannot be read ({reason}): its columns are left out; restore \
             it from a backup"
        ),
        None => format!(
            "{region} cannot be read: its columns are left out; check its permissions or restore \
             it from a backup"
        ),
    };

    Log::new(LogFormat::Text).warning(&message);
}
