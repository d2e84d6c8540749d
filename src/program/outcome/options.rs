//! Replaces the names of settings in texts of the library by the options of the command line, because users know only
//! the options.

use pixelmap::report::Report;

/// Each name of a setting or a command as the library's texts write it, and the option or command that a user types.
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
    // This is an option of Docker and Podman, not of this program.
    ("`user`", "--user"),
    ("`verify`", "pixelmap verify"),
    ("`zoom_in`", "--zoom-in"),
];

/// Returns a text of the library with options instead of settings.
pub(crate) fn with_options(text: &str) -> String {
    OPTIONS.iter().fold(text.to_owned(), |text, (setting, option)| text.replace(setting, option))
}

/// Returns a report whose failure and warnings name options instead of settings.
pub(crate) fn report_with_options(mut report: Report) -> Report {
    if let Some(failure) = &mut report.error {
        failure.message = with_options(&failure.message);
    }
    for warning in &mut report.warnings {
        *warning = with_options(warning);
    }
    report
}
