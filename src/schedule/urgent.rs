//! Urgent leaves: those that are begun before all others while a run lasts.
//!
//! Knows jobs by number only.

use super::board::{Board, Leaves};
use super::plan::NodeId;
use crate::base::mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

/// A list of urgent leaves, which are begun before all others. Its clones are the same list.
///
/// The list is replaced as a whole: a leaf that is no longer on it waits for its turn in the plan again.
#[derive(Debug, Clone)]
pub struct Urgent {
    leaves: Leaves,
    state: Arc<Mutex<UrgentState>>,
}

#[derive(Debug, Default)]
struct UrgentState {
    /// The list for a run that has not begun.
    early: VecDeque<u32>,
    /// The run that uses the list; absent before and after it.
    board: Option<Arc<Board>>,
    has_ended: bool,
}

impl Urgent {
    /// Makes an empty list for a run that goes on with the other leaves, in the order of the plan.
    pub fn with_other_leaves() -> Self {
        Self { leaves: Leaves::UrgentFirst, state: Arc::default() }
    }

    /// Makes an empty list for a run of nothing else: it waits for more, until [`Urgent::end`].
    pub fn without_other_leaves() -> Self {
        Self { leaves: Leaves::UrgentAlone, state: Arc::default() }
    }

    /// Makes these leaves urgent, the first one first, and no others. Jobs that are begun or are no leaves are passed
    /// over.
    pub fn set(&self, leaves: impl IntoIterator<Item = NodeId>) {
        let list = leaves.into_iter().map(|NodeId(job)| job).collect();
        let mut state = self.state();
        match &state.board {
            Some(board) => board.set_urgent(list),
            None => state.early = list,
        }
    }

    /// Ends the run once the jobs that are begun have ended. A [`Stop`](super::Stop) alone wakes no worker that waits
    /// for something urgent.
    pub fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        if let Some(board) = &state.board {
            board.give_up();
        }
    }

    pub(super) fn leaves(&self) -> Leaves {
        self.leaves
    }

    /// Makes this the list of a run whose plan is committed, until the returned value is dropped.
    pub(super) fn attach(&self, board: &Arc<Board>) -> Attached<'_> {
        let mut state = self.state();
        board.set_urgent(std::mem::take(&mut state.early));
        if state.has_ended {
            board.give_up();
        }
        state.board = Some(Arc::clone(board));
        Attached(self)
    }

    fn state(&self) -> MutexGuard<'_, UrgentState> {
        mutex::lock(&self.state)
    }
}

/// Holds a list to its run.
pub(super) struct Attached<'u>(&'u Urgent);

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        self.0.state().board = None;
    }
}
