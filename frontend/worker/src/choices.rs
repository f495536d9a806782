//! Remembers what was measured on this computer: which tuning of a model is the fastest, and which kernels compute correctly.
//!
//! One small JSON file. It only spares time: whatever is wrong with it, products are timed and kernels tried again.
//!
//! The key of a measurement is the adapter as the browser names it, with the shapes of the model's large products.

use std::collections::{BTreeMap, BTreeSet};

use engine::model::Tuning;
use engine::session::Session;
use engine::store::{Folder, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use shaders::Source;

use crate::host::Host;
pub use crate::state::subject::{Adapter, FOLDER, Subject};

/// The file.
pub const FILE: &str = "packed.json";
/// Raised when a kernel of packed products, or the one beside it, becomes faster, slower or right.
pub const VERSION: u32 = 6;
/// Maximum number of remembered tunings.
const MAX_TUNINGS: usize = 64;
/// Maximum number of adapters whose kernels are remembered.
const MAX_ADAPTERS: usize = 8;
/// Maximum number of remembered kernels of an adapter.
const MAX_SOUND: usize = 1000;

/// How a model computes products on an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Known {
    /// Products of decode.
    pub tuning: Tuning,
    /// Whether rows of prompts are rounded to int8.
    pub packs_prompts: bool,
    /// Whether it is in floats because packed products compute wrongly.
    packed_is_wrong: bool,
}

#[derive(Default, Serialize, Deserialize)]
struct File {
    version: u32,
    /// By adapter and products.
    tunings: BTreeMap<String, Known>,
    /// By adapter: the kernels that were found right there, by their texts.
    #[serde(default)]
    sound: BTreeMap<String, BTreeSet<String>>,
}

/// A kernel in a few letters: its name, and a digest of its text, so that a changed kernel is another one.
pub(crate) fn text_key(source: &Source) -> String {
    let digest = Sha256::digest(source.wgsl.as_bytes());
    let digest: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{} {digest}", source.name)
}

/// The kernels that were found right on an adapter.
pub(crate) async fn sound(host: &Host, adapter: &Adapter) -> BTreeSet<String> {
    let read = async { read(&*host.platform.folder(FOLDER).await?).await };
    let file: Result<File, StoreError> = read.await;
    file.ok().and_then(|mut file| file.sound.remove(&adapter.0)).unwrap_or_default()
}

/// Keeps which kernels are right on an adapter.
pub(crate) async fn keep_sound(host: &Host, adapter: &Adapter, kernels: &BTreeSet<String>) {
    let keep = async {
        let folder = host.platform.folder(FOLDER).await?;
        let mut file = read(&*folder).await?;
        if file.sound.get(&adapter.0) == Some(kernels) {
            return Ok(());
        }
        if file.sound.len() >= MAX_ADAPTERS && !file.sound.contains_key(&adapter.0) {
            file.sound.clear();
        }
        // Of many models, some kernels are tried again.
        let kept = kernels.iter().take(MAX_SOUND).cloned().collect();
        file.sound.insert(adapter.0.clone(), kept);
        write(&*folder, file).await
    };
    let kept: Result<(), StoreError> = keep.await;
    // Where it cannot be kept, the next load tries them again.
    kept.ok();
}

/// Returns how to load a model; `None` if that is to be measured.
pub(crate) async fn known(host: &Host, subject: &Subject) -> Option<Known> {
    let known = async { look(&*host.platform.folder(FOLDER).await?, subject).await };
    known.await.ok()?
}

/// Keeps what a load has found by timing.
pub(crate) async fn learn(host: &Host, subject: &Subject, session: &Session) {
    if session.decoder().was_timed() {
        let (tuning, packs_prompts) = (session.decoder().tuning(), session.packs_prompts());
        keep_for(host, subject, Known { tuning, packs_prompts, packed_is_wrong: false }).await;
    }
}

/// Keeps that packed products compute wrongly.
pub(crate) async fn switch_off(host: &Host, subject: &Subject) {
    let known = Known { tuning: Tuning::FLOATS, packs_prompts: false, packed_is_wrong: true };
    keep_for(host, subject, known).await;
}

async fn keep_for(host: &Host, subject: &Subject, known: Known) {
    let kept = async { keep(&*host.platform.folder(FOLDER).await?, subject, known).await };
    // Where it cannot be kept, the next load times again.
    kept.await.ok();
}

