//! Pictures, sound, videos and documents of a message, and those of the next one.

use leptos::{html, prelude::*};
use protocol::MediaNotice;

use crate::{
    browser,
    components::{DetailSelect, Glyph, Icon, IconButton, SoundPlayer, Thumbnail},
    format,
    history::{Attachment, AttachmentKind},
    language::t,
    state::{
        chat::{Attached, Look, size_words},
        documents::whole_words,
        models::ModelState,
        use_chat, use_documents, use_engine,
    },
};

/// What the user sees as one thing.
#[derive(Clone, Debug, PartialEq)]
enum Tile<T> {
    /// A picture or a sound.
    One(T),
    /// The parts of a video.
    Video(Vec<T>),
}

/// Brings the parts of each video together.
fn grouped<T>(all: Vec<T>, attachment: impl Fn(&T) -> &Attachment) -> Vec<Tile<T>> {
    let video = |it: &T| attachment(it).moment.as_ref().map(|moment| moment.video.clone());
    let mut shown: Vec<Tile<T>> = Vec::new();
    for it in all {
        let its = video(&it);
        match shown.last_mut() {
            Some(Tile::Video(parts)) if its.is_some() && parts.first().and_then(&video) == its => {
                parts.push(it);
            }
            _ if its.is_some() => shown.push(Tile::Video(vec![it])),
            _ => shown.push(Tile::One(it)),
        }
    }
    shown
}

/// What is attached to a message.
#[component]
pub fn MessageAttachments(
    /// It, in order.
    attachments: Vec<Attachment>,
) -> impl IntoView {
    let views: Vec<_> = grouped(attachments, |it| it)
        .into_iter()
        .map(|shown| match shown {
            Tile::One(attachment) => view! { <li>{one(attachment)}</li> }.into_any(),
            Tile::Video(parts) => view! { <li class="film-place"><Film parts=parts /></li> }.into_any(),
        })
        .collect();
    view! { <ul class="attachments" role="list" aria-label=t().attachments()>{views}</ul> }
}

fn one(attachment: Attachment) -> AnyView {
    match attachment.kind {
        AttachmentKind::Image => view! { <Thumbnail attachment=attachment /> }.into_any(),
        AttachmentKind::Audio => view! { <SoundPlayer attachment=attachment /> }.into_any(),
        AttachmentKind::Document => view! { <DocumentButton attachment=attachment /> }.into_any(),
    }
}

/// A document. Pressing it shows its text.
#[component]
fn DocumentButton(attachment: Attachment) -> impl IntoView {
    let documents = use_documents();
    let name = attachment.name.clone();
    let size = attachment.extent.map(|extent| whole_words(extent.whole));
    let label = t().document_show(&name);
    view! {
        <button
            type="button"
            class="document"
            aria-label=label.clone()
            title=label
            on:click=move |_| documents.show(attachment.clone(), None)
        >
            <Icon glyph=Glyph::Document />
            <span class="document-name" dir="auto">{name}</span>
            <span class="document-size muted numbers">{size}</span>
        </button>
    }
}

/// The pictures of a video in a row, and its sound below.
#[component]
fn Film(parts: Vec<Attachment>) -> impl IntoView {
    let (frames, sounds): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|part| part.kind == AttachmentKind::Image);
    let label = frames.first().map_or_else(String::new, |frame| t().frames_of(&frame.name));
    let frames: Vec<_> = frames
        .into_iter()
        .map(|frame| {
            let time = format::clock(frame.moment.as_ref().map_or(0, |moment| moment.millis));
            view! { <li><Thumbnail attachment=frame caption=time /></li> }
        })
        .collect();
    let sounds: Vec<_> = sounds.into_iter().map(one).collect();
    view! {
        <div class="film">
            <ul class="film-strip" role="list" aria-label=label tabindex="0">{frames}</ul>
            {sounds}
        </div>
    }
}

