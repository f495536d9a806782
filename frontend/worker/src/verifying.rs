//! Background self-test: the kernels of a loaded model, and those that adapters and drafts add to it, are tried while the
//! engine is idle.
//!
//! One kernel at a time has the session's place, so that an answer never waits for more than that. What was found right is
//! remembered with the adapter, by the kernel's text; the next load tries what is new.

use std::collections::BTreeSet;
use std::rc::{Rc, Weak};

use engine::bytes::CancelToken;
use engine::plan::Tested;
use engine::session::ModelSession;
use protocol::failure::EngineFailure;
use protocol::{Failure, SelfTest};

use crate::choices::{self, Adapter};
use crate::diagnosing::{self, try_one};
use crate::host::{Host, Model};

/// Begins for the model that was loaded last. If it has begun before, it goes on with what is new.
pub fn begin(host: &Rc<Host>) {
    let Some(model) = host.model.borrow().clone() else { return };
    model.verified.set(false);
    if model.verifying.replace(true) {
        return;
    }
    let (model, host_again) = (Rc::downgrade(&model), Rc::clone(host));
    host.platform.spawn(Box::pin(async move {
        verify(&host_again, &model).await;
        if let Some(model) = model.upgrade() {
            model.verifying.set(false);
        }
    }));
}

/// Begins again if the session has kernels that were not tried: those of adapters and drafts are bound when they are first
/// used.
pub fn go_on(host: &Rc<Host>, model: &Model, session: &ModelSession) {
    let is_new = |tested: &Tested| !model.tried.borrow().contains(&tested.text());
    if session.tested().iter().any(is_new) {
        begin(host);
    }
}

/// A model that is loaded anew meanwhile is not kept alive: its files are open for one alone.
async fn verify(host: &Rc<Host>, model: &Weak<Model>) {
    // Nobody stops it: it ends with its model.
    let cancel = CancelToken::new();
    let names = host.adapter_names().await;
    let mut known = None;
    loop {
        // Yield so that queued requests run first.
        host.platform.pause(1).await;
        let Ok(mut slot) = host.slot(&cancel).await else { return };
        let Some(model) = model.upgrade() else { return };
        let is_loaded = host.model.borrow().as_ref().is_some_and(|now| Rc::ptr_eq(now, &model));
        let Some(ready) = slot.as_ref().filter(|_| is_loaded && !model.verified.get()) else { return };
        let adapter = Adapter::new(&ready.gpu, &names);
        if known.is_none() {
            known = Some(choices::sound(host, &adapter).await);
        }
        let Some(sound) = known.as_mut() else { return };
        // What is bound changes from round to round.
        let next = next(&ready.session, &model, sound);
        let Some((tested, key)) = next else {
            model.verified.set(true);
            choices::keep_sound(host, &adapter, sound).await;
            if model.verified.get() {
                return;
            }
            continue;
        };
        match try_one(host, &ready.gpu, &*tested.kernel).await {
            Ok(check) if check.problem.is_none() => {
                sound.insert(key);
                model.tried.borrow_mut().insert(tested.text());
            }
            Ok(_) => {
                // All of them, and what follows from it.
                let found = diagnosing::self_test(host, &mut slot, &cancel, &mut |_, _| ()).await;
                match found {
                    Ok(found) => host.warn(told(&found)),
                    Err(failure) => host.warn(failure),
                }
                return;
            }
            // Device loss is handled by the next request.
            Err(_) => return,
        }
    }
}

/// The next kernel whose text was neither tried for this model nor is known to be right, and how the verdict on it is
/// remembered.
fn next(session: &ModelSession, model: &Model, sound: &BTreeSet<String>) -> Option<(Tested, String)> {
    let mut tried = model.tried.borrow_mut();
    let new =
        session.tested().into_iter().filter(|tested| !tried.contains(&tested.text())).collect::<Vec<_>>();
    new.into_iter().find_map(|tested| {
        let key = choices::text_key(&tested.source);
        if sound.contains(&key) {
            tried.insert(tested.text());
            return None;
        }
        Some((tested, key))
    })
}

/// What was found.
fn told(found: &SelfTest) -> Failure {
    let kernels = found.failed().map(|check| check.name.clone()).take(3).collect();
    EngineFailure::Miscomputes { kernels, unloaded: found.switched_off.is_none() }.into()
}
