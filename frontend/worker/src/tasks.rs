//! What is under way, by request.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::bytes::CancelToken;
use protocol::RequestId;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Loads a model.
    Load,
    /// Lets go of it.
    Unload,
    /// Answers.
    Answer,
    /// Measures.
    Diagnosis,
    /// Trains.
    Train,
    /// Counts the tokens of a draft. The next one replaces it.
    Count,
    /// Anything that may go on beside one of these.
    Beside,
}

/// How a run of training is to end before its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// To go on later.
    Pause,
    /// As if it had done all its steps.
    Finish,
}

/// A request under way.
#[derive(Clone, Debug)]
pub struct Task {
    /// What it does.
    pub kind: Kind,
    /// Stops it.
    pub cancel: CancelToken,
    /// Ends its thought.
    pub answer_now: Rc<Cell<bool>>,
    /// Ends its training.
    pub ending: Rc<Cell<Option<Ending>>>,
}

/// All requests under way.
#[derive(Debug, Default)]
pub struct Tasks(RefCell<BTreeMap<RequestId, Task>>);

impl Tasks {
    /// Enters a request.
    pub fn begin(&self, id: RequestId, kind: Kind) -> Task {
        let task =
            Task { kind, cancel: CancelToken::new(), answer_now: Rc::default(), ending: Rc::default() };
        self.0.borrow_mut().insert(id, task.clone());
        task
    }

    /// Takes a request out.
    pub fn end(&self, id: RequestId) {
        self.0.borrow_mut().remove(&id);
    }

    /// The request, if it is under way.
    pub fn get(&self, id: RequestId) -> Option<Task> {
        self.0.borrow().get(&id).cloned()
    }

    /// What holds the model, if anything does that nobody has stopped.
    pub fn holder(&self) -> Option<Kind> {
        self.holders().first().map(|task| task.kind)
    }

    /// Stops the requests of a kind.
    pub fn stop(&self, kind: Kind) {
        let those: Vec<Task> = self.0.borrow().values().filter(|task| task.kind == kind).cloned().collect();
        for task in those {
            task.cancel.cancel();
        }
    }

    /// What holds the model besides a training, if anything does.
    pub fn holder_besides_training(&self) -> Option<Kind> {
        self.holders().into_iter().map(|task| task.kind).find(|&kind| kind != Kind::Train)
    }

    /// Stops what holds the model.
    pub fn stop_holders(&self) {
        // Outside the borrow: a waker may run at once.
        for task in self.holders() {
            task.cancel.cancel();
        }
    }

    fn holders(&self) -> Vec<Task> {
        let holds =
            |task: &&Task| !matches!(task.kind, Kind::Beside | Kind::Count) && !task.cancel.is_cancelled();
        self.0.borrow().values().filter(holds).cloned().collect()
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
        tasks.stop(Kind::Count);
        assert!(tasks.get(RequestId(3)).expect("still there").cancel.is_cancelled());
        let answer = tasks.begin(RequestId(2), Kind::Answer);
        assert_eq!(tasks.holder(), Some(Kind::Answer));
        tasks.stop_holders();
        assert!(answer.cancel.is_cancelled());
        assert!(!tasks.get(RequestId(1)).expect("still there").cancel.is_cancelled());
        assert_eq!(tasks.holder(), None);
        tasks.end(RequestId(2));
        assert!(tasks.get(RequestId(2)).is_none());
    }
}
