//! A forest of jobs, built privately and checked as a whole before any worker can reach it. It only
//! stores the jobs; it never runs them or starts threads.

use super::countdown::Countdown;
use super::sync::CachePadded;

/// A job's number in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// A forest of jobs, private to its builder until [`run`](super::run()) takes it whole.
///
/// A planner that fails drops its half-built plan, so nothing of it is published.
#[derive(Debug)]
pub struct JobPlan<J> {
    jobs: Vec<J>,
    dependencies: Dependencies,
}

/// The dependencies between a plan's jobs, without the jobs themselves: one entry per job, in the
/// order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Dependencies {
    pub(super) costs_ns: Vec<u64>,
    /// The job that starts after each job, if any.
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
        let dependencies = Dependencies {
            costs_ns: Vec::with_capacity(jobs),
            parents: Vec::with_capacity(jobs),
            stray: false,
        };
        Self {
            jobs: Vec::with_capacity(jobs),
            dependencies,
        }
    }

    /// Adds a job that is expected to take `cost_ns` nanoseconds.
    ///
    /// Jobs without children are begun in the order in which they were added.
    pub fn add(&mut self, job: J, cost_ns: u64) -> NodeId {
        // If a plan has more jobs than ids, `Dependencies::links` refuses the whole plan later.
        let id = NodeId(self.jobs.len() as u32);
        self.jobs.push(job);
        self.dependencies.costs_ns.push(cost_ns);
        self.dependencies.parents.push(None);
        id
    }

    /// Makes `parent` start only after `child` and all its other children have ended.
    ///
    /// A job has at most one parent; if there are several calls, the last one counts.
    pub fn set_parent(&mut self, child: NodeId, parent: NodeId) {
        match self.dependencies.parents.get_mut(child.0 as usize) {
            Some(slot) => *slot = Some(parent.0),
            None => self.dependencies.stray = true,
        }
    }

    pub fn all(&self) -> impl Iterator<Item = (NodeId, &J)> {
        (0..).map(NodeId).zip(&self.jobs)
    }

    pub(super) fn into_parts(self) -> (Vec<J>, Dependencies) {
        (self.jobs, self.dependencies)
    }
}

impl Dependencies {
    /// Checks the plan, and makes its counters. Returns the reason if the plan is not a forest.
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

        self.check_rings(&children)?;

        let mut counters = Vec::new();
        let mut nodes = Vec::with_capacity(jobs);
        for (at, &count) in children.iter().enumerate() {
            let counter = if count == 0 {
                NO_COUNTER
            } else {
                counters.len() as u32
            };

            if count > 0 {
                counters.push(CachePadded::new(Countdown::new(count)));
            }

            nodes.push(Node {
                parent: self.parents[at],
                counter,
            });
        }

        Ok(Links {
            nodes: nodes.into_boxed_slice(),
            counters,
        })
    }

    /// Walks from the leaves to the roots. Fails if there is a ring, because its jobs are never
    /// reached from a leaf.
    fn check_rings(&self, children: &[u32]) -> Result<(), &'static str> {
        let mut open = children.to_vec();
        let mut ready: Vec<usize> = (0..open.len()).filter(|&at| open[at] == 0).collect();
        let mut reached = 0;
        while let Some(at) = ready.pop() {
            reached += 1;

            if let Some(parent) = self.parents[at] {
                let parent = parent as usize;
                open[parent] -= 1;
                if open[parent] == 0 {
                    ready.push(parent);
                }
            }
        }

        if reached == open.len() {
            Ok(())
        } else {
            Err("its dependencies form a ring")
        }
    }
}

/// An index that no counter has, because there are fewer counters than jobs, and fewer jobs than
/// this.
const NO_COUNTER: u32 = u32::MAX;

/// The links of a checked plan, with its counters.
#[derive(Debug)]
pub(super) struct Links {
    nodes: Box<[Node]>,
    /// One counter per parent, padded so that two workers do not contend for the same cache line.
    counters: Vec<CachePadded<Countdown>>,
}

#[derive(Debug)]
struct Node {
    parent: Option<u32>,
    /// Index into `counters`, or `NO_COUNTER` for a leaf.
    counter: u32,
}

impl Links {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of jobs without children.
    pub(super) fn leaves(&self) -> usize {
        self.nodes
            .iter()
            .filter(|node| node.counter == NO_COUNTER)
            .count()
    }

    /// Returns whether the job exists and has no children.
    pub(super) fn is_leaf(&self, job: u32) -> bool {
        self.nodes
            .get(job as usize)
            .is_some_and(|node| node.counter == NO_COUNTER)
    }

    /// Counts the end of a job. Returns its parent if this was the last child; only this caller
    /// then continues with the parent.
    pub(super) fn count_end(&self, job: u32) -> Option<u32> {
        let parent = self.nodes[job as usize].parent?;
        let counter = self
            .counters
            .get(self.nodes[parent as usize].counter as usize)?;
        counter.end_one().then_some(parent)
    }
}
