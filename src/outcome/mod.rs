//! Ends a command: turns any error of the library into an exit code and a message, and writes JSON
//! documents, files and reports.
//!
//! The exit codes and their meaning are in the help of the program.

pub(crate) mod document;
mod ending;
mod files;
mod report;

pub(crate) use ending::{Ending, FAILED, GAPS, NOT_NOW, OK, USAGE};
pub(crate) use files::{empty_file, print, put, put_lists};
pub(crate) use report::{
    ReportTarget, end_unbegun, exit_code, is_cut_short, join, output_digest, refuse,
};
