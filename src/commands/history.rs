//! Runs `pixelmap history`: lists the moments of a map, or forgets some of them.

use std::path::Path;

use pixelmap_map::atlas::{Content, MapFolder, Moment, Moments};
use pixelmap_map::store::{ForgetPlan, Identity, Output, WantedNaming};
use serde::Serialize;

use crate::cli::HistoryArgs;
use crate::outcome::{Ending, OK, document, print};
use crate::summary::{count_text, escape_name, size};

/// The JSON document: the moments of a map.
#[derive(Serialize)]
struct HistoryDocument<'a> {
    path: String,
    /// The oldest first.
    moments: Vec<MomentDocument<'a>>,
    /// Bytes of the files that only earlier moments use.
    bytes: u64,
    /// The moments that the command forgets; with `--dry-run`, the ones that it would forget.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forgotten: Vec<MomentDocument<'a>>,
    /// Bytes of the files that the command removes or would remove.
    bytes_removed: u64,
}

#[derive(Serialize)]
struct MomentDocument<'a> {
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    tiles: u64,
    bytes: u64,
}

impl<'a> From<&'a Moment> for MomentDocument<'a> {
    fn from(moment: &'a Moment) -> Self {
        let Moment {
            label,
            tiles,
            bytes,
            ..
        } = moment;
        Self {
            time: moment.time_text(),
            label: label.as_deref(),
            tiles: *tiles,
            bytes: *bytes,
        }
    }
}

/// Lists the moments of a map, or forgets some of them.
pub(super) fn run(args: &HistoryArgs) -> Result<u8, Ending> {
    if !args.forgets() {
        let moments = Moments::open(MapFolder::open(&args.map)?.folder())?;
        return print_moments(args, &moments, &[], 0);
    }

    // The folder is locked before the moments are read, because another run could add one in
    // between.
    let output = if args.dry_run {
        None
    } else {
        Some(hold(&args.map)?)
    };

    let map = MapFolder::open(&args.map)?;
    let moments = Moments::open(map.folder())?;
    let forgetting = ForgetPlan::plan(map.folder(), &moments, &args.kept(&moments)?)?;
    let (kept, forgotten, bytes) = (
        forgetting.kept.clone(),
        forgetting.forgotten.clone(),
        forgetting.bytes,
    );

    if let Some(output) = output {
        forgetting.carry_out(&output)?;
    }

    print_moments(args, &kept, &forgotten, bytes)
}

/// Locks the folder of a map.
fn hold(map: &Path) -> Result<Output, Ending> {
    let world = Identity::read(&MapFolder::open(map)?)?;
    Ok(Output::open_for(
        Content::Map,
        WantedNaming::default(),
        map,
        &world,
        &[],
    )?)
}

/// Prints the kept moments, the forgotten moments, and the number of removed bytes.
fn print_moments(
    args: &HistoryArgs,
    moments: &Moments,
    forgotten: &[Moment],
    removed: u64,
) -> Result<u8, Ending> {
    let bytes = moments.moments.iter().map(|moment| moment.bytes).sum();
    let text = if args.json {
        let document = HistoryDocument {
            path: args.map.display().to_string(),
            moments: moments.moments.iter().map(MomentDocument::from).collect(),
            bytes,
            forgotten: forgotten.iter().map(MomentDocument::from).collect(),
            bytes_removed: removed,
        };
        document::result(OK, document)?
    } else {
        let mut text: String = moments.moments.iter().map(line).collect();
        text += &format!(
            "{}, {} of earlier tiles and files\n",
            count_text(moments.moments.len() as u64, "moment"),
            size(bytes)
        );

        if args.forgets() {
            let would = if args.dry_run {
                "would be forgotten"
            } else {
                "forgotten"
            };

            text += &format!(
                "{} {would}, {} removed:\n",
                count_text(forgotten.len() as u64, "moment"),
                size(removed)
            );
            text.extend(forgotten.iter().map(line));
        }

        text
    };

    print(text.as_bytes())?;
    Ok(OK)
}

fn line(moment: &Moment) -> String {
    let label = moment.label.as_deref().map(escape_name).unwrap_or_default();
    let line = format!(
        "{}  {:>8} tiles  {:>9}  {label}",
        moment.time_text(),
        moment.tiles,
        size(moment.bytes).to_string()
    );
    format!("{}\n", line.trim_end())
}
