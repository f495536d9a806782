//! Reading the disk, apart from the threads that serve.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{sync::Semaphore, task::spawn_blocking};

/// Reads at once. More would only wait for one another; and what a client that went away had asked for is at most
/// this much.
const AT_ONCE: usize = 64;

/// Bytes of a file that are read at once, and the most that one answer holds in memory besides the connection's own buffers.
pub const CHUNK: u64 = 1 << 18;
/// Most free buffers that are kept.
const SPARE: usize = 64;

/// A bounded number of threads that may wait for the disk, and buffers for what is read.
#[derive(Clone, Debug)]
pub struct Disk {
    permits: Arc<Semaphore>,
    spare: Spare,
}

/// Free buffers of [`CHUNK`] bytes. New ones would cost as much as the read, since the system zeroes their pages.
type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

impl Default for Disk {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)), spare: Spare::default() }
    }
}

impl Disk {
    /// Runs `work` where blocking is allowed. Before its turn has come, dropping the future takes it back.
    ///
    /// # Errors
    /// When `work` fails, or panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?;
        let work = move || {
            let _held = permit;
            work()
        };
        spawn_blocking(work).await.map_err(io::Error::other)?
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
        let disk = Disk { permits: Arc::new(Semaphore::new(1)), ..Disk::default() };
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
}
