//! A connection that is lost while a model loads: the page is told until it is back.

use std::rc::Rc;

use protocol::{Outcome, Progress};

use crate::desk::{Desk, load};

#[test]
fn a_lost_connection_is_told_while_a_load_tries_again() {
    let (desk, host) = Desk::new();
    let side = Rc::downgrade(&desk);
    let mut steps = 0;
    desk.react(move |event| {
        let Some((_, Progress::Loading(progress))) = event.as_progress() else { return };
        let Some(watch) = side.upgrade().and_then(|desk| desk.watch.borrow().clone()) else { return };
        steps += usize::from(!progress.lost);
        if steps == 2 {
            watch(true);
            watch(false);
        }
    });
    host.receive(load(1), Vec::new());
    assert!(matches!(desk.end_of(1), Ok(Outcome::Loaded(_))));
    let lost = || {
        let steps = desk.posted().into_iter();
        steps.filter(|event| matches!(event.as_progress(), Some((_, Progress::Loading(progress))) if progress.lost)).count()
    };
    assert_eq!(lost(), 1);

    // What the model reads later is no load.
    let watch = desk.watch.borrow().clone().expect("given to what opens the files");
    watch(true);
    assert_eq!(lost(), 1);
}
