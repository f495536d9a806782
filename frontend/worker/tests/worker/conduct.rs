//! The real engine behaves as the simulated one. The scripts are those that `fake/src/conduct.rs` plays, too.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;

use protocol::conduct::{Engine, Reaction, SCRIPTS, Trouble};
use protocol::{ToPage, ToWorker};
use worker::Host;

use crate::desk::server::{Crash, Server};
use crate::desk::{Desk, golden, pebble};

type When = Box<dyn Fn(&ToPage) -> bool>;
type Reactions = Rc<RefCell<VecDeque<(When, Reaction)>>>;

struct Real {
    desk: Rc<Desk>,
    host: Rc<Host>,
    /// What is to be done when an event comes, in order.
    reactions: Reactions,
    is_gone: bool,
}

/// Bytes of a file before something goes wrong.
const GOOD: u64 = 2 << 20;

impl Real {
    fn new(trouble: Trouble) -> Self {
        let (desk, host) = Desk::new();
        let file = match trouble {
            Trouble::Trains => golden("models/tiny-31b.q4_0.gguf"),
            _ => pebble(),
        };
        match trouble {
            Trouble::None | Trouble::Trains => {}
            Trouble::NoRoom => {
                desk.server.replace(Some(Server::of(&file)));
                desk.room.set(Some(GOOD));
            }
            Trouble::Cut | Trouble::CrashLoading => {
                let server = Server::of(&file);
                server.good.set(GOOD);
                server.crashes.set(trouble == Trouble::CrashLoading);
                desk.server.replace(Some(server));
            }
        }
        desk.model.replace(file);
        Self::with(desk, host)
    }

    fn with(desk: Rc<Desk>, host: Rc<Host>) -> Self {
        let reactions = Reactions::default();
        let (to_do, on, of) = (Rc::clone(&reactions), Rc::downgrade(&host), Rc::downgrade(&desk));
        desk.react(move |event| {
            let is_due = to_do.borrow().front().is_some_and(|(when, _)| when(event));
            let due = is_due.then(|| to_do.borrow_mut().pop_front()).flatten();
            let (Some((_, what)), Some(host), Some(desk)) = (due, on.upgrade(), of.upgrade()) else { return };
            match what {
                Reaction::Send(request) => host.receive(*request, Vec::new()),
                Reaction::FillStorage => desk.fill(),
            }
            // An answer does not yield on a native device, as it does in a browser.
            desk.interrupt();
        });
        Self { desk, host, reactions, is_gone: false }
    }
}

impl Engine for Real {
    fn send(&mut self, message: ToWorker) {
        self.host.receive(message, Vec::new());
    }

    fn react(&mut self, when: When, what: Reaction) {
        self.reactions.borrow_mut().push_back((when, what));
    }

    fn run_until(&mut self, done: &dyn Fn(&[ToPage]) -> bool) {
        if !self.is_gone {
            // In a browser its memory is lost with it, and here nobody looks at it any more.
            let ran = panic::catch_unwind(AssertUnwindSafe(|| self.desk.run_until(done)));
            match ran {
                Err(why) if why.is::<Crash>() => self.is_gone = true,
                Err(why) => panic::resume_unwind(why),
                Ok(()) => {}
            }
        }
    }

    fn posted(&self) -> Vec<ToPage> {
        self.desk.posted()
    }

    fn is_gone(&self) -> bool {
        self.is_gone
    }

    fn restart(&mut self) {
        let (desk, host) = self.desk.successor();
        *self = Self::with(desk, host);
    }

    fn fill_storage(&mut self) {
        self.desk.fill();
    }
}

#[test]
fn it_behaves_as_the_scripts_say() {
    for script in SCRIPTS {
        println!("{}", script.name);
        (script.run)(&mut Real::new(script.trouble));
    }
}
