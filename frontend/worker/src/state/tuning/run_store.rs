//! The one run that is kept, to continue after a pause, a closed tab or a lost device.
//!
//! Checkpoints go to two slots in turn: `0.weights` with all that the trainer needs to continue, `0.adapter` with the
//! adapter as a GGUF file, then `0.record`, which makes them valid. A tab that dies while it writes leaves the other
//! slot as it was. `examples` are written once, at the start, and `soft.…` ([`SoftTokenFiles`]) before it.

use std::rc::Rc;

use engine::media::{Block, Input, MediaError, Medium};
use engine::store::{Folder, StoreError};
use engine::tokenizer::SpecialTokens;
use engine::train::Example;
use protocol::tune::RunSummary;
use serde::{Deserialize, Serialize};

use super::soft_token_files::SoftTokenFiles;
use crate::state::sealed;

/// The folder of the run.
pub const FOLDER: &str = "training";
/// The file of its examples.
const EXAMPLES: &str = "examples";
/// Number of slots.
const SLOTS: u32 = 2;

/// Examples of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Examples {
    /// The run, by the time at which it was begun.
    pub run: f64,
    /// To learn from.
    pub train: Vec<KeptExample>,
    /// To evaluate with.
    pub evaluate: Vec<KeptExample>,
}

impl Examples {
    /// The pictures and sounds of all.
    fn media(&self) -> impl Iterator<Item = Medium> {
        self.train.iter().chain(&self.evaluate).flat_map(|example| example.media.iter().copied())
    }
}

/// One example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptExample {
    ids: Vec<u32>,
    labels: Vec<i32>,
    /// What its slots are filled with, in order.
    media: Vec<Medium>,
}

impl KeptExample {
    /// What is kept of an example.
    pub fn of(example: Example) -> Self {
        let media = example.blocks().iter().map(Block::medium).collect();
        Self { ids: example.ids().to_vec(), labels: example.labels, media }
    }

    /// The example as the trainer takes it.
    ///
    /// # Errors
    /// When its slots are not those of its media: it was made with another vocabulary.
    pub fn restore(&self, special: &SpecialTokens) -> Result<Example, MediaError> {
        let ids = self.ids.clone();
        // Slots without media are ids from the user's data.
        let input =
            if self.media.is_empty() { ids.into() } else { Input::with_media(ids, special, &self.media)? };
        Ok(Example { input, labels: self.labels.clone() })
    }
}

#[derive(Serialize, Deserialize)]
struct Record {
    /// Checkpoints of this run before this one.
    number: u64,
    /// Bytes of the weights.
    weights: u64,
    /// Bytes of the adapter.
    adapter: u64,
    /// The run.
    run: RunSummary,
}

/// A kept run.
pub struct Checkpoint {
    /// What it is.
    pub run: RunSummary,
    slot: u32,
    weights: u64,
    adapter: u64,
}

/// The place of the run.
pub struct RunStore {
    folder: Rc<dyn Folder>,
}

impl RunStore {
    /// In this folder.
    pub fn new(folder: Rc<dyn Folder>) -> Self {
        Self { folder }
    }

    /// Returns the kept run, if there is one.
    pub async fn last(&self) -> Result<Option<Checkpoint>, StoreError> {
        Ok(self.newest().await?.map(|(_, checkpoint)| checkpoint))
    }

    async fn newest(&self) -> Result<Option<(u64, Checkpoint)>, StoreError> {
        let mut newest = None;
        for slot in 0..SLOTS {
            let Some(record) = sealed::read::<Record>(&*self.folder, &record_name(slot)).await? else {
                continue;
            };
            let Record { number, weights, adapter, run } = record;
            if newest.as_ref().is_none_or(|(before, _)| number > *before) {
                newest = Some((number, Checkpoint { run, slot, weights, adapter }));
            }
        }
        Ok(newest)
    }

    /// Returns the trainer's part of a checkpoint; `None` if it is damaged.
    pub async fn weights(&self, checkpoint: &Checkpoint) -> Result<Option<Vec<u8>>, StoreError> {
        self.whole(&weights_name(checkpoint.slot), checkpoint.weights).await
    }

    /// Returns the adapter of a checkpoint as a GGUF file; `None` if it is damaged.
    pub async fn adapter(&self, checkpoint: &Checkpoint) -> Result<Option<Vec<u8>>, StoreError> {
        self.whole(&adapter_name(checkpoint.slot), checkpoint.adapter).await
    }

