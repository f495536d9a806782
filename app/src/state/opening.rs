//! Opening files of the user's. What they are is looked up before anything that is loaded makes room for them.

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::{AdapterFailure, MediaFailure, ModelFailure};
use protocol::{Failure, Outcome, Request};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File};

use super::Stores;
use super::engine::handle;
use super::models::{Choice, Inspection, ModelState};
use crate::{
    file_handles::OpenFile,
    language::{listed, t},
};

/// Bytes of a file in which it says whether it is an adapter.
const HEAD: f64 = 65_536.0;

impl Stores {
    /// Loads the model that these files make, or opens the adapters among them. What cannot be opened leaves everything as
    /// it is, and [`super::EngineStore::refused`] says why. Returns whether any file could be either. A model is remembered for
    /// later visits, where the browser can.
    pub fn open_files(self, files: Vec<OpenFile>) -> bool {
        self.engine.refused.set(None);
        self.adapters.failure.set(None);
        self.chat.attach_trouble.set(None);
        let is_gguf = |it: &OpenFile| it.file.name().to_lowercase().ends_with(".gguf");
        let (mut files, others): (Vec<_>, Vec<_>) = files.into_iter().partition(is_gguf);
        if !others.is_empty() {
            let names: Vec<_> = others.iter().map(|it| it.file.name()).collect();
            self.ui.toast(t().named(&listed(names), t().open_not_gguf()));
        }
        if files.is_empty() {
            return false;
        }
        // A projector or a drafter belongs to the model beside it, whichever was picked first.
        files.sort_by_key(|it| {
            let name = it.file.name().to_lowercase();
            ["mmproj", "assistant", "draft", "mtp"].iter().any(|word| name.contains(word))
        });
        self.engine.opening.set(true);
        spawn_local(async move {
            let (mut adapters, mut models) = (Vec::new(), Vec::new());
            for it in files {
                if is_adapter(&head(&it.file).await) { adapters.push(it.file) } else { models.push(it) }
            }
            if !adapters.is_empty() {
                self.open_adapters(adapters);
            }
            let opened = self.open_model(models.iter().map(|it| &it.file).collect()).await;
            self.engine.opening.set(false);
            match opened {
                Ok(Some(choice)) => {
                    self.chat.choose(choice.clone());
                    self.picked.keep(&choice.id, &models).await;
                }
                // A message may have been sent meanwhile.
                Ok(None) => self.chat.load_for_what_waits(),
                Err(failure) => {
                    self.engine.refused.set(Some(failure));
                    self.chat.load_for_what_waits();
                }
            }
        });
        true
    }

    fn open_adapters(self, files: Vec<File>) {
        if self.engine.model.with_untracked(ModelState::is_ready) {
            self.ui.toast(t().open_as_adapter());
            self.adapters.open_files(files);
        } else {
            let names = files.iter().map(File::name).collect();
            self.engine.refused.set(Some(AdapterFailure::NeedsModel { names }.into()));
        }
    }

    /// The model that these files make; none without files.
    async fn open_model(self, files: Vec<&File>) -> Result<Option<Choice>, Failure> {
        let described: Vec<_> = files.iter().map(|file| (file.name(), file.size() as u64)).collect();
        let Some(choice) = Choice::local(&described) else { return Ok(None) };
        if let Some(failure) = empty_file(&described) {
            return Err(failure.into());
        }
        let source = choice.source.clone();
        let handles = files.iter().copied().map(handle).collect();
        let able = self.engine.device.with_untracked(|device| device.as_ref().is_none_or(|it| it.available));
        let options = self.engine.load_options(&choice, 0);
        let inspect = Request::Inspect { source, options };
        let reply = if able { self.engine.request_with(handles, inspect) } else { None };
        let found = match reply {
            Some(reply) => reply.outcome().await,
            // Nothing can be loaded either, which is said where it is tried.
            None => None,
        };
        let known = match found {
            Some(Ok(Outcome::Inspected { details, verdict })) => Some(Inspection::Known { details, verdict }),
            Some(Err(failure)) => {
                let (name, failure) = (choice.entry.name, Box::new(failure));
                return Err(ModelFailure::NotOpened { name, failure }.into());
            }
            _ => None,
        };
        self.engine.add(choice.clone(), files.into_iter().map(handle).collect(), known);
        Ok(Some(choice))
    }
}

/// Names the first file, of those with these names and sizes, that has no bytes.
fn empty_file(described: &[(String, u64)]) -> Option<ModelFailure> {
    let (name, _) = described.iter().find(|(_, size)| *size == 0)?;
    let failure = Box::new(MediaFailure::EmptyFile.into());
    Some(ModelFailure::NotOpened { name: name.clone(), failure })
}

/// The beginning of a file; nothing where it cannot be read.
async fn head(file: &File) -> Vec<u8> {
    let part = file.slice_with_f64_and_f64(0.0, HEAD);
    let read = async { JsFuture::from(Blob::array_buffer(&part?)).await };
    read.await.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec()).unwrap_or_default()
}

/// Whether the header of a GGUF file has `general.type` = “adapter”, or a key that only adapters have.
fn is_adapter(head: &[u8]) -> bool {
    const TYPE: &[u8] = b"general.type\x08\0\0\0\x07\0\0\0\0\0\0\0adapter";
    const LORA: &[u8] = b"adapter.type\x08\0\0\0\x04\0\0\0\0\0\0\0lora";
    let has = |wanted: &[u8]| head.windows(wanted.len()).any(|window| window == wanted);
    head.starts_with(b"GGUF") && (has(TYPE) || has(LORA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_called_empty() {
        let described =
            |sizes: [u64; 2]| [("a.gguf".to_owned(), sizes[0]), ("mmproj.gguf".to_owned(), sizes[1])];
        assert_eq!(empty_file(&described([1, 1])), None);
        for (sizes, name) in [([0, 1], "a.gguf"), ([1, 0], "mmproj.gguf"), ([0, 0], "a.gguf")] {
            let failure = empty_file(&described(sizes)).expect("an empty file");
            let words = crate::failures::sentence(&failure.into());
            assert_eq!(words, format!("{name} can’t be opened. The file is empty."));
        }
    }

    #[test]
    fn an_adapter_says_so_in_its_header() {
        let adapter = include_bytes!("../../../frontend/engine/tests/golden/adapters/exported/adapter.gguf");
        assert!(is_adapter(&adapter[..4096]));
        let model = include_bytes!("../../../server/models/pebble.gguf");
        assert!(!is_adapter(&model[..65_536]));
        assert!(!is_adapter(b"GGUF"));
        assert!(!is_adapter(b""));
    }
}
