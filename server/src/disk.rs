//! Reading the disk, apart from the threads that serve.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

/// Reads at once. More would only wait for one another; and what a client that went away had asked for is at most
/// this much.
const AT_ONCE: usize = 64;
/// Time for a read, and its turn, after which nobody waits for it any more: a disk in the network may never answer. A disk that
/// has to start first takes some seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for a turn after which reads count as stuck. Whoever checks a server's health waits for some seconds.
const STUCK: Duration = Duration::from_secs(3);

/// Bytes of a file that are read at once, and the most that one answer holds in memory besides the connection's own buffers.
pub const CHUNK: u64 = 1 << 18;
/// Most free buffers that are kept.
const SPARE: usize = 64;

/// A bounded number of threads that may wait for the disk, and buffers for what is read.
#[derive(Clone, Debug)]
pub struct Disk {
    permits: Arc<Semaphore>,
    spare: Spare,
    patience: Duration,
    stuck: Duration,
}

/// Free buffers of [`CHUNK`] bytes. New ones would cost as much as the read, since the system zeroes their pages.
type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

impl Default for Disk {
    fn default() -> Self {
        Self::of(AT_ONCE, PATIENCE, STUCK)
    }
}

impl Disk {
    /// So many reads at once, which have so much time each, and the time for a turn after which reads count as stuck.
    #[must_use]
    pub fn of(at_once: usize, patience: Duration, stuck: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(at_once)), spare: Spare::default(), patience, stuck }
    }

    /// Runs `work` where blocking is allowed. Before its turn has come, dropping the future takes it back. Work that doesn't end
    /// in time is left alone, and keeps its turn.
    ///
    /// # Errors
    /// When `work` fails, panics, or doesn't end in time.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let ended = async {
            let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?;
            let work = move || {
                let _held = permit;
                work()
            };
            spawn_blocking(work).await.map_err(io::Error::other)?
        };
        let late = || io::Error::new(io::ErrorKind::TimedOut, "the disk doesn't answer");
        timeout(self.patience, ended).await.map_err(|_| late())?
    }

    /// Whether all turns are taken by reads that don't end.
    pub async fn is_stuck(&self) -> bool {
        let turn = async { self.permits.acquire().await.is_ok() };
        timeout(self.stuck, turn).await.is_err()
    }

    /// A buffer of this length, with anything in it.
    #[must_use]
    pub fn buffer(&self, length: usize) -> Piece {
        let kept = (length == CHUNK as usize)
            .then(|| self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop())
            .flatten();
        Piece { bytes: kept.unwrap_or_else(|| vec![0; length]), spare: Arc::clone(&self.spare) }
    }
}

/// A buffer that another piece may use when this one is dropped.
#[derive(Debug)]
pub struct Piece {
    bytes: Vec<u8>,
    spare: Spare,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsMut<[u8]> for Piece {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.bytes.len() == CHUNK as usize {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            if spare.len() < SPARE {
                spare.push(std::mem::take(&mut self.bytes));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_not_begun() {
        let disk = Disk::of(1, PATIENCE, STUCK);
        let begun = Arc::new(AtomicUsize::new(0));
        let held = disk.permits.acquire().await.expect("a permit");
        for _ in 0..1000 {
            let begun = Arc::clone(&begun);
            let waiting = disk.run(move || Ok(begun.fetch_add(1, Ordering::Relaxed)));
            assert!(waiting.now_or_never().is_none(), "the only permit is taken");
        }
        drop(held);
        disk.run(|| Ok(())).await.expect("its turn");
        assert_eq!(begun.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_read_that_does_not_end_is_given_up_and_keeps_its_turn() {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let disk = Disk::of(1, Duration::from_millis(1), Duration::ZERO);
        assert!(!disk.is_stuck().await);
        let error = disk.run(move || ended.recv().map_err(io::Error::other)).await.expect_err("too late");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(disk.is_stuck().await);
        let error = disk.run(|| Ok(())).await.expect_err("there is no turn");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(end);
        let patient = Disk { stuck: PATIENCE, ..disk };
        assert!(!patient.is_stuck().await, "its turn is free again");
    }
}
