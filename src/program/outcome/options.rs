//! Options in the place of the settings that texts of the library name.

use pixelmap::report::Report;

/// Each name of a setting or a command, as the texts of the library write it, and what a user types for it.
const OPTIONS: &[(&str, &str)] = &[
    ("`allow_gaps`", "--allow-gaps"),
    ("`allow_missing`", "--allow-missing"),
    ("`area`", "--area"),
    ("`assets`", "--assets"),
    ("`deny_empty`", "--deny empty"),
    ("`deny_newer`", "--deny newer-version"),
    ("`deny_unknown_blocks`", "--deny unknown-blocks"),
    ("`diff`", "pixelmap diff"),
    ("`dimension`", "-d"),
    ("`dimensions`", "-d"),
    ("`forget`", "pixelmap history MAP --forget"),
    ("`force`", "--force"),
    ("`from`", "--from"),
    ("`format`", "--format"),
    ("`heatmap`", "--heatmap"),
    ("`history`", "--history"),
    ("`hide`", "--hide"),
    ("`ignore`", "--ignore"),
    ("`image`", "--image"),
    ("`layer`", "-l"),
    ("`layers`", "--layer"),
    ("`max_bad_chunks`", "--max-bad-chunks"),
    ("`max_changed`", "--max-changed"),
    ("`max_removed`", "--max-removed"),
    ("`min_inhabited`", "--min-inhabited"),
    ("`moments`", "pixelmap history"),
    ("`output`", "-o"),
    ("`palettes`", "--palette"),
    ("`render`", "pixelmap render"),
    ("`scale`", "--scale"),
    ("`scheme`", "--scheme"),
    ("`shard`", "--shard"),
    ("`staged`", "--staged"),
    ("`sure`", "--yes"),
    ("`threads`", "--threads"),
    ("`time`", "--time"),
    ("`to`", "--to"),
    ("`tolerance`", "--tolerance"),
    // Of Docker and Podman.
    ("`user`", "--user"),
    ("`verify`", "pixelmap verify"),
    ("`zoom_in`", "--zoom-in"),
];

/// A text of the library with the options of the command line in the place of settings.
pub(crate) fn with_options(text: &str) -> String {
    OPTIONS.iter().fold(text.to_owned(), |text, (setting, option)| text.replace(setting, option))
}

/// A report of the library with such texts.
pub(crate) fn report_with_options(mut report: Report) -> Report {
    if let Some(failure) = &mut report.error {
        failure.message = with_options(&failure.message);
    }
    for warning in &mut report.warnings {
        *warning = with_options(warning);
    }
    report
}
