//! Failures of the file system that a test has planned: a run can be ended, or disturbed once, at
//! each of its file operations. Code that is about to query or change the file system runs
//! [`fail_query`] or [`fail_change`] first.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::mutex;

/// The operations below a folder that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailingOperations {
    /// This change and all later ones, as if the process had been killed there. Queries are not
    /// counted, because a process that is killed at a query leaves the same files as one that is
    /// killed at the next change.
    ChangesFrom(usize),
    /// Only this change, as on a disk that is full for a moment.
    OneChange(usize),
    /// Only this query, as on a network file system that does not answer for a moment.
    OneQuery(usize),
}

/// A plan, and how many operations of its kind have happened.
struct FailurePlan {
    root: PathBuf,
    failing: FailingOperations,
    count: usize,
}

static PLANS: Mutex<Vec<FailurePlan>> = Mutex::new(Vec::new());

/// Runs `work` while operations below `root` fail according to the plan. Returns its result, and
/// the number of operations of the planned kind.
pub fn run_with_failures<T>(
    root: &Path,
    failing: FailingOperations,
    work: impl FnOnce() -> T,
) -> (T, usize) {
    mutex::lock(&PLANS).push(FailurePlan {
        root: root.to_owned(),
        failing,
        count: 0,
    });

    let done = work();

    let mut plans = mutex::lock(&PLANS);
    let index = plans.iter().position(|plan| plan.root == root);
    let plan = plans.swap_remove(index.expect("this function has added the plan"));

    (done, plan.count)
}

/// Fails if this operation is planned to fail. Code calls it before each change of the file system.
pub fn fail_change(path: &Path) -> io::Result<()> {
    fail_if(
        path,
        io::ErrorKind::StorageFull,
        |failing, number| match failing {
            FailingOperations::ChangesFrom(at) => Some(number >= at),
            FailingOperations::OneChange(at) => Some(number == at),
            FailingOperations::OneQuery(_) => None,
        },
    )
}

/// Fails if this operation is planned to fail. Code calls it before each query of the file system,
/// such as a `stat`, a listing or the opening of a file.
pub fn fail_query(path: &Path) -> io::Result<()> {
    fail_if(
        path,
        io::ErrorKind::StaleNetworkFileHandle,
        |failing, number| match failing {
            FailingOperations::OneQuery(at) => Some(number == at),
            FailingOperations::ChangesFrom(_) | FailingOperations::OneChange(_) => None,
        },
    )
}

/// `fails` returns `None` if the plan does not count this kind of operation.
fn fail_if(
    path: &Path,
    error: io::ErrorKind,
    fails: fn(FailingOperations, usize) -> Option<bool>,
) -> io::Result<()> {
    let mut plans = mutex::lock(&PLANS);
    let Some(plan) = plans.iter_mut().find(|plan| path.starts_with(&plan.root)) else {
        return Ok(());
    };
    let Some(is_failing) = fails(plan.failing, plan.count) else {
        return Ok(());
    };

    plan.count += 1;

    if is_failing {
        Err(error.into())
    } else {
        Ok(())
    }
}
