//! What the model has coded: as it looks or runs, in its versions, as source.

use std::sync::Arc;

use leptos::{html, prelude::*};
use protocol::Role;

use super::{
    coded_frame::{Console, Program, Run},
    coded_table::Table,
};
use crate::{
    browser,
    components::{Glyph, IconButton},
    content::{CodeBlock, PreviewKind, code_file_name, coded},
    history::NodeId,
    language::t,
    state::{CodedPlace, use_chat, use_ui},
};

/// A block of code in an answer.
#[derive(Clone, Debug, PartialEq)]
struct Version {
    node: NodeId,
    text: Arc<str>,
    complete: bool,
}

/// Returns the block of an answer that is in the place of another answer's.
fn version(node: NodeId, answer: &str, grows: bool, of: CodedPlace) -> Option<Version> {
    let block = coded(answer, grows).into_iter().filter(|it| it.kind == of.kind).nth(of.nth)?;
    Some(Version { node, text: block.text.into(), complete: block.complete })
}

fn language(kind: PreviewKind) -> &'static str {
    match kind {
        PreviewKind::Html => "html",
        PreviewKind::Svg => "svg",
        PreviewKind::Script => "js",
        PreviewKind::Table => "csv",
    }
}

/// The content of the drawer.
#[component]
pub fn CodedContent() -> impl IntoView {
    let (ui, chat) = (use_ui(), use_chat());
    let settled = Memo::new(move |_| {
        let Some(of) = ui.coded.get() else { return Vec::new() };
        chat.conversation.with(|conversation| {
            let answers = conversation.active_path().into_iter().filter_map(|node| {
                let message = conversation.message(node).filter(|it| it.role == Role::Assistant)?;
                version(node, &message.text, false, of)
            });
            answers.collect::<Vec<_>>()
        })
    });
    // A block is complete when its end comes, and not before: all else that grows is not read again.
    let marks = Memo::new(move |_| {
        chat.answer.text.with(|text| text.matches("```").count() + text.matches("~~~").count())
    });
    let running = Memo::new(move |_| {
        let here = chat.conversation.with(|conversation| conversation.id);
        let place = chat.answer.place.get().filter(|place| place.conversation == here);
        place.map(|place| place.node)
    });
    let growing = Memo::new(move |_| {
        marks.track();
        let (of, node) = (ui.coded.get()?, running.get()?);
        chat.answer.text.with_untracked(|text| version(node, text, true, of))
    });
    let versions = Memo::new(move |_| {
        let is_settled = |it: &Version| Some(it.node) != running.get();
        let mut all: Vec<_> = settled.get().into_iter().filter(is_settled).collect();
        all.extend(growing.get().filter(|it| it.complete));
        all
    });
    let writing = Memo::new(move |_| growing.with(|it| it.as_ref().is_some_and(|it| !it.complete)));
    // Without a choice the newest one is shown.
    let chosen = RwSignal::new(None::<usize>);
    Effect::new(move |_| {
        let Some(of) = ui.coded.get() else { return };
        let at = versions.with_untracked(|all| {
            all.iter().position(|it| it.node == of.node).filter(|at| at + 1 < all.len())
        });
        chosen.set(at);
    });
    let at = Memo::new(move |_| {
        let last = versions.with(Vec::len).saturating_sub(1);
        chosen.get().map_or(last, |at| at.min(last))
    });
    let text = Memo::new(move |_| versions.with(|all| all.get(at.get()).map(|it| Arc::clone(&it.text))));
    let kind = Memo::new(move |_| ui.coded.get().map(|of| of.kind));
    let here = chat.conversation.with_untracked(|conversation| conversation.id);
    Effect::new(move |_| {
        if chat.conversation.with(|conversation| conversation.id) != here {
            ui.coded.set(None);
        }
    });

    let run = Run::default();
    Effect::new(move |before: Option<()>| {
        text.track();
        kind.track();
        // The first run has begun already.
        if before.is_some() {
            run.begin();
        }
    });
    let runs = Memo::new(move |_| kind.get() != Some(PreviewKind::Table) && text.with(Option::is_some));
    let source = RwSignal::new(false);
    let panel = NodeRef::<html::Div>::new();
    let download = move |()| {
        let (Some(kind), Some(text)) = (kind.get_untracked(), text.get_untracked()) else { return };
        let stem = chat.conversation.with_untracked(|conversation| conversation.file_stem());
        browser::download(&code_file_name(language(kind), &text, &stem), "text/plain", &text);
    };
    let several = Memo::new(move |_| versions.with(Vec::len) > 1);
    let go = move |by: isize| {
        let last = versions.with_untracked(Vec::len).saturating_sub(1);
        let to = at.get_untracked().saturating_add_signed(by).min(last);
        chosen.set((to < last).then_some(to));
    };
    let steps = move || t().rail_steps(at.get() as u64 + 1, versions.with(Vec::len) as u64);
    let first = Signal::derive(move || at.get() == 0);
    let last = Signal::derive(move || at.get() + 1 >= versions.with(Vec::len));
    let has_full = document().fullscreen_enabled();
    let full = move |()| {
        if document().fullscreen_element().is_some() {
            document().exit_fullscreen();
        } else if let Some(panel) = panel.get_untracked() {
            // A browser that refuses leaves it as it is.
            panel.request_fullscreen().ok();
        }
    };
    let code = Signal::derive(move || text.get().unwrap_or_default().to_string());
    let name = Signal::derive(move || kind.get().map(language).unwrap_or_default().to_owned());
    view! {
        <div class="coded-panel" node_ref=panel>
            <div class="coded-tools">
                <Show when=move || several.get()>
                    <span class="variants" role="group" aria-label=t().coded_versions()>
                        <IconButton glyph=Glyph::Left label=t().version_previous() disabled=first on_press=move |()| go(-1) />
                        <span class="numbers" role="status">{steps}</span>
                        <IconButton glyph=Glyph::Right label=t().version_next() disabled=last on_press=move |()| go(1) />
                    </span>
                </Show>
                <button
                    type="button"
                    class="copy-button"
                    aria-pressed=move || source.get().to_string()
                    on:click=move |_| source.update(|source| *source = !*source)
                >
                    {t().coded_source()}
                </button>
                <span class="coded-space"></span>
                <Show when=move || runs.get()>
                    <IconButton glyph=Glyph::Again label=t().coded_again() on_press=move |()| run.begin() />
                    <IconButton
                        glyph=Glyph::Stop
                        label=t().coded_stop()
                        disabled=Signal::derive(move || run.stopped.get())
                        on_press=move |()| run.stop()
                    />
                </Show>
                <IconButton glyph=Glyph::Import label=t().code_download() on_press=download />
                <Show when=move || has_full>
                    <IconButton glyph=Glyph::Expand label=t().coded_full() on_press=full />
                </Show>
            </div>
            <p class="coded-status muted" role="status">
                {move || writing.get().then(|| if text.with(Option::is_some) { t().coded_newer() } else { t().coded_writing() })}
            </p>
            <div class="coded-body" hidden=move || source.get()>
                {move || match kind.get() {
                    Some(PreviewKind::Table) => view! { <Table text=code /> }.into_any(),
                    Some(kind) => view! { <Program kind=kind text=code run=run there=runs /> }.into_any(),
                    None => ().into_any(),
                }}
            </div>
            <Show when=move || source.get()>
                <div class="coded-source">
                    <CodeBlock language=name text=code />
                </div>
            </Show>
            <Show when=move || runs.get()>
                <Console run=run />
            </Show>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_in_the_same_place_is_a_version_of_another() {
        let of = CodedPlace { node: NodeId(1), kind: PreviewKind::Html, nth: 1 };
        let answer = "```html\na\n```\n\n```js\nb\n```\n\n```html\nc\n```";
        let version = |answer, grows| {
            version(NodeId(2), answer, grows, of).map(|it| (it.text.to_string(), it.complete))
        };
        assert_eq!(version(answer, true), Some(("c".to_owned(), true)));
        assert_eq!(version("```html\na\n```\n\n```html\nc", true), Some(("c".to_owned(), false)));
        assert_eq!(version("```html\na\n```", false), None);
    }
}