async fn look(folder: &dyn Folder, subject: &Subject) -> Result<Option<Known>, StoreError> {
    Ok(read(folder).await?.tunings.get(subject.key()).copied())
}

async fn keep(folder: &dyn Folder, subject: &Subject, known: Known) -> Result<(), StoreError> {
    let mut file = read(folder).await?;
    if file.tunings.len() >= MAX_TUNINGS && !file.tunings.contains_key(subject.key()) {
        // What computes wrongly is worth more than what is faster.
        file.tunings.retain(|_, known| known.packed_is_wrong);
    }
    file.tunings.insert(subject.0.clone(), known);
    write(folder, file).await
}

async fn write(folder: &dyn Folder, file: File) -> Result<(), StoreError> {
    let file = File { version: VERSION, ..file };
    let bytes = serde_json::to_vec(&file);
    let bytes = bytes.map_err(|error| StoreError::Failed { reason: error.to_string() })?;
    folder.write(FILE, &bytes).await
}

/// The file; an empty one where it is missing, broken or of another version.
async fn read(folder: &dyn Folder) -> Result<File, StoreError> {
    let bytes = folder.read(FILE).await?.unwrap_or_default();
    let file: File = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(if file.version == VERSION { file } else { File::default() })
}

#[cfg(test)]
mod tests {
    use engine::model::LARGE;
    use engine::store::MemoryFolder;
    use futures_util::FutureExt as _;

    use super::*;

    fn now<T>(future: impl Future<Output = Result<T, StoreError>>) -> T {
        future.now_or_never().expect("memory does not wait").expect("memory holds it")
    }

    const FLOATS: Known = Known { tuning: Tuning::FLOATS, packs_prompts: false, packed_is_wrong: false };
    const PACKED: Known = Known { tuning: Tuning { forms: [1, 0, 2, 1], ..Tuning::packed(LARGE) }, ..FLOATS };

    fn subject(adapter: &str) -> Subject {
        Subject(format!("{adapter}: Q6_K 256x8192"))
    }

    #[test]
    fn a_tuning_is_of_its_adapter() {
        let folder = MemoryFolder::default();
        assert_eq!(now(look(&folder, &subject("a"))), None);
        now(keep(&folder, &subject("a"), PACKED));
        now(keep(&folder, &subject("b"), FLOATS));
        assert_eq!(now(look(&folder, &subject("a"))), Some(PACKED));
        assert_eq!(now(look(&folder, &subject("b"))), Some(FLOATS));
        assert_eq!(now(look(&folder, &subject("c"))), None);
        let wrong = Known { packed_is_wrong: true, ..FLOATS };
        now(keep(&folder, &subject("a"), wrong));
        assert_eq!(now(look(&folder, &subject("a"))), Some(wrong));
    }

    #[test]
    fn a_broken_or_older_file_is_none() {
        let folder = MemoryFolder::default();
        now(keep(&folder, &subject("a"), PACKED));
        let bytes = now(folder.read(FILE)).expect("a file");
        let whole = String::from_utf8(bytes).expect("JSON");
        let older = whole.replace(&format!("\"version\":{VERSION}"), &format!("\"version\":{}", VERSION - 1));
        assert_ne!(older, whole);
        let unknown = whole.replace("unfused", "unfolded");
        // As version 4 wrote it.
        let choices = r#"{"version":4,"choices":{"a: Q6_K 256x8192":"packed"},"forms":{},"sound":{}}"#;
        for text in [&whole[..whole.len() / 2], "", "[]", &older, &unknown, choices] {
            now(folder.write(FILE, text.as_bytes()));
            assert_eq!(now(look(&folder, &subject("a"))), None, "{text}");
            // And it is written anew.
            now(keep(&folder, &subject("b"), FLOATS));
            assert_eq!(now(look(&folder, &subject("b"))), Some(FLOATS), "{text}");
        }
    }

    #[test]
    fn the_file_stays_small() {
        let folder = MemoryFolder::default();
        for i in 0..3 * MAX_TUNINGS {
            now(keep(&folder, &subject(&i.to_string()), FLOATS));
            assert!(now(read(&folder)).tunings.len() <= MAX_TUNINGS);
            assert_eq!(now(look(&folder, &subject(&i.to_string()))), Some(FLOATS));
        }
    }
}
