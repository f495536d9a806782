//! Whose turn it is to use the model, as with the real engine: a page has one request at a time that uses it, and those of
//! several pages wait for one another.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use protocol::failure::Activity;
use protocol::{PageId, RequestId};

/// The requests that use the model, or wait for it.
#[derive(Default)]
pub struct Turns(RefCell<Vec<Entry>>);

struct Entry {
    id: RequestId,
    does: Activity,
    usage: Use,
    is_cancelled: bool,
}

/// How a request uses the model.
enum Use {
    /// Alone.
    Now,
    /// When the sender resolves.
    Later(oneshot::Sender<()>),
    /// A training beside answers, or a request that was stopped before its turn.
    Beside,
}

/// The right of a request to use the model, until this is dropped.
pub struct ModelTurn {
    turns: Rc<Turns>,
    id: RequestId,
}

/// The turn of a request. If it has to wait, the receiver resolves when its turn comes or it is stopped.
pub type Entered = (ModelTurn, Option<oneshot::Receiver<()>>);

impl ModelTurn {
    /// The request.
    pub fn id(&self) -> RequestId {
        self.id
    }
}

impl Turns {
    /// Enters a request.
    pub fn enter(self: &Rc<Self>, id: RequestId, does: Activity) -> Entered {
        let mut all = self.0.borrow_mut();
        let is_used = all.iter().any(|it| matches!(it.usage, Use::Now));
        let (usage, granted) = match does {
            // It lets answers pass.
            Activity::Training => (Use::Beside, None),
            _ if is_used => {
                let (sender, granted) = oneshot::channel();
                (Use::Later(sender), Some(granted))
            }
            _ => (Use::Now, None),
        };
        all.push(Entry { id, does, usage, is_cancelled: false });
        (ModelTurn { turns: Rc::clone(self), id }, granted)
    }

    /// What a page has asked for that nobody has stopped.
    pub fn of(&self, page: PageId) -> Option<Activity> {
        self.find(|it| it.id.page() == page)
    }

    /// Likewise, but for a training.
    pub fn besides_training_of(&self, page: PageId) -> Option<Activity> {
        self.find(|it| it.id.page() == page && it.does != Activity::Training)
    }

    /// Whether a model is trained.
    pub fn is_training(&self) -> bool {
        self.find(|it| it.does == Activity::Training).is_some()
    }

    /// Whether an answer is under way.
    pub fn is_answering(&self) -> bool {
        self.0.borrow().iter().any(|it| it.does == Activity::Generating)
    }

    fn find(&self, is_meant: impl Fn(&Entry) -> bool) -> Option<Activity> {
        self.0.borrow().iter().find(|it| !it.is_cancelled && is_meant(it)).map(|it| it.does)
    }

    /// Stops the requests that are meant; which these are.
    pub fn stop(&self, is_meant: impl Fn(RequestId) -> bool) -> Vec<RequestId> {
        let mut all = self.0.borrow_mut();
        let stopped = all.iter_mut().filter(|it| is_meant(it.id)).map(|entry| {
            entry.is_cancelled = true;
            if matches!(entry.usage, Use::Later(_)) {
                entry.usage = Use::Beside;
            }
            entry.id
        });
        stopped.collect()
    }
}

impl Drop for ModelTurn {
    fn drop(&mut self) {
        let mut all = self.turns.0.borrow_mut();
        all.retain(|it| it.id != self.id);
        if all.iter().any(|it| matches!(it.usage, Use::Now)) {
            return;
        }
        if let Some(next) = all.iter_mut().find(|it| matches!(it.usage, Use::Later(_)))
            && let Use::Later(sender) = std::mem::replace(&mut next.usage, Use::Now)
        {
            // Nobody waits when the engine is gone.
            sender.send(()).ok();
        }
    }
}
