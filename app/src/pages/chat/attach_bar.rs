//! The buttons that attach: files, the camera, the microphone; and the recording while it runs.

use leptos::{html, prelude::*, task::spawn_local};

use super::dialogs::CameraDialog;
use crate::{
    components::{Glyph, Icon, IconButton},
    format,
    language::t,
    media::device::Device,
    state::{recording::RecordingPhase, use_chat, use_recording, use_ui, use_voice, voice::DictationPhase},
};

/// Files that may be picked as documents. Some systems know only the extensions, and code has too many for all to be here.
const DOCUMENTS: &str = "text/*,application/json,application/pdf,application/epub+zip,.pdf,.docx,.epub,.txt,.md,.csv,.tsv,.json,\
    .html,.c,.cpp,.cs,.css,.go,.h,.java,.js,.kt,.log,.php,.py,.rb,.rs,.sh,.sql,.swift,.toml,.ts,.xml,.yaml,.yml";

/// The buttons in the composer's line.
#[component]
pub fn AttachButtons() -> impl IntoView {
    let (chat, recording, ui, voice) = (use_chat(), use_recording(), use_ui(), use_voice());
    let input = NodeRef::<html::Input>::new();
    let senses = Memo::new(move |_| chat.senses());
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        let files = input.files().map(|files| crate::browser::files_of(&files)).unwrap_or_default();
        // The same file may be picked again.
        input.set_value("");
        chat.attach(files);
        ui.focus_composer.ask(());
    };
    let accept = move || {
        senses.with(|senses| {
            let mut kinds = Vec::new();
            if senses.no_sight.is_none() {
                kinds.extend(["image/*", "video/*"]);
            }
            if senses.no_hearing.is_none() {
                kinds.push("audio/*");
            }
            kinds.push(DOCUMENTS);
            kinds.join(",")
        })
    };
    ui.pick_files.handle_with(move |()| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    });
    let camera = RwSignal::new(false);
    let has_camera = RwSignal::new(false);
    Effect::new(move |_| {
        spawn_local(async move {
            has_camera.try_set(Device::Camera.exists().await);
        });
    });
    let idle = Memo::new(move |_| recording.phase.get() == RecordingPhase::Idle);
    let silent = Memo::new(move |_| voice.dictation.get() == DictationPhase::Off);
    // One at a time has the microphone.
    let deaf = Signal::derive(move || {
        let busy = match (idle.get(), silent.get()) {
            (false, _) => Some(t().composer_recording()),
            (_, false) => Some(t().composer_dictating()),
            _ => None,
        };
        busy.map(str::to_owned).or_else(|| senses.with(|senses| senses.no_hearing.clone()))
    });
    view! {
        <IconButton glyph=Glyph::Plus label=t().attach() on_press=move |()| ui.pick_files.ask(()) />
        <input
            type="file"
            hidden
            node_ref=input
            accept=accept
            multiple
            aria-label=t().attach_files()
            on:change=picked
        />
        <Show when=move || has_camera.get()>
            <span class="camera-button">
                <AttachButton
                    glyph=Glyph::Camera
                    label=t().camera()
                    reason=Signal::derive(move || senses.with(|senses| senses.no_sight.clone()))
                    on_press=move |()| camera.set(true)
                />
            </span>
        </Show>
        // One place, so that a second press ends what the first one began.
        <Show
            when=move || idle.get()
            fallback=move || view! {
                <IconButton
                    glyph=Glyph::Stop
                    label=t().record_stop()
                    on_press=move |()| recording.end()
                />
            }
        >
            <AttachButton
                glyph=Glyph::Microphone
                label=t().record()
                reason=deaf
                on_press=move |()| recording.start()
            />
        </Show>
        <Show
            when=move || silent.get()
            fallback=move || view! {
                <IconButton glyph=Glyph::Stop label=t().dictate_stop() on_press=move |()| voice.stop() />
            }
        >
            <AttachButton glyph=Glyph::Dictate label=t().dictate() reason=deaf on_press=move |()| voice.dictate() />
        </Show>
        <AttachButton glyph=Glyph::Voice label=t().talk() reason=deaf on_press=move |()| voice.talk.set(true) />
        <CameraDialog open=camera />
    }
}

