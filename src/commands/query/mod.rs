//! The command `query`: prints the highest block of columns.

mod area;
mod line;
mod positions;
mod run;

pub(crate) use run::run;
