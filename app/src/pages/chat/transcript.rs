//! A recording written down by the model, with times.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    browser,
    components::{Glyph, Icon},
    failures, format,
    history::Attachment,
    language::t,
    media::{
        activity::{Activity, Heard, Utterance},
        subtitles::{self, Line},
        wav,
    },
    state::{use_chat, use_media, use_ui, use_voice},
};

/// A pause that ends a line, in milliseconds.
const PAUSE: u32 = 500;

/// What the model has written so far.
#[derive(Clone, Copy)]
struct Written {
    lines: RwSignal<Vec<Line>>,
    /// Milliseconds of the recording that it has heard.
    heard: RwSignal<u64>,
    is_done: RwSignal<bool>,
    trouble: RwSignal<Option<String>>,
}

/// The content of the dialog.
#[component]
pub fn TranscriptView() -> impl IntoView {
    let (voice, ui) = (use_voice(), use_ui());
    let Some(attachment) = voice.transcript.get_untracked() else { return ().into_any() };
    let written = Written {
        lines: RwSignal::new(Vec::new()),
        heard: RwSignal::new(0),
        is_done: RwSignal::new(false),
        trouble: RwSignal::new(None),
    };
    let length = format::clock(attachment.millis);
    let name = attachment.name.rsplit_once('.').map_or(attachment.name.as_str(), |(name, _)| name).to_owned();
    write_down(attachment, written);
    let Written { lines, heard, is_done, trouble } = written;
    let progress = move || {
        (!is_done.get()).then(|| {
            let words = t().transcript_progress(&format::clock(heard.get()), &length);
            view! { <p class="muted waiting"><span class="pulse" aria-hidden="true"></span>{words}</p> }
        })
    };
    let none = move || {
        (is_done.get() && lines.with(Vec::is_empty)).then(|| view! { <p>{t().transcript_none()}</p> })
    };
    let line = |line: Line| {
        view! {
            <li>
                <span class="muted numbers">{format::clock(line.start)}</span>
                <span dir="auto">{line.text}</span>
            </li>
        }
    };
    let empty = Memo::new(move |_| lines.with(Vec::is_empty));
    let copy = move |_| {
        let text = lines.with_untracked(|lines| subtitles::text(lines));
        spawn_local(async move {
            let copied = browser::copy_text(&text).await;
            ui.toast(if copied { t().copied() } else { t().copy_refused() });
        });
    };
    let files: Vec<_> = [
        ("TXT", "text/plain", subtitles::text as fn(&[Line]) -> String),
        ("SRT", "application/x-subrip", subtitles::srt),
        ("VTT", "text/vtt", subtitles::vtt),
    ]
    .into_iter()
    .map(|(format, mime, file)| {
        let name = format!("{name}.{}", format.to_lowercase());
        let press = move |_| browser::download(&name, mime, &lines.with_untracked(|lines| file(lines)));
        view! {
            <button type="button" class="button" disabled=move || empty.get() on:click=press
                aria-label=t().transcript_download(format)
            >
                <Icon glyph=Glyph::Export />
                {format}
            </button>
        }
    })
    .collect();
    view! {
        {progress}
        {move || trouble.get().map(|words| view! { <p role="alert">{words}</p> })}
        {none}
        <ol class="transcript" role="list" tabindex="0" aria-label=t().transcript_title()>
            <For each=move || lines.get() key=|line| line.start children=line />
        </ol>
        <div class="buttons">
            <button type="button" class="button" disabled=move || empty.get() on:click=copy>
                <Icon glyph=Glyph::Copy />
                {t().copy()}
            </button>
            {files}
        </div>
    }
    .into_any()
}

/// Has the model write down what is said in a recording, utterance by utterance, as long as the dialog is open.
fn write_down(attachment: Attachment, written: Written) {
    let (chat, media, ui) = (use_chat(), use_media(), use_ui());
    let is_open = move || written.is_done.try_get_untracked().is_some();
    spawn_local(async move {
        let Some(file) = media.bytes(&attachment).await else {
            written.trouble.try_set(Some(t().media_gone().to_owned()));
            return;
        };
        for utterance in utterances(&wav::samples(&file)) {
            let (start, end) = utterance.millis();
            match chat.transcribe(&utterance.samples, is_open).await {
                Ok(Some(text)) if !text.is_empty() => {
                    written.lines.try_update(|lines| lines.push(Line { start, end, text }));
                }
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(failure) => {
                    written.trouble.try_set(Some(failures::sentence(&failure)));
                    break;
                }
            }
            written.heard.try_set(end);
        }
        if is_open() {
            written.is_done.set(true);
            ui.say(t().transcript_done());
        }
    });
}

fn utterances(samples: &[i16]) -> Vec<Utterance> {
    let mut activity = Activity::new(PAUSE);
    let heard = activity.push(samples);
    let ended = heard.into_iter().filter_map(|heard| match heard {
        Heard::Ended(utterance) => utterance,
        Heard::Began => None,
    });
    let mut found: Vec<_> = ended.collect();
    found.extend(activity.finish());
    found
}
