//! The body of an answer: bytes in memory, a file that is read piece by piece as the client
//! receives it, or a stream of events. At most one piece of a file is in memory, so that slow
//! clients cost little.

use std::fmt;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

/// The size of a piece in bytes. A slow client holds one piece in memory.
const PIECE: u64 = 128 << 10;

/// The body of an answer.
#[derive(Debug)]
pub(super) enum Body {
    Whole(Bytes),
    Pieces(BodyPieces),
    /// Messages, each sent immediately.
    Events(mpsc::Receiver<Bytes>),
}

/// A source that is read on a blocking thread, one piece at a time.
pub(super) struct BodyPieces {
    /// The number of bytes that are not sent yet, if the length of the source is known.
    left: Option<u64>,
    state: PiecesState,
}

type BodyReader = Box<dyn Read + Send>;

enum PiecesState {
    Waits(BodyReader),
    Reads(JoinHandle<io::Result<(BodyReader, Bytes)>>),
    Ended,
}

impl fmt::Debug for BodyPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyPieces")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl Body {
    /// Returns an empty body.
    pub(super) fn empty() -> Self {
        Self::Whole(Bytes::new())
    }

    /// Returns a body with all bytes of a source. `len` is the length, if it is known.
    pub(super) fn pieces(source: impl Read + Send + 'static, len: Option<u64>) -> Self {
        Self::Pieces(BodyPieces {
            left: len,
            state: PiecesState::Waits(Box::new(source)),
        })
    }
}

impl BodyPieces {
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        loop {
            match std::mem::replace(&mut self.state, PiecesState::Ended) {
                PiecesState::Ended => return Poll::Ready(None),
                PiecesState::Waits(source) => {
                    self.state = PiecesState::Reads(spawn_blocking(|| read(source)));
                }
                PiecesState::Reads(mut reading) => {
                    let Poll::Ready(read) = Pin::new(&mut reading).poll(context) else {
                        self.state = PiecesState::Reads(reading);
                        return Poll::Pending;
                    };

                    let (source, piece) = match read.map_err(io::Error::other).flatten() {
                        Ok(read) => read,
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    };

                    // A file that has become shorter ends early. The body is then shorter than
                    // announced, so hyper closes the connection.
                    if piece.is_empty() {
                        return Poll::Ready(None);
                    }

                    self.left = self
                        .left
                        .map(|left| left.saturating_sub(piece.len() as u64));

                    if self.left != Some(0) {
                        self.state = PiecesState::Waits(source);
                    }

                    return Poll::Ready(Some(Ok(piece)));
                }
            }
        }
    }
}

/// Reads the next piece of a source. An empty piece is the end.
fn read(mut source: BodyReader) -> io::Result<(BodyReader, Bytes)> {
    let mut piece = Vec::with_capacity(PIECE as usize);
    source.by_ref().take(PIECE).read_to_end(&mut piece)?;
    Ok((source, piece.into()))
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = match &mut *self {
            Self::Whole(bytes) if bytes.is_empty() => None,
            Self::Whole(bytes) => Some(Ok(std::mem::take(bytes))),
            Self::Pieces(pieces) => ready!(pieces.poll_piece(context)),
            Self::Events(messages) => ready!(messages.poll_recv(context)).map(Ok),
        };
        Poll::Ready(piece.map(|read| read.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Pieces(BodyPieces {
                left: Some(left), ..
            }) => SizeHint::with_exact(*left),
            Self::Pieces(_) | Self::Events(_) => SizeHint::default(),
        }
    }
}
