//! Runs `pixelmap diff`: compares two renders, and writes the result in the requested forms. Which
//! files it may write is checked in `outputs`; the texts are in `texts` and `page`.

mod codes;
mod judged;
mod outputs;
mod page;
mod run;
mod texts;

pub(crate) use run::run;
