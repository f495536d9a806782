//! What is around every page: rail, dialogs, keys, files dropped anywhere.

use leptos::{ev, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_location, use_navigate},
};

use wasm_bindgen::JsCast as _;

use crate::{
    back::follow_back,
    browser,
    components::{
        AdviceDialog, DeleteAllDialog, EditFolderDialog, MemoryDialog, MoveDialog, NamedDialogs, Notices,
        Palette, Picker, Rail, RailSheet, ShortcutsDialog, TooSlowDialog, UnlikelyDialog, toggle_rail,
    },
    failures,
    file_handles::{self, OpenFile},
    format,
    history::ConversationId,
    language::{listed, t},
    media::kind::{self, FileKind},
    pages::watch_returns,
    place::{Place, keep_query, use_place},
    state::{
        Destination, Stores, Ui, models::ModelState, recording::RecordingPhase, use_recording, use_stores,
    },
    swipe::follow_swipes,
    watch::on_window,
};

/// The frame around a page.
#[component]
pub fn Frame(children: Children) -> impl IntoView {
    let stores = use_stores();
    follow_destinations(stores);
    listen_to_keys(stores);
    keep_focus();
    announce(stores);
    tell_new_build(stores);
    follow_back(stores.ui);
    follow_swipes(stores.ui);
    watch_returns();
    let dropping = RwSignal::new(false);
    listen_to_drops(stores, dropping);
    let place = use_place();
    let drop_words = move || match place.get() {
        Place::Tune => t().frame_drop_examples(),
        _ => t().frame_drop(),
    };
    view! {
        <a class="skip-link" href="#main" rel="external">{t().frame_skip()}</a>
        <Notices />
        <div class="frame">
            <Rail />
            {children()}
        </div>
        <RailSheet />
        <Picker />
        <Palette />
        <AdviceDialog />
        <TooSlowDialog />
        <UnlikelyDialog />
        <MemoryDialog />
        <ShortcutsDialog />
        <MoveDialog />
        <EditFolderDialog />
        <DeleteAllDialog />
        <NamedDialogs />
        <Show when=move || stores.engine.fake.get()>
            <aside class="fake-note" aria-label=t().frame_test_mode()>{t().frame_simulated()}</aside>
        </Show>
        <RecordingNote />
        <Show when=move || dropping.get()>
            <div class="drop-veil"><p>{drop_words}</p></div>
        </Show>
    }
}

/// Says that the microphone is on, on pages that have no place for the recording itself.
#[component]
fn RecordingNote() -> impl IntoView {
    let recording = use_recording();
    let place = use_place();
    let shown = Memo::new(move |_| {
        recording.phase.get() != RecordingPhase::Idle && !matches!(place.get(), Place::Chat(_))
    });
    let hears = move || recording.phase.get() == RecordingPhase::Running;
    view! {
        <Show when=move || shown.get()>
            <aside class="recording-note" aria-label=t().recording()>
                <span class="recording-dot" class:paused=move || !hears() aria-hidden="true"></span>
                <span>{t().recording()}</span>
                <span class="numbers" role="timer">{move || format::clock(recording.millis.get())}</span>
                <button type="button" class="button" on:click=move |_| recording.end()>{t().stop()}</button>
            </aside>
        </Show>
    }
}

/// Goes where a store says that the page is to go.
fn follow_destinations(stores: Stores) {
    let navigate = use_navigate();
    let query = use_location().query;
    stores.ui.navigate.handle_with(move |Destination { path, replace }| {
        let path = query.with_untracked(|query| keep_query(&path, query.get_str("fake")));
        navigate(&path, NavigateOptions { replace, ..NavigateOptions::default() });
    });
}

/// The keys that work everywhere.
fn listen_to_keys(stores: Stores) {
    let Stores { ui, chat, settings, voice, .. } = stores;
    on_window(ev::keydown, move |event| {
        let modified = event.ctrl_key() || event.meta_key();
        if modified && event.key().eq_ignore_ascii_case("k") {
            event.prevent_default();
            ui.palette.update(|open| *open = !*open);
            return;
        }
        if modified && event.key().eq_ignore_ascii_case("b") && !browser::modal_is_open() {
            event.prevent_default();
            toggle_rail(ui, settings);
            return;
        }
        if modified || event.alt_key() || browser::is_composing(&event) || browser::modal_is_open() {
            return;
        }
        match event.key().as_str() {
            // Who speaks to the computer, or hits keys by accident, can switch keys without Ctrl off.
            "/" | "?"
                if browser::typing_in_field()
                    || !settings.value.with_untracked(|settings| settings.single_keys) => {}
            "/" => {
                event.prevent_default();
                ui.focus_composer.ask(());
            }
            "?" => {
                event.prevent_default();
                ui.shortcuts.set(true);
            }
            // A running answer first: what is being written is what is in the way.
            "Escape" if voice.is_on() && is_at_chat() => {
                voice.stop();
                chat.stop();
            }
            "Escape" if chat.answer.is_running_untracked() && is_at_chat() => {
                chat.stop();
                // The button that stops goes with the answer.
                if browser::focused().is_some_and(|it| it.class_list().contains("stop")) {
                    browser::focus_somewhere();
                }
            }
            "Escape" if ui.drawer.get_untracked() => ui.drawer.set(false),
            "Escape" if ui.coded.with_untracked(Option::is_some) => ui.coded.set(None),
            _ => {}
        }
    });
}

