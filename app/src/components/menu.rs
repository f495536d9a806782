//! A few actions behind a button.

use std::time::Duration;

use leptos::{callback::Callable as _, html, prelude::*};
use wasm_bindgen::JsCast as _;

use super::{Glyph, Icon};
use crate::{browser, watch::on_scroll};

/// A list keeps this far from the edges of the view, in pixels.
const EDGE: f64 = 4.0;
/// Letters typed within this time of one another belong to one word.
const TYPING: Duration = Duration::from_millis(500);

/// Which action gets the focus when the list opens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    First,
    Last,
}

/// A button that opens a list of [`MenuItem`]s. Arrow keys, Home, End and letters go through it. It closes when one is
/// pressed, on Esc, and when the focus goes away; the button then has the focus again.
#[component]
pub fn Menu(
    /// What the actions are for, in words.
    #[prop(into)]
    label: Signal<String>,
    /// The actions.
    children: ChildrenFn,
) -> impl IntoView {
    let open = RwSignal::new(None::<Begin>);
    let root = NodeRef::<html::Div>::new();
    let button = NodeRef::<html::Button>::new();
    // An action may remove the menu with what it is for.
    let leave = move |event: web_sys::FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        if let Some(root) = root.try_get_untracked().flatten()
            && !root.contains(to.as_ref())
        {
            open.set(None);
        }
    };
    let close = move || {
        open.set(None);
        if let Some(button) = button.get_untracked() {
            // The button is still there.
            button.focus().ok();
        }
    };
    let key = move |event: web_sys::KeyboardEvent| {
        match (event.key().as_str(), open.get_untracked()) {
            ("Escape", Some(_)) => {
                event.stop_propagation();
                close();
            }
            // From the button, so that the key goes on to what is beside it.
            ("Tab", Some(_)) => return close(),
            ("ArrowDown", None) => open.set(Some(Begin::First)),
            ("ArrowUp", None) => open.set(Some(Begin::Last)),
            _ => return,
        }
        event.prevent_default();
    };
    let press = move |_| open.update(|open| *open = if open.is_some() { None } else { Some(Begin::First) });
    let children = StoredValue::new(children);
    view! {
        <div class="menu" node_ref=root on:focusout=leave on:keydown=key>
            <button
                type="button"
                class="icon-button"
                node_ref=button
                aria-label=label
                title=label
                aria-haspopup="menu"
                aria-expanded=move || open.with(Option::is_some).to_string()
                on:click=press
            >
                <Icon glyph=Glyph::More />
            </button>
            <Show when=move || open.with(Option::is_some)>
                <MenuList label=label open=open button=button close=Callback::new(move |()| close())>
                    {children.with_value(|children| children())}
                </MenuList>
            </Show>
        </div>
    }
}

