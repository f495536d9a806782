//! Where the user writes.

use leptos::{html, prelude::*};
use protocol::Role;

use super::{
    attach_bar::{AttachButtons, RecordingBar},
    attachments::Tray,
    dialogs::VoiceBars,
    dialogs::{self, AdapterChoice, Beside},
    prompt_menu::MenuKeys,
};
use crate::{
    browser,
    components::{Glyph, Icon},
    language::t,
    state::{
        chat::{Overflow, is_long_paste},
        models::ModelState,
        recording::RecordingPhase,
        settings::SendKey,
        use_chat, use_engine, use_recording, use_settings, use_tune, use_ui, use_voice,
        voice::DictationPhase,
    },
};

/// The field, the send button, and what belongs to the next message.
#[component]
pub fn Composer() -> impl IntoView {
    let (ui, chat, engine, settings, recording, tune) =
        (use_ui(), use_chat(), use_engine(), use_settings(), use_recording(), use_tune());
    let voice = use_voice();
    let field = NodeRef::<html::Textarea>::new();
    let name = Memo::new(move |_| engine.selection().map(|choice| choice.entry.name));
    let placeholder =
        move || name.get().map_or_else(|| t().message().to_owned(), |name| t().message_to(&name));

    // The field's height follows the draft, also when the draft was changed from elsewhere.
    Effect::new(move |_| {
        chat.draft.track();
        if let Some(field) = field.get() {
            browser::next_frame(move || browser::autosize(&field));
        }
    });
    ui.focus_composer.handle_with(move |()| {
        if let Some(field) = field.get_untracked() {
            // A field that cannot take the focus now is not worth a word.
            browser::next_frame(move || {
                field.focus().ok();
            });
        }
    });

    let running = Memo::new(move |_| chat.answer.is_running());
    let refusal = Memo::new(move |_| {
        if engine.device.with(|device| device.as_ref().is_some_and(|device| !device.available)) {
            // Why stands above.
            return Some("");
        }
        if recording.phase.get() != RecordingPhase::Idle {
            return Some(t().composer_recording());
        }
        if voice.dictation.get() != DictationPhase::Off {
            return Some(t().composer_dictating());
        }
        if chat.queued.with(Option::is_some) {
            return Some(t().composer_queued());
        }
        if chat.is_answered_elsewhere() {
            return Some(t().answered_elsewhere());
        }
        if name.with(Option::is_none) && !engine.is_listing() {
            return Some(t().composer_no_model());
        }
        None
    });
    let too_long = Memo::new(move |_| chat.prompt_size.get().filter(|size| size.is_too_long()));
    let overflow = Memo::new(move |_| chat.conversation.with(|conversation| chat.overflow_of(conversation)));
    // Room is made as the user has chosen, or is to choose.
    let chooses =
        Memo::new(move |_| too_long.get().is_some_and(|size| size.fits_alone) && overflow.get().is_none());
    let refused = Memo::new(move |_| {
        let stays = too_long.get().is_some_and(|size| !size.fits_alone);
        refusal.with(Option::is_some) || stays || chooses.get()
    });
    let blank = Memo::new(move |_| {
        chat.draft.with(|draft| draft.trim().is_empty()) && chat.attached.with(Vec::is_empty)
    });
    let reading = Memo::new(move |_| !chat.reading_here().is_empty());
    let awaited = chat.awaited;
    let shown = move || chat.conversation.with_untracked(|conversation| conversation.id);
    let send = move || {
        if refused.get_untracked() {
            return;
        }
        if reading.get_untracked() {
            awaited.set(Some(shown()));
            ui.say(t().composer_file());
        } else {
            let draft = chat.draft.get_untracked();
            chat.send(&draft);
        }
    };
    Effect::new(move |before: Option<bool>| {
        let now = reading.get();
        if before == Some(true) && !now {
            let goes = awaited.try_update(Option::take).flatten() == Some(shown());
            // With a file missing it may not be what was meant.
            if goes && chat.attach_trouble.with_untracked(Option::is_none) {
                send();
            }
        }
        now
    });
    let menu = MenuKeys::new(None);
    let key = move |event: web_sys::KeyboardEvent| {
        if browser::is_composing(&event) || menu.get_value().is_some_and(|menu| menu.run(event.clone())) {
            return;
        }
        let modified = event.ctrl_key() || event.meta_key();
        match event.key().as_str() {
            "Enter" if settings.value.with_untracked(|it| it.send_key.sends(event.shift_key(), modified)) => {
                event.prevent_default();
                send();
            }
            "ArrowUp" if chat.draft.with_untracked(String::is_empty) && !chat.busy() => {
                let last = chat.conversation.with_untracked(|conversation| {
                    let is_user =
                        |node| conversation.message(node).is_some_and(|message| message.role == Role::User);
                    conversation.active_path().into_iter().rev().find(|&node| is_user(node))
                });
                if last.is_some() {
                    event.prevent_default();
                    chat.editing.set(last);
                }
            }
            _ => {}
        }
    };
    let thinks = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { details, .. } => details.capabilities.thinking,
            _ => false,
        }) || engine.selection().is_some_and(|choice| choice.entry.capabilities.thinking)
    });
    let thinking = Memo::new(move |_| chat.conversation.with(|conversation| conversation.options.thinking));
    // A keyboard on the screen has a key of its own that sends.
    let touched = RwSignal::new(false);
    Effect::new(move |_| touched.set(browser::matches_media("(pointer: coarse)")));
    let insert = move |text: &str| {
        let Some(field) = field.get_untracked() else { return };
        // A field of text takes what replaces its selection.
        field.set_range_text(text).ok();
        chat.set_draft(field.value());
        ui.focus_composer.ask(());
    };
    let paste = move |event: web_sys::ClipboardEvent| {
        let files = event.clipboard_data().and_then(|data| data.files());
        let files = files.map(|files| browser::files_of(&files)).unwrap_or_default();
        // Text that was copied with a picture of itself, as office programs do, is text.
        let has_text =
            event.clipboard_data().is_some_and(|data| data.types().includes(&"text/plain".into(), 0));
        if !files.is_empty() && !has_text {
            event.prevent_default();
            chat.attach(files);
            return;
        }
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok());
        if let Some(text) = text.filter(|text| is_long_paste(text)) {
            event.prevent_default();
            let pasted = text.clone();
            chat.attach_pasted(&text, move || insert(&pasted));
        }
    };
    let stop = move |_| {
        chat.stop();
        // The button goes with the answer.
        browser::focus_somewhere();
    };
    let keys = move || {
        settings.value.with(|settings| match settings.send_key {
            SendKey::Enter => t().composer_enter(),
            SendKey::Modified => t().composer_modified(),
        })
    };
    let run = tune.run;
    let hint = move || {
        if awaited.with(Option::is_some) {
            return t().composer_file().to_owned();
        }
        if let Some(size) = too_long.get() {
            let (tokens, context) = (size.tokens.into(), size.context.into());
            return match overflow.get() {
                _ if !size.fits_alone => t().composer_too_long(tokens, context),
                None => t().composer_tokens(tokens, context),
                Some(Overflow::LeaveOut) => t().room_will_leave_out().to_owned(),
                Some(Overflow::Summarize) => t().room_will_summarize().to_owned(),
            };
        }
        if running.get() {
            return if blank.get() { String::new() } else { t().composer_answering().to_owned() };
        }
        if run.phase.with(|phase| phase.is_active()) {
            let steps = run.about.with(|about| about.as_ref().map_or(0, |it| it.steps));
            return t().composer_training(run.step().into(), steps.into());
        }
        if let Some(size) = chat.prompt_size.get() {
            return t().composer_tokens(size.tokens.into(), size.context.into());
        }
        if touched.get() { String::new() } else { keys().to_owned() }
    };
    // What is also said where there is little room.
    let told =
        Memo::new(move |_| refused.get() || too_long.with(Option::is_some) || awaited.with(Option::is_some));
    view! {
        <form
            class="composer"
            aria-label=t().composer_title()
            on:submit=move |event| {
                event.prevent_default();
                send();
            }
        >
            <Beside menu=menu />
            // What is attached and what is written scroll together, so that the buttons stay in reach.
            <div class="composer-body">
            <Tray />
            <RecordingBar />
            <VoiceBars />
            <textarea
                id="composer"
                node_ref=field
                rows="1"
                dir="auto"
                aria-label=t().message()
                aria-describedby="composer-hint"
                placeholder=placeholder
                enterkeyhint="send"
                prop:value=chat.draft
                on:input=move |event| {
                    awaited.set(None);
                    chat.set_draft(event_target_value(&event));
                }
                on:keydown=key
                on:paste=paste
            ></textarea>
            </div>
            <Show when=move || chooses.get()>{dialogs::room(None)}</Show>
            <div class="composer-line">
                <AttachButtons />
                <Show when=move || thinks.get()>
                    <button
                        type="button"
                        class="button toggle"
                        aria-pressed=move || thinking.get().to_string()
                        title=t().think_hint()
                        on:click=move |_| chat.edit(|conversation| conversation.options.thinking = !conversation.options.thinking)
                    >
                        {t().think()}
                    </button>
                </Show>
                <AdapterChoice />
                <p id="composer-hint" class="composer-hint muted numbers" class:refusal=move || refused.get() class:told=move || told.get()>
                    {move || refusal.get().map_or_else(hint, str::to_owned)}
                </p>
                <Show when=move || running.get()>
                    <button type="button" class="send stop" aria-label=t().stop() title=t().stop_esc() on:click=stop>
                        <Icon glyph=Glyph::Stop />
                    </button>
                </Show>
                <Show when=move || !running.get() || !blank.get()>
                    <button
                        type="submit"
                        class="send"
                        aria-label=t().send()
                        title=t().send()
                        disabled=move || refused.get() || (blank.get() && !reading.get())
                    >
                        <Icon glyph=Glyph::Send />
                    </button>
                </Show>
            </div>
        </form>
    }
}
