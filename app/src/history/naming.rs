//! Giving a conversation its title.

use super::title::written_title;
use super::{Conversation, Message, TitleSource, title_of};

impl Conversation {
    /// Gives it a title, which leaves its place in the list. An empty one is made from the first message again.
    pub fn rename(&mut self, title: impl Into<String>) {
        self.title = title.into().trim().to_owned();
        self.title_source = TitleSource::User;
        if let (true, Some(root)) = (self.title.is_empty(), self.active_root) {
            self.name_after(root);
        }
    }

    /// Gives it a title that the model wrote. One that is not the first message's stays; so does everything if the model wrote
    /// nothing that can be a title. Returns whether it has that title now.
    pub fn take_title(&mut self, written: &str) -> bool {
        let Some(title) = written_title(written).filter(|_| self.title_source == TitleSource::FirstMessage)
        else {
            return false;
        };
        (self.title, self.title_source) = (title, TitleSource::Model);
        true
    }

    /// Finds out who made the title of a conversation in which that was not kept.
    pub(super) fn guess_title_source(&mut self) {
        let is_made = |message: &Message| title_of(message) == self.title;
        let is_first = self.roots.iter().filter_map(|root| self.message(*root)).any(is_made);
        self.title_source = match self.title.is_empty() || is_first {
            true => TitleSource::FirstMessage,
            false => TitleSource::User,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{ConversationId, Options};

    #[test]
    fn a_title_of_the_users_stays() {
        let mut it = Conversation::new(ConversationId(1), Options::default(), 1);
        it.add_user("When do fjords freeze?", Vec::new(), 2).expect("added");
        assert!(!it.take_title(" "));
        assert!(it.take_title("Frozen fjords"));
        assert_eq!((it.title.as_str(), it.title_source), ("Frozen fjords", TitleSource::Model));
        it.rename("Mine");
        assert!(!it.take_title("Frozen fjords"));
        assert_eq!((it.title.as_str(), it.title_source), ("Mine", TitleSource::User));
        it.rename("");
        assert_eq!(it.title_source, TitleSource::FirstMessage);
        assert_eq!(it.title, "When do fjords freeze?");
    }
}
