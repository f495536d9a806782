//! What is around every page: rail, dialogs, keys, files dropped anywhere.

use leptos::{ev, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_location, use_navigate},
};

use crate::{
    browser,
    components::{
        AdviceDialog, LiveRegion, MemoryDialog, Palette, Picker, Rail, RailSheet, ToastView, TooSlowDialog,
    },
    media::kind::{self, FileKind},
    place::{Place, keep_query, use_place},
    state::{Stores, use_stores},
};

/// The frame around a page.
#[component]
pub fn Frame(children: Children) -> impl IntoView {
    let stores = use_stores();
    follow_destinations(stores);
    listen_to_keys(stores);
    let dropping = RwSignal::new(false);
    listen_to_drops(stores, dropping);
    let place = use_place();
    let drop_words = move || match place.get() {
        Place::Tune => "Drop examples here, with their pictures and sound",
        _ => "Drop pictures, sound or a model here",
    };
    view! {
        <a class="skip-link" href="#main" rel="external">"Skip to the conversation"</a>
        <div class="frame">
            <Rail />
            {children()}
        </div>
        <RailSheet />
        <Picker />
        <Palette />
        <AdviceDialog />
        <TooSlowDialog />
        <MemoryDialog />
        <ToastView />
        <LiveRegion />
        <Show when=move || stores.engine.fake.get()>
            <aside class="fake-note" aria-label="Test mode">"Simulated engine"</aside>
        </Show>
        <Show when=move || dropping.get()>
            <div class="drop-veil"><p>{drop_words}</p></div>
        </Show>
    }
    .into_any()
}

/// Goes where a store says that the page is to go.
fn follow_destinations(stores: Stores) {
    let navigate = use_navigate();
    let query = use_location().query;
    Effect::new(move |_| {
        let Some(destination) = stores.ui.go.get() else { return };
        stores.ui.go.set(None);
        let path = query.with_untracked(|query| keep_query(&destination.path, query.get_str("fake")));
        navigate(&path, NavigateOptions { replace: destination.replace, ..NavigateOptions::default() });
    });
}

/// The keys that work everywhere.
fn listen_to_keys(stores: Stores) {
    let Stores { ui, chat, .. } = stores;
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, move |event| {
            let modified = event.ctrl_key() || event.meta_key();
            if modified && event.key().eq_ignore_ascii_case("k") {
                event.prevent_default();
                ui.palette.update(|open| *open = !*open);
                return;
            }
            if modified || event.alt_key() || event.is_composing() || browser::modal_is_open() {
                return;
            }
            match event.key().as_str() {
                "/" if !browser::typing_in_field() => {
                    event.prevent_default();
                    ui.focus_composer();
                }
                // A running answer first: what is being written is what is in the way.
                "Escape" if chat.answer.place.with_untracked(Option::is_some) => chat.stop(),
                "Escape" if ui.drawer.get_untracked() => ui.drawer.set(false),
                _ => {}
            }
        });
        on_cleanup(move || handle.remove());
    });
}

/// Opens model files that are dropped anywhere. All others are attached to the next message, or taken for examples on the
/// page of fine-tuning.
fn listen_to_drops(stores: Stores, dropping: RwSignal<bool>) {
    let place = use_place();
    Effect::new(move |_| {
        let carries_files = |event: &web_sys::DragEvent| {
            event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
        };
        let over = window_event_listener(ev::dragover, move |event| {
            if carries_files(&event) {
                event.prevent_default();
                if !dropping.get_untracked() {
                    dropping.set(true);
                }
            }
        });
        let leave = window_event_listener(ev::dragleave, move |event| {
            // Leaving for nothing is leaving the window.
            if event.related_target().is_none() {
                dropping.set(false);
            }
        });
        let drop = window_event_listener(ev::drop, move |event| {
            if !carries_files(&event) {
                return;
            }
            event.prevent_default();
            dropping.set(false);
            let Some(files) = event.data_transfer().and_then(|data| data.files()) else { return };
            let all = browser::files_of(&files);
            let is_model = |file: &web_sys::File| kind::of(&file.name(), &file.type_()) == FileKind::Model;
            if all.iter().any(is_model) {
                stores.open_files(all);
            } else if matches!(place.get_untracked(), Place::Chat(_)) {
                stores.chat.attach(all);
            } else if place.get_untracked() == Place::Tune {
                stores.tune.take_files(all);
            } else {
                stores.ui.toast(
                    "Pictures and sound are attached in a conversation. Go to one, and drop them there.",
                );
            }
        });
        on_cleanup(move || {
            over.remove();
            leave.remove();
            drop.remove();
        });
    });
}
