//! The files that the user gives: the examples, and the pictures and sounds that they name.

use std::mem;

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::MediaFailure;
use protocol::tune::ExampleFile;
use protocol::{Code, Content, Media, Sense, TokenBudget};
use send_wrapper::SendWrapper;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File};

use super::{ExampleOrigin, TuneStore, encoding};
use crate::history::AttachmentKey;
use crate::media::{decode, kind, kind::FileKind, picture};
use crate::state::media::{MAX_BYTES, blob_of};
use crate::{
    failures,
    language::{self, t},
};

/// Files of examples above this are not read: the page would hold them several times.
const MAX_TEXT: u64 = 32_000_000;

/// A picture or a sound that was given with examples.
#[derive(Clone, Debug)]
pub struct GivenFile {
    /// Its name.
    pub name: String,
    /// What it is, or why it cannot be used.
    pub sense: Result<Sense, MediaFailure>,
    key: AttachmentKey,
    /// In a form that the engine takes; `None` if there is no such form.
    blob: Option<SendWrapper<Blob>>,
}

impl PartialEq for GivenFile {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// Returns the files as the engine takes them, and their handles at the places that these name.
pub(super) fn as_sent(files: &[GivenFile], detail: TokenBudget) -> (Vec<ExampleFile>, Vec<Blob>) {
    let mut handles = Vec::new();
    let sent = files.iter().map(|file| {
        let media = Media { key: file.key.0, place: handles.len() as u32 };
        handles.extend(file.blob.as_ref().map(|blob| (**blob).clone()));
        let content = file.sense.clone().map_err(Code::from).map(|sense| match sense {
            Sense::Sight => Content::Image { media, budget: detail },
            Sense::Hearing => Content::Audio { media },
        });
        ExampleFile { name: file.name.clone(), content }
    });
    (sent.collect(), handles)
}

impl TuneStore {
    /// Takes files: one of examples, and pictures and sounds for them. They join those that were given before.
    pub fn take_files(self, files: Vec<File>) {
        self.origin.set(ExampleOrigin::Text);
        spawn_local(async move {
            for file in files {
                let name = file.name();
                self.reading_file.set(Some(t().attach_reading(&name)));
                match kind::of(&name, &file.type_()) {
                    FileKind::Other => self.take_text(&file).await,
                    FileKind::Model => self.ui.toast(t().tune_file_model(&name)),
                    kind => self.take_medium(file, kind).await,
                }
            }
            self.reading_file.set(None);
        });
    }

    /// Lets go of the pictures and sounds. It can be undone.
    pub fn drop_media(self) {
        let files = self.text.try_update(|source| mem::take(&mut source.files)).unwrap_or_default();
        self.ui.toast_with_undo(t().tune_removed(), move || {
            self.text.update(|source| {
                // What was given since stays.
                let is_gone = |file: &&GivenFile| source.files.iter().all(|it| it.name != file.name);
                let back: Vec<_> = files.iter().filter(is_gone).cloned().collect();
                source.files.extend(back);
            });
        });
    }

    /// Lets go of the text, and of the file that it is from. It can be undone.
    pub fn drop_text(self) {
        let taken = self.text.try_update(|source| {
            let encoding = mem::take(&mut source.encoding);
            (mem::take(&mut source.text), mem::take(&mut source.file), encoding, source.columns.take())
        });
        let Some(taken) = taken else { return };
        self.ui.toast_with_undo(t().tune_removed(), move || {
            self.text.update(|source| {
                // What was written since stays.
                if source.text.is_empty() {
                    (source.text, source.file, source.encoding, source.columns) = taken.clone();
                }
            });
        });
    }

    /// Deletes an example. It can be undone.
    pub fn drop_pair(self, index: usize) {
        let taken = self.pairs.try_update(|pairs| {
            let pair = (index < pairs.len()).then(|| pairs.remove(index));
            if pairs.is_empty() {
                pairs.push(Default::default());
            }
            pair
        });
        let Some(pair) = taken.flatten().filter(|pair| *pair != Default::default()) else { return };
        self.ui.toast_with_undo(t().tune_removed(), move || {
            self.pairs.update(|pairs| {
                if pairs.iter().all(|pair| *pair == Default::default()) {
                    pairs.clear();
                }
                pairs.insert(index.min(pairs.len()), pair.clone());
            });
        });
    }

    async fn take_text(self, file: &File) {
        let (name, size) = (file.name(), file.size() as u64);
        if size > MAX_TEXT {
            let why = failures::of(&MediaFailure::FileTooLarge { size, most: MAX_TEXT }.into());
            self.ui.toast(format!("{name}: {why}"));
            return;
        }
        let Some(bytes) = bytes_of(file).await else {
            self.ui.toast(format!("{name}: {}", t().media_unreadable()));
            return;
        };
        let Some((text, encoding)) = encoding::read(&bytes, &language::preferred()) else {
            self.ui.toast(t().tune_not_text(&name));
            return;
        };
        self.source_file.set_value(Some(SendWrapper::new(file.clone())));
        self.text.update(|source| {
            (source.text, source.file, source.encoding) = (text, name, encoding.to_owned());
            source.columns = None;
        });
    }

    /// Reads the file of the text again, in another encoding.
    pub fn read_as(self, encoding: String) {
        let Some(file) = self.source_file.get_value() else { return };
        spawn_local(async move {
            let text = bytes_of(&file).await.and_then(|bytes| encoding::decode(&bytes, &encoding, false));
            match text {
                Some(text) => self.text.update(|source| {
                    (source.text, source.encoding) = (text, encoding);
                    source.columns = None;
                }),
                None => self.ui.toast(t().named(&file.name(), t().media_unreadable())),
            }
        });
    }

    async fn take_medium(self, file: File, kind: FileKind) {
        let name = file.name();
        let (sense, blob) = match medium(&file, kind).await {
            Ok((sense, blob)) => (Ok(sense), Some(SendWrapper::new(blob))),
            Err(reason) => (Err(reason), None),
        };
        let given = GivenFile { name, sense, key: AttachmentKey::random(), blob };
        self.text.update(|source| {
            source.files.retain(|before| before.name != given.name);
            source.files.push(given);
        });
    }
}

async fn bytes_of(file: &File) -> Option<Vec<u8>> {
    let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
    Some(js_sys::Uint8Array::new(&buffer).to_vec())
}

/// A picture or a sound in a form that the engine takes.
async fn medium(file: &File, kind: FileKind) -> Result<(Sense, Blob), MediaFailure> {
    let size = file.size() as u64;
    if size == 0 {
        return Err(MediaFailure::EmptyFile);
    }
    if size > MAX_BYTES {
        return Err(MediaFailure::FileTooLarge { size, most: MAX_BYTES });
    }
    match kind {
        FileKind::Picture { readable: true } => Ok((Sense::Sight, Blob::clone(file))),
        FileKind::Picture { readable: false } => {
            let drawn = picture::as_png(file).await;
            Ok((Sense::Sight, drawn.ok_or(MediaFailure::NotDecoded(Sense::Sight))?))
        }
        FileKind::Sound => {
            let sound = decode::decode(file).await?;
            let blob = blob_of(&sound.wav.finish(), "audio/wav");
            Ok((Sense::Hearing, blob.ok_or(MediaFailure::OutOfMemory)?))
        }
        FileKind::Video | FileKind::Model | FileKind::Other => Err(MediaFailure::Neither),
    }
}
