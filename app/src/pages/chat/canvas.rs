//! The block that a diffusion model is denoising: its text as it settles, and how far it is.

use leptos::prelude::*;
use protocol::Channel;

use crate::{format, language::t, state::use_stores};

/// The canvas of the running answer. Nothing where there is none.
#[component]
pub fn CanvasView(
    /// Whether this answer is being written.
    running: Memo<bool>,
) -> impl IntoView {
    let stores = use_stores();
    let canvas = stores.chat.answer.canvas;
    let present = Memo::new(move |_| running.get() && canvas.with(Option::is_some));
    let steps = stores.settings.field(|settings| settings.show_steps);
    let status = move || {
        canvas.with(|canvas| {
            let canvas = canvas.as_ref()?;
            let entropy = format::number(canvas.entropy.into(), 2);
            Some(t().canvas_step(
                (canvas.block + 1).into(),
                canvas.step.into(),
                canvas.steps.into(),
                &entropy,
            ))
        })
    };
    let text = move || {
        canvas.with(|canvas| {
            let texts = canvas.iter().flat_map(|canvas| &canvas.text);
            let spans = texts.map(|it| {
                let (open, thought) = (!it.accepted, it.channel == Channel::Thought);
                view! { <span class:open=open class:of-thought=thought>{it.text.clone()}</span> }
            });
            spans.collect::<Vec<_>>()
        })
    };
    view! {
        <Show when=move || present.get()>
            <div class="canvas">
                // It changes with every step: who listens hears the block when it is finished.
                <Show when=move || steps.get()>
                    <p class="canvas-text" dir="auto" aria-hidden="true">{text}</p>
                </Show>
                <p class="muted waiting numbers"><span class="pulse" aria-hidden="true"></span>{status}</p>
            </div>
        </Show>
    }
}
