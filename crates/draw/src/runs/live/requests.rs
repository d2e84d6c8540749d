//! A queue of requests for pictures or found blocks, which wait for the threads that answer them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pixelmap_base::mutex;

/// The most requests that wait. A new one replaces the oldest.
const MAX_WAITING: usize = 1024;

/// Requests for files about `T`. The newest is answered first.
#[expect(missing_debug_implementations, reason = "a request holds functions")]
pub struct Requests<T> {
    state: Mutex<RequestState<T>>,
    came: Condvar,
}

struct RequestState<T> {
    waiting: VecDeque<Request<T>>,
    /// Increased when the answering threads must start over.
    round: u64,
    is_closed: bool,
}

/// A request for a file, such as a picture.
pub(crate) struct Request<T> {
    pub(crate) subject: T,
    /// Returns whether somebody still waits.
    pub(crate) is_awaited: Box<dyn Fn() -> bool + Send>,
    /// Receives the bytes of the file.
    pub(crate) reply: Box<dyn FnOnce(Vec<u8>) + Send>,
}

impl<T> Default for Requests<T> {
    fn default() -> Self {
        let state = RequestState {
            waiting: VecDeque::new(),
            round: 0,
            is_closed: false,
        };
        Self {
            state: Mutex::new(state),
            came: Condvar::new(),
        }
    }
}

impl<T> Requests<T> {
    /// Asks for a file. `reply` is called with its bytes. It is not called if `is_awaited` returns
    /// false by then, or if the file cannot be made.
    pub fn ask(
        &self,
        subject: T,
        is_awaited: impl Fn() -> bool + Send + 'static,
        reply: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        let request = Request {
            subject,
            is_awaited: Box::new(is_awaited),
            reply: Box::new(reply),
        };

        let mut state = self.lock();
        if state.is_closed {
            return;
        }

        if state.waiting.len() == MAX_WAITING {
            state.waiting.pop_front();
        }

        state.waiting.push_back(request);
        self.came.notify_one();
    }

    /// Waits for a request whose sender still waits. Returns `None` if the queue is closed or
    /// another round has begun.
    pub(crate) fn next(&self, round: u64) -> Option<Request<T>> {
        let mut state = self.lock();
        while state.round == round {
            while let Some(request) = state.waiting.pop_back() {
                if (request.is_awaited)() {
                    return Some(request);
                }
            }

            if state.is_closed {
                return None;
            }

            state = self
                .came
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }

        None
    }

    /// Returns the number of the round, or `None` if the queue is closed.
    pub(crate) fn round(&self) -> Option<u64> {
        let state = self.lock();
        (!state.is_closed).then_some(state.round)
    }

    /// Begins another round, which answers the waiting requests.
    pub fn begin_round(&self) {
        self.lock().round += 1;
        self.came.notify_all();
    }

    /// Closes the queue. The waiting requests do not get a reply.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.waiting.clear();
        self.came.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, RequestState<T>> {
        mutex::lock(&self.state)
    }
}