/// A button that stays in reach when it cannot act, and says why.
#[component]
fn AttachButton(
    glyph: Glyph,
    label: &'static str,
    #[prop(into)] reason: Signal<Option<String>>,
    #[prop(into)] on_press: Callback<()>,
) -> impl IntoView {
    let ui = use_ui();
    let words = move || reason.get().map_or_else(|| label.to_owned(), |reason| format!("{label}. {reason}"));
    let press = move |_| match reason.get_untracked() {
        Some(reason) => ui.toast(reason),
        None => on_press.run(()),
    };
    view! {
        <button
            type="button"
            class="icon-button"
            aria-label=words
            title=words
            aria-disabled=move || reason.with(Option::is_some).then_some("true")
            on:click=press
        >
            <Icon glyph=glyph />
        </button>
    }
}

/// The recording while it runs, and what went wrong with it.
#[component]
pub fn RecordingBar() -> impl IntoView {
    let recording = use_recording();
    let phase = recording.phase;
    let paused = Memo::new(move |_| phase.get() == RecordingPhase::Paused);
    let asking = Memo::new(move |_| phase.get() == RecordingPhase::Asking);
    let active = Memo::new(move |_| phase.get() != RecordingPhase::Idle);
    let meter = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let level = recording.level.get();
        if let Some(meter) = meter.get() {
            // A property that the browser knows is never refused.
            web_sys::HtmlElement::style(&meter).set_property("--level", &format!("{level:.3}")).ok();
        }
    });
    let words = move || match phase.get() {
        RecordingPhase::Asking => t().record_allow(),
        RecordingPhase::Paused => t().record_paused(),
        RecordingPhase::Running | RecordingPhase::Idle => t().recording(),
    };
    let trouble = move || {
        recording.trouble.get().map(|words| {
            view! {
                <div class="notice slim" role="group" aria-label=t().recording()>
                    <Icon glyph=Glyph::Warning />
                    <div class="notice-lines"><p>{words}</p></div>
                    <button type="button" class="button quiet" on:click=move |_| recording.trouble.set(None)>{t().close()}</button>
                </div>
            }
        })
    };
    view! {
        {trouble}
        <Show when=move || active.get()>
            <div class="recording" role="group" aria-label=t().recording()>
                // First, so that it does not move when the microphone opens, just as somebody presses it.
                <IconButton glyph=Glyph::Close label=t().record_discard() on_press=move |()| recording.cancel() />
                <span class="recording-dot" class:paused=move || !matches!(phase.get(), RecordingPhase::Running) aria-hidden="true"></span>
                <span class="recording-words">{words}</span>
                <Show when=move || !asking.get()>
                    <span class="numbers" role="timer">{move || format::clock(recording.millis.get())}</span>
                    <div
                        class="meter"
                        node_ref=meter
                        role="meter"
                        aria-label=t().record_level()
                        aria-valuemin="0"
                        aria-valuemax="100"
                        aria-valuenow=move || format!("{:.0}", recording.level.get() * 100.0)
                    ></div>
                    <IconButton
                        glyph=Signal::derive(move || if paused.get() { Glyph::Microphone } else { Glyph::Pause })
                        label=Signal::derive(move || if paused.get() { t().record_resume() } else { t().record_pause() }.to_owned())
                        on_press=move |()| recording.toggle_pause()
                    />
                    <button type="button" class="button primary" on:click=move |_| recording.finish()>
                        <Icon glyph=Glyph::Check />
                        {t().record_done()}
                    </button>
                </Show>
            </div>
        </Show>
    }
}