    async fn whole(&self, name: &str, len: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.folder.read(name).await?;
        Ok(bytes.filter(|bytes| bytes.len() as u64 == len))
    }

    /// Returns the examples of a run; `None` if those of another one are kept.
    pub async fn examples(&self, run: &RunSummary) -> Result<Option<Examples>, StoreError> {
        let examples = sealed::read::<Examples>(&*self.folder, EXAMPLES).await?;
        Ok(examples.filter(|examples| examples.run == run.begun))
    }

    /// Where it is.
    pub fn folder(&self) -> &Rc<dyn Folder> {
        &self.folder
    }

    /// Begins a run in place of the one before. The soft tokens of its examples are there already.
    pub async fn begin(&self, examples: &Examples) -> Result<(), StoreError> {
        self.clear_run().await?;
        SoftTokenFiles(Rc::clone(&self.folder)).keep_only(examples.media()).await?;
        sealed::write(&*self.folder, EXAMPLES, examples).await
    }

    /// Deletes the soft tokens that a start has left which came to nothing; those of the kept run stay.
    pub async fn tidy(&self) -> Result<(), StoreError> {
        let examples = sealed::read::<Examples>(&*self.folder, EXAMPLES).await?.unwrap_or_default();
        SoftTokenFiles(Rc::clone(&self.folder)).keep_only(examples.media()).await
    }

    /// Writes a checkpoint. The one before stays until this one is whole.
    pub async fn save(&self, run: &RunSummary, weights: &[u8], adapter: &[u8]) -> Result<(), StoreError> {
        let newest = self.newest().await?;
        let (number, slot) = newest.map_or((0, 0), |(number, last)| (number + 1, (last.slot + 1) % SLOTS));
        self.folder.remove(&record_name(slot)).await?;
        let names = [weights_name(slot), adapter_name(slot)];
        for (name, bytes) in names.iter().zip([weights, adapter]) {
            if let Err(error) = self.folder.write(name, bytes).await {
                // Half a checkpoint only takes room.
                for name in &names {
                    self.folder.remove(name).await.ok();
                }
                return Err(error);
            }
        }
        let (weights, adapter) = (weights.len() as u64, adapter.len() as u64);
        let record = Record { number, weights, adapter, run: run.clone() };
        sealed::write(&*self.folder, &record_name(slot), &record).await
    }

    /// Deletes the run.
    pub async fn clear(&self) -> Result<(), StoreError> {
        self.clear_run().await?;
        SoftTokenFiles(Rc::clone(&self.folder)).keep_only(std::iter::empty()).await
    }

    async fn clear_run(&self) -> Result<(), StoreError> {
        // Records first: without them nothing else counts.
        for slot in 0..SLOTS {
            self.folder.remove(&record_name(slot)).await?;
        }
        for slot in 0..SLOTS {
            self.folder.remove(&weights_name(slot)).await?;
            self.folder.remove(&adapter_name(slot)).await?;
        }
        self.folder.remove(EXAMPLES).await
    }
}

fn record_name(slot: u32) -> String {
    format!("{slot}.record")
}

fn adapter_name(slot: u32) -> String {
    format!("{slot}.adapter")
}

