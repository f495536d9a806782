//! Runs a program in a frame that has an origin of its own and no network (`xtask/src/site/preview.html`), and shows what it
//! writes. Nothing that comes from the frame is trusted: it is text of bounded length, from this frame alone.

use std::time::Duration;

use interop::{field, object};
use leptos::{ev, html, leptos_dom::helpers::set_interval, prelude::*, web_sys};
use wasm_bindgen::JsValue;

use crate::{
    browser,
    content::PreviewKind,
    language::t,
    state::{use_chat, use_ui},
    watch::on_window,
};

/// Most lines of a run that are shown, and characters of a line.
const MOST_LINES: usize = 200;
const MOST_TEXT: usize = 2_000;
/// How often the program is asked whether it responds.
const BEAT: Duration = Duration::from_secs(1);
/// So many questions without an answer, and it doesn't.
const UNANSWERED: u32 = 4;

/// What a line of the console is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Log,
    Warning,
    Error,
    /// An address that was not loaded.
    Blocked,
}

/// A line of the console.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    level: Level,
    text: String,
    /// The line of the program; 0 if it isn't known.
    at: u32,
}

impl Line {
    /// Reads what a frame has sent; `None` if that is no line.
    fn of(data: &JsValue) -> Option<Self> {
        let text = field(data, "text")?.as_string()?;
        let level = match field(data, "level")?.as_string()?.as_str() {
            "error" => Level::Error,
            "blocked" => Level::Blocked,
            "warn" => Level::Warning,
            _ => Level::Log,
        };
        let at = field(data, "line").and_then(|line| line.as_f64()).unwrap_or_default();
        Some(Self { level, text: text.chars().take(MOST_TEXT).collect(), at: at.max(0.0) as u32 })
    }

    fn is_failure(&self) -> bool {
        matches!(self.level, Level::Error | Level::Blocked)
    }

    fn words(&self) -> String {
        if self.level == Level::Blocked { t().coded_blocked(&self.text) } else { self.text.clone() }
    }
}

/// A program that runs, or is stopped.
#[derive(Clone, Copy, Default)]
pub struct Run {
    number: RwSignal<u32>,
    pub stopped: RwSignal<bool>,
    lines: RwSignal<Vec<Line>>,
    unanswered: RwSignal<u32>,
}

impl Run {
    /// Begins anew.
    pub fn begin(self) {
        self.number.update(|number| *number = number.wrapping_add(1));
        self.stopped.set(false);
        self.lines.update(Vec::clear);
        self.unanswered.set(0);
    }

    /// Ends it, also where it doesn't respond: its frame goes.
    pub fn stop(self) {
        self.stopped.set(true);
        self.unanswered.set(0);
    }
}

/// Returns the document that runs a program.
fn document_of(kind: PreviewKind, source: &str) -> String {
    match kind {
        PreviewKind::Html | PreviewKind::Table => source.to_owned(),
        PreviewKind::Svg => format!(
            "<style>html,body{{height:100%;margin:0}}body{{display:grid;place-items:center}}\
             svg{{max-width:100%;max-height:100%}}</style>{source}"
        ),
        PreviewKind::Script => {
            let canvas = match source.contains("canvas") {
                true => "<canvas id=\"canvas\" width=\"800\" height=\"600\"></canvas>",
                false => "",
            };
            // The end of the element can only be in a text or a comment, where this is the same.
            let source = source.replace("</script", "<\\/script").replace("<!--", "<\\!--");
            format!(
                "<style>body{{margin:0}}canvas{{max-width:100%}}</style>{canvas}<script>{source}\n</script>"
            )
        }
    }
}

/// The program in its frame.
#[component]
pub fn Program(kind: PreviewKind, text: Signal<String>, run: Run, there: Memo<bool>) -> impl IntoView {
    let running = move || (there.get() && !run.stopped.get()).then(|| run.number.get());
    view! {
        <For
            each=running
            key=|number| *number
            children=move |_| view! { <Frame document=document_of(kind, &text.get_untracked()) run=run /> }
        />
        <Show when=move || run.stopped.get()>
            <p class="coded-note muted">{t().coded_stopped()}</p>
        </Show>
        <Show when=move || { run.unanswered.get() > UNANSWERED }>
            <div class="coded-note notice" role="alert">
                <p>{t().coded_silent()}</p>
                <button type="button" class="button" on:click=move |_| run.stop()>{t().coded_stop()}</button>
            </div>
        </Show>
    }
}

