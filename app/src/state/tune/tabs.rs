//! The other tabs of this page: what they keep and delete.

use leptos::prelude::*;
use protocol::TuneRequest;
use serde::{Deserialize, Serialize};

use super::TuneStore;
use crate::channel::{Channel, Subscription};
use crate::state::library;

/// What a tab has changed in what is kept.
#[derive(Debug, Serialize, Deserialize)]
enum TuneNews {
    /// An adapter was saved, or the run discarded.
    Listed,
    /// The adapter with this id was deleted.
    Deleted(String),
}

impl TuneNews {
    /// What a request changes once it is done.
    fn of(request: &TuneRequest) -> Option<Self> {
        match request {
            TuneRequest::Delete { id } => Some(Self::Deleted(id.clone())),
            TuneRequest::Keep { .. } | TuneRequest::Discard => Some(Self::Listed),
            _ => None,
        }
    }
}

/// The channel between the tabs.
#[derive(Clone, Copy, Default)]
pub(super) struct Tabs {
    channel: StoredValue<Option<Channel<TuneNews>>>,
    subscription: StoredValue<Option<Subscription>>,
}

impl Tabs {
    /// Sends the other tabs what a request has changed.
    pub fn announce(self, request: &TuneRequest) {
        if let Some(change) = TuneNews::of(request) {
            self.channel.with_value(|channel| {
                if let Some(channel) = channel {
                    channel.announce(&change);
                }
            });
        }
    }
}

impl TuneStore {
    /// Follows the other tabs. Called once, in the browser.
    pub fn watch_tabs(self) {
        let channel = Channel::open(&format!("{}-tune", library::name()));
        let subscription = channel.listen(move |change| {
            if let TuneNews::Deleted(id) = &change {
                self.opened.close_kept(id);
            }
            // Who has not asked yet, asks when the page of fine-tuning opens.
            if self.adapters.with_untracked(Option::is_some) {
                self.list();
            }
        });
        self.tabs.subscription.set_value(Some(subscription));
        self.tabs.channel.set_value(Some(channel));
    }
}