fn weights_name(slot: u32) -> String {
    format!("{slot}.weights")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use engine::bytes::LocalBoxFuture;
    use engine::store::MemoryFolder;
    use futures_util::FutureExt as _;
    use protocol::tune::TuneSettings;

    fn run(step: u32) -> RunSummary {
        RunSummary {
            name: "Ada".into(),
            model: "pebble".into(),
            step,
            steps: 10,
            saved: step,
            finished: false,
            begun: 7.0,
            settings: TuneSettings::default(),
            points: Vec::new(),
            samples: Vec::new(),
        }
    }

    fn now<T>(future: impl Future<Output = T>) -> T {
        future.now_or_never().expect("memory does not wait")
    }

    fn last(run_store: &RunStore) -> Option<(u32, Option<Vec<u8>>)> {
        let last = now(run_store.last()).expect("reads")?;
        let weights = now(run_store.weights(&last)).expect("reads");
        Some((last.run.step, weights))
    }

    #[test]
    fn the_newest_whole_checkpoint_counts() {
        let folder = Rc::new(MemoryFolder::default());
        let run_store = RunStore::new(folder.clone());
        assert_eq!(last(&run_store), None);
        now(run_store.begin(&Examples { run: 7.0, ..Examples::default() })).expect("begins");
        for step in 1..=3 {
            now(run_store.save(&run(step), &[step as u8; 8], b"adapter")).expect("saves");
            assert_eq!(last(&run_store), Some((step, Some(vec![step as u8; 8]))));
        }
        // A tab that died while it wrote the record, or before.
        folder.cut("0.record", 5);
        assert_eq!(last(&run_store), Some((2, Some(vec![2; 8]))));
        now(run_store.save(&run(4), &[4; 8], b"adapter")).expect("saves");
        assert_eq!(last(&run_store), Some((4, Some(vec![4; 8]))));
        folder.cut("0.weights", 3);
        assert_eq!(last(&run_store), Some((4, None)));
    }

    #[test]
    fn a_full_storage_leaves_the_last_checkpoint() {
        let folder = Rc::new(MemoryFolder::default());
        let run_store = RunStore::new(folder.clone());
        now(run_store.save(&run(1), &[1; 100], b"adapter")).expect("saves");
        folder.limit(2000);
        assert!(matches!(now(run_store.save(&run(2), &[2; 100], &[2; 4000])), Err(StoreError::Full { .. })));
        assert_eq!(last(&run_store), Some((1, Some(vec![1; 100]))));
    }

    /// A folder whose n-th operation fails: at once, or when half of it is done.
    struct Failing {
        folder: MemoryFolder,
        half: bool,
        /// Operations before the one that fails.
        left: Cell<usize>,
    }

    impl Failing {
        fn check(&self) -> Result<(), StoreError> {
            let left = self.left.get();
            self.left.set(left.checked_sub(1).unwrap_or(usize::MAX));
            if left == 0 { Err(StoreError::Failed { reason: "injected".into() }) } else { Ok(()) }
        }
    }

    impl Folder for Failing {
        fn read<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
            match self.check() {
                Ok(()) => self.folder.read(name),
                Err(error) => std::future::ready(Err(error)).boxed_local(),
            }
        }

        fn write<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> LocalBoxFuture<'a, Result<(), StoreError>> {
            let Err(error) = self.check() else { return self.folder.write(name, bytes) };
            if self.half {
                now(self.folder.write(name, &bytes[..bytes.len() / 2])).expect("memory");
            }
            std::future::ready(Err(error)).boxed_local()
        }

        fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), StoreError>> {
            match self.check() {
                Ok(()) => self.folder.remove(name),
                Err(error) => std::future::ready(Err(error)).boxed_local(),
            }
        }

        fn names(&self) -> LocalBoxFuture<'_, Result<Vec<String>, StoreError>> {
            self.folder.names()
        }
    }

    #[test]
    fn whatever_fails_a_whole_checkpoint_stays() {
        for half in [false, true] {
            for n in 0.. {
                let left = Cell::new(usize::MAX);
                let folder = Rc::new(Failing { folder: MemoryFolder::default(), half, left });
                let run_store = RunStore::new(folder.clone());
                for step in 1..=2 {
                    now(run_store.save(&run(step), &[step as u8; 8], b"adapter")).expect("saves");
                }
                folder.left.set(n);
                let saved = now(run_store.save(&run(3), &[3; 8], b"adapter"));
                let failed = folder.left.replace(usize::MAX) > n;
                let newest = if saved.is_ok() { 3 } else { 2 };
                assert_eq!(last(&run_store), Some((newest, Some(vec![newest as u8; 8]))), "operation {n}");
                if !failed {
                    assert!(saved.is_ok() && n > 4, "{n} operations");
                    break;
                }
            }
        }
    }

    #[test]
    fn examples_of_another_run_are_not_taken() {
        let run_store = RunStore::new(Rc::new(MemoryFolder::default()));
        let example = KeptExample::of(Example::text(vec![1, 2], vec![-100, 2]));
        let examples = Examples { run: 7.0, train: vec![example], evaluate: Vec::new() };
        now(run_store.begin(&examples)).expect("begins");
        assert_eq!(now(run_store.examples(&run(0))).expect("reads"), Some(examples));
        let other = RunSummary { begun: 8.0, ..run(0) };
        assert_eq!(now(run_store.examples(&other)).expect("reads"), None);
        now(run_store.clear()).expect("clears");
        assert_eq!(now(run_store.examples(&run(0))).expect("reads"), None);
    }
}
