//! Promises of comparisons: what differs between two maps, how a person is told, and the checks of a job in CI.

#[cfg(unix)]
mod action;
mod archives_and_pictures;
mod check_script;
mod differences;
mod html_page;
#[cfg(unix)]
mod wrong_calls;
