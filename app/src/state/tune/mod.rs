//! Fine-tuning as the page sees it: examples, settings, the run, and the adapters that are kept.

mod draft;
mod encoding;
mod examples;
mod files;
mod resuming;
mod run;
mod tabs;

use leptos::{prelude::*, task::spawn_local};
use protocol::tune::{KeptAdapter, Preview, TunePlan, TuneSettings};
use protocol::{Failure, Outcome, Request, RequestId, TuneOutcome, TuneRequest};
use send_wrapper::SendWrapper;
use serde::{Deserialize, Serialize};

pub use encoding::ENCODINGS;
pub use examples::TextSource;
pub use resuming::{Resumption, resumption};
pub use run::RunPhase;

use super::{AdapterStore, ChatStore, EngineStore, Latest, Library, MediaStore, Ui};
use run::RunStore;
use tabs::Tabs;

use crate::{browser, failures, language::t, place::Place};

/// Where the examples come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ExampleOrigin {
    /// Typed into a table on the page.
    #[default]
    Pairs,
    /// A file, or text that was pasted.
    Text,
    /// The conversation that was last on screen.
    Chat,
}

/// What could not be done with what is kept, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptFailure {
    /// What was to be done.
    request: TuneRequest,
    /// Why it was not.
    pub failure: Failure,
}

impl KeptFailure {
    /// Whether it was to be done with the run, not with the adapters.
    #[must_use]
    pub fn is_of_run(&self) -> bool {
        matches!(self.request, TuneRequest::Discard | TuneRequest::Keep { .. })
    }
}

/// Fine-tuning.
#[derive(Clone, Copy)]
pub struct TuneStore {
    /// Where the examples come from.
    pub origin: RwSignal<ExampleOrigin>,
    /// The examples as text.
    pub text: RwSignal<TextSource>,
    /// The examples as questions and answers.
    pub pairs: RwSignal<Vec<(String, String)>>,
    /// How to train.
    pub settings: RwSignal<TuneSettings>,
    /// What would be learned; `None` while nothing was read.
    pub preview: RwSignal<Option<Preview>>,
    /// What it would cost.
    pub plan: RwSignal<Option<TunePlan>>,
    /// The file that is being read, in words; `None` while none is.
    pub reading_file: RwSignal<Option<String>>,
    /// Whether the examples are being read.
    pub reading: RwSignal<bool>,
    /// Why they could not be.
    pub unread: RwSignal<Option<Failure>>,
    /// The run.
    pub run: RunStore,
    /// The adapters that are kept; `None` until they were asked for.
    pub adapters: RwSignal<Option<Vec<KeptAdapter>>>,
    /// The adapter that was made of the last run; `None` once another run begins.
    pub saved: RwSignal<Option<KeptAdapter>>,
    /// What could not be done last with what is kept.
    pub kept_failure: RwSignal<Option<KeptFailure>>,
    tabs: Tabs,
    /// The adapters of the loaded model.
    opened: AdapterStore,
    changes: Latest,
    reading_request: StoredValue<Option<RequestId>>,
    /// The file of the text, to be read in another encoding.
    source_file: StoredValue<Option<SendWrapper<web_sys::File>>>,
    engine: EngineStore,
    library: Library,
    chat: ChatStore,
    media: MediaStore,
    ui: Ui,
}

impl TuneStore {
    /// Nothing yet.
    #[must_use]
    pub fn new(
        library: Library,
        engine: EngineStore,
        opened: AdapterStore,
        chat: ChatStore,
        media: MediaStore,
        ui: Ui,
    ) -> Self {
        Self {
            origin: RwSignal::default(),
            text: RwSignal::default(),
            pairs: RwSignal::new(vec![(String::new(), String::new())]),
            settings: RwSignal::new(TuneSettings::default()),
            preview: RwSignal::new(None),
            plan: RwSignal::new(None),
            reading_file: RwSignal::new(None),
            reading: RwSignal::new(false),
            unread: RwSignal::new(None),
            run: RunStore::default(),
            adapters: RwSignal::new(None),
            saved: RwSignal::new(None),
            kept_failure: RwSignal::new(None),
            tabs: Tabs::default(),
            opened,
            changes: Latest::default(),
            reading_request: StoredValue::new(None),
            source_file: StoredValue::new(None),
            engine,
            library,
            chat,
            media,
            ui,
        }
    }

