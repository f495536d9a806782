//! One message, with what can be done with it.

use std::sync::Arc;

use leptos::{html, prelude::*, task::spawn_local};
use protocol::{Cause, Finish, Remedy, Role};

use super::{
    attachments::MessageAttachments,
    canvas::CanvasView,
    cited::{LeftOut, provide_citations},
    code_actions::{copy_with_format, provide_code_actions},
    dialogs::{self, Calls},
    message_ref::MessageRef,
    thought::Thought,
    unanswered::Unanswered,
};
use crate::{
    browser,
    components::{FailureBox, Glyph, Icon, IconButton},
    content::{Markdown, draw_passages, few_marks, passages},
    format,
    history::{Message, NodeId},
    language::t,
    state::{
        answer::AnswerPhase, engine::EnginePhase, use_chat, use_engine, use_find, use_stores, use_ui,
        use_voice,
    },
};

/// How long a tick stands for "copied".
const COPIED_TIME: std::time::Duration = std::time::Duration::from_millis(1_600);

/// One message of the conversation on screen.
#[component]
pub fn MessageView(it: MessageRef) -> impl IntoView {
    let MessageRef { conversation, node, .. } = it;
    let message = Memo::new_with_compare(
        move |_| conversation.with(|conversation| conversation.shared_message(node)),
        is_another,
    );
    let role = message.with_untracked(|message| message.as_ref().map(|message| message.role));
    match role {
        Some(Role::User) => view! { <Question it=it message=message /> }.into_any(),
        Some(Role::Assistant) => view! { <Answer it=it message=message /> }.into_any(),
        // Where the call has an id, its card has the result.
        Some(Role::Tool) if message.with_untracked(|it| it.as_ref().is_some_and(|it| it.call.is_empty())) => {
            let (tool, text) =
                message.get_untracked().map(|it| (it.tool.clone(), it.text.clone())).unwrap_or_default();
            view! {
                <article class="message tool" aria-label=t().answer_of(&tool) data-node=node.to_string()>
                    <h2 class="speaker">{tool.clone()}</h2>
                    <pre>{text}</pre>
                </article>
            }
            .into_any()
        }
        Some(Role::Tool | Role::System) | None => ().into_any(),
    }
}

/// Whether a message was replaced. Not a text is compared: one that was not touched is the same one still.
fn is_another(before: Option<&Option<Arc<Message>>>, now: Option<&Option<Arc<Message>>>) -> bool {
    let place = |message: Option<&Option<Arc<Message>>>| message.and_then(Option::as_ref).map(Arc::as_ptr);
    place(before) != place(now)
}

/// What the user said.
#[component]
fn Question(it: MessageRef, message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    let (chat, find) = (use_chat(), use_find());
    let node = it.node;
    let text = Memo::new(move |_| {
        message.with(|message| message.as_ref().map(|it| it.text.clone()).unwrap_or_default())
    });
    let editing = Memo::new(move |_| it.is_edited(chat));
    let attachments = Memo::new(move |_| {
        message.with(|message| message.as_ref().map(|it| it.attachments.clone()).unwrap_or_default())
    });
    let attached = move || {
        let attachments = attachments.get();
        (!attachments.is_empty()).then(|| view! { <MessageAttachments attachments=attachments /> })
    };
    let says = Memo::new(move |_| text.with(|text| !text.is_empty()));
    let long = Memo::new(move |_| text.with(|text| is_long(text)));
    let folded = RwSignal::new(true);
    let passages = Memo::new(move |_| text.with(|text| passages(&few_marks(text))));
    let whole = RwSignal::new(false);
    let count = move || passages.with(|(all, shown)| if whole.get() { all.len() } else { *shown });
    let many = Memo::new(move |_| passages.with(|(all, _)| all.len() > 1));
    // What was found in it is in sight.
    Effect::new(move |_| {
        if find.shown.with(|hit| hit.is_some_and(|hit| hit.node == node)) {
            folded.set(false);
            whole.set(true);
        }
    });
    let is_cut = move || !folded.get() && passages.with(|(all, _)| count() < all.len());
    view! {
        <article class="message you" aria-label=t().you() data-node=node.to_string()>
            <h2 class="speaker">{t().you()}</h2>
            {attached}
            <Show
                when=move || editing.get()
                fallback=move || view! {
                    <Show when=move || says.get()>
                        <div class="bubble">
                            <div
                                class="bubble-text"
                                class:many=move || many.get()
                                class:folded=move || long.get() && folded.get()
                                dir="auto"
                            >
                                {move || passages.with(|(all, _)| draw_passages(&all[..count()]))}
                            </div>
                            <Show when=is_cut>
                                <button type="button" class="button quiet more" on:click=move |_| whole.set(true)>
                                    {t().show_all()}
                                </button>
                            </Show>
                            <Show when=move || long.get()>
                                <button
                                    type="button"
                                    class="button quiet more"
                                    aria-expanded=move || (!folded.get()).to_string()
                                    on:click=move |_| folded.update(|folded| *folded = !*folded)
                                >
                                    {move || if folded.get() { t().show_more() } else { t().show_less() }}
                                </button>
                            </Show>
                        </div>
                    </Show>
                    {pinned_tag(message)}
                    <Actions>
                        <CopyAction text=text />
                        <IconButton glyph=Glyph::Edit label=t().edit_resend() on_press=move |()| chat.editing.set(Some(node)) />
                        <Variants it=it />
                        <PinAction node=node message=message />
                        <IconButton glyph=Glyph::Delete label=t().delete_after() on_press=move |()| chat.delete_message(node) />
                    </Actions>
                }
            >
                <EditField node=node text=text.get_untracked() />
            </Show>
            <Unanswered it=it />
        </article>
    }
}

