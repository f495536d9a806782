//! A thought: a line that opens.

use std::sync::Arc;

use leptos::prelude::*;

use crate::{
    content::Markdown,
    format,
    history::Message,
    language::t,
    state::{answer::AnswerPhase, chat::LiveText, use_chat},
};

/// The thought before an answer. Nothing when there was none.
#[component]
pub fn Thought(
    /// Whether this answer is being written.
    running: Memo<bool>,
    /// What is known of this answer while another tab writes it.
    live: Memo<Option<LiveText>>,
    /// The answer.
    message: Memo<Option<Arc<Message>>>,
) -> impl IntoView {
    let chat = use_chat();
    let answer = chat.answer;
    let text = Signal::derive(move || {
        if running.get() {
            return answer.thought.get();
        }
        let kept = message.with(|it| it.as_ref().map(|it| it.thought.clone()).unwrap_or_default());
        live.with(|live| live.as_ref().map(|live| &live.thought).filter(|it| it.len() > kept.len()).cloned())
            .unwrap_or(kept)
    });
    let present = Memo::new(move |_| text.with(|text| !text.trim().is_empty()));
    let thinking = Memo::new(move |_| running.get() && answer.phase.get() == AnswerPhase::Thinking);
    let words = move || {
        // Before the memo that comes from it, or a change of this one alone would wake nobody.
        let running = running.get();
        if thinking.get() {
            return t().thinking().to_owned();
        }
        let took = if running {
            answer.thought_ms.get()
        } else {
            message.with(|message| message.as_ref().and_then(|message| message.thought_ms))
        };
        match took {
            Some(took) => t().thought_for(&format::whole_seconds(took as f64 / 1000.0)),
            None => t().thought().to_owned(),
        }
    };
    view! {
        <Show when=move || present.get()>
            <div class="thought-line">
                <details class="thought">
                    <summary>{words}</summary>
                    <div class="thought-text">
                        <Markdown text=text />
                    </div>
                </details>
                <Show when=move || thinking.get()>
                    <button type="button" class="button quiet" on:click=move |_| chat.answer_now()>{t().answer_now()}</button>
                </Show>
            </div>
        </Show>
    }
}
