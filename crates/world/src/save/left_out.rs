//! Counts the things that a bound or a fault leaves out of a world, so that one warning reports all
//! things of a kind.

/// The things of one kind that are left out.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    count: u64,
    /// The path or name of the first one.
    first: String,
}

impl LeftOut {
    /// Counts things. `first` returns the path or name of the first of them.
    pub(crate) fn add(&mut self, count: usize, first: impl FnOnce() -> String) {
        if count > 0 && self.count == 0 {
            self.first = first();
        }
        self.count += count as u64;
    }

    /// Adds a warning if anything is left out. `what` names one of the things, and `reason` is the
    /// cause.
    pub(crate) fn warn(&self, what: &str, reason: &str, warnings: &mut Vec<String>) {
        let Self { count, first } = self;
        match count {
            0 => {}
            1 => warnings.push(format!("1 {what} is left out, because {reason}: {first}")),
            _ => warnings.push(format!(
                "{count} {what}s are left out, because {reason}; the first: {first}"
            )),
        }
    }
}
