//! What would be learned: the first examples token by token, and what cannot be used.

use leptos::prelude::*;
use protocol::Sense;
use protocol::example::RowProblem;
use protocol::tune::{Preview, PreviewPiece, PreviewRow};

use crate::{
    components::FailureBox,
    failures,
    language::{ELEMENT, around, listed, t},
    state::{models::ModelState, use_engine, use_tune, use_ui},
};

/// What the engine has read of the examples. Nothing while there are none.
#[component]
pub fn PreviewView() -> impl IntoView {
    let (tune, engine, ui) = (use_tune(), use_engine(), use_ui());
    let content = move || {
        if let Some(failure) = tune.unread.get() {
            return Some(view! { <FailureBox failure=failure /> }.into_any());
        }
        if let Some(preview) = tune.preview.get() {
            return Some(preview_view(preview));
        }
        let waits = tune.data().is_some() && !engine.model.with(ModelState::is_ready);
        waits.then(|| {
            view! {
                <div class="notice slim">
                    <p>{t().tune_preview_model()}</p>
                    <button type="button" class="button" on:click=move |_| ui.picker.set(true)>{t().choose_model()}</button>
                </div>
            }
            .into_any()
        })
    };
    view! { <div class="preview" aria-busy=move || tune.reading.get().to_string()>{content}</div> }
}

/// What the looks of a token mean, in a sentence that shows both.
fn legend() -> Vec<AnyView> {
    let look = |(at, piece): (usize, &'static str)| match at {
        1 => view! { <span class="token learned">{piece}</span> }.into_any(),
        3 => view! { <span class="token">{piece}</span> }.into_any(),
        _ => piece.into_any(),
    };
    t().tune_marked().split('|').enumerate().map(look).collect()
}

fn preview_view(preview: Preview) -> AnyView {
    let Preview { rows, usable, tokens, learned, longest, problems, problem_count, ignored, .. } = preview;
    // That none can be used is said where the run starts.
    let summary = (usable > 0).then(|| t().tune_preview(usable.into(), tokens, learned, longest.into()));
    let more = u64::from(usable).saturating_sub(rows.len() as u64);
    let rows: Vec<_> = rows.into_iter().enumerate().map(|(index, row)| row_view(row, index == 0)).collect();
    view! {
        {summary.map(|summary| view! { <p class="numbers"><strong>{summary}</strong></p> })}
        {(!ignored.is_empty()).then(|| view! { <p class="hint">{t().tune_ignored(&listed(ignored.iter()))}</p> })}
        {(problem_count > 0).then(|| problems_view(problems, problem_count))}
        {(usable > 0).then(|| view! { <p class="hint">{legend()}</p> })}
        {rows}
        {(more > 0).then(|| view! { <p class="muted">{t().and_more(more)}</p> })}
    }
    .into_any()
}

fn problems_view(problems: Vec<RowProblem>, count: u32) -> AnyView {
    let more = u64::from(count).saturating_sub(problems.len() as u64);
    let lines: Vec<_> = problems
        .into_iter()
        .map(|problem| {
            let words = t().tune_problem(ELEMENT, &failures::problem(&problem.reason));
            let (before, after) = around(&words);
            view! { <li>{before}<strong>{t().tune_line(problem.line.into())}</strong>{after}</li> }
        })
        .collect();
    let heading = t().tune_left_out(count.into());
    view! {
        <details class="fold problems" open=count <= 5>
            <summary>{heading}</summary>
            <ul>{lines}</ul>
            {(more > 0).then(|| view! { <p class="muted">{t().and_more(more)}</p> })}
        </details>
    }
    .into_any()
}

fn row_view(row: PreviewRow, open: bool) -> AnyView {
    let tokens = |piece: &PreviewPiece| match piece {
        PreviewPiece::Token { .. } => 1,
        PreviewPiece::Medium { tokens, .. } => *tokens,
    };
    let shown: u32 = row.pieces.iter().map(tokens).sum();
    let cut = row.tokens > shown;
    let counts = t().tune_row(row.tokens.into(), row.learned.into());
    let pieces = StoredValue::new(row.pieces);
    let is_open = RwSignal::new(open);
    // Thousands of tokens are drawn only where somebody looks.
    let tokens = move || {
        is_open.get().then(|| {
            let pieces = pieces.get_value();
            let view = |piece| match piece {
                PreviewPiece::Token { text, learned } => token_view(&text, learned),
                PreviewPiece::Medium { sense, tokens } => medium_view(sense, tokens),
            };
            pieces.into_iter().map(view).collect::<Vec<_>>()
        })
    };
    view! {
        <details
            class="fold"
            open=open
            on:toggle=move |event| {
                let details = event_target::<web_sys::Element>(&event);
                is_open.set(details.has_attribute("open"));
            }
        >
            <summary>
                {t().tune_line(row.line.into())}
                <span class="muted">{counts}</span>
            </summary>
            <div class="tokens">
                {tokens}
                {cut.then(|| view! { <span class="muted">"…"</span> })}
            </div>
        </details>
    }
    .into_any()
}

/// A picture or a sound, with what it takes.
fn medium_view(sense: Sense, tokens: u32) -> AnyView {
    let what = match sense {
        Sense::Sight => t().tune_image(),
        Sense::Hearing => t().tune_audio(),
    };
    let words = t().with_amount(what, &t().tokens(tokens.into()));
    view! { <span class="token medium">{words}</span> }.into_any()
}

/// A token. White space is shown, since it is learned too.
fn token_view(text: &str, learned: bool) -> AnyView {
    let breaks = text.ends_with('\n');
    let shown = text.replace('\n', "↵");
    let class = if learned { "token learned" } else { "token" };
    if learned {
        // Told by more than a colour.
        view! { <mark class=class>{shown}</mark>{breaks.then(|| view! { <br /> })} }.into_any()
    } else {
        view! { <span class=class>{shown}</span>{breaks.then(|| view! { <br /> })} }.into_any()
    }
}
