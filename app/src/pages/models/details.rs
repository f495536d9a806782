//! What is in a model's file.

use leptos::prelude::*;
use protocol::{FitVerdict, ModelDetails};

use super::saved::Checked;
use crate::{
    components::FailureBox,
    failures, format,
    language::t,
    state::{
        models::{Choice, Inspection, verdict_words},
        use_engine,
    },
};

/// What one model's header says.
#[component]
pub fn Details(choice: Choice) -> impl IntoView {
    let engine = use_engine();
    let id = choice.id.clone();
    let inspection = Memo::new(move |_| engine.inspections.with(|all| all.get(&id).cloned()));
    let digest = choice.entry.digest.clone();
    let broken = choice.entry.broken.clone();
    let content = move || {
        if let Some(reason) = broken.clone() {
            return view! { <p>{failures::model_problem(&reason)}</p> }.into_any();
        }
        match inspection.get() {
            Some(Inspection::Known { details, verdict }) => details_view(&details, &verdict, &digest),
            Some(Inspection::Failed(failure)) => view! { <FailureBox failure=failure /> }.into_any(),
            Some(Inspection::Running) => view! { <p class="muted">{t().details_reading()}</p> }.into_any(),
            None => view! { <p class="muted">{t().details_no_device()}</p> }.into_any(),
        }
    };
    view! {
        <details class="fold">
            <summary>{t().failure_details()} " " <span class="visually-hidden">{choice.entry.name.clone()}</span></summary>
            <div class="fold-body">{content} <Checked choice=choice.clone() /></div>
        </details>
    }
}

fn details_view(details: &ModelDetails, verdict: &FitVerdict, digest: &str) -> AnyView {
    let number = |value: u32| format::count(u64::from(value));
    let pairs = [
        (t().details_device(), verdict_words(verdict, details).1),
        (t().details_architecture(), details.architecture.clone()),
        (t().details_parameters(), format::count(details.parameters)),
        (t().details_layers(), number(details.layers)),
        (t().details_width(), number(details.width)),
        (t().details_vocabulary(), t().tokens(details.vocabulary.into())),
        (t().details_context(), t().tokens(details.max_context.into())),
        (t().details_window(), t().tokens(details.window.into())),
        (
            t().saved_digest(),
            if digest.is_empty() {
                t().details_own_file().to_owned()
            } else {
                format::short_digest(digest).to_owned()
            },
        ),
    ];
    let decoding = details.diffusion.map(|diffusion| {
        (t().details_decoding(), t().details_diffusion(diffusion.canvas.into(), diffusion.steps.into()))
    });
    let chats = details.continues.then(|| (t().details_chats(), t().details_continues().to_owned()));
    let drafter = details.drafter.then(|| (t().details_drafter(), t().details_drafter_included().to_owned()));
    let bits = |in_eight| if in_eight { t().details_eight_bits() } else { t().details_sixteen_bits() };
    let stored = details.stored.eight_bits;
    let cache = (t().details_kv_cache(), bits(stored.kv_cache).to_owned());
    let table = stored.table.then(|| (t().details_table(), t().details_eight_bits().to_owned()));
    let experts = details.experts.map(|it| (t().details_experts(), format::bytes_of(it.held, it.all)));
    let pairs: Vec<_> = pairs
        .into_iter()
        .chain(decoding)
        .chain(chats)
        .chain(drafter)
        .chain([cache])
        .chain(table)
        .chain(experts)
        .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
        .collect();
    let memory: Vec<_> = details
        .memory
        .iter()
        .map(|cost| view! { <tr><td class="numbers">{number(cost.context)}</td><td class="numbers">{format::bytes(cost.bytes)}</td></tr> })
        .collect();
    let types: Vec<_> = details
        .types
        .iter()
        .map(|share| {
            view! {
                <tr>
                    <td>{share.name.clone()}</td>
                    <td class="numbers">{number(share.tensors)}</td>
                    <td class="numbers">{format::bytes(share.bytes)}</td>
                </tr>
            }
        })
        .collect();
    view! {
        <dl class="pairs">{pairs}</dl>
        <div class="tables">
            <table class="table">
                <caption>{t().details_by_context()}</caption>
                <thead><tr><th scope="col">{t().details_tokens()}</th><th scope="col">{t().details_memory()}</th></tr></thead>
                <tbody>{memory}</tbody>
            </table>
            <table class="table">
                <caption>{t().details_by_type()}</caption>
                <thead><tr><th scope="col">{t().details_type()}</th><th scope="col">{t().details_tensors()}</th><th scope="col">{t().saved_size()}</th></tr></thead>
                <tbody>{types}</tbody>
            </table>
        </div>
    }
    .into_any()
}
