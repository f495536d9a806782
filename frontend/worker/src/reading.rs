//! How fast experts are read on this computer, for an estimate before the next load.
//!
//! One small file, beside what is known of kernels. Where it is missing or broken, a usual speed is taken.

use std::time::Duration;

use engine::store::{Folder, StoreError};
use serde::{Deserialize, Serialize};

use crate::choices::FOLDER;
use crate::host::Host;

/// The file.
pub const FILE: &str = "reading.json";
/// Bytes a second where nothing was measured yet: less than the 1.4 GB/s of a native engine whose file is in memory already.
pub const USUAL: f64 = 1e9;
/// Bytes below which a measurement says more of waiting than of reading.
const ENOUGH: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
struct File {
    bytes_per_second: f64,
}

/// Bytes a second.
pub(crate) async fn speed(host: &Host) -> f64 {
    let read = async { look(&*host.platform.folder(FOLDER).await?).await };
    read.await.ok().flatten().unwrap_or(USUAL)
}

/// Keeps how long it took to read so many bytes.
pub(crate) async fn learn(host: &Host, bytes: u64, time: Duration) {
    if let Some(speed) = measured(bytes, time) {
        let kept = async { keep(&*host.platform.folder(FOLDER).await?, speed).await };
        // Where it cannot be kept, the next estimate is the usual one.
        kept.await.ok();
    }
}

fn measured(bytes: u64, time: Duration) -> Option<f64> {
    let speed = bytes as f64 / time.as_secs_f64();
    (bytes >= ENOUGH && speed.is_finite()).then_some(speed)
}

async fn look(folder: &dyn Folder) -> Result<Option<f64>, StoreError> {
    let bytes = folder.read(FILE).await?.unwrap_or_default();
    let speed = serde_json::from_slice::<File>(&bytes).ok().map(|file| file.bytes_per_second);
    Ok(speed.filter(|speed| speed.is_finite() && *speed > 0.0))
}

async fn keep(folder: &dyn Folder, bytes_per_second: f64) -> Result<(), StoreError> {
    let bytes = serde_json::to_vec(&File { bytes_per_second });
    let bytes = bytes.map_err(|error| StoreError::Failed { reason: error.to_string() })?;
    folder.write(FILE, &bytes).await
}

#[cfg(test)]
mod tests {
    use engine::store::MemoryFolder;
    use futures_util::FutureExt as _;

    use super::*;

    fn now<T>(future: impl Future<Output = Result<T, StoreError>>) -> T {
        future.now_or_never().expect("memory does not wait").expect("memory holds it")
    }

    #[test]
    fn a_speed_is_kept() {
        let folder = MemoryFolder::default();
        assert_eq!(now(look(&folder)), None);
        now(keep(&folder, 2.5e9));
        assert_eq!(now(look(&folder)), Some(2.5e9));
        for broken in ["", "{", "{\"bytes_per_second\":0.0}", "{\"bytes_per_second\":-1.0}"] {
            now(folder.write(FILE, broken.as_bytes()));
            assert_eq!(now(look(&folder)), None, "{broken}");
        }
    }

    #[test]
    fn few_bytes_are_no_measurement() {
        let second = Duration::from_secs(1);
        assert_eq!(measured(ENOUGH - 1, second), None);
        assert_eq!(measured(ENOUGH, 2 * second), Some(ENOUGH as f64 / 2.0));
        assert_eq!(measured(ENOUGH, Duration::ZERO), None);
    }
}
