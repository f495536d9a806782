//! What is said of reading aloud and of dictation, in the composer, with what ends them.

use leptos::{html, prelude::*};

use crate::{
    components::{Glyph, Icon, IconButton},
    language::t,
    state::{use_voice, voice::DictationPhase},
};

/// The bars; nothing while it is silent.
#[component]
pub fn VoiceLines() -> impl IntoView {
    view! {
        <DictationBar />
        <ReadingBar />
    }
}

/// Shows a level through the style object, which the content policy allows.
pub fn show_level<E: Into<web_sys::HtmlElement> + Clone>(element: Option<E>, level: f32) {
    if let Some(element) = element {
        let element: web_sys::HtmlElement = element.into();
        // A property that the browser knows is never refused.
        element.style().set_property("--level", &format!("{level:.3}")).ok();
    }
}

#[component]
fn DictationBar() -> impl IntoView {
    let voice = use_voice();
    let phase = voice.dictation;
    let meter = NodeRef::<html::Div>::new();
    Effect::new(move |_| show_level(meter.get(), voice.level.get()));
    let words = move || match phase.get() {
        DictationPhase::Asking => t().record_allow(),
        DictationPhase::Writing => t().dictate_writing(),
        DictationPhase::Listening | DictationPhase::Off => t().dictating(),
    };
    let active = Memo::new(move |_| phase.get() != DictationPhase::Off);
    let listening = Memo::new(move |_| phase.get() == DictationPhase::Listening);
    view! {
        {move || voice.trouble.get().filter(|_| !voice.talk.get()).map(|words| view! {
            <div class="notice slim" role="group" aria-label=t().dictate()>
                <Icon glyph=Glyph::Warning />
                <div class="notice-lines"><p>{words}</p></div>
                <button type="button" class="button quiet" on:click=move |_| voice.trouble.set(None)>{t().close()}</button>
            </div>
        })}
        <Show when=move || active.get()>
            <div class="recording" role="group" aria-label=t().dictate()>
                <span class="recording-dot" class:paused=move || !listening.get() aria-hidden="true"></span>
                <span class="recording-words">{words}</span>
                <Show when=move || listening.get()>
                    <div
                        class="meter"
                        node_ref=meter
                        role="meter"
                        aria-label=t().record_level()
                        aria-valuemin="0"
                        aria-valuemax="100"
                        aria-valuenow=move || format!("{:.0}", voice.level.get() * 100.0)
                    ></div>
                </Show>
            </div>
        </Show>
    }
}

#[component]
fn ReadingBar() -> impl IntoView {
    let voice = use_voice();
    let reads = Memo::new(move |_| voice.reading.with(Option::is_some));
    let paused = voice.paused;
    view! {
        <Show when=move || reads.get()>
            <div class="recording" role="group" aria-label=t().reading_aloud()>
                <Icon glyph=Glyph::Speaker />
                <span class="recording-words">{move || if paused.get() { t().record_paused() } else { t().reading_aloud() }}</span>
                <span class="reading-buttons">
                    <IconButton
                        glyph=Signal::derive(move || if paused.get() { Glyph::Play } else { Glyph::Pause })
                        label=Signal::derive(move || if paused.get() { t().read_resume() } else { t().read_pause() }.to_owned())
                        on_press=move |()| voice.toggle_pause()
                    />
                    <IconButton glyph=Glyph::Stop label=t().read_stop() on_press=move |()| voice.stop_reading() />
                </span>
            </div>
        </Show>
    }
}
