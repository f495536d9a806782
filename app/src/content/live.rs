//! Parts of a document that may still grow while an answer is written. The elements of such a part stay, and text is only
//! added to, so that what the user has selected in it stays selected.

use std::sync::Arc;

use leptos::prelude::*;

/// A part of a document. It is `None` where its parent no longer has it.
pub(super) enum Part<'a, T: Send + Sync + 'static> {
    /// It stays as it is.
    Settled(Option<&'a T>),
    /// It may change.
    Growing(Memo<Option<T>>),
}

impl<'a, T: Clone + PartialEq + Send + Sync + 'static> Part<'a, T> {
    /// Returns a part of it.
    pub(super) fn part<P>(&self, read: fn(&T) -> Option<&P>) -> Part<'a, P>
    where
        P: Clone + PartialEq + Send + Sync + 'static,
    {
        match *self {
            Self::Settled(of) => Part::Settled(of.and_then(read)),
            Self::Growing(of) => {
                Part::Growing(Memo::new(move |_| of.with(|of| of.as_ref().and_then(read).cloned())))
            }
        }
    }

    /// Draws it with `draw`, and anew whenever it is no longer of the same shape.
    pub(super) fn draw(
        self,
        same_shape: fn(&T, &T) -> bool,
        draw: impl Fn(&T, Part<'_, T>) -> AnyView + Send + Sync + 'static,
    ) -> AnyView {
        match self {
            Self::Settled(of) => of.map_or_else(|| ().into_any(), |it| draw(it, Part::Settled(of))),
            Self::Growing(of) => {
                let shape = Memo::new_owning(move |before: Option<Option<T>>| {
                    let same = of.with(|now| match (&before, now) {
                        (Some(Some(before)), Some(now)) => same_shape(before, now),
                        (Some(None), None) => true,
                        _ => false,
                    });
                    // A copy for each token would be too many.
                    before.filter(|_| same).map_or_else(|| (of.get(), true), |before| (before, false))
                });
                (move || shape.get().map(|shape| draw(&shape, Part::Growing(of)))).into_any()
            }
        }
    }
}

impl<T: Clone + PartialEq + Send + Sync + 'static> Part<'_, Vec<T>> {
    /// Draws each of a list with its index. What is drawn stays while the list grows.
    pub(super) fn each(
        self,
        draw: impl Fn(usize, Part<'_, T>) -> AnyView + Clone + Send + Sync + 'static,
    ) -> AnyView {
        match self {
            Self::Settled(all) => {
                let all = all.into_iter().flatten().enumerate();
                all.map(|(index, one)| draw(index, Part::Settled(Some(one)))).collect::<Vec<_>>().into_any()
            }
            Self::Growing(all) => {
                let count = Memo::new(move |_| all.with(|all| all.as_ref().map_or(0, Vec::len)));
                let one = move |index: usize| {
                    let one =
                        move |all: &Option<Vec<T>>| all.as_ref().and_then(|all| all.get(index)).cloned();
                    draw(index, Part::Growing(Memo::new(move |_| all.with(one))))
                };
                view! { <For each=move || 0..count.get() key=|index| *index children=one /> }.into_any()
            }
        }
    }
}

impl Part<'_, String> {
    /// Draws it as text.
    pub(super) fn text(self) -> AnyView {
        match self {
            Self::Settled(text) => text.cloned().unwrap_or_default().into_any(),
            Self::Growing(text) => grown(text),
        }
    }

    /// Returns it as a signal.
    pub(super) fn signal(self) -> Signal<String> {
        match self {
            Self::Settled(text) => Signal::stored(text.cloned().unwrap_or_default()),
            Self::Growing(text) => Signal::derive(move || text.get().unwrap_or_default()),
        }
    }
}

/// A piece of a text that grows: a node that never changes.
#[derive(Clone, Debug, PartialEq)]
struct TextNode {
    number: u32,
    text: Arc<str>,
}

/// The pieces of a text that grows.
#[derive(Clone, Debug, Default, PartialEq)]
struct TextNodes {
    all: Vec<TextNode>,
    next: u32,
}

impl TextNodes {
    /// The pieces of the text that comes after the one of `before`. Those that it begins with stay.
    fn after(before: Option<&Self>, text: &str) -> Self {
        let mut pieces = before.cloned().unwrap_or_default();
        let mut rest = text;
        let mut kept = 0;
        while let Some(next) = pieces.all.get(kept).and_then(|piece| rest.strip_prefix(&*piece.text)) {
            rest = next;
            kept += 1;
        }
        pieces.all.truncate(kept);
        if !rest.is_empty() {
            pieces.all.push(TextNode { number: pieces.next, text: rest.into() });
            pieces.next = pieces.next.wrapping_add(1);
        }
        pieces
    }
}

fn grown(text: Memo<Option<String>>) -> AnyView {
    let pieces = Memo::new(move |before: Option<&TextNodes>| {
        text.with(|text| TextNodes::after(before, text.as_deref().unwrap_or_default()))
    });
    view! {
        <For
            each=move || pieces.with(|pieces| pieces.all.clone())
            key=|piece| piece.number
            children=|piece| piece.text.to_string()
        />
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::TextNodes;

    fn texts(pieces: &TextNodes) -> Vec<(u32, &str)> {
        pieces.all.iter().map(|piece| (piece.number, &*piece.text)).collect()
    }

    #[test]
    fn what_is_there_stays_while_a_text_grows() {
        let first = TextNodes::after(None, "One");
        let second = TextNodes::after(Some(&first), "One two");
        assert_eq!(texts(&second), [(0, "One"), (1, " two")]);
        assert_eq!(TextNodes::after(Some(&second), "One two"), second);
    }

    #[test]
    fn what_is_different_is_replaced() {
        let grown = TextNodes::after(Some(&TextNodes::after(None, "One ")), "One **two");
        let cut = TextNodes::after(Some(&grown), "One ");
        assert_eq!(texts(&cut), [(0, "One ")]);
        let other = TextNodes::after(Some(&cut), "Two");
        assert_eq!(texts(&other), [(2, "Two")]);
        assert_eq!(texts(&TextNodes::after(Some(&other), "")), []);
    }
}
