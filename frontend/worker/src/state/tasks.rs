//! What is under way, by request.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::bytes::CancelToken;
use protocol::failure::Activity;
use protocol::{PageId, RequestId};

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Loads a model.
    Load,
    /// Unloads it.
    Unload,
    /// Answers.
    Answer,
    /// Measures.
    Diagnosis,
    /// Trains.
    Train,
    /// Counts the tokens of a draft. The next one replaces it.
    Count,
    /// Anything that may run beside one of these.
    Beside,
}

impl Kind {
    /// Its name for pages.
    pub fn activity(self) -> Activity {
        match self {
            Self::Load => Activity::Loading,
            Self::Unload => Activity::Unloading,
            Self::Train => Activity::Training,
            Self::Answer | Self::Count | Self::Beside => Activity::Generating,
            Self::Diagnosis => Activity::Measuring,
        }
    }
}

/// How a run of training is to end before its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// To continue later.
    Pause,
    /// As if all steps were done.
    Finish,
}

/// A request under way.
#[derive(Clone, Debug)]
pub struct Task {
    /// The request.
    pub id: RequestId,
    /// What it does.
    pub kind: Kind,
    /// Stops it.
    pub cancel: CancelToken,
    /// Ends its thought.
    pub answer_now: Rc<Cell<bool>>,
    /// Ends its training.
    pub ending: Rc<Cell<Option<Ending>>>,
}

impl Task {
    /// Whether it holds the model, or waits for it, and nobody has stopped it.
    fn holds(&self) -> bool {
        !matches!(self.kind, Kind::Beside | Kind::Count) && !self.cancel.is_cancelled()
    }
}

/// All requests under way.
#[derive(Debug, Default)]
pub struct Tasks(RefCell<BTreeMap<RequestId, Task>>);

impl Tasks {
    /// Enters a request.
    pub fn begin(&self, id: RequestId, kind: Kind) -> Task {
        let cancel = CancelToken::new();
        let task = Task { id, kind, cancel, answer_now: Rc::default(), ending: Rc::default() };
        self.0.borrow_mut().insert(id, task.clone());
        task
    }

    /// Removes a request.
    pub fn end(&self, id: RequestId) {
        self.0.borrow_mut().remove(&id);
    }

    /// Returns the request, if it is under way.
    pub fn get(&self, id: RequestId) -> Option<Task> {
        self.0.borrow().get(&id).cloned()
    }

    /// What holds the model, if anything does that nobody has stopped.
    pub fn holder(&self) -> Option<Kind> {
        self.find(|_, task| task.holds()).first().map(|(_, task)| task.kind)
    }

    /// What a page has asked for that holds the model, or waits for it.
    pub fn holder_of(&self, page: PageId) -> Option<Kind> {
        self.find(|id, task| id.page() == page && task.holds()).first().map(|(_, task)| task.kind)
    }

    /// As [`Self::holder_of`], but for a training, which lets answers pass.
    pub fn holder_besides_training_of(&self, page: PageId) -> Option<Kind> {
        let found = self.find(|id, task| id.page() == page && task.kind != Kind::Train && task.holds());
        found.first().map(|(_, task)| task.kind)
    }

    /// The training that is under way, if there is one.
    pub fn training(&self) -> Option<RequestId> {
        self.find(|_, task| task.kind == Kind::Train && task.holds()).first().map(|&(id, _)| id)
    }

    /// Whether a model is being loaded or unloaded, or is about to be.
    pub fn is_changing_model(&self) -> bool {
        !self.find(|_, task| matches!(task.kind, Kind::Load | Kind::Unload) && task.holds()).is_empty()
    }

    /// Stops a page's requests of a kind.
    pub fn stop(&self, page: PageId, kind: Kind) {
        self.stop_where(|id, task| id.page() == page && task.kind == kind);
    }

    /// Stops what a page has asked for that holds the model.
    pub fn stop_holders_of(&self, page: PageId) {
        self.stop_where(|id, task| id.page() == page && task.holds());
    }

    /// Stops all that a page has asked for.
    pub fn stop_page(&self, page: PageId) {
        self.stop_where(|id, _| id.page() == page);
    }

    fn stop_where(&self, is_meant: impl Fn(RequestId, &Task) -> bool) {
        // Outside the borrow: a waker may run at once.
        for (_, task) in self.find(is_meant) {
            task.cancel.cancel();
        }
    }

    fn find(&self, is_meant: impl Fn(RequestId, &Task) -> bool) -> Vec<(RequestId, Task)> {
        let all = self.0.borrow();
        let found = all.iter().filter(|(id, task)| is_meant(**id, task));
        found.map(|(id, task)| (*id, task.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stopped_holds_nothing() {
        let tasks = Tasks::default();
        tasks.begin(RequestId(1), Kind::Beside);
        assert_eq!(tasks.holder(), None);
        tasks.begin(RequestId(3), Kind::Count);
        assert_eq!(tasks.holder(), None);
        tasks.stop(PageId(0), Kind::Count);
        assert!(tasks.get(RequestId(3)).expect("still there").cancel.is_cancelled());
        let answer = tasks.begin(RequestId(2), Kind::Answer);
        assert_eq!(tasks.holder(), Some(Kind::Answer));
        tasks.stop_holders_of(PageId(0));
        assert!(answer.cancel.is_cancelled());
        assert!(!tasks.get(RequestId(1)).expect("still there").cancel.is_cancelled());
        assert_eq!(tasks.holder(), None);
        tasks.end(RequestId(2));
        assert!(tasks.get(RequestId(2)).is_none());
    }

    #[test]
    fn a_page_stops_only_what_it_has_asked_for() {
        let tasks = Tasks::default();
        let [here, there] = [1, 2].map(|page| RequestId::new(PageId(page), 1));
        let answer = tasks.begin(here, Kind::Answer);
        let training = tasks.begin(there, Kind::Train);
        tasks.stop_holders_of(PageId(3));
        assert_eq!((tasks.holder_of(here.page()), tasks.training()), (Some(Kind::Answer), Some(there)));
        tasks.stop_holders_of(here.page());
        assert!(answer.cancel.is_cancelled() && !training.cancel.is_cancelled());
        assert_eq!((tasks.holder_of(here.page()), tasks.holder()), (None, Some(Kind::Train)));
        tasks.stop_page(there.page());
        assert_eq!(tasks.training(), None);
        assert!(!tasks.is_changing_model());
        tasks.begin(here, Kind::Load);
        assert!(tasks.is_changing_model());
    }
}
