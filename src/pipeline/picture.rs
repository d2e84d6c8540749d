//! Mode image: a job a region, in rows from north to south. The worker that ends a row cuts it into strips, and all
//! workers deflate them before they begin another region; strips join the file in their order. What is held grows with
//! the picture's width and with the workers, never with its height: but a WebP needs all pixels of the picture at once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::drawing::{Drawing, Worker};
use super::earlier::Earlier;
use super::kept::Gap;
use super::regions::Painted;
use crate::coord::{REGION_SIDE, RegionPos};
use crate::export::{Grid, Scale};
use crate::plan::Place;
use crate::publish::{Format, PictureFile, PublishError};
use crate::report::Stage;
use crate::schedule::{self, Work};
use crate::tile::{Adler, Canvas, Pixel, Quarter, Strip, StripEncoder, encode_webp, png_end};

/// Bytes of a strip's rows, about; a strip has at least one row.
const STRIP_BYTES: u64 = 2 << 20;
/// The most rows of pixels of a strip.
const STRIP_ROWS: u64 = 64;
/// How long a worker waits before it looks whether the run is to end.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A job of a picture.
#[derive(Debug, Clone, Copy)]
pub(super) enum Job {
    /// Draw a region.
    Region(RegionPos),
    /// Cut a row of regions in which there is none.
    Blank(i32),
    /// Deflate what is left until all is: one for each worker, when all regions have been begun.
    Finish,
}

/// What the workers share to make a picture.
#[derive(Debug)]
pub(super) struct Picture<'a> {
    pub(super) drawing: Drawing<'a>,
    pub(super) grid: Grid,
    format: Format,
    rows: Mutex<Rows>,
    /// Told when a strip is to be deflated or a row is done.
    moved: Condvar,
    file: Mutex<Writing>,
    /// What it takes the place of; `None`: nothing of that stays.
    pub(super) earlier: Option<Mutex<Earlier>>,
    /// Rows of regions that may be open at once.
    ahead: usize,
}

/// The rows of regions that are open.
#[derive(Debug, Default)]
struct Rows {
    /// Those of which not all regions are drawn, by place from the north.
    open: BTreeMap<usize, Row>,
    /// Those that are drawn but for chunks that cannot be read, by place: each waits for all before it, since the earlier
    /// picture is read from north to south.
    broken: BTreeMap<usize, Row>,
    /// Whether a worker is at one of these.
    mending: bool,
    /// What is to be deflated.
    strips: VecDeque<Cut>,
    /// The place of the first row that is not all in the file.
    first: usize,
    /// Whether something is on any region.
    drawn_on: bool,
}

/// A row of regions, drawn or being drawn.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// Regions that are not drawn yet.
    missing: usize,
    /// The pixels of its regions by place from the west, `[y][x]`; nothing is on the others.
    pub(super) pieces: BTreeMap<usize, Box<[Pixel]>>,
    /// The chunks that cannot be read, by place of the region.
    pub(super) gaps: BTreeMap<usize, Vec<Gap>>,
}

impl Rows {
    /// The first row with gaps and its place, if all rows before it are drawn and nobody is at one.
    fn take_broken(&mut self) -> Option<(usize, Row)> {
        let (&first, _) = self.broken.first_key_value().filter(|_| !self.mending)?;
        if self.open.keys().next().is_some_and(|&open| open < first) {
            return None;
        }
        self.mending = true;
        self.broken.pop_first()
    }
}

/// A strip that is to be deflated.
#[derive(Debug)]
struct Cut {
    row: Arc<Row>,
    /// The row's place, and the strip's number in it.
    place: usize,
    index: usize,
}

/// The file, and strips whose turn has not come.
#[derive(Debug)]
struct Writing {
    file: PictureFile,
    waiting: BTreeMap<(usize, usize), Strip>,
    /// The strip whose turn it is.
    next: (usize, usize),
    adler: Adler,
    /// The pixels of a WebP so far, RGBA `[y][x]`; a PNG grows in its file.
    pixels: Option<Vec<u8>>,
}

