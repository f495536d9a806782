//! Whose turn it is to use the model, as with the real engine: a page has one request at a time that uses it, and those of
//! several pages wait for one another.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use protocol::failure::Activity;
use protocol::{PageId, RequestId};

/// The requests that use the model, or wait for it.
#[derive(Default)]
pub struct Turns(RefCell<Vec<Request>>);

struct Request {
    id: RequestId,
    does: Activity,
    place: Place,
    is_cancelled: bool,
}

enum Place {
    /// It uses the model.
    Uses,
    /// It is told when it may.
    Waits(oneshot::Sender<()>),
    /// It is a training, or was stopped before its turn.
    Beside,
}

/// The place of a request, until it is dropped.
pub struct Turn {
    turns: Rc<Turns>,
    id: RequestId,
}

/// The place of a request that was entered. If it has to wait, the second resolves with its turn, or when it is stopped.
pub type Entered = (Turn, Option<oneshot::Receiver<()>>);

impl Turn {
    /// The request.
    pub fn id(&self) -> RequestId {
        self.id
    }
}

impl Turns {
    /// Enters a request.
    pub fn enter(self: &Rc<Self>, id: RequestId, does: Activity) -> Entered {
        let mut all = self.0.borrow_mut();
        let is_used = all.iter().any(|it| matches!(it.place, Place::Uses));
        let (place, granted) = match does {
            // It lets answers pass.
            Activity::Training => (Place::Beside, None),
            _ if is_used => {
                let (sender, granted) = oneshot::channel();
                (Place::Waits(sender), Some(granted))
            }
            _ => (Place::Uses, None),
        };
        all.push(Request { id, does, place, is_cancelled: false });
        (Turn { turns: Rc::clone(self), id }, granted)
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

    fn find(&self, is_meant: impl Fn(&Request) -> bool) -> Option<Activity> {
        self.0.borrow().iter().find(|it| !it.is_cancelled && is_meant(it)).map(|it| it.does)
    }

    /// Stops the requests that are meant; which these are.
    pub fn stop(&self, is_meant: impl Fn(RequestId) -> bool) -> Vec<RequestId> {
        let mut all = self.0.borrow_mut();
        let stopped = all.iter_mut().filter(|it| is_meant(it.id)).map(|request| {
            request.is_cancelled = true;
            if matches!(request.place, Place::Waits(_)) {
                request.place = Place::Beside;
            }
            request.id
        });
        stopped.collect()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut all = self.turns.0.borrow_mut();
        all.retain(|it| it.id != self.id);
        if all.iter().any(|it| matches!(it.place, Place::Uses)) {
            return;
        }
        if let Some(next) = all.iter_mut().find(|it| matches!(it.place, Place::Waits(_)))
            && let Place::Waits(sender) = std::mem::replace(&mut next.place, Place::Uses)
        {
            // Nobody waits when the engine is gone.
            sender.send(()).ok();
        }
    }
}
