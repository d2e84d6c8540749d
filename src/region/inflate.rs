//! A chunk's compressed bytes to its plain bytes, bounded, in buffers that are kept.

use std::cell::LazyCell;
use std::io;
use std::mem;
use std::ops::{Deref, Range};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use libdeflater::{DecompressionError, Decompressor};

use super::{Fault, lz4};

/// The compression that is none, and so has no checksum.
pub(super) const UNCOMPRESSED: u8 = 3;
/// The most bytes a chunk may inflate to.
pub const MAX_INFLATED: usize = 64 << 20;
/// How much longer than its plain bytes a record may be: bytes that do not shrink need no more.
const OVERHEAD: usize = 1 << 20;
/// The most bytes a chunk may inflate to where others of its region have used up what that may.
pub(super) const SHORT_CHUNK: usize = ROOMS[0];
/// What each member of a gzip stream begins with, and how long the checksum and the length at its end are.
const MEMBER: [u8; 3] = [0x1f, 0x8b, 8];
const TRAILER: usize = 8;
/// The shortest member: ten bytes of header and two of deflate.
const SHORTEST_MEMBER: usize = 10 + 2 + TRAILER;
/// The most members of one record: each costs some time, even where it is empty.
const MAX_MEMBERS: usize = 1000;
/// Up to here each worker has its own buffer; only one in the whole process may be larger at a time.
const OWN_BUFFER: usize = 8 << 20;
/// The sizes that are tried one after the other for deflate, which does not say how long it will be: the first has room
/// for nearly every chunk, and a bomb of the largest size is tried at most five times.
const ROOMS: [usize; 5] = [512 << 10, 2 << 20, OWN_BUFFER, 32 << 20, MAX_INFLATED];

/// The large buffers: with whoever has the bytes of a chunk of more than [`OWN_BUFFER`] in hand, and here between
/// chunks. They are kept once there are any: having the system clear 64 MiB for each chunk takes longer than inflating it.
static LARGE: Large =
    Large { free: Mutex::new(Some(Buffers { packed: Vec::new(), plain: Vec::new() })), freed: Condvar::new() };
/// Who waits for them looks so often whether the run is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);

struct Large {
    /// `None`: somebody has them.
    free: Mutex<Option<Buffers>>,
    freed: Condvar,
}

/// Room for a record as it is stored, and for its plain bytes.
#[derive(Default)]
struct Buffers {
    packed: Vec<u8>,
    plain: Vec<u8>,
}

/// While it lives nobody else has large buffers; also a holder that panics gives them back. Holds the worker's own ones
/// where those are in use.
struct Held(Buffers);

impl Large {
    /// Waits for the right; `None`: `stop` came first.
    fn take(&self, stop: &dyn Fn() -> bool) -> Option<Held> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(buffers) = free.take() {
                return Some(Held(buffers));
            }
            if stop() {
                return None;
            }
            free = self.freed.wait_timeout(free, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *LARGE.free.lock().unwrap_or_else(PoisonError::into_inner) = Some(mem::take(&mut self.0));
        LARGE.freed.notify_one();
    }
}

/// One worker's decompressor and its buffers: a record as it is stored, and its plain bytes.
pub struct Inflater {
    deflate: Decompressor,
    /// Its own, or the large ones in their stead. They never shrink, so that none is cleared again and again.
    buffers: Buffers,
    /// How much of the plain buffer is the last record's.
    plain_len: usize,
    /// How many plain bytes the record at hand may have.
    most: usize,
    /// How many plain bytes the last record was given room for: what it may have cost.
    reached: usize,
    large: Option<Held>,
    /// Whether the run is to end, and with it every wait.
    stop: Box<dyn Fn() -> bool + Send>,
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflater").field("capacity", &self.buffers.plain.capacity()).finish_non_exhaustive()
    }
}

impl Default for Inflater {
    fn default() -> Self {
        Self {
            deflate: Decompressor::new(),
            buffers: Buffers::default(),
            plain_len: 0,
            most: MAX_INFLATED,
            reached: 0,
            large: None,
            stop: Box::new(|| false),
        }
    }
}

/// The plain bytes of one chunk. While they live their worker may hold the one large buffer; dropping them gives it
/// back, whatever the way out.
#[derive(Debug)]
pub struct Plain<'a>(&'a mut Inflater);