/// One worker's buffers.
#[derive(Debug)]
pub(super) struct Hand<'a> {
    worker: Worker<'a>,
    strips: StripEncoder,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Work for &'a Picture<'_> {
    type Job = Job;
    type Worker = Hand<'a>;

    fn worker(&self, _: usize) -> Hand<'a> {
        let strips = match self.format {
            Format::Png => StripEncoder::png(),
            Format::Webp => StripEncoder::plain(),
        };
        Hand { worker: self.drawing.worker(), strips }
    }

    fn run(&self, hand: &mut Hand<'a>, job: &Job) {
        hand.worker.reader.clock.start();
        match *job {
            Job::Region(region) => {
                if self.wait_for(hand, self.place(region.z)) {
                    self.draw_region(hand, region);
                }
            }
            Job::Blank(z) => {
                if self.wait_for(hand, self.place(z)) {
                    self.cut(self.place(z), Row::default());
                }
            }
            Job::Finish => {
                let rows = self.grid.regions().0.len();
                self.deflate_until(hand, |first| first == rows);
            }
        }
        while self.deflate_one(hand) {}
        hand.worker.job_ended();
    }

    fn panicked(&self, job: &Job, message: &str) {
        let message = format!("this is a defect of pixelmap, please report it: {message}");
        match *job {
            Job::Region(region) => {
                if self.drawn(region, None, Vec::new()) {
                    self.drawing.lose(0, region, message);
                } else {
                    self.drawing.fail_with("defect", message);
                }
            }
            // Without a strip nothing after it can join the file.
            Job::Blank(_) | Job::Finish => self.drawing.fail_with("defect", message),
        }
    }
}

impl<'a> Picture<'a> {
    /// A picture whose PNG goes into `file` as it grows, or whose WebP all at once when there are all of its `pixels`.
    /// What chunks that cannot be read show in an `earlier` one stays.
    pub(super) fn new(
        drawing: Drawing<'a>,
        grid: Grid,
        (file, pixels): (PictureFile, Option<Vec<u8>>),
        earlier: Option<Earlier>,
        threads: usize,
    ) -> Self {
        let (rows, columns) = grid.regions();
        let mut open: BTreeMap<usize, Row> = BTreeMap::new();
        for Place { region, .. } in &drawing.plan.order {
            open.entry((region.z - rows.start) as usize).or_default().missing += 1;
        }
        Self {
            drawing,
            grid,
            format: if pixels.is_some() { Format::Webp } else { Format::Png },
            rows: Mutex::new(Rows { open, ..Rows::default() }),
            earlier: earlier.map(Mutex::new),
            moved: Condvar::new(),
            file: Mutex::new(Writing { file, waiting: BTreeMap::new(), next: (0, 0), adler: Adler::default(), pixels }),
            // So many that every worker finds a region to draw, and one more that is being cut.
            ahead: 1 + threads.div_ceil(columns.len().max(1)),
        }
    }

    /// The jobs: regions row by row, then the end, at which `threads` workers help.
    pub(super) fn jobs(&self, threads: usize) -> schedule::Plan<Job> {
        let mut jobs = schedule::Plan::new();
        let mut regions: Vec<RegionPos> = self.drawing.plan.order.iter().map(|place| place.region).collect();
        regions.sort_unstable_by_key(|region| (region.z, region.x));
        let mut regions = regions.into_iter().peekable();
        for z in self.grid.regions().0 {
            if regions.peek().is_none_or(|region| region.z != z) {
                jobs.add(Job::Blank(z), 0);
            }
            while let Some(region) = regions.next_if(|region| region.z == z) {
                jobs.add(Job::Region(region), self.drawing.cost(0, region));
            }
        }
        for _ in 0..threads {
            jobs.add(Job::Finish, 0);
        }
        jobs
    }

    /// A row's place from the north.
    fn place(&self, z: i32) -> usize {
        (z - self.grid.regions().0.start) as usize
    }

    /// Waits until the rows before are so far that one more may be begun; says whether it came to that.
    fn wait_for(&self, hand: &mut Hand<'_>, place: usize) -> bool {
        self.deflate_until(hand, |first| place < first + self.ahead)
    }

    /// Deflates, and waits where there is nothing to deflate, until `done` says of the first row that is not all in the file
    /// that it is enough. Says whether it came to that: not if the run is to end.
    fn deflate_until(&self, hand: &mut Hand<'_>, done: impl Fn(usize) -> bool) -> bool {
        loop {
            while self.deflate_one(hand) {}
            let rows = lock(&self.rows);
            if done(rows.first) {
                return true;
            }
            if self.drawing.is_stopped() {
                self.drawing.leave_undone();
                return false;
            }
            if rows.strips.is_empty() {
                // Who goes on is whoever has an earlier region: it waits for nobody.
                drop(self.moved.wait_timeout(rows, LOOK_AGAIN));
            }
        }
    }

