//! The conversation by voice: one large button, and a picture of what is heard.

use leptos::{html, prelude::*};

use super::voice_bar::show_level;
use crate::{
    components::{Glyph, Icon},
    language::t,
    state::{use_ui, use_voice, voice::TalkPhase},
};

/// The content of the dialog.
#[component]
pub fn TalkView() -> impl IntoView {
    let (voice, ui) = (use_voice(), use_ui());
    voice.begin_talk();
    on_cleanup(move || voice.end_talk());
    let phase = Memo::new(move |_| voice.talk_phase());
    let words = move || match phase.get() {
        TalkPhase::Asking => t().record_allow(),
        TalkPhase::Listening => t().talk_listening(),
        TalkPhase::Hearing => t().talk_hearing(),
        TalkPhase::Thinking => t().talk_thinking(),
        TalkPhase::Speaking => t().reading_aloud(),
    };
    // Who speaks hears it: the region would talk into what is said.
    Effect::new(move |before: Option<TalkPhase>| {
        let now = phase.get();
        if now == TalkPhase::Listening && before == Some(TalkPhase::Asking) {
            ui.say(t().talk_listening());
        }
        now
    });
    let picture = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        let hears = matches!(phase.get(), TalkPhase::Listening | TalkPhase::Hearing);
        show_level(picture.get(), if hears { voice.level.get() } else { 0.0 });
    });
    let answering = Memo::new(move |_| matches!(phase.get(), TalkPhase::Thinking | TalkPhase::Speaking));
    let press = move |_| {
        if answering.get_untracked() {
            voice.interrupt();
        } else {
            voice.talk.set(false);
        }
    };
    let state = move || match phase.get() {
        TalkPhase::Asking => "asking",
        TalkPhase::Listening => "listening",
        TalkPhase::Hearing => "hearing",
        TalkPhase::Thinking => "thinking",
        TalkPhase::Speaking => "speaking",
    };
    view! {
        <div class="talk-view" data-phase=state>
            <button type="button" class="talk-button" node_ref=picture on:click=press
                aria-label=move || if answering.get() { t().talk_interrupt() } else { t().talk_end() }
            >
                <Icon glyph=Signal::derive(move || if answering.get() { Glyph::Stop } else { Glyph::Microphone }) />
            </button>
            <p class="talk-words">{words}</p>
            // What is spoken, for those who don't hear it.
            <p class="talk-sentence" dir="auto">{move || voice.sentence.get()}</p>
            {move || voice.trouble.get().map(|words| view! { <p role="alert">{words}</p> })}
            <p class="hint">{t().talk_hint()}</p>
            <button type="button" class="button" on:click=move |_| voice.talk.set(false)>{t().talk_end()}</button>
        </div>
    }
}