/// What is attached to the next message, what it costs, and what could not be attached.
#[component]
pub fn Tray() -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    // A model that has just been loaded can tell what things cost.
    Effect::new(move |_| {
        if engine.model.with(ModelState::is_ready) {
            chat.examine_all();
        }
    });
    let any = Memo::new(move |_| chat.attached.with(|all| !all.is_empty()));
    let chips = move || {
        let all = chat.attached.with(|all| all.iter().map(|it| it.attachment.clone()).collect::<Vec<_>>());
        grouped(all, |it| it)
    };
    let key = |shown: &Tile<Attachment>| match shown {
        Tile::One(it) => it.key.to_string(),
        Tile::Video(parts) => parts.iter().map(|part| part.key.to_string()).collect(),
    };
    let trouble = move || {
        chat.attach_trouble.get().map(|words| {
            let lines: Vec<_> = words.lines().map(|line| view! { <p>{line.to_owned()}</p> }).collect();
            view! {
                <div class="notice slim" role="group" aria-label=t().not_attached()>
                    <Icon glyph=Glyph::Warning />
                    <div class="notice-lines">{lines}</div>
                    <button type="button" class="button quiet" on:click=move |_| chat.attach_trouble.set(None)>{t().close()}</button>
                </div>
            }
        })
    };
    let reading = Memo::new(move |_| chat.reading_here());
    let line = move |number: u32| {
        let words =
            move || reading.with(|all| all.iter().find(|it| it.number == number).map(|it| it.words.clone()));
        // The button goes with what it cancels.
        let cancel = move |_| {
            chat.cancel_reading(number);
            browser::focus_somewhere();
        };
        view! {
            <p class="tray-line muted">
                <span class="pulse" aria-hidden="true"></span>
                {words}
                <button type="button" class="button quiet" on:click=cancel>{t().cancel()}</button>
            </p>
        }
    };
    view! {
        {trouble}
        <Show when=move || any.get()>
            <ul class="tray" role="list" aria-label=t().attached_here()>
                <For each=chips key=key children=|shown| view! { <Chip shown=shown /> } />
            </ul>
            <Cost />
        </Show>
        <For
            each=move || reading.with(|all| all.iter().map(|it| it.number).collect::<Vec<_>>())
            key=|number| *number
            children=line
        />
    }
}

/// What all attachments take together.
#[component]
fn Cost() -> impl IntoView {
    let (chat, engine) = (use_chat(), use_engine());
    let total = Memo::new(move |_| {
        chat.attached.with(|all| {
            // Of documents only as much is given as there is room for.
            let media = all.iter().filter(|it| it.attachment.kind != AttachmentKind::Document);
            let known: Option<Vec<_>> = media.map(Attached::tokens).collect();
            known.map(|known| known.into_iter().map(u64::from).sum::<u64>())
        })
    });
    let context = Memo::new(move |_| {
        engine.model.with(|model| match model {
            ModelState::Ready { context, .. } => Some(u64::from(*context)),
            _ => None,
        })
    });
    move || {
        let total = total.get()?;

        let over = context.get().filter(|&context| total >= context);
        let words = match over {
            Some(context) => t().attached_over(total, context),
            None => t().attached_tokens(total),
        };
        let is_medium = |it: &&Attached| it.attachment.kind != AttachmentKind::Document;
        let several = chat.attached.with(|all| all.iter().filter(is_medium).count() > 1);
        (several || over.is_some())
            .then(|| view! { <p class="tray-line" class:muted=over.is_none() class:refusal=over.is_some()>{words}</p> })
    }
}