/// The frame of one run.
#[component]
fn Frame(document: String, run: Run) -> impl IntoView {
    let ui = use_ui();
    let frame = NodeRef::<html::Iframe>::new();
    let window_of = move || frame.try_get_untracked().flatten()?.content_window();
    let post = move |message: &JsValue| {
        if let Some(window) = window_of() {
            // Its origin has no name that could be given. It can't go elsewhere: the page's policy allows frames of this server
            // alone, and what runs in it may not move it.
            window.post_message(message, "*").ok();
        }
    };
    let hear = move |data: JsValue| match data.as_string().as_deref() {
        Some("ready") => {
            run.unanswered.set(0);
            if let Ok(message) = object(&[("source", &document.as_str().into())]) {
                post(&message);
            }
        }
        Some("pong") => run.unanswered.set(0),
        Some(_) => {}
        None => {
            let Some(line) = Line::of(&data) else { return };
            let (room, first) = run.lines.with_untracked(|lines| {
                (lines.len() < MOST_LINES, line.is_failure() && !lines.iter().any(Line::is_failure))
            });
            if first {
                ui.say(t().coded_failed());
            }
            if room {
                run.lines.update(|lines| lines.push(line));
            }
        }
    };
    on_window(ev::message, move |event: web_sys::MessageEvent| {
        let from = event.source().map(JsValue::from);
        if window_of().is_some_and(|window| from == Some(window.into())) {
            hear(event.data());
        }
    });
    Effect::new(move |_| {
        let beat = move || {
            // The browser slows down what isn't seen.
            if !web_sys::window().and_then(|it| it.document()).is_some_and(|it| it.hidden()) {
                run.unanswered.try_update(|count| *count = count.saturating_add(1));
                post(&"ping".into());
            }
        };
        if let Ok(beats) = set_interval(beat, BEAT) {
            on_cleanup(move || beats.clear());
        }
    });
    view! {
        <iframe
            node_ref=frame
            class="coded-frame"
            title=t().coded_frame()
            src=browser::meta("gemtab-preview")
        ></iframe>
    }
}

/// What the program has written.
#[component]
pub fn Console(run: Run) -> impl IntoView {
    let (ui, chat) = (use_ui(), use_chat());
    let any = Memo::new(move |_| run.lines.with(|lines| !lines.is_empty()));
    let failure =
        Memo::new(move |_| run.lines.with(|lines| lines.iter().find(|line| line.is_failure()).cloned()));
    let fix = move |_| {
        let Some(failure) = failure.get_untracked() else { return };
        let message = t().coded_fix_message(&failure.words());
        let draft = chat.draft.get_untracked();
        let draft = draft.trim_end();
        chat.set_draft(if draft.is_empty() { message } else { format!("{draft}\n\n{message}") });
        if document().fullscreen_element().is_some() {
            document().exit_fullscreen();
        }
        if browser::drawer_covers() {
            ui.coded.set(None);
        }
        ui.focus_composer.ask(());
    };
    let line = move |index: usize| {
        let line = run.lines.with_untracked(|lines| lines.get(index).cloned())?;
        let class = match line.level {
            Level::Log => "",
            Level::Warning => "warns",
            Level::Error | Level::Blocked => "fails",
        };
        let at =
            (line.at > 0).then(|| view! { <span class="muted">{t().document_line(line.at.into())}</span> });
        Some(view! { <li class=class><span>{line.words()}</span>{at}</li> })
    };
    view! {
        <Show when=move || any.get()>
            <section class="coded-console" aria-label=t().coded_console()>
                <header>
                    <h3>{t().coded_console()}</h3>
                    <Show when=move || failure.with(Option::is_some)>
                        <button type="button" class="button" on:click=fix>{t().coded_fix()}</button>
                    </Show>
                </header>
                // Focusable, so that the keyboard can scroll it.
                <ol tabindex="0" dir="ltr">
                    <For each=move || 0..run.lines.with(Vec::len) key=move |index| (run.number.get_untracked(), *index) children=line />
                </ol>
            </section>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_cannot_end_its_element() {
        let document = document_of(PreviewKind::Script, "x = '</script><b>' // <!-- canvas");
        assert_eq!(document.matches("</script").count(), 1, "{document}");
        assert!(!document.contains("<!--") && document.contains("<canvas id=\"canvas\""), "{document}");
        assert!(!document_of(PreviewKind::Script, "f()").contains("<canvas"));
        assert_eq!(document_of(PreviewKind::Html, "<p>"), "<p>");
    }
}
