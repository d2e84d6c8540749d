//! Ends work that has to stop.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::sleep;

/// The interval at which waiting work checks whether it should stop.
const STOP_LOOK: Duration = Duration::from_millis(50);

/// Runs `work` until it ends, and returns its result, or `None` if it has to stop first.
pub(crate) async fn unless_stopped<T>(
    is_stopped: &dyn Fn() -> bool,
    work: impl Future<Output = T>,
) -> Option<T> {
    let stopped = async {
        while !is_stopped() {
            sleep(STOP_LOOK).await;
        }
    };
    match select(pin!(work), pin!(stopped)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