/// The list while it is open.
#[component]
fn MenuList(
    label: Signal<String>,
    open: RwSignal<Option<Begin>>,
    button: NodeRef<html::Button>,
    close: Callback<()>,
    children: Children,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    let placed_at = StoredValue::new(None::<(f64, f64)>);
    Effect::new(move |_| {
        let (Some(list), Some(button)) = (list.get(), button.get_untracked()) else { return };
        put_beside(&list, &button);
        placed_at.set_value(Some(position(&button)));
        let items = items(&list);
        let begin = match open.get_untracked() {
            Some(Begin::Last) => items.last(),
            _ => items.first(),
        };
        focus(begin);
    });
    // The list does not move with its button. What scrolls elsewhere, as an answer that is followed does, leaves it open,
    // and so does a scroll that was over before it opened and is reported late.
    on_scroll(move || {
        let now = button.get_untracked().map(|button| position(&button));
        if placed_at.get_value().is_some_and(|then| Some(then) != now) {
            open.set(None);
        }
    });
    let typed = StoredValue::new((String::new(), 0.0_f64));
    let key = move |event: web_sys::KeyboardEvent| {
        let Some(list) = list.get_untracked() else { return };
        let items = items(&list);
        let at = items.iter().position(|item| item.matches(":focus").unwrap_or_default());
        let count = items.len().max(1);
        let pressed = event.key();
        let to = match pressed.as_str() {
            "ArrowDown" => at.map_or(0, |at| (at + 1) % count),
            "ArrowUp" => at.map_or(count - 1, |at| (at + count - 1) % count),
            "Home" => 0,
            "End" => count - 1,
            letter
                if letter.chars().count() == 1 && letter != " " && !event.ctrl_key() && !event.meta_key() =>
            {
                let now = event.time_stamp();
                let word = typed.try_update_value(|(word, before)| {
                    if now - *before > TYPING.as_millis() as f64 {
                        word.clear();
                    }
                    *before = now;
                    word.push_str(&letter.to_lowercase());
                    word.clone()
                });
                let words: Vec<_> =
                    items.iter().map(|item| item.text_content().unwrap_or_default()).collect();
                match word.and_then(|word| begins_with(&words, &word, at)) {
                    Some(found) => found,
                    None => return event.prevent_default(),
                }
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        focus(items.get(to));
    };
    view! {
        // After the action itself: what the action opens then gives the focus back to the button.
        <div class="menu-list" role="menu" aria-label=label node_ref=list on:keydown=key on:click=move |_| { close.try_run(()); }>
            {children()}
        </div>
    }
}

/// The item that a typed word begins: from the one with the focus on while the word grows, behind it when a letter is
/// typed again and again.
fn begins_with(words: &[String], typed: &str, at: Option<usize>) -> Option<usize> {
    let mut letters = typed.chars();
    let first = letters.next()?;
    let same = letters.all(|letter| letter == first);
    let searched = if same { first.to_string() } else { typed.to_owned() };
    let begin = at.map_or(0, |at| if same { at + 1 } else { at });
    let count = words.len();
    (0..count).map(|step| (begin + step) % count).find(|&index| {
        words.get(index).is_some_and(|words| words.trim().to_lowercase().starts_with(&searched))
    })
}

fn items(list: &web_sys::Element) -> Vec<web_sys::HtmlElement> {
    std::iter::successors(list.first_element_child(), web_sys::Element::next_element_sibling)
        .filter_map(|item| item.dyn_into().ok())
        .collect()
}

fn focus(item: Option<&web_sys::HtmlElement>) {
    if let Some(item) = item {
        // It is in the page.
        item.focus().ok();
    }
}

/// Where the top left corner of an element is in the view, in pixels.
fn position(element: &web_sys::Element) -> (f64, f64) {
    let place = element.get_bounding_client_rect();
    (place.left(), place.top())
}

/// Puts a list below its button, or above where there is more room; what scrolls around the button does not cut it.
fn put_beside(list: &web_sys::HtmlElement, button: &web_sys::Element) {
    let Some(view) = document().document_element() else { return };
    let (width, height) = (f64::from(view.client_width()), f64::from(view.client_height()));
    let place = button.get_bounding_client_rect();
    let (wide, high) = (f64::from(list.offset_width()), f64::from(list.offset_height()));
    let fits = place.bottom() + high <= height - EDGE;
    let top = if fits || place.top() < height - place.bottom() { place.bottom() } else { place.top() - high };
    let top = top.min(height - EDGE - high).max(EDGE);
    // The list ends where its button does.
    let left = if browser::is_right_to_left() { place.left() } else { place.right() - wide };
    let left = left.min(width - EDGE - wide).max(EDGE);
    let style = list.style();
    for (property, value) in [("top", top), ("left", left)] {
        // A property that the browser knows is never refused.
        style.set_property(property, &format!("{value}px")).ok();
    }
}

/// An action of a [`Menu`].
#[component]
pub fn MenuItem(
    /// What is drawn.
    glyph: Glyph,
    /// What it does, in words.
    label: &'static str,
    /// What it does.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    view! {
        <button type="button" class="menu-item" role="menuitem" tabindex="-1" on:click=move |_| on_press.run(())>
            <Icon glyph=glyph />
            <span>{label}</span>
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::begins_with;

    #[test]
    fn letters_find_an_action() {
        let words = ["Rename", "Export as JSON", "Export as Markdown", "Delete"].map(str::to_owned);
        let find = |typed, at| begins_with(&words, typed, at);
        assert_eq!(find("d", Some(0)), Some(3));
        assert_eq!(find("e", Some(0)), Some(1));
        assert_eq!(find("e", Some(1)), Some(2));
        assert_eq!(find("ee", Some(2)), Some(1));
        assert_eq!(find("ex", Some(1)), Some(1));
        assert_eq!(find("x", Some(1)), None);
        assert_eq!(begins_with(&[], "e", None), None);
    }
}
