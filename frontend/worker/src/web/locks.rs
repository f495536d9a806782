//! Locks that all tabs of the origin share.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::platform::Lock;

/// Takes a lock, by the part of this worker's script that does so (`xtask/src/site/worker.js`); none where another tab has
/// it. Without that part there is nothing to keep apart.
pub async fn take(name: &str) -> Option<Lock> {
    match call("takeLock", name).await {
        Ok(release) if release.is_null() => None,
        Ok(release) => Some(Lock::new(move || {
            if let Some(release) = release.dyn_ref::<Function>() {
                release.call0(&JsValue::NULL).ok();
            }
        })),
        Err(_) => Some(Lock::new(|| ())),
    }
}

/// Waits until nobody holds a lock.
///
/// # Errors
/// What the browser says. Then nothing is known.
pub async fn wait(name: &str) -> Result<(), JsValue> {
    call("waitForLock", name).await.map(|_| ())
}

/// Calls a function of this worker's script with the name of a lock.
async fn call(function: &str, name: &str) -> Result<JsValue, JsValue> {
    let scope: JsValue = super::scope().into();
    let function: Function = Reflect::get(&scope, &function.into())?.dyn_into()?;
    let asked: Promise = function.call1(&scope, &name.into())?.dyn_into()?;
    JsFuture::from(asked).await
}