    fn draw_region(&self, hand: &mut Hand<'_>, region: RegionPos) {
        let worker = &mut hand.worker;
        let piece = match self.drawing.paint_region(worker, 0, region) {
            Painted::From(_) => piece(&mut worker.canvases[0], self.grid.scale),
            Painted::Unopened => None,
            Painted::Undone => return,
        };
        let gaps = if self.earlier.is_some() { self.drawing.gaps(worker, region) } else { Vec::new() };
        worker.reader.clock.ends(Stage::Reduce);
        self.drawing.region_done(worker, 0, region);
        self.drawn(region, piece, gaps);
    }

    /// A region is drawn, but for its gaps; the last one of its row has it cut. Says whether the row was open.
    fn drawn(&self, region: RegionPos, piece: Option<Box<[Pixel]>>, gaps: Vec<Gap>) -> bool {
        let (place, column) = (self.place(region.z), (region.x - self.grid.regions().1.start) as usize);
        let mut rows = lock(&self.rows);
        rows.drawn_on |= piece.is_some();
        let Some(row) = rows.open.get_mut(&place) else { return false };
        row.missing -= 1;
        row.pieces.extend(piece.map(|piece| (column, piece)));
        if !gaps.is_empty() {
            row.gaps.insert(column, gaps);
        }
        if row.missing > 0 {
            return true;
        }
        let Some(row) = rows.open.remove(&place) else { return true };
        if row.gaps.is_empty() {
            drop(rows);
            self.cut(place, row);
        } else {
            rows.broken.insert(place, row);
            drop(rows);
        }
        self.mend_broken();
        true
    }

    /// Mends and cuts rows with gaps whose turn has come. Nobody waits for another to do so.
    fn mend_broken(&self) {
        loop {
            let Some((place, mut row)) = lock(&self.rows).take_broken() else { return };
            let shows = self.mend(place, &mut row);
            if self.drawing.is_stopped() {
                // Perhaps not all of it was looked for.
                return self.drawing.leave_undone();
            }
            let mut rows = lock(&self.rows);
            rows.mending = false;
            rows.drawn_on |= shows;
            drop(rows);
            self.cut(place, row);
        }
    }

    /// Cuts a row of regions into strips for all to deflate.
    fn cut(&self, place: usize, row: Row) {
        let count = self.strips_of(place);
        let row = Arc::new(row);
        lock(&self.rows).strips.extend((0..count).map(|index| Cut { row: row.clone(), place, index }));
        self.moved.notify_all();
    }

    /// Deflates a strip, if there is one; says whether there was.
    fn deflate_one(&self, hand: &mut Hand<'_>) -> bool {
        let Some(cut) = lock(&self.rows).strips.pop_front() else { return false };
        let strip = self.deflate(&mut hand.strips, &cut);
        let key = (cut.place, cut.index);
        // Freed before others are let in to draw more.
        drop(cut);
        hand.worker.reader.clock.ends(Stage::Encode);
        if let Err(error) = self.add(key, strip) {
            self.drawing.fail(&error);
        }
        hand.worker.reader.clock.ends(Stage::Write);
        true
    }

    /// Adds a strip to the file as soon as its turn has come.
    fn add(&self, key: (usize, usize), strip: Strip) -> Result<(), PublishError> {
        let mut guard = lock(&self.file);
        let writing = &mut *guard;
        writing.waiting.insert(key, strip);
        let mut result = Ok(());
        while let Some(strip) = writing.waiting.remove(&writing.next) {
            let (place, index) = writing.next;
            writing.adler = writing.adler.then(strip.adler);
            match &mut writing.pixels {
                Some(pixels) => pixels.extend_from_slice(&strip.bytes),
                None => result = result.and_then(|()| writing.file.add(|out| out.write_all(&strip.bytes))),
            }
            writing.next = if index + 1 < self.strips_of(place) { (place, index + 1) } else { (place + 1, 0) };
            if writing.next.0 > place {
                lock(&self.rows).first += 1;
                self.moved.notify_all();
            }
        }
        result
    }

    /// Whether nothing was drawn on it.
    pub(super) fn is_blank(&self) -> bool {
        !lock(&self.rows).drawn_on
    }

    /// The picture in its place, if all its strips are in the file; its length in bytes.
    pub(super) fn end(self) -> (Drawing<'a>, impl FnOnce() -> Result<u64, PublishError>) {
        let Writing { mut file, adler, pixels, .. } = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Grid { width, height, .. } = self.grid;
        let finish = move || {
            match pixels {
                Some(pixels) => file.add(|out| encode_webp(&pixels, (width, height), out))?,
                None => file.add(|out| out.write_all(&png_end(adler)))?,
            }
            file.finish()
        };
        (self.drawing, finish)
    }

