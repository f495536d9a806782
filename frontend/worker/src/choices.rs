//! Remembers about kernels on this computer which packed products are faster and which kernels compute correctly.
//!
//! One small JSON file. It only spares time: whatever is wrong with it, products are timed and kernels tried again.
//!
//! The key of a measurement is the adapter as the browser names it, with the shapes of the model's large products.

use std::collections::{BTreeMap, BTreeSet};

use engine::model::{FormChoice, Forms, LARGE, Products};
use engine::session::Session;
use engine::store::{Folder, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use shaders::Source;

use crate::host::Host;
pub use crate::state::subject::{Adapter, Subject};

/// The folder of what is known of devices.
pub const FOLDER: &str = "devices";
/// The file.
pub const FILE: &str = "packed.json";
/// Raised when a kernel of packed products, or the one beside it, becomes faster, slower or right.
pub const VERSION: u32 = 4;
/// Maximum number of remembered choices.
const MAX_CHOICES: usize = 64;
/// Maximum number of adapters whose kernels are remembered.
const MAX_ADAPTERS: usize = 8;
/// Maximum number of remembered kernels of an adapter.
const MAX_SOUND: usize = 1000;

/// What is known of the packed products of a model on an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// They are faster, fused with what precedes them.
    Packed,
    /// They are faster, and not fused.
    Unfused,
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
    /// By adapter and products: the forms that are the fastest.
    #[serde(default)]
    forms: BTreeMap<String, Forms>,
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

/// Which products to load a model with, and in which forms.
pub(crate) async fn known(host: &Host, subject: &Subject) -> (Products, FormChoice) {
    let choice = async { look(&*host.platform.folder(FOLDER).await?, subject).await };
    let (choice, forms) = match choice.await {
        Ok(Some(known)) => known,
        Ok(None) | Err(_) => return (Products::Measured, FormChoice::Measured),
    };
    let products = match choice {
        Choice::Packed => Products::Packed { least_rows: LARGE },
        Choice::Unfused => Products::Unfused { packed: true },
        Choice::Floats | Choice::SwitchedOff => Products::Floats,
    };
    (products, FormChoice::Known(forms))
}

/// Keeps what a load has found out by timing.
pub(crate) async fn learn(host: &Host, subject: &Subject, session: &Session) {
    if session.decoder().products_were_timed() {
        let choice = match session.decoder().products() {
            Products::Packed { .. } => Choice::Packed,
            Products::Unfused { packed: true } => Choice::Unfused,
            Products::Floats | Products::Unfused { packed: false } | Products::Measured => Choice::Floats,
        };
        keep_for(host, subject, choice, session.decoder().forms_of_products()).await;
    }
}

/// Keeps that packed products compute wrongly.
pub(crate) async fn switch_off(host: &Host, subject: &Subject) {
    keep_for(host, subject, Choice::SwitchedOff, Forms::USUAL).await;
}

async fn keep_for(host: &Host, subject: &Subject, choice: Choice, forms: Forms) {
    let kept = async { keep(&*host.platform.folder(FOLDER).await?, subject, choice, forms).await };
    // Where it cannot be kept, the next load times again.
    kept.await.ok();
}

async fn look(folder: &dyn Folder, subject: &Subject) -> Result<Option<(Choice, Forms)>, StoreError> {
    let file = read(folder).await?;
    let forms = file.forms.get(subject.key()).copied().unwrap_or_default();
    Ok(file.choices.get(subject.key()).map(|choice| (*choice, forms)))
}

async fn keep(
    folder: &dyn Folder,
    subject: &Subject,
    choice: Choice,
    forms: Forms,
) -> Result<(), StoreError> {
    let mut file = read(folder).await?;
    if file.choices.len() >= MAX_CHOICES && !file.choices.contains_key(subject.key()) {
        // What computes wrongly is worth more than what is faster.
        file.choices.retain(|_, choice| *choice == Choice::SwitchedOff);
        file.forms.clear();
    }
    file.forms.insert(subject.0.clone(), forms);
    file.choices.insert(subject.0.clone(), choice);
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
    use engine::store::MemoryFolder;
    use futures_util::FutureExt as _;

    use super::*;

    fn now<T>(future: impl Future<Output = Result<T, StoreError>>) -> T {
        future.now_or_never().expect("memory does not wait").expect("memory holds it")
    }

    const USUAL: Forms = Forms::USUAL;

    #[test]
    fn forms_are_kept_with_the_choice() {
        let folder = MemoryFolder::default();
        let forms: Forms = serde_json::from_str("[1,0,2,1]").expect("numbers");
        now(keep(&folder, &subject("a"), Choice::Packed, forms));
        assert_eq!(now(look(&folder, &subject("a"))), Some((Choice::Packed, forms)));
        assert_eq!(now(look(&folder, &subject("b"))), None);
    }

    fn subject(adapter: &str) -> Subject {
        Subject(format!("{adapter}: Q6_K 256x8192"))
    }

    #[test]
    fn a_choice_is_of_its_adapter() {
        let folder = MemoryFolder::default();
        assert_eq!(now(look(&folder, &subject("a"))), None);
        now(keep(&folder, &subject("a"), Choice::Packed, USUAL));
        now(keep(&folder, &subject("b"), Choice::Floats, USUAL));
        assert_eq!(now(look(&folder, &subject("a"))), Some((Choice::Packed, USUAL)));
        assert_eq!(now(look(&folder, &subject("b"))), Some((Choice::Floats, USUAL)));
        assert_eq!(now(look(&folder, &subject("c"))), None);
        now(keep(&folder, &subject("a"), Choice::SwitchedOff, USUAL));
        assert_eq!(now(look(&folder, &subject("a"))), Some((Choice::SwitchedOff, USUAL)));
    }

    #[test]
    fn a_broken_or_older_file_is_none() {
        let folder = MemoryFolder::default();
        now(keep(&folder, &subject("a"), Choice::Packed, USUAL));
        let bytes = now(folder.read(FILE)).expect("a file");
        let whole = String::from_utf8(bytes).expect("JSON");
        let older = whole.replace(&format!("\"version\":{VERSION}"), &format!("\"version\":{}", VERSION - 1));
        assert_ne!(older, whole);
        let unknown = whole.replace("packed", "folded");
        for text in [&whole[..whole.len() / 2], "", "[]", &older, &unknown] {
            now(folder.write(FILE, text.as_bytes()));
            assert_eq!(now(look(&folder, &subject("a"))), None, "{text}");
            // And it is written anew.
            now(keep(&folder, &subject("b"), Choice::Floats, USUAL));
            assert_eq!(now(look(&folder, &subject("b"))), Some((Choice::Floats, USUAL)), "{text}");
        }
    }

    #[test]
    fn the_file_stays_small() {
        let folder = MemoryFolder::default();
        for i in 0..3 * MAX_CHOICES {
            now(keep(&folder, &subject(&i.to_string()), Choice::Floats, USUAL));
            assert!(now(read(&folder)).choices.len() <= MAX_CHOICES);
            assert_eq!(now(look(&folder, &subject(&i.to_string()))), Some((Choice::Floats, USUAL)));
        }
    }
}
