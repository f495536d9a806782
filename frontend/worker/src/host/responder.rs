//! The obligation to answer a request with exactly one outcome.

use std::future::Future;
use std::rc::Rc;

use futures_util::FutureExt as _;
use protocol::failure::RequestFailure;
use protocol::{Failure, Outcome, PageId, RequestId, ToPage};

use super::Host;
use crate::state::tasks::{Kind, Task};

/// A request without an outcome. Only [`Self::refuse`] and [`Self::run`] consume it.
pub struct Responder {
    host: Rc<Host>,
    id: RequestId,
}

/// Proof that a request has an outcome, or a task that ends with one.
pub struct Answered(());

impl Responder {
    /// For a request that has just arrived.
    pub fn new(host: &Rc<Host>, id: RequestId) -> Self {
        Self { host: Rc::clone(host), id }
    }

    /// The page that made the request.
    pub fn page(&self) -> PageId {
        self.id.page()
    }

    /// Ends the request because `busy` uses the model.
    pub fn refuse(self, busy: Kind) -> Answered {
        self.end(Err(RequestFailure::Busy(busy.activity()).into()))
    }

    /// Spawns the task of the request.
    pub fn run<F>(self, kind: Kind, work: impl FnOnce(Task) -> F) -> Answered
    where
        F: Future<Output = Result<Outcome, Failure>> + 'static,
    {
        let work = work(self.host.tasks.begin(self.id, kind));
        let platform = Rc::clone(&self.host.platform);
        let task = async move {
            let outcome = work.await;
            let host = Rc::clone(&self.host);
            host.tasks.end(self.id);
            self.end(outcome);
            // A page ignores the state while it loads.
            if matches!(kind, Kind::Train | Kind::Load) {
                host.tell_state();
            }
        };
        platform.spawn(task.boxed_local());
        Answered(())
    }

    fn end(self, outcome: Result<Outcome, Failure>) -> Answered {
        self.host.platform.post(Some(self.page()), ToPage::outcome(self.id, outcome), &[]);
        Answered(())
    }
}
