//! What is open on the page, and what it says in passing.

use std::sync::Arc;

use leptos::prelude::*;
use web_time::{Duration, Instant};

use super::models::Choice;
use crate::content::PreviewKind;
use crate::history::{Attachment, ConversationId, FolderId, NodeId, PresetId, PromptId};
use crate::language::t;

/// What is said as a dialog closes is meant for the page behind it.
const CLOSING: Duration = Duration::from_secs(1);

/// Which of the page's layers are open.
#[derive(Clone, Copy, Default)]
pub struct Ui {
    /// The rail, where it is a sheet.
    pub rail: RwSignal<bool>,
    /// The drawer of this conversation.
    pub drawer: RwSignal<bool>,
    /// The choice of a model.
    pub picker: RwSignal<bool>,
    /// The palette of commands.
    pub palette: RwSignal<bool>,
    /// The list of keyboard shortcuts.
    pub shortcuts: RwSignal<bool>,
    /// Two answers side by side, with the adapters and without.
    pub compare: RwSignal<bool>,
    /// How to switch WebGPU on.
    pub advice: RwSignal<bool>,
    /// A model that the user has chosen and this device would be very slow with.
    pub too_slow: RwSignal<Option<Choice>>,
    /// A model that the user has chosen and that most likely won't fit, with the bytes that are missing.
    pub unlikely: RwSignal<Option<(Choice, u64)>>,
    /// Conversations for which a folder is to be chosen.
    pub moving: RwSignal<Option<Vec<ConversationId>>>,
    /// A folder that is made or changed.
    pub folder: RwSignal<Option<FolderDialog>>,
    /// Presets or prompts, or one of them.
    pub named: RwSignal<Option<NamedDialog>>,
    /// The question whether everything is to be deleted.
    pub delete_all: RwSignal<bool>,
    /// Code of an answer whose preview is shown.
    pub coded: RwSignal<Option<CodedPlace>>,
    /// A picture that is shown large.
    pub viewing: RwSignal<Option<Attachment>>,
    /// Lines that go away by themselves, the oldest first. The last one is shown.
    pub toasts: RwSignal<Vec<Toast>>,
    /// What the live region says.
    pub said: RwSignal<Announcement>,
    /// Puts the focus into the composer.
    pub focus_composer: Offer,
    /// Opens the dialog that picks files to attach.
    pub pick_files: Offer,
    /// Goes to a place.
    pub navigate: Offer<Destination>,
    /// The modal dialogs that are open, the topmost last.
    layers: RwSignal<Vec<Layer>>,
    next: StoredValue<u32>,
}

/// What the dialog about a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderDialog {
    /// A folder is made.
    New,
    /// This one is changed.
    Of(FolderId),
}

/// Where code is that has a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodedPlace {
    /// The answer.
    pub node: NodeId,
    /// What the code makes.
    pub kind: PreviewKind,
    /// How many blocks of this kind are before it in the answer.
    pub nth: usize,
}

/// What the dialog about presets and prompts shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedDialog {
    /// All presets.
    Presets,
    /// One that is made or changed.
    Preset(Origin<PresetId>),
    /// All prompts.
    Prompts,
    /// One that is made or changed.
    Prompt(Origin<PromptId>),
    /// The variables of one.
    Fill(PromptId),
}

/// Where what a form shows comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<T> {
    /// It is new.
    New,
    /// It is new, and made from the conversation on screen.
    Conversation,
    /// It is this one.
    Of(T),
}

/// What a part of the page does when it is asked to, for as long as it is there.
#[derive(Debug)]
pub struct Offer<T: 'static = ()>(StoredValue<Option<Callback<T>>>);

impl<T> Clone for Offer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Offer<T> {}

impl<T> Default for Offer<T> {
    fn default() -> Self {
        Self(StoredValue::new(None))
    }
}

impl<T: 'static> Offer<T> {
    /// Has a part of the page do it from now on.
    pub fn handle_with(self, act: impl Fn(T) + Send + Sync + 'static) {
        self.0.set_value(Some(Callback::new(act)));
    }

    /// Has it done; nothing happens if no part of the page does it now.
    pub fn ask(self, about: T) {
        if let Some(act) = self.0.get_value() {
            act.try_run(about);
        }
    }
}

/// A path to go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The path, such as `/models`.
    pub path: String,
    /// Whether it takes the place of the present one, so that Back passes it by.
    pub replace: bool,
}

/// A button beside what is said.
#[derive(Clone)]
pub struct ToastAction {
    /// What is on it.
    pub label: &'static str,
    /// What it does.
    pub act: Arc<dyn Fn() + Send + Sync>,
}

/// A line that goes away by itself, perhaps with a button.
#[derive(Clone)]
pub struct Toast {
    /// Its number.
    pub number: u32,
    /// What it says.
    pub text: String,
    /// What can be done about it.
    pub action: Option<ToastAction>,
}

/// A modal dialog that may be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer(u32);