/// Lines of a question that are shown until more of it is asked for. The style sheet has them, too.
const SHOWN_LINES: usize = 12;
/// Letters of a line of the bubble, about.
const LETTERS: usize = 70;

/// Whether a question is folded.
fn is_long(text: &str) -> bool {
    let lines = text.lines().map(|line| line.chars().count().div_ceil(LETTERS).max(1));
    lines.sum::<usize>() > SHOWN_LINES
}

/// The field to put a message in other words: one of the user's is sent again, one of the model's is kept.
#[component]
fn EditField(node: NodeId, text: String, #[prop(optional)] answer: bool) -> impl IntoView {
    let stores = use_stores();
    let chat = stores.chat;
    let field = NodeRef::<html::Textarea>::new();
    let begun = chat.edit_of(node).unwrap_or_else(|| text.clone());
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            browser::autosize(&field);
            // It has just been put into the page.
            field.focus().ok();
            let end = field.value().encode_utf16().count() as u32;
            field.set_selection_range(end, end).ok();
        }
    });
    let send = move || {
        let Some(field) = field.get_untracked() else { return };
        let text = field.value();
        let done = if answer { chat.edit_answer(node, &text) } else { chat.resend(node, &text) };
        // The field goes, and the focus with it.
        if done {
            stores.ui.focus_composer.ask(());
        }
    };
    let close = move || {
        chat.discard_edit(node);
        stores.ui.focus_composer.ask(());
    };
    let key = move |event: web_sys::KeyboardEvent| {
        if browser::is_composing(&event) {
            return;
        }
        let modified = event.ctrl_key() || event.meta_key();
        let send_key = stores.settings.value.with_untracked(|settings| settings.send_key);
        match event.key().as_str() {
            "Escape" => {
                event.stop_propagation();
                close();
            }
            // An answer has many lines.
            "Enter" if answer && !modified => {}
            "Enter" if answer || send_key.sends(event.shift_key(), modified) => {
                event.prevent_default();
                send();
            }
            _ => {}
        }
    };
    view! {
        <div class="edit">
            <textarea
                aria-label=if answer { t().edit_answer() } else { t().edit_label() }
                dir="auto"
                node_ref=field
                prop:value=begun
                on:keydown=key
                on:input=move |_| {
                    if let Some(field) = field.get_untracked() {
                        browser::autosize(&field);
                        let now = field.value();
                        chat.note_edit(node, (now != text).then_some(now));
                    }
                }
            ></textarea>
            <p class="hint">{t().edit_hint()}</p>
            <div class="buttons">
                <button type="button" class="button primary" on:click=move |_| send()>
                    {if answer { t().save() } else { t().send() }}
                </button>
                <button type="button" class="button" on:click=move |_| close()>{t().cancel()}</button>
            </div>
        </div>
    }
}

