//! Sound to listen to: its waveform, with a button that plays it.

use std::fmt::Write as _;

use leptos::{html, prelude::*, task::spawn_local};

use super::{Glyph, IconButton};
use crate::{
    format,
    history::Attachment,
    language::t,
    media::wav,
    state::{use_chat, use_media, use_ui, use_voice},
};

/// Bars of a waveform.
const BARS: usize = 48;
/// Half of its height, in units of its drawing.
const HALF: f32 = 12.0;

/// A sound of a message.
#[component]
pub fn SoundPlayer(
    /// The sound.
    attachment: Attachment,
) -> impl IntoView {
    let media = use_media();
    let audio = NodeRef::<html::Audio>::new();
    let url = RwSignal::new(None::<String>);
    let bars = RwSignal::new(vec![0.0; BARS]);
    let (chat, ui, voice) = (use_chat(), use_ui(), use_voice());
    let whole = attachment.clone();
    let write_down = Callback::new(move |()| match untrack(|| chat.senses().no_hearing) {
        Some(reason) => ui.toast(reason),
        None => voice.transcript.set(Some(whole.clone())),
    });
    let missing = RwSignal::new(false);
    let playing = RwSignal::new(false);
    let at = RwSignal::new(0.0_f64);
    // Whether the place was chosen while nothing was playing: in Firefox a sound ends by that, too.
    let sought = StoredValue::new(false);
    let seconds = attachment.millis as f64 / 1000.0;
    let name = attachment.name.clone();
    let length = format::clock(attachment.millis);
    Effect::new(move |_| {
        let attachment = attachment.clone();
        spawn_local(async move {
            let (address, bytes) = (media.url(&attachment).await, media.bytes(&attachment).await);
            // The view may be gone by now.
            missing.try_set(address.is_none());
            bars.try_set(wav::peaks(&bytes.unwrap_or_default(), BARS));
            url.try_set(address);
        });
    });
    let press = Callback::new(move |()| {
        let Some(audio) = audio.get_untracked() else { return };
        if audio.paused() {
            // What cannot be played stays silent, and its button says so.
            audio.play().ok();
        } else {
            audio.pause().ok();
        }
    });
    let seek = move |event: web_sys::Event| {
        let wanted = event_target_value(&event).parse::<f64>().unwrap_or_default();
        if let Some(audio) = audio.get_untracked() {
            sought.set_value(audio.paused());
            audio.set_current_time(wanted);
            at.set(wanted);
        }
    };
    let step = if seconds > 20.0 { "1" } else { "0.1" };
    let place_words = {
        let length = length.clone();
        move || t().amount_of(&format::clock((at.get() * 1000.0) as u64), &length)
    };
    let played = move || if seconds > 0.0 { (at.get() / seconds * BARS as f64).round() as usize } else { 0 };
    let label = {
        let name = name.clone();
        move || if playing.get() { t().sound_pause(&name) } else { t().sound_play(&name) }
    };
    let time = move || {
        if missing.get() {
            return t().media_gone().to_owned();
        }
        if at.get() > 0.0 {
            format!("{} / {length}", format::clock((at.get() * 1000.0) as u64))
        } else {
            length.clone()
        }
    };
    view! {
        <div class="sound">
            <IconButton
                glyph=Signal::derive(move || if playing.get() { Glyph::Pause } else { Glyph::Play })
                label=Signal::derive(label)
                disabled=Signal::derive(move || url.with(Option::is_none))
                on_press=press
            />
            <div class="wave">
                <svg viewBox=format!("0 0 {} {}", 2 * BARS, 2.0 * HALF) preserveAspectRatio="none" aria-hidden="true">
                    <path class="wave-rest" d=move || bars.with(|bars| lines(bars, played().min(BARS)..BARS)) />
                    <path class="wave-played" d=move || bars.with(|bars| lines(bars, 0..played().min(BARS))) />
                </svg>
                // Over the drawing, and not seen: keys and screen readers know it.
                <input
                    type="range"
                    class="wave-place"
                    aria-label=t().sound_position(&name)
                    aria-valuetext=place_words
                    min="0"
                    max=format!("{seconds:.2}")
                    step=step
                    prop:value=move || at.get().to_string()
                    disabled=move || url.with(Option::is_none)
                    on:input=seek
                />
            </div>
            <span class="sound-time numbers muted">{time}</span>
            <IconButton glyph=Glyph::Document label=t().write_down(&name) on_press=write_down />
            <audio
                node_ref=audio
                preload="metadata"
                src=move || url.get()
                on:play=move |_| {
                    sought.set_value(false);
                    playing.set(true);
                }
                on:pause=move |_| playing.set(false)
                on:ended=move |_| {
                    if !sought.get_value() {
                        at.set(0.0);
                    }
                }
                on:timeupdate=move |_| {
                    if let Some(audio) = audio.get_untracked() {
                        at.set(audio.current_time());
                    }
                }
            ></audio>
        </div>
    }
}

/// The path of some bars of a waveform.
fn lines(bars: &[f32], which: std::ops::Range<usize>) -> String {
    let mut path = String::new();
    for (at, bar) in bars.iter().enumerate().take(which.end).skip(which.start) {
        // Silence is a dot.
        let reach = (bar.sqrt() * (HALF - 1.0)).max(0.5);
        // Writing to a String cannot fail.
        write!(path, "M{} {:.1}V{:.1}", 2 * at + 1, HALF - reach, HALF + reach).ok();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_bar_is_a_line_about_the_middle() {
        assert_eq!(lines(&[0.0, 1.0], 0..2), "M1 11.5V12.5M3 1.0V23.0");
        assert_eq!(lines(&[0.0, 1.0], 1..1), "");
        assert_eq!(lines(&[0.0], 0..9), "M1 11.5V12.5");
    }
}