/// A sentence for a screen reader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Announcement {
    /// The sentence.
    pub text: String,
    /// The dialog in which it is said; `None` for the page itself.
    pub layer: Option<Layer>,
    /// When it was said.
    when: Option<Instant>,
}

impl Ui {
    /// Has the live region say a sentence.
    pub fn say(self, sentence: impl Into<String>) {
        let mut text = sentence.into();
        let layer = self.layers.with_untracked(|layers| layers.last().copied());
        // A region that does not change says nothing: the same words again differ by a space that is not seen.
        if self.said.with_untracked(|said| said.text == text && said.layer == layer) {
            text.push('\u{a0}');
        }
        self.said.set(Announcement { text, layer, when: Some(Instant::now()) });
    }

    /// Shows a line for a while, and says it.
    pub fn toast(self, text: impl Into<String>) {
        self.show(text.into(), None);
    }

    /// Shows a line with a button that undoes what it speaks of.
    pub fn toast_with_undo(self, text: impl Into<String>, undo: impl Fn() + Send + Sync + 'static) {
        self.toast_with(text, t().undo(), undo);
    }

    /// Shows a line with a button.
    pub fn toast_with(
        self,
        text: impl Into<String>,
        label: &'static str,
        act: impl Fn() + Send + Sync + 'static,
    ) {
        self.show(text.into(), Some(ToastAction { label, act: Arc::new(act) }));
    }

    fn show(self, text: String, action: Option<ToastAction>) {
        self.say(text.clone());
        let number = self.number();
        self.toasts.update(|all| {
            // Only one that has a button is worth coming back to.
            all.retain(|toast| toast.action.is_some());
            all.push(Toast { number, text, action });
        });
    }

    /// Takes a line away.
    pub fn close_toast(self, number: u32) {
        self.toasts.update(|all| all.retain(|toast| toast.number != number));
    }

    /// Returns a number that was not given before.
    #[must_use]
    pub fn number(self) -> u32 {
        self.next.update_value(|next| *next = next.wrapping_add(1));
        self.next.get_value()
    }

    /// Returns a dialog that is not open yet.
    #[must_use]
    pub fn layer(self) -> Layer {
        Layer(self.number())
    }

    /// Returns the topmost modal dialog; `None` if none is open.
    #[must_use]
    pub fn topmost(self) -> Option<Layer> {
        self.layers.with(|layers| layers.last().copied())
    }

    /// A modal dialog is open now, above all others.
    pub fn layer_opened(self, layer: Layer) {
        self.layers.update(|layers| {
            layers.retain(|other| *other != layer);
            layers.push(layer);
        });
    }

    /// A modal dialog is closed.
    pub fn layer_closed(self, layer: Layer) {
        // Also when the page goes away, and this with it.
        if self.layers.try_with_untracked(|layers| layers.contains(&layer)) != Some(true) {
            return;
        }
        self.layers.update(|layers| layers.retain(|other| *other != layer));
        let said = self.said.get_untracked();
        if said.layer == Some(layer) && said.when.is_some_and(|when| when.elapsed() < CLOSING) {
            self.say(said.text);
        }
    }

    /// Goes to a path.
    pub fn go(self, path: &str) {
        self.navigate.ask(Destination { path: path.to_owned(), replace: false });
    }

    /// Goes to a path that is the present one under another name.
    pub fn replace_path(self, path: &str) {
        self.navigate.ask(Destination { path: path.to_owned(), replace: true });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_the_place_of_the_one_before_unless_that_can_be_undone() {
        let owner = Owner::new();
        owner.set();
        let ui = Ui::default();
        ui.toast_with_undo("Deleted.", || ());
        ui.toast_with_undo("Deleted.", || ());
        ui.toast("Copied.");
        ui.toast("Not copied.");
        let texts = ui.toasts.with_untracked(|all| all.iter().map(|it| it.text.clone()).collect::<Vec<_>>());
        assert_eq!(texts, ["Deleted.", "Deleted.", "Not copied."]);
        let last = ui.toasts.with_untracked(|all| all[2].number);
        ui.close_toast(last);
        assert_eq!(ui.toasts.with_untracked(Vec::len), 2);
    }

    #[test]
    fn a_sentence_is_said_in_the_topmost_dialog_and_not_lost_with_it() {
        let owner = Owner::new();
        owner.set();
        let ui = Ui::default();
        ui.say("Ready.");
        assert_eq!(ui.said.get_untracked().layer, None);
        let dialog = ui.layer();
        ui.layer_opened(dialog);
        assert_eq!(ui.said.get_untracked().layer, None, "nothing is said again");
        ui.say("Not a model.");
        assert_eq!(ui.said.get_untracked().layer, Some(dialog));
        ui.layer_closed(dialog);
        assert_eq!(ui.said.get_untracked().layer, None);
        assert_eq!(ui.said.get_untracked().text, "Not a model.");
    }
}