    /// Rows of pixels of a row of regions, from the first to the last: their places in the regions' own pixels.
    fn lines(&self, place: usize) -> std::ops::Range<usize> {
        let north = (self.grid.regions().0.start + place as i32) * REGION_SIDE as i32;
        let (side, scale) = (REGION_SIDE as i32, self.grid.scale);
        let from = self.grid.area.z0.max(north) - north;
        let to = self.grid.area.z1.min(north + side) - north;
        pixels(from, scale)..pixels(to, scale)
    }

    fn strip_lines(&self) -> usize {
        (STRIP_BYTES / (u64::from(self.grid.width) * 4)).clamp(1, STRIP_ROWS) as usize
    }

    fn strips_of(&self, place: usize) -> usize {
        self.lines(place).len().div_ceil(self.strip_lines())
    }

    /// Deflates a strip of a row of regions.
    fn deflate(&self, encoder: &mut StripEncoder, cut: &Cut) -> Strip {
        let lines = self.lines(cut.place);
        let start = lines.start + cut.index * self.strip_lines();
        let end = lines.end.min(start + self.strip_lines());
        encoder.start((cut.place, cut.index) == (0, 0));
        let times = times(self.grid.scale);
        let mut last = None;
        for line in start..end {
            // Where a block is several pixels high, its lines are equal.
            if last == Some(line / times) {
                encoder.again(self.grid.width as usize);
                continue;
            }
            last = Some(line / times);
            encoder.row();
            self.line(encoder, &cut.row, line / times);
        }
        encoder.end()
    }

    /// Adds a line of the regions' own pixels.
    fn line(&self, encoder: &mut StripEncoder, row: &Row, line: usize) {
        let (scale, times) = (self.grid.scale, times(self.grid.scale));
        let side = pixels(REGION_SIDE as i32, scale) / times;
        let columns = self.grid.regions().1;
        for (place, x) in columns.enumerate() {
            let west = x * REGION_SIDE as i32;
            let from = pixels(self.grid.area.x0.max(west) - west, scale) / times;
            let to = pixels(self.grid.area.x1.min(west + REGION_SIDE as i32) - west, scale) / times;
            match row.pieces.get(&place) {
                Some(piece) => encoder.pixels(&piece[line * side..][from..to], times),
                None => encoder.blank((to - from) * times),
            }
        }
    }
}

/// Pixels along so many blocks.
fn pixels(blocks: i32, scale: Scale) -> usize {
    match scale {
        Scale::Times(times) => blocks as usize * times as usize,
        Scale::Halved(halvings) => blocks as usize >> halvings,
    }
}

/// Pixels along a block, or 1 where it is not whole.
fn times(scale: Scale) -> usize {
    match scale {
        Scale::Times(times) => times as usize,
        Scale::Halved(_) => 1,
    }
}

/// A region's own pixels, `[y][x]`: those of its tile, or of the tile so many zoom levels further out.
fn piece(canvas: &mut Canvas, scale: Scale) -> Option<Box<[Pixel]>> {
    if canvas.is_empty() {
        return None;
    }
    let halvings = if let Scale::Halved(halvings) = scale { halvings } else { 0 };
    for _ in 0..halvings {
        let quarter = Quarter::of(canvas);
        canvas.clear();
        canvas.put(0, &quarter);
    }
    let side = REGION_SIDE >> halvings;
    let rows = canvas.pixels().chunks_exact(REGION_SIDE).take(side);
    Some(rows.flat_map(|row| row[..side].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_gaps_are_taken_from_north_to_south_and_one_at_a_time() {
        let mut rows = Rows::default();
        rows.open.extend([1, 3].map(|place| (place, Row::default())));
        rows.broken.extend([0, 2].map(|place| (place, Row::default())));
        let take = |rows: &mut Rows| rows.take_broken().map(|(place, _)| place);
        assert_eq!((take(&mut rows), take(&mut rows)), (Some(0), None));
        rows.open.remove(&1);
        assert_eq!(take(&mut rows), None, "somebody is at the first");
        rows.mending = false;
        assert_eq!(take(&mut rows), Some(2));
        rows.mending = false;
        rows.broken.insert(4, Row::default());
        assert_eq!(take(&mut rows), None, "the one before is not drawn");
        rows.open.remove(&3);
        assert_eq!(take(&mut rows), Some(4));
    }
}
