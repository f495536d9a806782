//! Questions before a model is loaded that this device may not have enough for.

use leptos::prelude::*;

use super::{Dialog, Opener};
use crate::{
    format,
    language::t,
    state::{
        models::{Choice, MemoryQuestion},
        use_chat, use_engine, use_ui,
    },
};

/// One of the answers to a question.
struct Answer<T: 'static> {
    /// The words of its button.
    words: fn(&T) -> String,
    act: Callback<T>,
}

impl<T: 'static> Answer<T> {
    fn new(words: fn(&T) -> String, act: impl Fn(T) + Send + Sync + 'static) -> Self {
        Self { words, act: Callback::new(act) }
    }
}

/// A dialog that is open while there is something to ask. Its last button closes it, and nothing is loaded.
#[component]
fn LoadQuestion<T: Clone + Send + Sync + 'static>(
    /// What is asked about; `None` if nothing is.
    asked: RwSignal<Option<T>>,
    title: &'static str,
    /// The question.
    words: fn(&T) -> String,
    /// The first is the one that is recommended.
    answers: [Answer<T>; 2],
) -> impl IntoView {
    let open = Opener::from(asked);
    let [first, second] = answers.map(|Answer { words, act }| {
        let press = move |_| {
            if let Some(about) = asked.get_untracked() {
                open.close();
                act.run(about);
            }
        };
        (move || asked.with(|asked| asked.as_ref().map(words)), press)
    });
    view! {
        <Dialog open=open title=title>
            <p>{move || asked.with(|asked| asked.as_ref().map(words))}</p>
            <div class="buttons">
                <button type="button" class="button primary" on:click=first.1>{first.0}</button>
                <button type="button" class="button" on:click=second.1>{second.0}</button>
                <button type="button" class="button quiet" on:click=move |_| open.close()>{t().not_now()}</button>
            </div>
        </Dialog>
    }
}

/// The answer that loads a model all the same, however much memory it needs.
fn load_anyway<T>(choice: fn(T) -> Choice) -> Answer<T> {
    let (chat, engine) = (use_chat(), use_engine());
    Answer::new(
        |_| t().too_slow_load().to_owned(),
        move |asked| {
            let choice = choice(asked);
            engine.want_anyway(&choice.id);
            chat.load(choice);
        },
    )
}

/// Asks whether a large model is to be loaded where the device computes in software.
#[component]
pub fn TooSlowDialog() -> impl IntoView {
    let ui = use_ui();
    let words = |choice: &Choice| t().too_slow(&choice.entry.name, &format::bytes(choice.entry.size));
    let how = Answer::new(|_| t().device_how().to_owned(), move |_| ui.advice.set(true));
    let load = load_anyway(|choice| choice);
    view! { <LoadQuestion asked=ui.too_slow title=t().too_slow_title() words=words answers=[how, load] /> }
}

/// Asks whether a model is to be loaded that most likely won't fit.
#[component]
pub fn UnlikelyDialog() -> impl IntoView {
    let ui = use_ui();
    let words =
        |(choice, missing): &(Choice, u64)| t().unlikely(&choice.entry.name, &format::bytes(*missing));
    let other = Answer::new(|_| t().other_model().to_owned(), move |_| ui.picker.set(true));
    let load = load_anyway(|(choice, _)| choice);
    view! { <LoadQuestion asked=ui.unlikely title=t().unlikely_title() words=words answers=[other, load] /> }
}

/// Asks whether ordinary memory may be used for what the graphics device has no room for.
#[component]
pub fn MemoryDialog() -> impl IntoView {
    let (engine, ui) = (use_engine(), use_ui());
    let words =
        |asked: &MemoryQuestion| t().memory_words(&asked.choice.entry.name, &format::bytes(asked.bytes));
    let load = Answer::new(
        |asked: &MemoryQuestion| t().use_memory(&format::bytes(asked.bytes)),
        move |MemoryQuestion { choice, context, .. }| engine.load_with_memory(choice, context),
    );
    let other = Answer::new(|_| t().other_model().to_owned(), move |_| ui.picker.set(true));
    view! { <LoadQuestion asked=engine.memory_asked title=t().memory_title() words=words answers=[load, other] /> }
}
