//! Runs `pixelmap palette`: makes and checks colour files.

use std::io::{self, Write as _};
use std::path::Path;

use pixelmap_draw::ColourError;

use crate::cli::GenerateArgs;
use crate::log::complain;
use crate::outcome::{Ending, FAILED, GAPS, OK, USAGE, print, put};
use crate::summary::count_text;

/// Makes a colour file.
pub(super) fn generate(args: &GenerateArgs) -> Result<u8, Ending> {
    let made =
        pixelmap_draw::generate_palette(&args.assets).map_err(|error| Ending::new(USAGE, error))?;
    for problem in &made.problems {
        complain(&format!("left out: {problem}"));
    }

    if made.text.is_empty() {
        let message = "no colour was found: give the game's client jar first, then packs and mods";
        return Err(Ending::new(FAILED, message));
    }

    let text = format!("# Made by pixelmap palette generate.\n{}", made.text);
    put(&args.output, text.as_bytes())?;

    if args.output != Path::new("-") {
        let lines = count_text(text.lines().count() as u64 - 1, "line");
        let _ = writeln!(io::stderr(), "{lines} in {}", args.output.display());
    }

    Ok(if made.problems.is_empty() { OK } else { GAPS })
}

/// Checks a colour file.
pub(super) fn check(file: &Path) -> Result<u8, Ending> {
    match pixelmap_draw::check_palette(file) {
        Ok(checked) => {
            for hint in &checked.hints {
                complain(&hint.to_string());
            }

            print(format!("{}: {} lines, all right\n", file.display(), checked.lines).as_bytes())
                .map(|_| OK)
        }
        Err(error @ ColourError::Line(_)) => Err(Ending::new(FAILED, error)),
        Err(error) => Err(Ending::new(USAGE, error)),
    }
}