impl<'a> Plain<'a> {
    /// Room for the next chunk, which is empty so far.
    pub(super) fn start(inflater: &'a mut Inflater) -> Self {
        inflater.give_back();
        (inflater.plain_len, inflater.most, inflater.reached) = (0, MAX_INFLATED, 0);
        Self(inflater)
    }

    /// The inflater, to read with.
    pub(super) fn inflater(&mut self) -> &mut Inflater {
        self.0
    }
}

impl Deref for Plain<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.plain()
    }
}

impl Drop for Plain<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

#[derive(Clone, Copy)]
enum Wrapper {
    Gzip,
    Zlib,
}

impl Inflater {
    /// One that waits for nothing once `stop` says that the run is to end. A chunk that it would have had to wait for is
    /// [`Fault::Unreadable`] then, of kind [`io::ErrorKind::Interrupted`], and says nothing of the world.
    pub fn until(stop: impl Fn() -> bool + Send + 'static) -> Self {
        Self { stop: Box::new(stop), ..Self::default() }
    }

    /// From here on the record at hand may have no more plain bytes than [`SHORT_CHUNK`].
    pub(super) fn only_short(&mut self) {
        self.most = SHORT_CHUNK;
    }

    /// Room for a record of `len` bytes, which the caller fills; [`Inflater::inflate`] then takes a part of it.
    ///
    /// # Errors
    /// The record is larger than any chunk may be.
    pub(super) fn record(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        if len > self.most + OVERHEAD {
            return Err(Fault::TooLarge);
        }
        self.room(|buffers| &mut buffers.packed, len)
    }

    /// A part of the record at hand, as it is stored.
    pub(super) fn stored(&self, part: &Range<usize>) -> &[u8] {
        &self.buffers.packed[part.clone()]
    }

    /// Inflates `record`, a part of the record at hand; returns the number of plain bytes.
    ///
    /// # Errors
    /// The compression is unknown, the bytes are damaged, or there are more of them than there may be.
    pub(super) fn inflate(&mut self, compression: u8, record: Range<usize>) -> Result<usize, Fault> {
        self.plain_len = match compression {
            1 => self.deflated(record, Wrapper::Gzip)?,
            2 => self.deflated(record, Wrapper::Zlib)?,
            UNCOMPRESSED => {
                let len = record.len();
                self.grow_to(len)?;
                self.buffers.plain[..len].copy_from_slice(&self.buffers.packed[record]);
                len
            }
            4 => self.lz4(record)?,
            127 => return Err(Fault::Compression(127, custom_name(&self.buffers.packed[record]))),
            id => return Err(Fault::Compression(id, String::new())),
        };
        Ok(self.plain_len)
    }

    /// How many plain bytes the last record was given room for, whether or not it filled it. The same for the same
    /// record, whatever the inflater read before.
    pub(super) fn reached(&self) -> usize {
        self.reached
    }

    /// Lets the next worker have the large buffers.
    fn give_back(&mut self) {
        if let Some(Held(large)) = &mut self.large {
            self.plain_len = 0;
            for (here, there) in
                [(&mut self.buffers.packed, &mut large.packed), (&mut self.buffers.plain, &mut large.plain)]
            {
                if here.len() > OWN_BUFFER {
                    mem::swap(here, there);
                }
            }
            self.large = None;
        }
    }

    /// One of the buffers, at least `len` bytes long; waits for the large ones if those are needed.
    fn room(&mut self, of: fn(&mut Buffers) -> &mut Vec<u8>, len: usize) -> Result<&mut [u8], Fault> {
        if len > OWN_BUFFER {
            if self.large.is_none() {
                let interrupted = || io::Error::new(io::ErrorKind::Interrupted, "the run is to end");
                self.large = Some(LARGE.take(&self.stop).ok_or_else(interrupted)?);
            }
            let own = of(&mut self.buffers);
            if let (true, Some(Held(large))) = (own.len() <= OWN_BUFFER, &mut self.large) {
                mem::swap(own, of(large));
            }
        }
        let buffer = of(&mut self.buffers);
        lengthen(buffer, len);
        Ok(&mut buffer[..len])
    }

