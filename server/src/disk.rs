//! Reading the disk, apart from the threads that serve.

use std::{io, sync::Arc};

use tokio::{sync::Semaphore, task::spawn_blocking};

/// Reads at once. More would only wait for one another; and what a client that went away had asked for is at most
/// this much.
const AT_ONCE: usize = 64;

/// A bounded number of threads that may wait for the disk.
#[derive(Clone, Debug)]
pub struct Disk(Arc<Semaphore>);

impl Default for Disk {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
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
        let permit = Arc::clone(&self.0).acquire_owned().await.map_err(io::Error::other)?;
        let work = move || {
            let _held = permit;
            work()
        };
        spawn_blocking(work).await.map_err(io::Error::other)?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_not_begun() {
        let disk = Disk(Arc::new(Semaphore::new(1)));
        let begun = Arc::new(AtomicUsize::new(0));
        let held = disk.0.acquire().await.expect("a permit");
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
