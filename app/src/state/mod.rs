//! The page's state: one store a subject, each a bundle of signals that lives in the context.

pub mod adapters;
pub mod answer;
pub mod chat;
pub mod choosing;
pub mod documents;
pub mod engine;
mod finding;
mod inspecting;
pub mod kept_caches;
mod latest;
mod library;
pub mod mcp;
pub mod measuring;
pub mod media;
pub mod models;
mod opening;
mod page_cache;
mod picked;
pub mod presets;
mod pulling;
pub mod recording;
mod selection;
pub mod settings;
mod sharing;
pub mod tune;
mod ui;
pub mod voice;

use leptos::{prelude::*, task::spawn_local};

pub use adapters::AdapterStore;
pub use chat::ChatStore;
pub use documents::DocumentStore;
pub use engine::EngineStore;
pub use finding::FindStore;
pub use latest::Latest;
pub use library::Library;
pub use mcp::McpStore;
pub use media::MediaStore;
pub use picked::PickedStore;
pub use presets::PresetStore;
pub use pulling::PullStore;
pub use recording::RecordingStore;
pub(crate) use recording::fetch as fetch_recording;
pub use selection::SelectionStore;
pub use settings::SettingsStore;
pub use tune::TuneStore;
pub use ui::{CodedPlace, Destination, FolderDialog, Layer, NamedDialog, Origin, Toast, ToastAction, Ui};
pub use voice::VoiceStore;
pub(crate) use voice::fetch as fetch_voice;

use engine::EnginePhase;
use library::Elsewhere;
use models::ModelState;

use crate::browser;

/// Puts the stores into the context, and starts them when this runs in a browser.
pub fn provide_stores() {
    let ui = Ui::default();
    let library = Library::default();
    let settings = SettingsStore::new(library);
    let engine = EngineStore::new(settings, ui);
    let media = MediaStore::new(library);
    let adapters = AdapterStore::new(engine, library);
    let documents = DocumentStore::new(media);
    let chat = ChatStore::new(library, settings, engine, adapters, media, documents, ui);
    let recording = RecordingStore::new(chat, engine, ui);
    provide_context(ui);
    provide_context(library);
    provide_context(settings);
    provide_context(engine);
    let pulls = PullStore::new(engine);
    provide_context(pulls);
    let picked = PickedStore::new(library);
    provide_context(picked);
    provide_context(adapters);
    provide_context(media);
    provide_context(documents);
    provide_context(chat);
    provide_context(chat.mcp);
    provide_context(FindStore::default());
    provide_context(PresetStore::default());
    provide_context(SelectionStore::default());
    provide_context(recording);
    let voice = VoiceStore::new(chat, library, settings, engine, ui);
    provide_context(voice);
    let tune = TuneStore::new(library, engine, adapters, chat, media, ui);
    provide_context(tune);

    // Effects run in the browser alone.
    Effect::new(move |_| {
        engine.start();
        pulls.read();
        spawn_local(async move {
            library.open().await;
            settings.read().await;
            // At once: between the two there is no model that a message could be sent to.
            engine.select_preferred();
            chat.mcp.read().await;
        });
        spawn_local(picked.open());
        tune.watch_tabs();
        chat.watch_leaving();
        recording.watch_leaving();
        voice.watch_answers();
    });
    Effect::new(move |_| {
        let theme = settings.value.with(|settings| settings.theme);
        if settings.known.get() {
            browser::set_theme(theme.attribute());
        }
    });
    library.listen(move |what| match what {
        Elsewhere::Saved(id) => chat.open_again(id),
        Elsewhere::Deleted(lost) => chat.lose(*lost),
        Elsewhere::SettingsChanged => spawn_local(async move {
            settings.read().await;
            chat.mcp.read().await;
        }),
    });
    adapters.watch_model();
    engine.watch_answers(adapters);
    engine.watch_kept_caches();
    chat.watch_model();
    chat.watch_tools();
    chat.watch_prompt_size();
    tune.watch();
    chat.watch_tabs();
    chat.watch_titles(move || tune.run.phase.with(|phase| phase.is_active()));
}

/// Stores that functions of several need.
#[derive(Clone, Copy)]
pub struct Stores {
    /// What is open on the page.
    pub ui: Ui,
    /// The conversations of this browser.
    pub library: Library,
    /// The settings.
    pub settings: SettingsStore,
    /// The engine.
    pub engine: EngineStore,
    /// Models opened from files, remembered over visits.
    pub picked: PickedStore,
    /// The adapters of the loaded model.
    pub adapters: AdapterStore,
    /// Presets and prompts.
    pub presets: PresetStore,
    /// The bytes of attachments.
    pub media: MediaStore,
    /// The conversation on screen.
    pub chat: ChatStore,
    /// What is looked for in it.
    pub find: FindStore,
    /// The conversations that are selected in the list.
    pub selection: SelectionStore,
    /// The microphone.
    pub recording: RecordingStore,
    /// Reading aloud, dictation, conversation by voice.
    pub voice: VoiceStore,
    /// Fine-tuning.
    pub tune: TuneStore,
}

impl Stores {
    /// Whether a model is on its way, or the user is asked whether it is to be loaded.
    #[must_use]
    pub fn is_load_coming(self) -> bool {
        self.engine.model.with(ModelState::is_loading)
            || self.engine.phase.get() == EnginePhase::Starting
            || self.engine.memory_asked.with(Option::is_some)
            || self.chat.waits_for_engine().is_some()
            || self.ui.too_slow.with(Option::is_some)
            || self.ui.unlikely.with(Option::is_some)
    }
}

/// Defines functions that return a store which [`provide_stores`] has put into the context.
macro_rules! uses {
    ($($name:ident -> $store:ty;)*) => {
        $(
            #[must_use]
            pub fn $name() -> $store {
                expect_context()
            }
        )*
    };
}

uses! {
    use_ui -> Ui;
    use_library -> Library;
    use_settings -> SettingsStore;
    use_engine -> EngineStore;
    use_pulls -> PullStore;
    use_picked -> PickedStore;
    use_adapters -> AdapterStore;
    use_presets -> PresetStore;
    use_media -> MediaStore;
    use_documents -> DocumentStore;
    use_chat -> ChatStore;
    use_mcp -> McpStore;
    use_find -> FindStore;
    use_selection -> SelectionStore;
    use_recording -> RecordingStore;
    use_tune -> TuneStore;
    use_voice -> VoiceStore;
}

/// Returns the stores that functions of several need.
#[must_use]
pub fn use_stores() -> Stores {
    Stores {
        ui: use_ui(),
        library: use_library(),
        settings: use_settings(),
        engine: use_engine(),
        picked: use_picked(),
        adapters: use_adapters(),
        presets: use_presets(),
        media: use_media(),
        chat: use_chat(),
        find: use_find(),
        selection: use_selection(),
        recording: use_recording(),
        voice: use_voice(),
        tune: use_tune(),
    }
}