/// Whether Esc is for the conversation: the focus is where one writes or reads, or nowhere. Other fields and what is open beside
/// the page have an Esc of their own.
fn is_at_chat() -> bool {
    browser::focused().is_none_or(|focused| {
        let inside =
            focused.id() == "main" || focused.closest(".composer, .log").is_ok_and(|it| it.is_some());
        inside && (focused.id() == "composer" || !browser::typing_in_field())
    })
}

/// Says that there is a newer page than this one (`xtask/src/site/boot.js`).
fn tell_new_build(stores: Stores) {
    on_window(ev::Custom::<web_sys::Event>::new("newbuild"), move |_| {
        stores.ui.toast_with(t().new_build(), t().reload(), browser::reload);
    });
}

/// Finds a place for the focus when what was pressed is gone: without one the keyboard begins at the top of the page again.
fn keep_focus() {
    on_window(ev::click, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let pressed = target.and_then(|target| target.closest("button, a, summary").ok().flatten());
        let Some(pressed) = pressed else { return };
        let look = move || {
            let gone = !pressed.is_connected() || pressed.has_attribute("disabled");
            if gone && browser::focused().is_none() {
                browser::focus_somewhere();
            }
        };
        // Once the page is drawn anew, and what opens has taken the focus.
        browser::next_frame(move || browser::next_frame(look));
    });
}

/// Says these words whenever they change.
fn say(ui: Ui, words: impl Fn() -> Option<String> + 'static) {
    Effect::new(move |_| {
        if let Some(words) = words() {
            ui.say(words);
        }
    });
}

/// Says what changes without the user's doing, or elsewhere on the page than where they are.
fn announce(stores: Stores) {
    let Stores { ui, library, engine, chat, adapters, .. } = stores;
    let model = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { choice, .. } => Some(t().model_ready(&choice.entry.name)),
            ModelState::Failed { choice, failure } => {
                Some(t().model_not_loaded(&choice.entry.name, &failures::sentence(failure)))
            }
            ModelState::None | ModelState::Loading { .. } => None,
        })
    });
    say(ui, move || model.get());
    let lost = Memo::new(move |_| engine.progress.with(|it| it.as_ref().is_some_and(|it| it.lost)));
    say(ui, move || lost.get().then(|| t().load_lost().to_owned()));
    say(ui, move || library.trouble.get().as_ref().map(failures::store_trouble));
    for failure in [engine.trouble, engine.refused, adapters.failure] {
        say(ui, move || failure.get().as_ref().map(failures::sentence));
    }
    let found = Memo::new(move |_| library.found.with(|found| found.as_ref().map(Vec::len)));
    say(ui, move || found.get().map(|count| t().search_found(count as u64)));
    let place = use_place();
    // A screen reader says the title of a page that is loaded, and not of one that only changes.
    Effect::new(move |before: Option<Place>| {
        let place = place.get();
        if before.is_some_and(|before| before != place) && !matches!(place, Place::Chat(Some(_))) {
            ui.say(place.title());
        }
        place
    });
    // A conversation has its title once it was read. A new one that gets its address is the same as before.
    let id = Memo::new(move |_| chat.conversation.with(|open| open.id));
    Effect::new(move |before: Option<ConversationId>| {
        let id = id.get();
        if before.is_some_and(|before| before != id) {
            let title = chat.conversation.with_untracked(|open| open.title.clone());
            if !title.is_empty() {
                ui.say(title);
            }
        }
        id
    });
}

/// Opens model files that are dropped anywhere. All others, dropped with them or alone, are attached to the next message, or
/// taken for examples on the page of fine-tuning.
fn listen_to_drops(stores: Stores, dropping: RwSignal<bool>) {
    let place = use_place();
    let carries_files = |event: &web_sys::DragEvent| {
        event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
    };
    on_window(ev::dragover, move |event| {
        if carries_files(&event) {
            event.prevent_default();
            if !dropping.get_untracked() {
                dropping.set(true);
            }
        }
    });
    on_window(ev::dragleave, move |event| {
        // Leaving for nothing is leaving the window.
        if event.related_target().is_none() {
            dropping.set(false);
        }
    });
    on_window(ev::drop, move |event| {
        if !carries_files(&event) {
            return;
        }
        event.prevent_default();
        dropping.set(false);
        let Some(data) = event.data_transfer() else { return };
        let is_model = |it: &OpenFile| kind::of(&it.file.name(), &it.file.type_()) == FileKind::Model;
        let (models, others): (Vec<_>, Vec<_>) = file_handles::dropped(&data).into_iter().partition(is_model);
        if !models.is_empty() {
            stores.open_files(models);
        }
        if others.is_empty() {
            return;
        }
        let others: Vec<_> = others.into_iter().map(|it| it.file).collect();
        match place.get_untracked() {
            Place::Chat(_) => {
                stores.chat.attach(others);
            }
            Place::Tune => stores.tune.take_files(others),
            _ => {
                let names: Vec<_> = others.iter().map(web_sys::File::name).collect();
                stores.ui.toast(t().named(&listed(names), t().frame_drop_elsewhere()));
            }
        }
    });
}