/// What a model said.
#[component]
fn Answer(it: MessageRef, message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    let chat = use_chat();
    let node = it.node;
    provide_citations(it);
    let running = Memo::new(move |_| chat.answer.is_at(it.conversation_id, node));
    let editing = Memo::new(move |_| it.is_edited(chat) && !running.get());
    let kept = move |read: fn(&Message) -> String| {
        Memo::new(move |_| message.with(|message| message.as_deref().map(read).unwrap_or_default()))
    };
    let kept_text = kept(|message| message.text.clone());
    let model = kept(|message| message.model.clone());
    let live = Memo::new(move |_| chat.live_text(it.conversation_id, node));
    let text = Signal::derive(move || {
        if running.get() {
            return chat.answer.text.get();
        }
        let kept = kept_text.get();
        live.with(|live| {
            live.as_ref().filter(|live| live.text.len() > kept.len()).map(|live| live.text.clone())
        })
        .unwrap_or(kept)
    });
    // A canvas has a mark of its own.
    let writing = Memo::new(move |_| {
        let writes = running.get() && chat.answer.phase.get() == AnswerPhase::Writing;
        writes && chat.answer.canvas.with(Option::is_none)
    });
    let reading = move || {
        let waits = running.get() && chat.answer.phase.get() == AnswerPhase::Reading;
        waits.then(|| {
            let (read, total) = chat.answer.read.get();
            let words = if let Some(sensing) = chat.answer.sensing.get() {
                sensing
            } else if total > 0 {
                t().reading_tokens(read.into(), total.into())
            } else {
                t().reading().to_owned()
            };
            view! { <p class="muted waiting"><span class="pulse" aria-hidden="true"></span>{words}</p> }
        })
    };
    view! {
        <article
            class="message model-says"
            aria-label=move || t().answer_of(&model.get())
            aria-busy=move || running.get().to_string()
            data-node=node.to_string()
        >
            <h2 class="speaker">
                {model}
                {move || message.with(|it| it.as_ref().is_some_and(|it| it.edited)).then(|| view! { <span class="tag">{t().edited()}</span> })}
                {pinned_tag(message)}
            </h2>
            <Thought running=running live=live message=message />
            {reading}
            <Show
                when=move || editing.get()
                fallback=move || view! {
                    <div class="says" class:writing=writing>
                        <Says node=node text=text />
                    </div>
                    <CanvasView running=running />
                }
            >
                <EditField node=node text=kept_text.get_untracked() answer=true />
            </Show>
            <Calls it=it message=message />
            <Show when=move || !running.get() && !editing.get()>
                <LeftOut it=it />
                <Outcome it=it message=message />
                // What another tab is writing can't be changed here.
                <Show when=move || !chat.is_elsewhere(it.conversation_id, node)>
                <Actions>
                    <CopyAction text=kept_text formatted=true />
                    <ReadAction it=it />
                    <IconButton glyph=Glyph::Again label=t().regenerate() on_press=move |()| chat.regenerate(node) />
                    <Variants it=it />
                    <IconButton glyph=Glyph::Edit label=t().edit_answer() on_press=move |()| chat.editing.set(Some(node)) />
                    <IconButton glyph=Glyph::Branch label=t().branch_off() on_press=move |()| chat.branch_off(node) />
                    <PinAction node=node message=message />
                    <IconButton glyph=Glyph::Delete label=t().delete_after() on_press=move |()| chat.delete_message(node) />
                    <Figures node=node message=message />
                </Actions>
                </Show>
            </Show>
        </article>
    }
}

/// What the model said, with what can be done with its code.
#[component]
fn Says(node: NodeId, text: Signal<String>) -> impl IntoView {
    provide_code_actions(node, text);
    view! { <Markdown text=text /> }
}

/// How the answer ended, where that is not as usual.
#[component]
fn Outcome(it: MessageRef, message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    let MessageRef { conversation, conversation_id, node } = it;
    let retry = Callback::new(move |()| chat.regenerate(node));
    // While the engine is gone, one box says so, with the button that tries again.
    let crashed = Memo::new(move |_| {
        engine.phase.with(|phase| matches!(phase, EnginePhase::Crashed(_)))
            && chat.failure.with(|failure| failure.as_ref().is_some_and(|it| it.node == node))
    });
    move || {
        let message = message.get()?;
        let is_last = conversation.with(|conversation| conversation.ends_with(node));
        let goes_on = can_continue(&message) && is_last;
        let room = (is_last && is_out_of_room(&message)).then(|| dialogs::room(Some(node)));
        let proceed = goes_on.then(|| {
            view! {
                <button
                    type="button"
                    class="button"
                    disabled=move || chat.answer.is_running() || chat.queued.with(Option::is_some)
                    on:click=move |_| chat.continue_answer(node)
                >
                    <Icon glyph=Glyph::Play />
                    {t().continue_answer()}
                </button>
            }
        });
        if let Some(error) = &message.error {
            return Some(if crashed.get() {
                view! { <div class="outcome muted"><p>{t().cut_off()}</p>{proceed}</div> }.into_any()
            } else {
                let proceed = proceed.map(|proceed| view! { <div class="outcome">{proceed}</div> });
                view! { <FailureBox failure=error.failure() retry=retry />{proceed}{room} }.into_any()
            });
        }
        let words = match message.finish {
            Some(Finish::Cancelled) => Some(t().finish_stopped()),
            Some(Finish::MaxTokens | Finish::CutCall) => Some(t().finish_limit()),
            Some(Finish::ContextFull) => Some(t().finish_full()),
            Some(Finish::EndOfTurn | Finish::StopText | Finish::ToolCall) => None,
            None if message.edited => None,
            None if chat.is_elsewhere(conversation_id, node) => {
                return Some(
                    view! {
                        <p class="muted waiting"><span class="pulse" aria-hidden="true"></span>{t().elsewhere()}</p>
                    }
                    .into_any(),
                );
            }
            None => Some(t().closed_early()),
        };
        if words.is_none() && !goes_on {
            return None;
        }
        Some(
            view! { <div class="outcome muted">{words.map(|words| view! { <p>{words}</p> })}{proceed}</div>{room} }
                .into_any(),
        )
    }
}

