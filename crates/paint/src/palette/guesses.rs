//! Keeps the guesses for unknown names. A name is guessed when one of its states is met, and large
//! modpacks have many states of each name, so that guessing them one by one would cost a tenth of a
//! small run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::palette::table::BlockTable;
use crate::palette::unknown::{Guess, guess};
use pixelmap_base::mutex;

/// The most guesses that are kept. More names are guessed each time.
const MAX_KEPT: usize = 1 << 14;

/// The guesses for the names of one table of blocks. Copies share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Guesses(Arc<Mutex<HashMap<String, Arc<Guess>>>>);

impl Guesses {
    /// Returns the guess for a name. `table` must always be the same.
    pub(super) fn get(&self, table: &BlockTable<'_>, name: &str) -> Arc<Guess> {
        if let Some(known) = mutex::lock(&self.0).get(name) {
            return Arc::clone(known);
        }

        let made = Arc::new(guess(table, name));
        let mut all = mutex::lock(&self.0);
        if all.len() < MAX_KEPT {
            all.insert(name.to_owned(), Arc::clone(&made));
        }

        made
    }
}
