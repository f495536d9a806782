//! Whose turn it is to use the model, among the requests of all pages.
//!
//! A page's requests keep their order. Pages take turns: the one that was served longest ago comes first. What can wait comes
//! behind all others: a batch of embeddings.
//!
//! A training takes no turn, because it may last for hours. Meanwhile the router refuses loads of other pages, and answers pause
//! the training.

use std::cell::RefCell;
use std::collections::BTreeMap;

use futures_channel::oneshot;
use protocol::{PageId, RequestId};

/// The request whose turn it is, and those that wait.
#[derive(Debug, Default)]
pub struct Turns(RefCell<Inner>);

#[derive(Debug, Default)]
struct Inner {
    current: Option<RequestId>,
    waiting: Vec<Waiting>,
    /// When each page was served last, as the number of that turn.
    served: BTreeMap<PageId, u64>,
    turns: u64,
}

#[derive(Debug)]
struct Waiting {
    id: RequestId,
    granted: oneshot::Sender<()>,
    /// Whether all others come first.
    is_patient: bool,
}

impl Turns {
    /// Takes the turn; where another request has it, gives what resolves when this one does.
    pub fn ask(&self, id: RequestId) -> Option<oneshot::Receiver<()>> {
        self.enter(id, false)
    }

    /// The same behind all others.
    pub fn ask_patiently(&self, id: RequestId) -> Option<oneshot::Receiver<()>> {
        self.enter(id, true)
    }

    fn enter(&self, id: RequestId, is_patient: bool) -> Option<oneshot::Receiver<()>> {
        let mut inner = self.0.borrow_mut();
        if inner.current.is_none() {
            inner.serve(id);
            return None;
        }
        let (granted, waits) = oneshot::channel();
        inner.waiting.push(Waiting { id, granted, is_patient });
        Some(waits)
    }

    /// Ends the turn of a request, if it has it, and gives it to the next one that still waits.
    pub fn end(&self, id: RequestId) {
        let mut inner = self.0.borrow_mut();
        if inner.current != Some(id) {
            return;
        }
        inner.current = None;
        while let Some(next) = inner.next() {
            let Waiting { id, granted, .. } = inner.waiting.remove(next);
            if granted.send(()).is_ok() {
                inner.serve(id);
                return;
            }
        }
    }

    /// The request whose turn it is.
    pub fn current(&self) -> Option<RequestId> {
        self.0.borrow().current
    }

    /// Forgets a page that is gone.
    pub fn forget(&self, page: PageId) {
        self.0.borrow_mut().served.remove(&page);
    }
}

impl Inner {
    fn serve(&mut self, id: RequestId) {
        self.turns += 1;
        self.current = Some(id);
        self.served.insert(id.page(), self.turns);
    }

    /// The place of the request that is next. Of equals, `min_by_key` takes the first.
    fn next(&self) -> Option<usize> {
        let served = |place: &usize| {
            let Waiting { id, is_patient, .. } = &self.waiting[*place];
            (*is_patient, self.served.get(&id.page()).copied())
        };
        (0..self.waiting.len()).min_by_key(served)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(page: u32, number: u32) -> RequestId {
        RequestId::new(PageId(page), number)
    }

    fn is_granted(waiting: &mut oneshot::Receiver<()>) -> bool {
        waiting.try_recv() == Ok(Some(()))
    }

    #[test]
    fn pages_take_turns() {
        let turns = Turns::default();
        assert!(turns.ask(id(1, 1)).is_none(), "nobody else is there");
        // Page 1 asks twice more before page 2 asks once.
        let [mut second, mut third] = [2, 3].map(|number| turns.ask(id(1, number)).expect("it waits"));
        let mut other = turns.ask(id(2, 1)).expect("it waits");
        turns.end(id(1, 1));
        assert!(is_granted(&mut other) && !is_granted(&mut second));
        turns.end(id(2, 1));
        assert!(is_granted(&mut second) && !is_granted(&mut third));
        let mut patient = turns.ask_patiently(id(4, 1)).expect("it waits");
        turns.end(id(1, 2));
        assert!(is_granted(&mut third) && !is_granted(&mut patient), "page 4 was never served");
        assert_eq!(turns.current(), Some(id(1, 3)));
        turns.end(id(1, 3));
        assert!(is_granted(&mut patient));
        turns.end(id(4, 1));
        assert_eq!(turns.current(), None);
    }

    #[test]
    fn who_has_gone_away_is_passed_over() {
        let turns = Turns::default();
        assert!(turns.ask(id(1, 1)).is_none());
        drop(turns.ask(id(2, 1)));
        let mut third = turns.ask(id(3, 1)).expect("it waits");
        // Only the request whose turn it is can end it.
        turns.end(id(3, 1));
        assert_eq!(turns.current(), Some(id(1, 1)));
        turns.end(id(1, 1));
        assert!(is_granted(&mut third));
        turns.forget(PageId(3));
        turns.end(id(3, 1));
        assert_eq!(turns.current(), None);
    }
}
