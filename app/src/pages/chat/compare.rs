//! Two answers to the last question side by side: with the adapters as they are set, and without.

use leptos::{prelude::*, task::spawn_local};
use protocol::failure::{EngineFailure, RequestFailure};
use protocol::{AdapterScale, Channel, Event, Failure, Progress, Request, RequestId, Sampling};

use crate::{
    components::{Dialog, FailureBox},
    content::Markdown,
    failures,
    language::t,
    state::{Stores, chat::with_system, models::ModelState, use_stores},
};

/// One of the two answers.
#[derive(Clone, Copy)]
struct Side {
    text: RwSignal<String>,
    done: RwSignal<bool>,
}

impl Side {
    fn new() -> Self {
        Self { text: RwSignal::new(String::new()), done: RwSignal::new(false) }
    }
}

/// The dialog. It writes nothing into the conversation.
#[component]
pub fn Compare() -> impl IntoView {
    let stores = use_stores();
    let open = stores.ui.compare;
    view! {
        <Dialog open=open title=t().compare_title() class="compare">
            <Answers />
        </Dialog>
    }
}

#[component]
fn Answers() -> impl IntoView {
    let stores = use_stores();
    let (with, without) = (Side::new(), Side::new());
    let failure = RwSignal::new(None::<Failure>);
    let running = StoredValue::new(None::<RequestId>);
    spawn_local(async move {
        let scales = stores.adapters.scales();
        // The same draw for both, so that what differs is the adapter's.
        let seed = js_sys::Math::random().to_bits() & 0xffff_ffff;
        for (side, scales) in [(with, scales), (without, stores.adapters.scales_off())] {
            let told = answer(stores, side, scales, seed, running).await;
            if let Err(told) = told {
                stores.ui.say(failures::sentence(&told));
                failure.try_set(Some(told));
                return;
            }
            side.done.try_set(true);
        }
    });
    // Who closes the dialog wants no more of it.
    on_cleanup(move || {
        if let Some(id) = running.try_get_value().flatten() {
            stores.engine.cancel(id);
        }
    });
    let pane = |title: &'static str, side: Side| {
        view! {
            <section class="compare-pane" aria-label=title aria-busy=move || (!side.done.get() && failure.with(Option::is_none)).to_string()>
                <h3>{title}</h3>
                <Show when=move || side.text.with(String::is_empty) && !side.done.get() && failure.with(Option::is_none)>
                    <p class="hint">{t().compare_waiting()}</p>
                </Show>
                <Markdown text=side.text />
            </section>
        }
    };
    view! {
        {move || failure.get().map(|failure| view! { <FailureBox failure=failure /> })}
        <div class="compare-panes">
            {pane(t().compare_with(), with)}
            {pane(t().compare_without(), without)}
        </div>
        <p class="hint">{t().compare_hint()}</p>
    }
    .into_any()
}

async fn answer(
    stores: Stores,
    side: Side,
    adapters: Vec<AdapterScale>,
    seed: u64,
    running: StoredValue<Option<RequestId>>,
) -> Result<(), Failure> {
    let ModelState::Ready { loaded_by, choice, details, .. } = stores.engine.model.get_untracked() else {
        return Err(RequestFailure::NoModel.into());
    };
    let conversation = with_system(stores.chat.conversation.get_untracked(), &choice);
    let Some(last) = conversation.last_question() else {
        return Err(RequestFailure::NoQuestion.into());
    };
    let (messages, handles) = stores.chat.messages(&conversation, last, details.capabilities).await;
    let mut options = conversation.generate_options(&choice.recommended(Some(&details)));
    options.stop.extend(choice.entry.stop.iter().cloned());
    options.sampling = Sampling { seed: Some(seed), ..options.sampling };
    options.thinking &= details.capabilities.thinking;
    options.adapters = adapters;
    options.model = Some(loaded_by);
    let reply = stores.engine.request_with(handles, Request::Generate { messages, options });
    let mut reply = reply.ok_or(EngineFailure::Stopped)?;
    running.try_update_value(|running| *running = Some(reply.id()));
    while let Some(events) = reply.batch(33).await {
        for event in events {
            match event {
                Event::Progress(Progress::Text { channel: Channel::Answer, text, .. }) => {
                    side.text.try_update(|all| all.push_str(&text));
                }
                Event::Outcome(Err(failure)) => return Err(failure),
                Event::Outcome(Ok(_)) => {
                    running.try_update_value(|running| *running = None);
                    return Ok(());
                }
                _ => {}
            }
        }
    }
    Err(EngineFailure::AnswerCut.into())
}
