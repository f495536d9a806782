//! The soft tokens of a run's pictures and sounds: encoded once, before the first step, and kept beside the run.
//!
//! The towers learn nothing, so the soft tokens of a file are the same in every step. They lie in the browser's private
//! file system, one file for each medium under the hash of its content, and are read when a step comes to an example that
//! has them: of a run with thousands of pictures, the memory holds those of one example. So a run also continues after a
//! reload, when the user's files are out of reach.

use std::collections::HashSet;
use std::rc::Rc;

use engine::media::{ContentHash, Medium};
use engine::session::EngineError;
use engine::store::StoreError;
use protocol::Failure;
use protocol::failure::{StorageFailure, TrainingFailure};

use super::kept;
use crate::failure;
use crate::host::recovery::{self, Losses};
use crate::host::{Host, Ready, Slot};
use crate::media::{EncodeError, EncodeProgress, MediumOrigin, one};
use crate::state::tasks::Task;
use crate::state::tuning::{SoftTokenFiles, TuneStores};

/// Most bytes in the browser's storage: 1365 pictures of 256 tokens for a model of width 1536.
const MAX_STORED: u64 = 2 << 30;
/// Most bytes where the browser keeps no files, so that they lie in the worker's own memory.
const MAX_HELD: u64 = 256 << 20;

/// The media of all examples, each once, in the order in which they first come, and where their files are.
#[derive(Default)]
pub struct Sources {
    media: Vec<(Medium, MediumOrigin)>,
    seen: HashSet<ContentHash>,
}

impl Sources {
    /// Takes media of an example in.
    pub fn add(&mut self, media: impl IntoIterator<Item = (Medium, MediumOrigin)>) {
        for (medium, origin) in media {
            if self.seen.insert(medium.content) {
                self.media.push((medium, origin));
            }
        }
    }

    /// Bytes of their soft tokens for a model of this width.
    pub fn bytes(&self, width: u32) -> u64 {
        self.media.iter().map(|(medium, _)| 4 * u64::from(medium.tokens) * u64::from(width)).sum()
    }

    /// Why they cannot be kept, if so.
    pub fn obstacle(&self, width: u32, stores: &TuneStores) -> Option<Failure> {
        let in_memory = stores.fleeting.is_some();
        let most = if in_memory { MAX_HELD } else { MAX_STORED };
        let needed = self.bytes(width);
        (needed > most).then(|| TrainingFailure::TooMuchMedia { needed, most, in_memory }.into())
    }
}

/// Encodes all of them into files, on a new device if the old one is lost.
pub async fn encode(
    host: &Rc<Host>,
    slot: &mut Slot,
    (sources, handles): (&Sources, &[web_sys::Blob]),
    files: &SoftTokenFiles,
    task: &Task,
) -> Result<(), Failure> {
    let mut progress = EncodeProgress::new(host, task.id);
    let (mut done, mut losses) = (0, Losses::default());
    let count = sources.media.len();
    while let Some(&(medium, origin)) = sources.media.get(done) {
        let ready = recovery::ensure(host, slot, &task.cancel).await?;
        progress.next(done, count);
        let gpu = Rc::clone(&ready.gpu);
        let error = match rows(&mut progress, ready, medium, origin, handles, task).await {
            Ok(values) => {
                files.write(&medium, &values).await.map_err(|error| of_store(&error))?;
                done += 1;
                losses.reset();
                continue;
            }
            Err(EncodeError::Failure(failure)) => return Err(failure),
            Err(EncodeError::Engine(error)) => error,
        };
        losses.record(host, Some(slot), (&gpu, &error), |error| failure::of(error, None)).await?;
    }
    Ok(())
}

/// The soft tokens of a medium, `[tokens, width]`.
async fn rows(
    progress: &mut EncodeProgress<'_>,
    ready: &mut Ready,
    medium: Medium,
    origin: MediumOrigin,
    handles: &[web_sys::Blob],
    task: &Task,
) -> Result<Vec<f32>, EncodeError> {
    let rows = match ready.encoded.find(medium.content) {
        Some(rows) => rows,
        None => one(progress, ready, medium, origin, handles, &task.cancel).await?,
    };
    Ok(rows.read(&ready.gpu).await.map_err(EngineError::from)?)
}

fn of_store(error: &StoreError) -> Failure {
    match error {
        StoreError::Full { size, .. } => StorageFailure::MediaFull { bytes: *size }.into(),
        other => kept::of_store(other),
    }
}
