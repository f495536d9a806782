//! What was found out about packed products on this computer, so that a load need not time them again.
//!
//! One small JSON file. It only spares time: whatever is wrong with it, the products are timed again.

use std::collections::BTreeMap;

use engine::gpu::Gpu;
use engine::model::{LARGE, Products};
use engine::session::{Plan, Session};
use engine::store::{Folder, StoreError};
use serde::{Deserialize, Serialize};

use crate::device::AdapterNames;
use crate::host::Host;

/// The folder of what is known of devices.
pub const FOLDER: &str = "devices";
/// The file.
pub const FILE: &str = "packed.json";
/// Raised when a kernel of packed products, or the one beside it, becomes faster, slower or right.
pub const VERSION: u32 = 1;
/// Most choices that are kept.
const MOST: usize = 64;

/// What is known of the packed products of a model on an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// They are faster.
    Packed,
    /// They are not.
    Floats,
    /// They compute wrongly.
    SwitchedOff,
}

#[derive(Default, Serialize, Deserialize)]
struct File {
    version: u32,
    /// By adapter and products.
    choices: BTreeMap<String, Choice>,
}

/// What a choice is about: an adapter, and the products of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject(String);

impl Subject {
    /// The large products of a model on this device; none where it has none.
    #[must_use]
    pub fn new(gpu: &Gpu, names: &AdapterNames, plan: &Plan) -> Option<Self> {
        let products = plan.large_products();
        let AdapterNames { vendor, architecture, device, description, browser, .. } = names;
        // Another version of the browser may compile otherwise.
        let adapter = format!("{vendor}|{architecture}|{device}|{description}|{browser}|{}", gpu.identity());
        (!products.is_empty()).then(|| Self(format!("{adapter}: {}", products.join(", "))))
    }

    /// It as the file names it.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0
    }
}

/// Which products to load a model with.
pub(crate) async fn known(host: &Host, subject: &Subject) -> Products {
    let choice = async { look(&*host.platform.folder(FOLDER).await?, subject).await };
    match choice.await {
        Ok(Some(Choice::Packed)) => Products::Packed { least_rows: LARGE },
        Ok(Some(Choice::Floats | Choice::SwitchedOff)) => Products::Floats,
        Ok(None) | Err(_) => Products::Measured,
    }
}

/// Keeps what a load has found out by timing.
pub(crate) async fn learn(host: &Host, subject: &Subject, session: &Session) {
    if session.decoder().products_were_timed() {
        let packed = session.decoder().products() != Products::Floats;
        keep_for(host, subject, if packed { Choice::Packed } else { Choice::Floats }).await;
    }
}

/// Keeps that packed products compute wrongly.
pub(crate) async fn switch_off(host: &Host, subject: &Subject) {
    keep_for(host, subject, Choice::SwitchedOff).await;
}

async fn keep_for(host: &Host, subject: &Subject, choice: Choice) {
    let kept = async { keep(&*host.platform.folder(FOLDER).await?, subject, choice).await };
    // Where it cannot be kept, the next load times again.
    kept.await.ok();
}

async fn look(folder: &dyn Folder, subject: &Subject) -> Result<Option<Choice>, StoreError> {
    Ok(read(folder).await?.choices.get(subject.key()).copied())
}

async fn keep(folder: &dyn Folder, subject: &Subject, choice: Choice) -> Result<(), StoreError> {
    let mut file = read(folder).await?;
    file.version = VERSION;
    if file.choices.len() >= MOST && !file.choices.contains_key(subject.key()) {
        // What computes wrongly is worth more than what is faster.
        file.choices.retain(|_, choice| *choice == Choice::SwitchedOff);
    }
    file.choices.insert(subject.0.clone(), choice);
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
    use engine::store::MemoryFolder;
    use futures_util::FutureExt as _;

    use super::*;

    fn now<T>(future: impl Future<Output = Result<T, StoreError>>) -> T {
        future.now_or_never().expect("memory does not wait").expect("memory holds it")
    }

    fn subject(adapter: &str) -> Subject {
        Subject(format!("{adapter}: Q6_K 256x8192"))
    }

    #[test]
    fn a_choice_is_of_its_adapter() {
        let folder = MemoryFolder::default();
        assert_eq!(now(look(&folder, &subject("a"))), None);
        now(keep(&folder, &subject("a"), Choice::Packed));
        now(keep(&folder, &subject("b"), Choice::Floats));
        assert_eq!(now(look(&folder, &subject("a"))), Some(Choice::Packed));
        assert_eq!(now(look(&folder, &subject("b"))), Some(Choice::Floats));
        assert_eq!(now(look(&folder, &subject("c"))), None);
        now(keep(&folder, &subject("a"), Choice::SwitchedOff));
        assert_eq!(now(look(&folder, &subject("a"))), Some(Choice::SwitchedOff));
    }

    #[test]
    fn a_broken_or_older_file_is_none() {
        let folder = MemoryFolder::default();
        now(keep(&folder, &subject("a"), Choice::Packed));
        let bytes = now(folder.read(FILE)).expect("a file");
        let whole = String::from_utf8(bytes).expect("JSON");
        let older = whole.replace("\"version\":1", "\"version\":0");
        assert_ne!(older, whole);
        let unknown = whole.replace("packed", "folded");
        for text in [&whole[..whole.len() / 2], "", "[]", &older, &unknown] {
            now(folder.write(FILE, text.as_bytes()));
            assert_eq!(now(look(&folder, &subject("a"))), None, "{text}");
            // And it is written anew.
            now(keep(&folder, &subject("b"), Choice::Floats));
            assert_eq!(now(look(&folder, &subject("b"))), Some(Choice::Floats), "{text}");
        }
    }

    #[test]
    fn the_file_stays_small() {
        let folder = MemoryFolder::default();
        for i in 0..3 * MOST {
            now(keep(&folder, &subject(&i.to_string()), Choice::Floats));
            assert!(now(read(&folder)).choices.len() <= MOST);
            assert_eq!(now(look(&folder, &subject(&i.to_string()))), Some(Choice::Floats));
        }
    }
}
