//! Runs `pixelmap catalog`: describes all worlds below a folder on one page.

mod files;
mod folder;
mod line;
mod page;
mod run;
mod survey;
mod table;

pub(super) use run::run;
