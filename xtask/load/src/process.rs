//! What processes use, as Linux tells it in `/proc`.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// Time between two looks.
const OFTEN: Duration = Duration::from_millis(100);
/// Ticks of the processor's time in a second: the same on all Linux systems.
const TICKS: u64 = 100;

/// What processes used in a while.
#[derive(Clone, Debug, Default)]
pub struct Used {
    /// Time of processors.
    pub cpu: Duration,
    /// The most files and sockets that were open.
    pub files: usize,
    /// The most memory, in bytes.
    pub memory: u64,
}

/// Looks at processes, again and again.
pub struct Watch {
    ended: Arc<AtomicBool>,
    thread: JoinHandle<Used>,
}

impl Watch {
    /// Watches these processes and their children, together.
    pub fn new(ids: Vec<u32>) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let is_ended = Arc::clone(&ended);
        let thread = thread::spawn(move || {
            let mut used = Used::default();
            let before = look(&ids).cpu;
            loop {
                let is_last = is_ended.load(Ordering::Relaxed);
                let now = look(&ids);
                used.cpu = now.cpu.saturating_sub(before);
                used.files = used.files.max(now.files);
                used.memory = used.memory.max(now.memory);
                if is_last {
                    return used;
                }
                thread::sleep(OFTEN);
            }
        });
        Self { ended, thread }
    }

    /// What was used until now.
    pub fn end(self) -> Used {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

fn look(ids: &[u32]) -> Used {
    let mut used = Used::default();
    for id in ids {
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|id| id.parse().ok());
        for id in std::iter::once(*id).chain(children) {
            used.files += fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count);
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let resident = resident.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
            used.memory += resident.unwrap_or_default() * 1024;
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            // The name may have spaces in it; it ends with a parenthesis.
            let numbers = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
            let ticks: u64 = numbers.skip(11).take(2).filter_map(|number| number.parse::<u64>().ok()).sum();
            used.cpu += Duration::from_millis(ticks * 1000 / TICKS);
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_open_files() {
        let used = look(&[std::process::id()]);
        assert!(used.memory > 1 << 20 && used.files >= 3, "{used:?}");
    }
}
