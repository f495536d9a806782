//! Bytes of attachments as the page needs them: handles to give to the engine, addresses to show.

use std::collections::HashMap;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Url};

use super::Library;
use crate::{
    failures,
    history::{Attachment, AttachmentKey},
    language::t,
};

/// Largest file that can be attached, in bytes.
pub const MAX_BYTES: u64 = 64_000_000;

/// The media of the conversations on screen.
#[derive(Clone, Copy)]
pub struct MediaStore {
    library: Library,
    held: StoredValue<HashMap<AttachmentKey, SendWrapper<Rc<Held>>>>,
}

/// A medium that is at hand.
struct Held {
    blob: Blob,
    url: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        // An address that was revoked already is no loss.
        Url::revoke_object_url(&self.url).ok();
    }
}

impl MediaStore {
    /// Nothing at hand.
    #[must_use]
    pub fn new(library: Library) -> Self {
        Self { library, held: StoredValue::new(HashMap::new()) }
    }

    /// Keeps bytes in the browser's store, and holds them at hand; those of a temporary conversation only the latter.
    ///
    /// # Errors
    /// Why they cannot be kept, in a sentence.
    pub async fn keep(self, blob: &Blob, temporary: bool) -> Result<AttachmentKey, String> {
        let bytes = bytes(blob).await.ok_or(t().media_unreadable())?;
        // A copy: the user's own file may change or go.
        let copy = blob_of(&bytes, &blob.type_()).ok_or(t().media_no_room())?;
        let key = if temporary {
            AttachmentKey::random()
        } else {
            let store = self.library.store().ok_or(t().store_closed())?;
            let put = store.put_attachment(bytes).await;
            put.map_err(|error| t().media_not_attached(&failures::store(&error)))?
        };
        self.hold(key, &copy);
        Ok(key)
    }

    /// Returns the handle of an attachment's bytes; `None` if they are not in this browser any more.
    pub async fn blob(self, attachment: &Attachment) -> Option<Blob> {
        self.held(attachment).await.map(|held| held.blob.clone())
    }

    /// Returns an address of an attachment for this page; `None` if it is not in this browser any more.
    pub async fn url(self, attachment: &Attachment) -> Option<String> {
        self.held(attachment).await.map(|held| held.url.clone())
    }

    /// Returns the bytes of an attachment; `None` if they are not in this browser any more.
    pub async fn bytes(self, attachment: &Attachment) -> Option<Vec<u8>> {
        bytes(&self.blob(attachment).await?).await
    }

    /// Lets go of all but these.
    pub fn hold_only(self, keys: &[AttachmentKey]) {
        self.held.update_value(|held| held.retain(|key, _| keys.contains(key)));
    }

    async fn held(self, attachment: &Attachment) -> Option<Rc<Held>> {
        if let Some(held) = self.at_hand(attachment.key) {
            return Some(held);
        }
        let store = self.library.store()?;
        // What cannot be read is shown as missing, which is all that the user can know of it.
        let bytes = store.attachment(attachment.key).await.ok().flatten()?;
        self.hold(attachment.key, &blob_of(&bytes, &attachment.mime)?);
        self.at_hand(attachment.key)
    }

    fn at_hand(self, key: AttachmentKey) -> Option<Rc<Held>> {
        self.held.with_value(|held| held.get(&key).map(|held| Rc::clone(&**held)))
    }

    fn hold(self, key: AttachmentKey, blob: &Blob) {
        let Ok(url) = Url::create_object_url_with_blob(blob) else { return };
        let held = SendWrapper::new(Rc::new(Held { blob: blob.clone(), url }));
        self.held.update_value(|all| {
            all.insert(key, held);
        });
    }
}

/// Returns a handle to bytes.
#[must_use]
pub fn blob_of(bytes: &[u8], mime: &str) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(bytes)), &options).ok()
}

/// Returns the bytes behind a handle; `None` if they cannot be read.
pub async fn bytes(blob: &Blob) -> Option<Vec<u8>> {
    let buffer = JsFuture::from(blob.array_buffer()).await.ok()?;
    Some(Uint8Array::new(buffer.unchecked_ref()).to_vec())
}