/// One of them.
#[component]
fn Chip(shown: Tile<Attachment>) -> impl IntoView {
    let chat = use_chat();
    let chip = NodeRef::<html::Li>::new();
    // What has just been attached is seen, however much is there already.
    Effect::new(move |_| {
        if let Some(chip) = chip.get() {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            browser::next_frame(move || chip.scroll_into_view_with_scroll_into_view_options(&options));
        }
    });
    let parts = match &shown {
        Tile::One(it) => vec![it.clone()],
        Tile::Video(parts) => parts.clone(),
    };
    let Some(first) = parts.first().cloned() else { return ().into_any() };
    let keys: Vec<_> = parts.iter().map(|part| part.key).collect();
    let (key, name) = (first.key, first.name.clone());
    let mine = Memo::new(move |_| {
        chat.attached.with(|all| {
            all.iter().filter(|it| keys.contains(&it.attachment.key)).cloned().collect::<Vec<_>>()
        })
    });
    let cost = move || {
        mine.with(|mine| {
            let known: Option<Vec<_>> = mine.iter().map(Attached::tokens).collect();
            known.map(|known| t().tokens(known.into_iter().map(u64::from).sum()))
        })
    };
    let is_video = matches!(shown, Tile::Video(_));
    let extent = first.extent;
    let about = {
        let pictures = parts.iter().filter(|part| part.kind == AttachmentKind::Image).count() as u64;
        let with_sound = parts.iter().any(|part| part.kind == AttachmentKind::Audio);
        move || {
            if let Some(extent) = extent {
                return t().about_tokens(&whole_words(extent.whole), extent.tokens.into());
            }
            let size = if is_video {
                Some(if with_sound { t().frames_and_sound(pictures) } else { t().frames_no_sound(pictures) })
            } else {
                mine.with(|mine| mine.first().and_then(|it| it.report.as_ref().map(size_words)))
            };
            [size, cost()].into_iter().flatten().collect::<Vec<_>>().join(" · ")
        }
    };
    let notices = move || {
        let notices = mine.with(|mine| {
            mine.iter()
                .filter_map(|it| it.report.as_ref())
                .flat_map(|it| it.notices.clone())
                .collect::<Vec<_>>()
        });
        let line = |notice| view! { <span class="chip-note">{notice_words(notice)}</span> };
        notices.into_iter().map(line).collect::<Vec<_>>()
    };
    let stopped = Memo::new(move |_| {
        mine.with(|mine| {
            let stopped = mine.iter().filter(|it| it.look == Look::Stopped);
            stopped.map(|it| it.attachment.key).collect::<Vec<_>>()
        })
    });
    let stopped = move || {
        let keys = stopped.get();
        (!keys.is_empty()).then(|| {
            view! {
                <span class="chip-note">
                    {t().attachment_stopped()} " "
                    <button
                        type="button"
                        class="button quiet"
                        on:click=move |_| chat.examine_again(keys.clone())
                    >
                        {t().attachment_again()}
                    </button>
                </span>
            }
        })
    };
    let scanned = extent.map(|extent| extent.scanned).filter(|scanned| *scanned > 0);
    let scanned = scanned
        .map(|pages| view! { <span class="chip-note">{t().document_some_scanned(pages.into())}</span> });
    let is_picture = !is_video && first.kind == AttachmentKind::Image;
    let content = match shown {
        Tile::One(it) => one(it),
        Tile::Video(parts) => view! { <Film parts=parts /> }.into_any(),
    };
    view! {
        <li class="chip" class:wide=!is_picture node_ref=chip>
            {content}
            <div class="chip-body">
                <span class="chip-name" dir="auto" title=name.clone()>{name.clone()}</span>
                <span class="chip-about muted numbers">{about}</span>
                {notices}
                {scanned}
                {stopped}
                {is_picture.then(|| view! { <BudgetChoice attachment=first /> })}
            </div>
            <IconButton glyph=Glyph::Close label=t().remove(&name) on_press=move |()| chat.detach(key) />
        </li>
    }
    .into_any()
}

fn notice_words(notice: MediaNotice) -> String {
    match notice {
        MediaNotice::FirstFrame => t().notice_first_frame().to_owned(),
        MediaNotice::Clips(clips) => t().notice_clips(clips.into()),
        MediaNotice::Silent => t().notice_silent().to_owned(),
        MediaNotice::FewerTokens(most) => t().notice_budget(most.into()),
    }
}

/// How much of a picture is seen.
#[component]
fn BudgetChoice(attachment: Attachment) -> impl IntoView {
    let chat = use_chat();
    let key = attachment.key;
    let chosen = Memo::new(move |_| {
        chat.attached.with(|all| {
            all.iter().find(|it| it.attachment.key == key).map(|it| it.attachment.budget).unwrap_or_default()
        })
    });
    view! {
        <label class="chip-budget">
            <span>{t().detail()}</span>
            <DetailSelect
                chosen=chosen
                on_choose=move |budget| chat.set_budget(key, budget)
                label=t().detail_of(&attachment.name)
            />
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{AttachmentKey, Moment};

    #[test]
    fn the_parts_of_a_video_are_one_thing() {
        let part = |key: u128, video: Option<&str>| Attachment {
            moment: video.map(|video| Moment { video: video.into(), millis: 0 }),
            ..Attachment::new(AttachmentKind::Image, "x", "image/jpeg", AttachmentKey(key))
        };
        let all =
            vec![part(1, None), part(2, Some("a")), part(3, Some("a")), part(4, Some("b")), part(5, None)];
        let keys: Vec<Vec<u128>> = grouped(all, |it| it)
            .into_iter()
            .map(|shown| match shown {
                Tile::One(it) => vec![it.key.0],
                Tile::Video(parts) => parts.into_iter().map(|it| it.key.0).collect(),
            })
            .collect();
        assert_eq!(keys, [vec![1], vec![2, 3], vec![4], vec![5]]);
    }
}