    /// Makes the plain buffer at least `len` bytes long.
    fn grow_to(&mut self, len: usize) -> Result<(), Fault> {
        if len > self.most {
            self.reached = self.most;
            return Err(Fault::TooLarge);
        }
        self.reached = self.reached.max(len);
        self.room(|buffers| &mut buffers.plain, len).map(drop)
    }

    fn deflated(&mut self, record: Range<usize>, wrapper: Wrapper) -> Result<usize, Fault> {
        // The buffer never shrinks, so a larger one than the first is used at once.
        let most = self.most;
        let there = self.buffers.plain.len().min(most);
        let first = ROOMS.iter().rposition(|&room| room <= there).unwrap_or(0);
        for room in ROOMS.into_iter().skip(first).take_while(|&room| room <= most) {
            self.grow_to(room)?;
            match self.try_room(room, record.clone(), wrapper) {
                Ok(len) => return Ok(len),
                Err(DecompressionError::InsufficientSpace) => {}
                Err(DecompressionError::BadData) => {
                    // What it cost must not depend on the buffer that earlier records left.
                    let bad = |room: usize, this: &mut Self| {
                        this.try_room(room, record.clone(), wrapper) == Err(DecompressionError::BadData)
                    };
                    self.reached = ROOMS.into_iter().find(|&less| less >= room || bad(less, self)).unwrap_or(room);
                    return Err(Fault::Inflate("bad deflate data or checksum"));
                }
            }
        }
        Err(Fault::TooLarge)
    }

    /// Inflates into the first `room` bytes of the plain buffer.
    fn try_room(&mut self, room: usize, record: Range<usize>, wrapper: Wrapper) -> Result<usize, DecompressionError> {
        let (packed, plain) = (&self.buffers.packed[record], &mut self.buffers.plain[..room]);
        match wrapper {
            Wrapper::Gzip => gunzip(&mut self.deflate, packed, plain),
            Wrapper::Zlib => self.deflate.zlib_decompress(packed, plain),
        }
    }

    fn lz4(&mut self, record: Range<usize>) -> Result<usize, Fault> {
        // The blocks say how long they are, so the room is taken once and exactly.
        let len = lz4::plain_len(&self.buffers.packed[record.clone()])?;
        self.grow_to(len)?;
        lz4::inflate(&self.buffers.packed[record], &mut self.buffers.plain[..len])?;
        Ok(len)
    }

    /// The plain bytes of the last record.
    pub(super) fn plain(&self) -> &[u8] {
        &self.buffers.plain[..self.plain_len]
    }
}

/// The plain bytes of all members of a gzip stream; what follows the last one is ignored.
fn gunzip(deflate: &mut Decompressor, mut packed: &[u8], plain: &mut [u8]) -> Result<usize, DecompressionError> {
    let mut end = deflate.gzip_decompress(packed, plain)?;
    let (mut start, mut members) = (0, 1);
    while let Some(next) = next_member(packed, &plain[start..end]) {
        members += 1;
        if members > MAX_MEMBERS {
            return Err(DecompressionError::InsufficientSpace);
        }
        packed = &packed[next..];
        start = end;
        end += deflate.gzip_decompress(packed, &mut plain[start..])?;
    }
    Ok(end)
}

/// Where the next member begins after the one that `packed` begins with, whose plain bytes are these. The decompressor
/// does not say where it ended: at its checksum and length, which no other place has with a member's first bytes behind.
fn next_member(packed: &[u8], plain: &[u8]) -> Option<usize> {
    let trailer = LazyCell::new(|| [crc32fast::hash(plain), plain.len() as u32].map(u32::to_le_bytes));
    let is_end = |window: &[u8]| {
        let (before, after) = window.split_at(TRAILER);
        after == MEMBER && before == trailer.as_flattened()
    };
    // What is too short for a member is none.
    let last = packed.len().checked_sub(SHORTEST_MEMBER)?;
    packed[..last + MEMBER.len()].windows(TRAILER + MEMBER.len()).position(is_end).map(|at| at + TRAILER)
}

/// Makes a buffer at least `len` bytes long and no longer; what is in it is lost if it grows.
fn lengthen(buffer: &mut Vec<u8>, len: usize) {
    if buffer.len() < len {
        // Growing by doubling would pass the bound that `len` was checked against.
        buffer.clear();
        buffer.reserve_exact(len);
        buffer.resize(len, 0);
    }
}

