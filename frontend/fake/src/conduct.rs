//! The simulated engine behaves as the real one. The scripts are those that `worker/tests/worker/conduct.rs` plays, too.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use protocol::conduct::{Engine, Reaction, SCRIPTS, Trouble};
use protocol::{PageId, ToPage, ToWorker, VERSION};

use super::Scenario;
use super::platform::{Local, Platform, Posted};
use super::play::Player;

/// Tasks have their turns one after the other, and time passes at once.
#[derive(Default)]
struct Desk {
    posted: RefCell<Vec<ToPage>>,
    tasks: RefCell<Vec<Local>>,
    is_gone: Cell<bool>,
}

impl Platform for Desk {
    fn post(&self, posted: Posted) {
        match posted {
            Posted::Message(message) => self.posted.borrow_mut().push(message),
            Posted::Crashed(_) => self.is_gone.set(true),
        }
    }

    fn spawn(&self, task: Local) {
        self.tasks.borrow_mut().push(task);
    }

    fn pause(&self, _: u32) -> Local {
        Box::pin(Pause(false))
    }
}

/// Lets the other tasks have their turn.
struct Pause(bool);

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

type When = Box<dyn Fn(&ToPage) -> bool>;

struct Simulated {
    desk: Rc<Desk>,
    player: Player,
    /// What is to be done when an event comes, in order.
    reactions: VecDeque<(When, Reaction)>,
    /// Events at which it was looked whether something is to be done.
    seen: usize,
}

impl Simulated {
    fn new(scenario: Scenario) -> Self {
        let desk = Rc::new(Desk::default());
        let player = Player::new(scenario, Rc::<Desk>::clone(&desk));
        player.take(ToWorker::Hello { version: VERSION, page: PageId(0) }, Vec::new());
        Self { desk, player, reactions: VecDeque::new(), seen: 0 }
    }

    /// Does what is to be done when an event comes.
    fn respond(&mut self) {
        loop {
            let next = self.desk.posted.borrow().get(self.seen).cloned();
            let Some(event) = next else { return };
            self.seen += 1;
            let is_due = self.reactions.front().is_some_and(|(when, _)| when(&event));
            match is_due.then(|| self.reactions.pop_front()).flatten() {
                Some((_, Reaction::Send(request))) => self.player.take(*request, Vec::new()),
                Some((_, Reaction::FillStorage)) => self.fill_storage(),
                None => {}
            }
        }
    }
}

impl Engine for Simulated {
    fn send(&mut self, message: ToWorker) {
        self.player.take(message, Vec::new());
    }

    fn react(&mut self, when: When, what: Reaction) {
        self.reactions.push_back((when, what));
    }

    fn run_until(&mut self, done: &dyn Fn(&[ToPage]) -> bool) {
        let mut context = Context::from_waker(Waker::noop());
        while !done(&self.desk.posted.borrow()) && !self.desk.is_gone.get() {
            let mut tasks = self.desk.tasks.take();
            assert!(!tasks.is_empty(), "nothing is left to do: {:?}", self.desk.posted.borrow());
            tasks.retain_mut(|task| {
                let goes_on = task.as_mut().poll(&mut context).is_pending();
                self.respond();
                goes_on
            });
            // What was begun meanwhile comes after them.
            tasks.append(&mut self.desk.tasks.borrow_mut());
            self.desk.tasks.replace(tasks);
        }
    }

    fn posted(&self) -> Vec<ToPage> {
        self.desk.posted.borrow().clone()
    }

    fn is_gone(&self) -> bool {
        self.desk.is_gone.get()
    }

    fn restart(&mut self) {
        *self = Self::new(Scenario::default());
    }

    fn fill_storage(&mut self) {
        self.player.fill_storage();
    }
}

#[test]
fn it_behaves_as_the_scripts_say() {
    for script in SCRIPTS {
        println!("{}", script.name);
        let words = match script.trouble {
            Trouble::None | Trouble::Trains => "",
            Trouble::CrashLoading => "crash-loading",
            Trouble::Cut => "cut",
            Trouble::NoRoom => "unkept",
        };
        (script.run)(&mut Simulated::new(Scenario::read(words)));
    }
}
