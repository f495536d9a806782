//! Locks that all tabs of the origin share.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::platform::Lock;

/// Takes a lock, by the part of this worker's script that does so (`xtask/src/site/worker.js`); none where another tab has
/// it. Without that part there is nothing to keep apart.
pub async fn take(name: &str) -> Option<Lock> {
    match ask(name).await {
        Ok(release) if release.is_null() => None,
        Ok(release) => Some(Lock::new(move || {
            if let Some(release) = release.dyn_ref::<Function>() {
                release.call0(&JsValue::NULL).ok();
            }
        })),
        Err(_) => Some(Lock::new(|| ())),
    }
}

/// Calls `takeLock(name)`.
async fn ask(name: &str) -> Result<JsValue, JsValue> {
    let scope: JsValue = super::scope().into();
    let take: Function = Reflect::get(&scope, &"takeLock".into())?.dyn_into()?;
    let asked: Promise = take.call1(&scope, &name.into())?.dyn_into()?;
    JsFuture::from(asked).await
}