/// Whether there is more to come of an answer: it was cut off, or the user has changed how it begins. What failed goes on
/// where trying again may help.
fn can_continue(message: &Message) -> bool {
    let hopeless =
        message.error.as_ref().is_some_and(|error| !error.failure().remedies().contains(&Remedy::Retry));
    let cut = !hopeless && matches!(message.finish, None | Some(Finish::Cancelled | Finish::MaxTokens));
    let says = !message.text.is_empty() || !message.thought.is_empty();
    says && message.calls.is_empty() && (cut || message.edited)
}

/// Whether an answer ended, or did not begin, for want of room in the context.
fn is_out_of_room(message: &Message) -> bool {
    let failed = message.error.as_ref().map(|error| error.failure().cause());
    message.finish == Some(Finish::ContextFull) || failed == Some(Cause::ContextFull)
}

/// What can be done with a message. On touch screens, a button opens those of earlier messages (`style/message.css`).
#[component]
fn Actions(children: Children) -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <div class="actions" class:open=open>
            <button
                type="button"
                class="icon-button actions-more"
                aria-label=t().message_actions()
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                <Icon glyph=Glyph::More />
            </button>
            {children()}
        </div>
    }
}

fn is_pinned(message: Memo<Option<Arc<Message>>>) -> bool {
    message.with(|message| message.as_ref().is_some_and(|message| message.pinned))
}

/// The mark of a message that is pinned.
fn pinned_tag(message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    move || is_pinned(message).then(|| view! { <span class="tag">{t().rail_pinned()}</span> })
}

/// Pins a message, or takes the pin away.
#[component]
fn PinAction(node: NodeId, message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    let chat = use_chat();
    let label = move || if is_pinned(message) { t().rail_unpin() } else { t().pin_message() };
    let press = move |()| {
        chat.edit(|conversation| {
            if let Some(message) = conversation.message_mut(node) {
                message.pinned = !message.pinned;
            }
        });
    };
    view! { <IconButton glyph=Glyph::Pin label=Signal::derive(move || label().to_owned()) on_press=press /> }
}

/// Copies a message; one that is Markdown as formatted text, too (`formatted`).
#[component]
fn CopyAction(#[prop(into)] text: Signal<String>, #[prop(optional)] formatted: bool) -> impl IntoView {
    let ui = use_ui();
    let copied = RwSignal::new(false);
    let press = Callback::new(move |()| {
        let text = text.get_untracked();
        spawn_local(async move {
            if !(formatted && copy_with_format(&text).await || browser::copy_text(&text).await) {
                ui.toast(t().copy_refused());
                return;
            }
            ui.say(t().copied());
            copied.try_set(true);
            let reset = move || {
                copied.try_set(false);
            };
            browser::after(COPIED_TIME, reset);
        });
    });
    view! {
        <IconButton
            glyph=Signal::derive(move || if copied.get() { Glyph::Check } else { Glyph::Copy })
            label=t().copy()
            on_press=press
        />
    }
}

/// Reads an answer aloud.
#[component]
fn ReadAction(it: MessageRef) -> impl IntoView {
    let voice = use_voice();
    let place = (it.conversation_id, it.node);
    let reads = Memo::new(move |_| voice.reading.get() == Some(place));
    view! {
        <IconButton
            glyph=Signal::derive(move || if reads.get() { Glyph::Stop } else { Glyph::Speaker })
            label=Signal::derive(move || if reads.get() { t().read_stop() } else { t().read_aloud() }.to_owned())
            on_press=move |()| voice.toggle_reading(place)
        />
    }
}

