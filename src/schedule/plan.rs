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
    /// The job that starts after each.
    parents: Vec<Option<u32>>,
    /// Whether a link named a job that the plan does not have.
    stray: bool,
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
        let shape = Shape { costs_ns: Vec::with_capacity(jobs), parents: Vec::with_capacity(jobs), stray: false };
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
        self.shape.parents.push(None);
        id
    }

    /// Makes `parent` start only after `child`, and all its other children, have ended.
    ///
    /// A job has one parent or none: the last call counts.
    pub fn set_parent(&mut self, child: NodeId, parent: NodeId) {
        match self.shape.parents.get_mut(child.0 as usize) {
            Some(slot) => *slot = Some(parent.0),
            None => self.shape.stray = true,
        }
    }

    pub fn all(&self) -> impl Iterator<Item = (NodeId, &J)> {
        (0..).map(NodeId).zip(&self.jobs)
    }

    pub(super) fn into_parts(self) -> (Vec<J>, Shape) {
        (self.jobs, self.shape)
    }
}

impl Shape {
    /// Checks the plan, and makes its counters. The error gives the reason why the plan is no forest.
    pub(super) fn links(&self) -> Result<Links, &'static str> {
        let jobs = self.parents.len();
        if self.stray || u32::try_from(jobs).is_err() {
            return Err("a dependency names a job that the plan does not have");
        }
        let mut children = vec![0_u32; jobs];
        for &parent in self.parents.iter().flatten() {
            let count = children.get_mut(parent as usize);
            *count.ok_or("a dependency names a job that the plan does not have")? += 1;
        }
        let heights = self.heights(&children)?;
        let mut counters = Vec::new();
        let nodes = (0..jobs).map(|at| {
            let mut counter = NO_COUNTER;
            if children[at] > 0 {
                counter = counters.len() as u32;
                counters.push(CachePadded::new(Countdown::new(children[at])));
            }
            Node { parent: self.parents[at], counter, height: heights[at] }
        });
        Ok(Links { nodes: nodes.collect(), counters })
    }

    /// The longest way down from each job, found from the bottom up; a ring is never reached that way.
    fn heights(&self, children: &[u32]) -> Result<Vec<u32>, &'static str> {
        let mut open = children.to_vec();
        let mut ready: Vec<usize> = (0..open.len()).filter(|&at| open[at] == 0).collect();
        let mut heights = vec![0_u32; open.len()];
        let mut reached = 0;
        while let Some(at) = ready.pop() {
            reached += 1;
            if let Some(parent) = self.parents[at] {
                let parent = parent as usize;
                heights[parent] = heights[parent].max(heights[at] + 1);
                open[parent] -= 1;
                if open[parent] == 0 {
                    ready.push(parent);
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
    /// One per parent; padded, so that two workers do not share a line without need.
    counters: Vec<CachePadded<Countdown>>,
}

#[derive(Debug)]
struct Node {
    parent: Option<u32>,
    /// Index into `counters`, or `NO_COUNTER` for a leaf.
    counter: u32,
    height: u32,
}

impl Links {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of jobs that start after no other.
    pub(super) fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.counter == NO_COUNTER).count()
    }

    /// Returns whether the job exists and starts after no other.
    pub(super) fn is_leaf(&self, job: u32) -> bool {
        self.nodes.get(job as usize).is_some_and(|node| node.counter == NO_COUNTER)
    }

    pub(super) fn is_parent(&self, job: u32) -> bool {
        self.nodes[job as usize].counter != NO_COUNTER
    }

    /// The number of links on the longest way down from the job: the lower, the deeper in its tree.
    pub(super) fn height(&self, job: u32) -> u32 {
        self.nodes[job as usize].height
    }

    /// Counts the end of a job. Returns its parent if this was the last of the children: the caller alone goes on with it.
    pub(super) fn count_end(&self, job: u32) -> Option<u32> {
        let parent = self.nodes[job as usize].parent?;
        let counter = self.counters.get(self.nodes[parent as usize].counter as usize)?;
        counter.end_one().then_some(parent)
    }
}
