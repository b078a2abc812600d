//! The cores of this machine, and how they are shared among submissions that run at the same time.
//!
//! A submission is graded against a clock on the wall. If it had to wait for a processor, it would
//! lose time through no fault of its own. So submissions that run at the same time never share a
//! processor: each may only use its own share.

use lab2048::parallel;

/// The cores that this process may use.
#[derive(Debug)]
pub(super) struct Cores {
    /// The processors of each core. Processors of one core (hyper-threading) slow each other down.
    cores: Vec<Vec<usize>>,
}

impl Cores {
    /// The cores of this machine.
    pub(super) fn of_machine() -> Cores {
        Cores::new(by_core(), parallel::cores())
    }

    /// `allowed` is the number of processors that may be busy at the same time. It is lower than
    /// the number of processors in a container with a limit on processor time.
    fn new(cores: Vec<Vec<usize>>, allowed: usize) -> Cores {
        let there = cores.iter().map(Vec::len).sum::<usize>();
        let mut cores: Vec<Vec<usize>> = cores.into_iter().take(allowed).collect();
        if there > allowed {
            let each = (allowed / cores.len().max(1)).max(1);
            cores.iter_mut().for_each(|core| core.truncate(each));
        }
        Cores { cores }
    }

    /// The number of processors: the maximum number of submissions at the same time.
    pub(super) fn processors(&self) -> usize {
        self.cores.iter().map(Vec::len).sum::<usize>().max(1)
    }

    /// How many submissions run at the same time by default: one for each core, except one core for
    /// the grader and everything else that runs on this machine.
    pub(super) fn default_jobs(&self) -> usize {
        self.cores.len().saturating_sub(1).max(1)
    }

    /// The processors of each of `jobs` submissions. All shares have the same number of cores. One
    /// core is left over if there are enough. Empty shares mean that all processors can be used.
    pub(super) fn shares(&self, jobs: usize) -> Vec<Vec<usize>> {
        if jobs < 2 {
            return vec![Vec::new()];
        }
        let single: Vec<Vec<usize>>;
        let units = match self.cores.len() {
            cores if jobs < cores => &self.cores[1..],
            cores if jobs == cores => &self.cores[..],
            _ => {
                single = self.cores.iter().flatten().map(|&one| vec![one]).collect();
                &single[..]
            }
        };
        let each = (units.len() / jobs).max(1);
        units.chunks(each).take(jobs).map(<[_]>::concat).collect()
    }
}

/// The processors that this process may use, grouped by core.
#[cfg(target_os = "linux")]
fn by_core() -> Vec<Vec<usize>> {
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;

    // On a machine with more processors than such a set holds, one submission runs at a time.
    let Ok(ours) = sched_getaffinity(Pid::from_raw(0)) else { return vec![vec![0]] };
    let processors = (0..CpuSet::count()).filter(|&one| ours.is_set(one) == Ok(true));
    let core_of = |processor: usize| {
        let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
        // If the system does not tell, every processor counts as a core.
        std::fs::read_to_string(path).unwrap_or_else(|_| processor.to_string())
    };
    let mut cores: Vec<(String, Vec<usize>)> = Vec::new();
    for processor in processors {
        let core = core_of(processor);
        match cores.iter_mut().find(|(name, _)| *name == core) {
            Some((_, processors)) => processors.push(processor),
            None => cores.push((core, vec![processor])),
        }
    }
    cores.into_iter().map(|(_, processors)| processors).collect()
}

#[cfg(not(target_os = "linux"))]
fn by_core() -> Vec<Vec<usize>> {
    (0..parallel::cores()).map(|processor| vec![processor]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with this number of cores, each with two processors.
    fn machine(cores: usize) -> Cores {
        Cores::new((0..cores).map(|core| vec![core, core + cores]).collect(), 2 * cores)
    }

    #[test]
    fn every_submission_has_a_core_and_the_grader_too() {
        for (cores, jobs) in [(1, 1), (2, 1), (4, 3), (16, 15)] {
            assert_eq!(machine(cores).default_jobs(), jobs, "{cores} cores");
        }
        assert_eq!(machine(4).shares(3), [[1, 5], [2, 6], [3, 7]]);
    }

    #[test]
    fn shares_are_equal_and_do_not_overlap() {
        for cores in 1..=9 {
            let machine = machine(cores);
            for jobs in 2..=machine.processors() {
                let shares = machine.shares(jobs);
                let all: Vec<usize> = shares.concat();
                let mut different = all.clone();
                different.sort_unstable();
                different.dedup();
                assert_eq!((shares.len(), different.len()), (jobs, all.len()), "{cores} cores");
                assert!(shares.iter().all(|share| share.len() == shares[0].len() && !share.is_empty()));
            }
            assert_eq!(machine.shares(1), [[0; 0]], "one submission may use everything");
        }
        assert_eq!(machine(2).shares(2), [[0, 2], [1, 3]], "the grader has no core of its own");
        assert_eq!(machine(5).shares(2), [[1, 6, 2, 7], [3, 8, 4, 9]]);
        assert_eq!(machine(2).shares(3), [[0], [2], [1]]);
    }

    #[test]
    fn a_limit_on_processor_time_counts_like_missing_processors() {
        let limited = Cores::new((0..8).map(|core| vec![core]).collect(), 2);
        assert_eq!((limited.processors(), limited.default_jobs()), (2, 1));
        assert_eq!(limited.shares(2), [[0], [1]]);
    }

    #[test]
    fn all_shares_together_hold_no_more_processors_than_allowed() {
        let cores = || (0..8).map(|core| vec![core, core + 8]).collect();
        for allowed in 1..=16 {
            let limited = Cores::new(cores(), allowed);
            assert!((1..=allowed).contains(&limited.processors()), "{allowed}");
            for jobs in 2..=limited.processors() {
                let shares = limited.shares(jobs);
                assert_eq!(shares.len(), jobs);
                assert!(shares.concat().len() <= allowed, "{allowed} allowed, {jobs} jobs: {shares:?}");
            }
        }
        assert_eq!(Cores::new(cores(), 4).shares(4), [[0], [1], [2], [3]]);
        let uneven = Cores::new(vec![vec![0, 2], vec![1]], 3);
        assert_eq!(uneven.processors(), 3, "without a limit nothing is left out");
    }

    #[test]
    fn this_machine_has_cores() {
        let cores = Cores::of_machine();
        assert!(cores.processors() >= cores.default_jobs() && cores.default_jobs() >= 1);
    }
}