/// Which variant of a message this is, with a way to the others. Nothing when it is the only one.
#[component]
fn Variants(it: MessageRef) -> impl IntoView {
    let chat = use_chat();
    let MessageRef { conversation, node, .. } = it;
    let variant = Memo::new(move |_| conversation.with(|conversation| conversation.variant(node)));
    let at_first = Signal::derive(move || variant.get().0 <= 1);
    let at_last = Signal::derive(move || variant.with(|(at, of)| at >= of));
    let several = Memo::new(move |_| variant.with(|(_, of)| *of > 1));
    view! {
        <Show when=move || several.get()>
            <span class="variants">
                <IconButton glyph=Glyph::Left label=t().version_previous() disabled=at_first on_press=move |()| chat.switch(node, -1) />
                <span class="numbers">{move || { let (at, of) = variant.get(); t().rail_steps(at as u64, of as u64) }}</span>
                <IconButton glyph=Glyph::Right label=t().version_next() disabled=at_last on_press=move |()| chat.switch(node, 1) />
            </span>
        </Show>
    }
}

/// Figures of an answer: how fast it came, and how long it took. Others come when they are pressed.
#[component]
fn Figures(node: NodeId, message: Memo<Option<Arc<Message>>>) -> impl IntoView {
    move || {
        let timings = message.with(|message| message.as_ref().and_then(|message| message.timings))?;
        let speed = timings.tokens_per_second();
        let first = format::seconds(timings.first_token_ms / 1000.0);
        let mut parts = Vec::new();
        if speed > 0.0 {
            parts.push(format::rate(speed));
        }
        parts.push(format::seconds(timings.total_ms() / 1000.0));
        let (tokens, prompt) = (timings.decode_tokens.into(), timings.prompt_tokens.into());
        let mut whole = t().figures(tokens, &first, prompt, timings.cached_tokens.into());
        if let Some(diffusion) = timings.diffusion {
            parts.push(t().figures_steps(diffusion.steps.into()));
            whole = t().figures_diffusion(
                tokens,
                diffusion.blocks.into(),
                diffusion.steps.into(),
                &first,
                prompt,
            );
        }
        // The browser opens it, and closes it on Esc and on a press beside it.
        let id = format!("figures-{node}");
        Some(view! {
            <button type="button" class="figures muted numbers" popovertarget=id.clone()>{parts.join(" · ")}</button>
            <div id=id popover="auto" class="figures-more numbers">{whole}</div>
        })
    }
}

#[cfg(test)]
mod tests {
    use protocol::Failure;
    use protocol::failure::{EngineFailure, RequestFailure};

    use super::{Finish, Message, Role, can_continue, is_long};

    #[test]
    fn an_answer_that_was_cut_off_can_go_on() {
        let answer = |text: &str, finish, edited| {
            can_continue(&Message { text: text.into(), finish, edited, ..Message::empty(Role::Assistant, 0) })
        };
        assert!(answer("Yes, and", None, false));
        assert!(answer("Yes, and", Some(Finish::Cancelled), false));
        assert!(answer("Yes, and", Some(Finish::MaxTokens), false));
        assert!(answer("Yes, and", Some(Finish::EndOfTurn), true));
        assert!(!answer("Yes.", Some(Finish::EndOfTurn), false));
        assert!(!answer("Yes, and", Some(Finish::ContextFull), false));
        assert!(!answer("", Some(Finish::Cancelled), false));
    }

    #[test]
    fn an_answer_that_failed_can_go_on_where_trying_again_may_help() {
        let answer = |text: &str, failure: Failure| {
            let (text, error) = (text.into(), Some(failure.into()));
            can_continue(&Message { text, error, ..Message::empty(Role::Assistant, 0) })
        };
        assert!(answer("Yes, and", EngineFailure::AnswerCut.into()));
        assert!(answer("Yes, and", EngineFailure::Generating.into()));
        assert!(!answer("", EngineFailure::AnswerCut.into()));
        assert!(!answer("Yes, and", RequestFailure::ContextFull { tokens: 9, context: 8 }.into()));
        assert!(!answer("Yes, and", EngineFailure::NotNumbers.into()));
    }

    #[test]
    fn questions_of_more_than_twelve_lines_are_folded() {
        assert!(!is_long(&"a\n".repeat(12)));
        assert!(is_long(&"a\n".repeat(13)));
        assert!(!is_long(&"a".repeat(840)));
        assert!(is_long(&"a".repeat(841)));
        assert!(!is_long(""));
    }
}
