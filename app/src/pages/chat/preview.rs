//! The text of a document, a part at a time.

use std::sync::Arc;

use documents::{Document, Place, Section, Span};
use leptos::{html, prelude::*, task::spawn_local};

use crate::{
    browser,
    components::{Glyph, IconButton},
    language::t,
    state::{
        documents::{ShownDocument, place_words},
        use_documents,
    },
};

/// The most lines of a part: a browser takes long to lay out many more.
const MOST_LINES: u32 = 200;

/// What is shown at a time: a page, a chapter, or some lines of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    place: Place,
    /// The first of its sections, and the one behind the last.
    sections: (usize, usize),
}

/// Cuts a document into parts.
fn parts(sections: &[Section]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        let sections = (index, index + 1);
        match section.place {
            place @ (Place::Page(_) | Place::Chapter(_)) => match parts.last_mut() {
                Some(last) if last.place == place => last.sections.1 = index + 1,
                _ => parts.push(Part { place, sections }),
            },
            place => {
                let lines =
                    span(place).map_or(1, |span| span.last.saturating_sub(span.first).saturating_add(1));
                for first in (0..lines).step_by(MOST_LINES as usize) {
                    let last = first.saturating_add(MOST_LINES - 1).min(lines - 1);
                    parts.push(Part { place: place.of_lines(first as usize, last as usize), sections });
                }
            }
        }
    }
    parts
}

fn span(place: Place) -> Option<Span> {
    match place {
        Place::Lines(span) | Place::Rows(span) | Place::Paragraphs(span) => Some(span),
        Place::Page(_) | Place::Chapter(_) => None,
    }
}

/// The index of the part in which a place begins; the first if there is none.
fn part_at(parts: &[Part], at: Option<Place>) -> usize {
    let is_there = |part: &Part| match (at, at.and_then(span), span(part.place)) {
        (_, Some(at), Some(part)) => (part.first..=part.last).contains(&at.first),
        (Some(at), None, None) => at == part.place,
        _ => false,
    };
    parts.iter().position(is_there).unwrap_or(0)
}

/// The content of the dialog.
#[component]
pub fn Preview() -> impl IntoView {
    let documents = use_documents();
    let text = RwSignal::new(None::<Result<Arc<Document>, String>>);
    Effect::new(move |_| {
        let Some(ShownDocument { attachment, .. }) = documents.shown.get() else { return };
        spawn_local(async move {
            let read = documents.text(&attachment).await;
            // The dialog may be closed by now.
            text.try_set(Some(read));
        });
    });
    move || match text.get() {
        None => view! { <p class="muted" role="status">{t().document_reading()}</p> }.into_any(),
        Some(Err(reason)) => view! { <p role="alert">{reason}</p> }.into_any(),
        Some(Ok(document)) => {
            let at = documents.shown.with_untracked(|shown| shown.as_ref().and_then(|shown| shown.at));
            view! { <Text document=document at=at /> }.into_any()
        }
    }
}

/// The parts, of which one is shown.
#[component]
fn Text(document: Arc<Document>, at: Option<Place>) -> impl IntoView {
    let parts = parts(&document.sections);
    let count = parts.len();
    let shown = RwSignal::new(part_at(&parts, at));
    let parts = StoredValue::new(parts);
    let words = move || {
        let place = parts.with_value(|parts| parts.get(shown.get()).map(|part| place_words(part.place)));
        place.unwrap_or_default()
    };
    let body = move || {
        let part = parts.with_value(|parts| parts.get(shown.get()).copied())?;
        let sections = document.sections.get(part.sections.0..part.sections.1)?;
        Some(sections.iter().map(|section| section_view(section, part.place, at)).collect::<Vec<_>>())
    };
    let scroller = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        shown.track();
        let Some(scroller) = scroller.get() else { return };
        browser::next_frame(move || {
            scroller.set_scroll_top(0);
            if let Ok(Some(cited)) = scroller.query_selector(".cited") {
                cited.scroll_into_view();
            }
        });
    });
    view! {
        <div class="preview-text" node_ref=scroller tabindex="0" role="group" aria-label=t().document_text()>
            {body}
        </div>
        <div class="preview-line">
            <IconButton
                glyph=Glyph::Left
                label=t().document_previous()
                disabled=Signal::derive(move || shown.get() == 0)
                on_press=move |()| shown.update(|shown| *shown = shown.saturating_sub(1))
            />
            <span class="numbers" role="status">{words}</span>
            <IconButton
                glyph=Glyph::Right
                label=t().document_next()
                disabled=Signal::derive(move || shown.get() + 1 >= count)
                on_press=move |()| shown.update(|shown| *shown += 1)
            />
        </div>
    }
}

/// A section, or as much of it as is in the part. The lines that are cited are marked.
fn section_view(section: &Section, part: Place, at: Option<Place>) -> AnyView {
    let headings = section.headings.join(" › ");
    let headings =
        (!headings.is_empty()).then(|| view! { <p class="preview-headings muted" dir="auto">{headings}</p> });
    let Some((own, part)) = span(section.place).zip(span(part)) else {
        return view! { {headings}<div class="preview-page" dir="auto">{section.text.clone()}</div> }
            .into_any();
    };
    let cited = at.and_then(span);
    let lines = (own.first..=own.last).zip(section.text.split('\n'));
    let lines = lines.filter(|(number, _)| (part.first..=part.last).contains(number));
    let lines: Vec<_> = lines
        .map(|(number, line)| {
            let is_cited = cited.is_some_and(|cited| (cited.first..=cited.last).contains(&number));
            view! { <li value=number.to_string() class:cited=is_cited dir="auto">{line.to_owned()}</li> }
        })
        .collect();
    view! { {headings}<ol class="preview-lines numbers">{lines}</ol> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(place: Place) -> Section {
        Section { headings: Vec::new(), place, text: String::new() }
    }

    fn lines(first: u32, last: u32) -> Place {
        Place::Lines(Span { first, last })
    }

    #[test]
    fn the_sections_of_a_page_are_one_part_and_long_ones_are_several() {
        let pages = [section(Place::Page(1)), section(Place::Page(1)), section(Place::Page(3))];
        let all = parts(&pages);
        assert_eq!(all.iter().map(|part| part.sections).collect::<Vec<_>>(), [(0, 2), (2, 3)]);
        assert_eq!(part_at(&all, Some(Place::Page(3))), 1);
        assert_eq!(part_at(&all, Some(Place::Page(9))), 0);

        let all = parts(&[section(lines(1, 450)), section(lines(451, 451))]);
        let places: Vec<_> = all.iter().map(|part| part.place).collect();
        assert_eq!(places, [lines(1, 200), lines(201, 400), lines(401, 450), lines(451, 451)]);
        assert_eq!(part_at(&all, Some(lines(399, 402))), 1);
        assert_eq!(part_at(&all, None), 0);
    }
}
