//! Locks between the tabs of the origin. The browser releases a lock when its tab closes. Without a browser, or in one that
//! has no locks, nothing is ever locked.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Array, Function, Object, Promise};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::AbortController;

use crate::{field, object};

// `web-sys` has them only among what is unstable.
#[wasm_bindgen]
extern "C" {
    type LockManager;

    #[wasm_bindgen(method)]
    fn request(this: &LockManager, name: &str, callback: &JsValue) -> Promise;

    #[wasm_bindgen(method, js_name = request)]
    fn request_with(this: &LockManager, name: &str, options: &JsValue, callback: &JsValue) -> Promise;

    #[wasm_bindgen(method)]
    fn query(this: &LockManager) -> Promise;
}

fn manager() -> Option<LockManager> {
    if !cfg!(target_arch = "wasm32") {
        return None;
    }
    let manager = field(&field(&js_sys::global(), "navigator")?, "locks")?;
    manager.is_object().then(|| manager.unchecked_into())
}

/// A lock that is held or waited for until this is dropped.
pub struct Lock {
    release: SendWrapper<Function>,
    /// Ends the wait. A page that is frozen would be given the lock in its turn, and others would wait for it.
    give_up: SendWrapper<Option<AbortController>>,
    is_dropped: SendWrapper<Rc<Cell<bool>>>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.is_dropped.set(true);
        // Resolving a promise does not throw.
        self.release.call0(&JsValue::NULL).ok();
        if let Some(give_up) = &*self.give_up {
            give_up.abort();
        }
    }
}

/// The browser gives no locks.
#[derive(Clone, Copy, Debug)]
pub struct Refused;

/// Holds a lock, as soon as no other tab does.
#[must_use]
pub fn hold(name: &str) -> Option<Lock> {
    hold_then(name, |_| ())
}

/// As [`hold`], and calls `then` once the lock is held, or with an error if the browser refuses it.
#[must_use]
pub fn hold_then(name: &str, then: impl FnOnce(Result<(), Refused>) + 'static) -> Option<Lock> {
    // Outside of a browser, there is no `AbortController` either.
    manager()?;
    let give_up = AbortController::new().ok()?;
    request(name, Some(give_up), |held| then(held.map(|_| ())))
}

/// Takes a lock unless another tab has it.
///
/// # Errors
/// If the browser gives no locks.
pub async fn try_hold(name: &str) -> Result<Option<Lock>, Refused> {
    let (sender, taken) = oneshot::channel();
    let tell = move |held| {
        sender.send(held).ok();
    };
    let lock = request(name, None, tell).ok_or(Refused)?;
    let is_held = taken.await.map_err(|_| Refused)??;
    Ok(is_held.then_some(lock))
}

/// Requests a lock. Without `give_up`, which ends the wait for it, it is requested only if no other tab has it. Calls `then`
/// with whether it is held, unless the returned lock is dropped first.
fn request(
    name: &str,
    give_up: Option<AbortController>,
    then: impl FnOnce(Result<bool, Refused>) + 'static,
) -> Option<Lock> {
    let manager = manager()?;
    let mut release = None;
    let released = Promise::new(&mut |resolve, _| release = Some(resolve));
    let is_dropped = Rc::new(Cell::new(false));
    let waiting = Rc::clone(&is_dropped);
    let tell = Rc::new(Cell::new(Some(then)));
    let refused = Rc::clone(&tell);
    let callback = Closure::<dyn FnMut(JsValue) -> JsValue>::new(move |lock: JsValue| {
        if let Some(then) = tell.take().filter(|_| !waiting.get()) {
            then(Ok(!lock.is_null()));
        }
        released.clone().into()
    });
    let options = match &give_up {
        Some(give_up) => object(&[("signal", &give_up.signal())]),
        None => object(&[("ifAvailable", &true.into())]),
    };
    let options = options.ok()?;
    let asked = manager.request_with(name, &options, callback.as_ref());
    let waiting = Rc::clone(&is_dropped);
    spawn_local(async move {
        // It ends when the lock is given back, is given up, or is refused. After that nothing is called back.
        let ended = JsFuture::from(asked).await;
        drop(callback);
        if ended.is_err()
            && let Some(then) = refused.take().filter(|_| !waiting.get())
        {
            then(Err(Refused));
        }
    });
    Some(Lock {
        release: SendWrapper::new(release?),
        give_up: SendWrapper::new(give_up),
        is_dropped: SendWrapper::new(is_dropped),
    })
}

/// Whether some tab holds a lock.
pub async fn is_held(name: &str) -> bool {
    names(&["held"]).await.iter().any(|held| held == name)
}

/// What follows `prefix` in the names of all locks that begin with it, held or waited for.
pub async fn named(prefix: &str) -> BTreeSet<String> {
    let names = names(&["held", "pending"]).await;
    names.iter().filter_map(|name| name.strip_prefix(prefix)).map(str::to_owned).collect()
}

/// The names of the locks of these states.
async fn names(states: &[&str]) -> Vec<String> {
    let Some(manager) = manager() else { return Vec::new() };
    let Ok(locks) = JsFuture::from(manager.query()).await else { return Vec::new() };
    let of = |state: &&str| field(&locks, state).map(|all| Array::from(&all).to_vec());
    let all = states.iter().filter_map(of).flatten();
    let name = |lock: JsValue| field(lock.dyn_ref::<Object>()?, "name")?.as_string();
    all.filter_map(name).collect()
}

/// Waits until no tab holds a lock. Returns `false` at once if the browser gives no locks.
pub async fn wait(name: &str) -> bool {
    let Some(manager) = manager() else { return false };
    let callback = Closure::once_into_js(|_: JsValue| JsValue::UNDEFINED);
    JsFuture::from(manager.request(name, &callback)).await.is_ok()
}
