//! What was open with a model is opened again with it, also after a reload.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, select};
use gloo_file::File;
use gloo_timers::future::TimeoutFuture;
use leptos::{leptos_dom::helpers::debounce, prelude::*, task::spawn_local};
use send_wrapper::SendWrapper;

use super::super::media::bytes;
use super::super::models::ModelState;
use super::{AdapterOrigin, AdapterStore};
use crate::history::{OpenedAdapter, OpenedFrom};

/// How long a change must rest before it is kept.
const REST: Duration = Duration::from_millis(400);
/// How long answers wait for a store that doesn't say which adapters were open, in milliseconds.
const PATIENCE_MS: u32 = 3_000;

impl AdapterStore {
    /// Keeps what changes. Called once, in the browser.
    pub(super) fn watch_opened(self) {
        let mut keep = debounce(REST, move |()| spawn_local(self.keep_opened()));
        Effect::new(move |_| {
            self.all.track();
            // One that is still being read is neither open nor closed.
            if self.model().is_some() && self.are_open() {
                keep(());
            }
        });
    }

    /// Whether all adapters of the loaded model are open that are to be. An answer waits for that.
    #[must_use]
    pub fn are_open(self) -> bool {
        self.opening.get() == 0 && self.restored.get() == self.model()
    }

    /// The model that is loaded.
    fn model(self) -> Option<String> {
        self.engine.model.with(|model| match model {
            ModelState::Ready { choice, .. } => Some(choice.id.0.clone()),
            _ => None,
        })
    }

    /// Opens what was open with the loaded model the last time, but for what is open.
    pub(super) async fn restore(self) {
        let Some(model) = untrack(|| self.model()) else { return };
        // What cannot be read counts as never opened.
        let opened = match self.library.store() {
            Some(store) => {
                let read = pin!(store.opened_adapters());
                match select(read, TimeoutFuture::new(PATIENCE_MS)).await {
                    Either::Left((opened, _)) => opened.unwrap_or_default(),
                    Either::Right(_) => Vec::new(),
                }
            }
            None => Vec::new(),
        };
        for adapter in opened.into_iter().filter(|it| it.model == model) {
            let known = self.origins.with_value(|origins| origins.contains_key(&adapter.key));
            if known {
                continue;
            }
            let origin = match adapter.from {
                OpenedFrom::Kept(id) => AdapterOrigin::Kept(id),
                OpenedFrom::Files(named) => {
                    let mut files = Vec::new();
                    for (name, key) in &named {
                        let Some(store) = self.library.store() else { break };
                        let Ok(Some(bytes)) = store.attachment(*key).await else { break };
                        files.push(web_sys::File::clone(File::new(name, bytes.as_slice()).as_ref()));
                    }
                    if files.len() < named.len() {
                        continue;
                    }
                    let kept = Some(named.into_iter().map(|(_, key)| key).collect());
                    AdapterOrigin::Files { files: SendWrapper::new(files), kept }
                }
            };
            if untrack(|| self.model()).as_ref() != Some(&model) {
                return;
            }
            self.open(adapter.key, origin, Some((adapter.on, adapter.scale)));
        }
        if untrack(|| self.model()).as_ref() == Some(&model) {
            self.restored.set(Some(model));
        }
    }

    /// Keeps which adapters are open with the loaded model, and their files.
    async fn keep_opened(self) {
        let (Some(model), Some(store)) = (untrack(|| self.model()), self.library.store()) else { return };
        if self.is_missing_some.get_value() {
            return;
        }
        let mut opened = Vec::new();
        for adapter in self.all.get_untracked().into_iter().filter(|adapter| !adapter.own) {
            let key = adapter.details.key;
            let Some(origin) = self.origins.with_value(|origins| origins.get(&key).cloned()) else {
                continue;
            };
            let from = match origin {
                AdapterOrigin::Kept(id) => OpenedFrom::Kept(id),
                AdapterOrigin::Files { files, kept } => {
                    let keys = match kept {
                        Some(keys) => keys,
                        None => {
                            let mut keys = Vec::new();
                            for file in files.iter() {
                                let Some(bytes) = bytes(file).await else { break };
                                let Some(kept) = self.library.report(store.put_attachment(bytes).await)
                                else {
                                    break;
                                };
                                keys.push(kept);
                            }
                            keys
                        }
                    };
                    if keys.len() < files.len() {
                        continue;
                    }
                    self.origins.update_value(|origins| {
                        if let Some(AdapterOrigin::Files { kept, .. }) = origins.get_mut(&key) {
                            *kept = Some(keys.clone());
                        }
                    });
                    OpenedFrom::Files(files.iter().map(web_sys::File::name).zip(keys).collect())
                }
            };
            opened.push(OpenedAdapter {
                model: model.clone(),
                key,
                on: adapter.on,
                scale: adapter.scale,
                from,
            });
        }
        self.library.report(store.set_opened_adapters(&model, opened).await);
    }
}
