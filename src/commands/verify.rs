//! Runs `pixelmap verify`: checks a map against its own manifests.

use std::io::{self, Write as _};

use pixelmap_map::compare::{self, Verification};
use serde::Serialize;

use super::worker_count::worker_count;
use crate::cli::VerifyArgs;
use crate::outcome::{Ending, FAILED, OK, document, print};
use crate::summary::{count_text, escape_name, size};

/// The JSON document: the checked path and the result.
#[derive(Serialize)]
struct VerifyDocument<'a> {
    path: String,
    #[serde(flatten)]
    verification: &'a Verification,
}

/// Checks a map against its own manifests, or one file.
pub(super) fn run(args: &VerifyArgs) -> Result<u8, Ending> {
    let verification = compare::verify(&args.out, worker_count(args.threads))?;
    let is_right = verification.is_right();
    let code = if is_right { OK } else { FAILED };

    if !args.quiet {
        let _ = io::stderr().write_all(summary(&verification).as_bytes());
    }

    let text = match (args.json, args.digest) {
        (true, _) => document::result(
            code,
            VerifyDocument {
                path: args.out.display().to_string(),
                verification: &verification,
            },
        )?,
        // The digest is computed from the manifests, so it is wrong if they do not match the map.
        (_, true) if is_right => format!("{}\n", verification.digest),
        (_, true) => String::new(),
        _ => lines(&verification),
    };

    print(text.as_bytes())?;
    Ok(code)
}

fn lines(verification: &Verification) -> String {
    let mut text = String::new();
    for problem in &verification.problems {
        text += &format!("{}\t{}\n", problem.wrong.name(), escape_name(&problem.path));
    }
    text
}

fn summary(verification: &Verification) -> String {
    let mut text = String::new();
    for problem in &verification.problems {
        if let Some(message) = &problem.message {
            text += &format!("{}: {}\n", escape_name(&problem.path), escape_name(message));
        }
    }

    if verification.problems_not_listed > 0 {
        text += &format!(
            "and {} that are not listed\n",
            count_text(verification.problems_not_listed, "problem")
        );
    }

    let tiles = count_text(verification.tiles, "tile");
    let bytes = size(verification.bytes);
    match verification.problems.len() as u64 + verification.problems_not_listed {
        0 => text + &format!("{tiles}, {bytes}: all right\n"),
        count => text + &format!("{tiles}, {bytes}: {}\n", count_text(count, "problem")),
    }
}