/// The algorithm's name at the start of a custom payload: a Java string, two bytes of length first.
fn custom_name(bytes: &[u8]) -> String {
    let name = bytes.split_first_chunk::<2>().and_then(|(len, rest)| rest.get(..u16::from_be_bytes(*len) as usize));
    String::from_utf8_lossy(name.unwrap_or_default()).chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn inflate(compression: u8, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        inflate_with(&mut Inflater::default(), compression, bytes)
    }

    fn inflate_with(inflater: &mut Inflater, compression: u8, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut plain = Plain::start(inflater);
        let inflater = plain.inflater();
        inflater.record(bytes.len())?.copy_from_slice(bytes);
        inflater.inflate(compression, 0..bytes.len())?;
        Ok(plain.to_vec())
    }

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_compression_gives_the_plain_bytes() {
        let plain = b"plain bytes, plain bytes, plain bytes".repeat(100);
        assert_eq!(inflate(1, &gzip(&plain)).unwrap(), plain);
        assert_eq!(inflate(2, &zlib(&plain)).unwrap(), plain);
        assert_eq!(inflate(3, &plain).unwrap(), plain);
    }

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn all_members_of_a_gzip_stream_are_read_and_what_follows_is_ignored() {
        let long: Vec<u8> = (0..ROOMS[1] as u32).map(|n| (n.wrapping_mul(n) >> 7) as u8).collect();
        // One holds a whole stream as its own plain bytes, one nothing.
        let stored = [gzip(b"not me"), gzip(b"nor me")].concat();
        let parts = [&b"one"[..], &stored, b"", &long, b"", b"two"];
        let packed = parts.map(gzip).concat();
        let plain = parts.concat();
        assert!(inflate(1, &packed).unwrap() == plain);
        for rest in [&b"rest"[..], &[0; 99], &MEMBER, &gzip(b"cut off")[..SHORTEST_MEMBER - 1]] {
            assert!(inflate(1, &[&packed, rest].concat()).unwrap() == plain, "{rest:?}");
        }
        let mut damaged = packed;
        *damaged.last_mut().unwrap() ^= 1;
        assert!(matches!(inflate(1, &damaged), Err(Fault::Inflate(_))));
        assert_eq!(inflate(1, &gzip(b"")).unwrap(), b"");
    }

    #[test]
    fn members_are_bounded_as_one_is() {
        let eighth = gzip(&vec![0; MAX_INFLATED / 8]);
        assert_eq!(inflate(1, &eighth.repeat(8)).unwrap().len(), MAX_INFLATED);
        assert_eq!(inflate(1, &[eighth.repeat(8), gzip(b"x")].concat()), Err(Fault::TooLarge));
        assert_eq!(inflate(1, &gzip(b"x").repeat(MAX_MEMBERS)).unwrap().len(), MAX_MEMBERS);
        assert_eq!(inflate(1, &gzip(b"").repeat(MAX_MEMBERS + 1)), Err(Fault::TooLarge));
    }

    #[test]
    fn trailing_bytes_are_ignored_and_damage_is_not() {
        let mut packed = zlib(b"some plain bytes");
        packed.extend_from_slice(b"rest");
        assert_eq!(inflate(2, &packed).unwrap(), b"some plain bytes");
        packed[4] ^= 0x55;
        assert!(matches!(inflate(2, &packed), Err(Fault::Inflate(_))));
        assert!(matches!(inflate(2, &[]), Err(Fault::Inflate(_))));
    }

    #[test]
    fn a_bomb_is_refused_and_the_buffer_given_back() {
        let bomb = zlib(&vec![0; MAX_INFLATED + 1]);
        let mut inflater = Inflater::default();
        assert_eq!(inflate_with(&mut inflater, 2, &bomb), Err(Fault::TooLarge));
        let small = zlib(b"small");
        assert_eq!(inflate_with(&mut inflater, 2, &small).unwrap(), b"small");
        assert!(inflater.buffers.plain.capacity() <= OWN_BUFFER);
        assert!(inflater.large.is_none());
    }

    #[test]
    fn the_large_buffer_is_given_back_with_the_bytes_of_its_chunk() {
        let packed = zlib(&vec![7; 12 << 20]);
        let mut inflater = Inflater::default();
        assert_eq!(inflate_with(&mut inflater, 2, &packed).unwrap().len(), 12 << 20);
        assert!(inflater.large.is_none() && inflater.buffers.plain.capacity() <= OWN_BUFFER);
        let mut damaged = packed;
        *damaged.last_mut().unwrap() ^= 1;
        assert!(matches!(inflate_with(&mut inflater, 2, &damaged), Err(Fault::Inflate(_))));
        assert!(inflater.large.is_none() && inflater.buffers.plain.capacity() <= OWN_BUFFER);
    }

    #[test]
    fn nobody_waits_for_the_large_buffer_when_the_run_is_to_end() {
        let packed = zlib(&vec![7; 12 << 20]);
        let (stop, stopped) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (says, heard) = std::sync::mpsc::channel();
        let held = LARGE.take(&|| false);
        let waits = {
            let (stop, asked) = (stop.clone(), stopped.clone());
            move || {
                let until = move || {
                    asked.store(true, Ordering::Relaxed);
                    stop.load(Ordering::Relaxed)
                };
                let (mut inflater, packed) = (Inflater::until(until), packed);
                says.send(inflate_with(&mut inflater, 2, &packed).map(|plain| plain.len())).unwrap();
                says.send(inflate_with(&mut inflater, 2, &packed).map(|plain| plain.len())).unwrap();
            }
        };
        let waiting = std::thread::Builder::new().spawn(waits).unwrap();
        while !stopped.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
        let fault = heard.recv_timeout(Duration::from_secs(45)).unwrap().unwrap_err();
        assert_eq!(fault.io_error(), Some((io::ErrorKind::Interrupted, None)));
        drop(held);
        // What is free is taken all the same, sooner or later: others may hold it for a while.
        let again = heard.recv_timeout(Duration::from_secs(45)).unwrap();
        assert!(again == Ok(12 << 20) || again == Err(fault));
        waiting.join().unwrap();
    }

    #[test]
    fn an_lz4_stream_takes_its_room_exactly() {
        for len in [5 << 20, 6 << 20, OWN_BUFFER - 1, OWN_BUFFER] {
            let mut inflater = Inflater::default();
            let plain = vec![3; len];
            assert_eq!(inflate_with(&mut inflater, 4, &lz4::tests::stream(&plain)).unwrap(), plain);
            assert_eq!(inflater.buffers.plain.capacity(), len);
        }
        let mut inflater = Inflater::default();
        let plain = vec![3; OWN_BUFFER + 1];
        assert_eq!(inflate_with(&mut inflater, 4, &lz4::tests::stream(&plain)).unwrap(), plain);
        assert_eq!((inflater.buffers.plain.capacity(), inflater.large.is_some()), (0, false));
        let bomb = lz4::tests::stream(&vec![3; MAX_INFLATED + 1]);
        assert_eq!(inflate_with(&mut inflater, 4, &bomb), Err(Fault::TooLarge));
        assert_eq!(inflater.reached(), MAX_INFLATED);
    }

    #[test]
    fn what_a_damaged_record_reached_does_not_depend_on_what_was_read_before() {
        let mut packed = zlib(&(0..3_u32 << 20).map(|n| (n.wrapping_mul(n) >> 7) as u8).collect::<Vec<u8>>());
        *packed.last_mut().unwrap() ^= 1;
        let (mut fresh, mut used) = (Inflater::default(), Inflater::default());
        inflate_with(&mut used, 3, &vec![0; OWN_BUFFER]).unwrap();
        for inflater in [&mut fresh, &mut used] {
            assert!(inflate_with(inflater, 2, &packed).is_err());
            assert_eq!(inflater.reached(), OWN_BUFFER, "3 MiB do not fit into the two sizes before");
            assert!(inflate_with(inflater, 2, b"no zlib").is_err());
            assert_eq!(inflater.reached(), ROOMS[0]);
        }
    }

    #[test]
    fn unknown_compressions_are_named() {
        assert_eq!(inflate(9, &[]), Err(Fault::Compression(9, String::new())));
        assert_eq!(inflate(127, b"\0\x04zstd..."), Err(Fault::Compression(127, "zstd".to_owned())));
        assert_eq!(inflate(127, b"\xff"), Err(Fault::Compression(127, String::new())));
    }
}