    /// Asks what this browser keeps: a run that can go on, and adapters.
    pub fn list(self) {
        self.ask_kept(TuneRequest::List);
    }

    /// Deletes the kept run.
    pub fn discard(self) {
        self.ask_kept(TuneRequest::Discard);
    }

    /// Deletes an adapter, which no answer uses any more.
    pub fn delete(self, id: String) {
        self.opened.close_kept(&id);
        self.ask_kept(TuneRequest::Delete { id });
    }

    /// Makes an adapter of the finished run.
    pub fn keep(self, name: &str) {
        let name = name.trim().to_owned();
        if name.is_empty() {
            self.ui.toast(t().tune_name_first());
            return;
        }
        self.ask_kept(TuneRequest::Keep { name });
    }

    /// Saves an adapter as files.
    pub fn export(self, id: String, format: protocol::tune::ExportFormat) {
        self.ask_kept(TuneRequest::Export { id, format });
    }

    /// Tries again what could not be done.
    pub fn retry_kept(self) {
        if let Some(KeptFailure { request, .. }) = self.kept_failure.get_untracked() {
            self.ask_kept(request);
        }
    }

    fn ask_kept(self, request: TuneRequest) {
        if matches!(request, TuneRequest::Discard | TuneRequest::Keep { .. }) {
            self.run.forget_failures();
        }
        let Some(reply) = self.send(request.clone()) else { return };
        spawn_local(async move {
            match reply.outcome().await {
                Some(Ok(Outcome::Tune(outcome))) => {
                    self.kept_failure.set(None);
                    self.take_kept(*outcome);
                    if let TuneRequest::Keep { .. } = request {
                        self.show_saved();
                    }
                    self.tabs.announce(&request);
                }
                Some(Err(failure)) if !failure.is_cancelled() => {
                    // Nobody has asked for the list.
                    if request != TuneRequest::List {
                        self.ui.say(failures::sentence(&failure));
                    }
                    self.kept_failure.set(Some(KeptFailure { request, failure }));
                }
                _ => {}
            }
        });
    }

    /// Shows the adapter that was made last in the place of its run.
    fn show_saved(self) {
        let newest = self.adapters.with_untracked(|adapters| {
            adapters.iter().flatten().max_by(|a, b| a.made.total_cmp(&b.made)).cloned()
        });
        if let Some(adapter) = &newest {
            self.ui.say(t().tune_saved_as(&adapter.name));
        }
        self.saved.set(newest);
    }

    /// Opens an adapter in the chat, with the first question that it has learned where nothing is typed yet.
    pub fn use_in_chat(self, adapter: &KeptAdapter) {
        self.opened.open_kept(adapter);
        let question = self.pairs.with_untracked(|pairs| pairs.first().map(|(question, _)| question.clone()));
        let question = question.filter(|_| self.origin.get_untracked() == ExampleOrigin::Pairs);
        let open = self.chat.conversation.with_untracked(|it| (!it.is_empty()).then_some(it.id));
        if let (Some(question), true) = (question, self.chat.draft.with_untracked(String::is_empty)) {
            self.chat.set_draft(question);
        }
        self.ui.go(&Place::Chat(open).path());
    }

    fn take_kept(self, outcome: TuneOutcome) {
        match outcome {
            TuneOutcome::Kept { run, adapters, elsewhere } => {
                let is_gone = |saved: &KeptAdapter| adapters.iter().all(|it| it.id != saved.id);
                if self.saved.with_untracked(|saved| saved.as_ref().is_some_and(is_gone)) {
                    self.saved.set(None);
                }
                self.adapters.set(Some(adapters));
                if !self.run.is_active() {
                    self.run.show_kept(run, elsewhere);
                }
            }
            TuneOutcome::Files(files) => {
                for file in files {
                    browser::download_bytes(&file.name, &file.bytes);
                }
            }
            _ => {}
        }
    }

    fn send(self, request: TuneRequest) -> Option<crate::engine_client::Reply> {
        self.send_with(Vec::new(), request)
    }

    /// Sends a request with the handles of the pictures and sounds that it speaks of.
    fn send_with(
        self,
        handles: Vec<web_sys::Blob>,
        request: TuneRequest,
    ) -> Option<crate::engine_client::Reply> {
        self.engine.request_with(handles, Request::Tune(Box::new(request)))
    }
}
