//! Urgent leaves: jobs that other threads can move before all others while a run is in progress,
//! for example tiles that a viewer waits for. Jobs are identified by number only.

use super::board::{Board, Leaves};
use super::plan::NodeId;
use pixelmap_base::mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

/// A list of urgent leaves, which are begun before all others. Clones share the same list.
///
/// The list is always replaced as a whole: a leaf that is no longer in it waits for its normal turn
/// in the plan.
#[derive(Debug, Clone)]
pub struct Urgent {
    leaves: Leaves,
    state: Arc<Mutex<UrgentState>>,
}

#[derive(Debug, Default)]
struct UrgentState {
    /// The list that applies to a run that has not begun.
    early: VecDeque<u32>,
    /// The run that uses the list; absent before and after the run.
    board: Option<Arc<Board>>,
    has_ended: bool,
}

impl Urgent {
    /// Makes an empty list for a run that also runs all other leaves, in the order of the plan.
    pub fn with_other_leaves() -> Self {
        Self {
            leaves: Leaves::UrgentFirst,
            state: Arc::default(),
        }
    }

    /// Makes an empty list for a run that runs only urgent leaves. The run waits for more until
    /// [`Urgent::end`] is called.
    pub fn without_other_leaves() -> Self {
        Self {
            leaves: Leaves::UrgentAlone,
            state: Arc::default(),
        }
    }

    /// Makes exactly these leaves urgent, in this order. Jobs that have begun, and jobs with
    /// children, are skipped.
    pub fn set(&self, leaves: impl IntoIterator<Item = NodeId>) {
        let list = leaves.into_iter().map(|NodeId(job)| job).collect();
        let mut state = self.state();
        match &state.board {
            Some(board) => board.set_urgent(list),
            None => state.early = list,
        }
    }

    /// Ends the run once its running jobs have ended. This is necessary because a
    /// [`Stop`](super::Stop) alone does not wake workers that wait for urgent leaves.
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

    /// Connects this list to a run, until the returned value is dropped. Must be called before the
    /// plan is committed.
    pub(super) fn attach(&self, board: &Arc<Board>) -> AttachedList<'_> {
        let mut state = self.state();
        board.set_urgent(std::mem::take(&mut state.early));
        if state.has_ended {
            board.give_up();
        }
        state.board = Some(Arc::clone(board));
        AttachedList(self)
    }

    fn state(&self) -> MutexGuard<'_, UrgentState> {
        mutex::lock(&self.state)
    }
}

/// Keeps a list connected to its run.
pub(super) struct AttachedList<'u>(&'u Urgent);

impl Drop for AttachedList<'_> {
    fn drop(&mut self) {
        self.0.state().board = None;
    }
}
