//! What is open on the page, and what it says in passing.

use std::sync::Arc;

use leptos::prelude::*;

use super::models::Choice;
use crate::history::Attachment;

/// Which of the page's layers are open.
#[derive(Clone, Copy)]
pub struct Ui {
    /// The rail, where it is a sheet.
    pub rail: RwSignal<bool>,
    /// The drawer of this conversation.
    pub drawer: RwSignal<bool>,
    /// The choice of a model.
    pub picker: RwSignal<bool>,
    /// The palette of commands.
    pub palette: RwSignal<bool>,
    /// Two answers side by side, with the adapters and without.
    pub compare: RwSignal<bool>,
    /// How to switch WebGPU on.
    pub advice: RwSignal<bool>,
    /// A model that a person has chosen and this device would be very slow with.
    pub too_slow: RwSignal<Option<Choice>>,
    /// A picture that is shown large.
    pub viewing: RwSignal<Option<Attachment>>,
    /// A line at the lower edge.
    pub toast: RwSignal<Option<Toast>>,
    /// What the live region says.
    pub said: RwSignal<String>,
    /// Counts requests to put the focus into the composer.
    pub focus_composer: RwSignal<u32>,
    /// Where the page is to go next.
    pub go: RwSignal<Option<Destination>>,
}

/// A path to go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The path, such as `/models`.
    pub path: String,
    /// Whether it takes the place of the present one, so that Back passes it by.
    pub replace: bool,
}

/// A line that goes away by itself, perhaps with a way back.
#[derive(Clone)]
pub struct Toast {
    /// What it says.
    pub text: String,
    /// What can be undone.
    pub undo: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Ui {
    /// Everything closed.
    #[must_use]
    pub fn new() -> Self {
        Self {
            rail: RwSignal::new(false),
            drawer: RwSignal::new(false),
            picker: RwSignal::new(false),
            palette: RwSignal::new(false),
            compare: RwSignal::new(false),
            advice: RwSignal::new(false),
            too_slow: RwSignal::new(None),
            viewing: RwSignal::new(None),
            toast: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            focus_composer: RwSignal::new(0),
            go: RwSignal::new(None),
        }
    }

    /// Has the live region say a sentence.
    pub fn say(self, sentence: impl Into<String>) {
        let mut sentence = sentence.into();
        // A region that does not change says nothing: the same words again differ by a space that is not seen.
        if self.said.with_untracked(|said| *said == sentence) {
            sentence.push('\u{a0}');
        }
        self.said.set(sentence);
    }

    /// Shows a line at the lower edge, and says it.
    pub fn toast(self, text: impl Into<String>) {
        let text = text.into();
        self.say(text.clone());
        self.toast.set(Some(Toast { text, undo: None }));
    }

    /// Shows a line with a button that undoes what it speaks of.
    pub fn toast_with_undo(self, text: impl Into<String>, undo: impl Fn() + Send + Sync + 'static) {
        let text = text.into();
        self.say(text.clone());
        self.toast.set(Some(Toast { text, undo: Some(Arc::new(undo)) }));
    }

    /// Goes to a path.
    pub fn go(self, path: &str) {
        self.go.set(Some(Destination { path: path.to_owned(), replace: false }));
    }

    /// Goes to a path that is the present one under another name.
    pub fn replace_path(self, path: &str) {
        self.go.set(Some(Destination { path: path.to_owned(), replace: true }));
    }

    /// Puts the focus into the composer.
    pub fn focus_composer(self) {
        self.focus_composer.update(|count| *count += 1);
    }
}

impl Default for Ui {
    fn default() -> Self {
        Self::new()
    }
}
