//! A forest of jobs, built privately and checked as a whole before a worker sees any of it.
//!
//! Knows jobs only as values that it carries; nothing of threads.

use super::countdown::Countdown;
use super::sync::CachePadded;

/// A job's number in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// A forest of jobs, private to its builder until [`run`](super::run()) takes it whole.
///
/// Dropping a half-built plan publishes nothing, which is how a planner fails.
#[derive(Debug)]
pub struct JobPlan<J> {
    jobs: Vec<J>,
    shape: Shape,
}

/// The dependencies of a plan's jobs, without the jobs: one entry per job, in the order of adding.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) costs_ns: Vec<u64>,
    links: Vec<Link>,
    /// Whether a link named a job that the plan does not have.
    stray: bool,
}

/// The effect of a job's end on one other job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    None,
    /// The other starts after it.
    Starts(u32),
    /// The other does not count as ended before it.
    Ends(u32),
}

impl<J> Default for JobPlan<J> {
    fn default() -> Self {
        Self::new()
    }
}

impl<J> JobPlan<J> {
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    pub fn with_capacity(jobs: usize) -> Self {
        let shape = Shape { costs_ns: Vec::with_capacity(jobs), links: Vec::with_capacity(jobs), stray: false };
        Self { jobs: Vec::with_capacity(jobs), shape }
    }

    /// Adds a job that is expected to take `cost_ns` nanoseconds.
    ///
    /// Jobs that wait for no other are begun in the order in which they were added.
    pub fn add(&mut self, job: J, cost_ns: u64) -> NodeId {
        // A plan that has outgrown the ids is refused whole by `Shape::links`.
        let id = NodeId(self.jobs.len() as u32);
        self.jobs.push(job);
        self.shape.costs_ns.push(cost_ns);
        self.shape.links.push(Link::None);
        id
    }

    /// Makes `parent` start only after `child`, and all its other children, have ended.
    ///
    /// A job has one parent or none: the last call counts.
    pub fn set_parent(&mut self, child: NodeId, parent: NodeId) {
        self.shape.link(child, Link::Starts(parent.0));
    }

    /// Makes `whole` count as ended only after `part` has ended too; `whole` may start before.
    ///
    /// A job is a child or a part of one other job, or of none: the last call counts.
    pub fn set_part(&mut self, part: NodeId, whole: NodeId) {
        self.shape.link(part, Link::Ends(whole.0));
    }

    pub fn all(&self) -> impl Iterator<Item = (NodeId, &J)> {
        (0..).map(NodeId).zip(&self.jobs)
    }

    pub(super) fn into_parts(self) -> (Vec<J>, Shape) {
        (self.jobs, self.shape)
    }
}

impl Shape {
    fn link(&mut self, from: NodeId, link: Link) {
        match self.links.get_mut(from.0 as usize) {
            Some(slot) => *slot = link,
            None => self.stray = true,
        }
    }

    /// Checks the plan, and makes its counters. The error gives the reason why the plan is no forest.
    pub(super) fn links(&self) -> Result<Links, &'static str> {
        let jobs = self.links.len();
        if self.stray || u32::try_from(jobs).is_err() {
            return Err("a dependency names a job that the plan does not have");
        }
        let mut starts = vec![0_u32; jobs];
        let mut ends = vec![0_u32; jobs];
        for link in &self.links {
            let count = match *link {
                Link::None => continue,
                Link::Starts(to) => starts.get_mut(to as usize),
                Link::Ends(to) => ends.get_mut(to as usize),
            };
            *count.ok_or("a dependency names a job that the plan does not have")? += 1;
        }
        let heights = self.heights(&starts, &ends)?;
        let mut counters = Vec::new();
        let nodes = (0..jobs).map(|at| {
            let mut counter = NO_COUNTER;
            if starts[at] + ends[at] > 0 {
                counter = counters.len() as u32;
                counters.push(CachePadded::new(Countdown::new(starts[at], ends[at])));
            }
            Node { link: self.links[at], counter, height: heights[at], waits: starts[at] > 0 }
        });
        Ok(Links { nodes: nodes.collect(), counters })
    }

    /// The longest way down from each job, found from the bottom up; a ring is never reached that way.
    fn heights(&self, starts: &[u32], ends: &[u32]) -> Result<Vec<u32>, &'static str> {
        let mut open: Vec<u32> = starts.iter().zip(ends).map(|(starts, ends)| starts + ends).collect();
        let mut ready: Vec<usize> = (0..open.len()).filter(|&at| open[at] == 0).collect();
        let mut heights = vec![0_u32; open.len()];
        let mut reached = 0;
        while let Some(at) = ready.pop() {
            reached += 1;
            if let Link::Starts(to) | Link::Ends(to) = self.links[at] {
                let to = to as usize;
                heights[to] = heights[to].max(heights[at] + 1);
                open[to] -= 1;
                if open[to] == 0 {
                    ready.push(to);
                }
            }
        }
        if reached == open.len() { Ok(heights) } else { Err("its dependencies form a ring") }
    }
}

/// There are fewer counters than jobs, and fewer jobs than this.
const NO_COUNTER: u32 = u32::MAX;

/// The links of a checked plan, with its counters.
#[derive(Debug)]
pub(super) struct Links {
    nodes: Box<[Node]>,
    /// One per job that others are counted for; padded, so that two workers do not share a line without need.
    counters: Vec<CachePadded<Countdown>>,
}

#[derive(Debug)]
struct Node {
    link: Link,
    /// Index into `counters`, or `NO_COUNTER` where nothing is counted.
    counter: u32,
    height: u32,
    waits: bool,
}

impl Links {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of jobs that start after no other.
    pub(super) fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| !node.waits).count()
    }

    /// Returns whether the job exists and starts after no other.
    pub(super) fn is_leaf(&self, job: u32) -> bool {
        self.nodes.get(job as usize).is_some_and(|node| !node.waits)
    }

    pub(super) fn is_parent(&self, job: u32) -> bool {
        self.nodes[job as usize].waits
    }

    /// The number of links on the longest way down from the job: the lower, the deeper in its tree.
    pub(super) fn height(&self, job: u32) -> u32 {
        self.nodes[job as usize].height
    }

    fn counter(&self, node: &Node) -> Option<&Countdown> {
        self.counters.get(node.counter as usize).map(|counter| &**counter)
    }

    /// Counts the end of a job's run. Returns the parent that has become runnable by it.
    ///
    /// There is at most one: each job is counted in one place, and only the last one counted goes on from there.
    pub(super) fn count_end(&self, job: u32) -> Option<u32> {
        let mut at = job;
        loop {
            let node = &self.nodes[at as usize];
            if self.counter(node).is_some_and(|counter| !counter.end_one()) {
                return None;
            }
            match node.link {
                Link::None => return None,
                Link::Ends(whole) => at = whole,
                Link::Starts(parent) => {
                    let counter = self.counter(&self.nodes[parent as usize])?;
                    return counter.start_one().then_some(parent);
                }
            }
        }
    }
}
