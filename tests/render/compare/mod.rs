//! Tests comparisons: the differences between two maps, their outputs, and the checks of CI jobs.

#[cfg(unix)]
mod action;
mod archives_and_pictures;
mod check_script;
mod differences;
mod html_page;
#[cfg(unix)]
mod wrong_calls;
