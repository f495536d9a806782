//! A self-test that nobody asked for: the kernels of a model that was loaded are tried while nothing else is to be done.
//!
//! One kernel at a time has the session's place, so that an answer never waits for more than that. What was found right is
//! remembered with the adapter, by the kernel's text; the next load tries what is new.

use std::rc::{Rc, Weak};

use engine::bytes::CancelToken;
use protocol::failure::EngineFailure;
use protocol::{Failure, SelfTest};
use shaders::selftest::Form;

use crate::choices::{self, Adapter};
use crate::diagnosing::{self, try_one};
use crate::host::{Host, Model};

/// Begins for the model that was loaded last.
pub fn begin(host: &Rc<Host>) {
    let Some(model) = host.model.borrow().as_ref().map(Rc::downgrade) else { return };
    let host_again = Rc::clone(host);
    host.platform.spawn(Box::pin(async move { verify(&host_again, &model).await }));
}

/// A model that is loaded anew meanwhile is not kept alive: its files are open for one alone.
async fn verify(host: &Rc<Host>, model: &Weak<Model>) {
    // Nobody stops it: it ends with its model.
    let cancel = CancelToken::new();
    let names = host.adapter_names().await;
    let mut known = None;
    let mut next = 0;
    loop {
        // So that whoever waits has its turn.
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
        let forms = ready.session.forms();
        let Some(form) = forms.get(next) else {
            model.verified.set(true);
            choices::keep_sound(host, &adapter, sound).await;
            return;
        };
        next += 1;
        let Some(text) = text_of(form).filter(|text| !sound.contains(text)) else { continue };
        match try_one(host, &ready.gpu, form).await {
            Ok(check) if check.problem.is_none() => {
                sound.insert(text);
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
            // A device that is gone is found out about by who needs it.
            Err(_) => return,
        }
    }
}

/// A kernel as the verdict on it is remembered.
fn text_of(form: &Form) -> Option<String> {
    form.case().ok().map(|case| choices::text_key(&case.source))
}

/// What was found.
fn told(found: &SelfTest) -> Failure {
    let kernels = found.failed().map(|check| check.name.clone()).take(3).collect();
    EngineFailure::Miscomputes { kernels, unloaded: found.switched_off.is_none() }.into()
}
