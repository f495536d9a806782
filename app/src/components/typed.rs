//! Text that is kept while it is typed.

use std::time::Duration;

use leptos::prelude::*;

use crate::state::Latest;

/// How long typing rests before the text is kept.
const REST: Duration = Duration::from_millis(400);

/// Keeps what is typed into a field: when typing rests, when the field is left, and when it goes. A browser tells of a change
/// only where the field is left, which it never is when the page is reloaded or a dialog closed.
#[derive(Clone, Copy)]
pub struct Typed {
    keep: Callback<String>,
    /// What is not kept yet.
    waiting: StoredValue<Option<String>>,
    notes: Latest,
}

impl Typed {
    /// Calls `keep` with the text.
    #[must_use]
    pub fn new(keep: impl Fn(String) + Send + Sync + 'static) -> Self {
        let typed =
            Self { keep: Callback::new(keep), waiting: StoredValue::new(None), notes: Latest::default() };
        on_cleanup(move || typed.flush());
        typed
    }

    /// Something was typed that counts once the field is left or goes.
    pub fn hold(self, text: String) {
        self.waiting.set_value(Some(text));
    }

    /// Something was typed.
    pub fn note(self, text: String) {
        self.hold(text);
        if cfg!(target_arch = "wasm32") {
            // The field may be gone by then, and its text kept.
            self.notes.rest(REST, move || self.flush());
        }
    }

    /// Whether something is not kept yet.
    #[must_use]
    pub fn is_waiting(self) -> bool {
        self.waiting.with_value(Option::is_some)
    }

    /// What is not kept yet is of no concern any more.
    pub fn forget(self) {
        self.waiting.set_value(None);
    }

    /// Keeps what is not kept yet.
    pub fn flush(self) {
        if let Some(text) = self.waiting.try_update_value(Option::take).flatten() {
            self.keep.run(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn what_was_typed_is_kept_once_also_when_its_field_goes() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let all = || kept.lock().expect("one thread").clone();
        let owner = Owner::new();
        let typed = owner.with(|| {
            let kept = Arc::clone(&kept);
            Typed::new(move |text| kept.lock().expect("one thread").push(text))
        });
        typed.note("a".into());
        typed.note("ab".into());
        assert_eq!(all(), [""; 0]);
        typed.flush();
        typed.flush();
        assert_eq!(all(), ["ab"]);
        typed.note("abc".into());
        owner.cleanup();
        assert_eq!(all(), ["ab", "abc"]);
    }
}
