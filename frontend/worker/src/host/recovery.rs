//! A device that was lost: a driver's reset, sleep, memory pressure.
//!
//! The model is loaded again from where it came (the browser's storage or the server), and a running answer continues
//! after its last token. The page gets [`ToPage::DeviceLost`] at once and [`ToPage::Device`] after the recovery.

use std::rc::Rc;

use engine::bytes::CancelToken;
use engine::gpu::{Gpu, GpuError, UploadError};
use engine::model::ExpertError;
use engine::session::{EngineError, LoadOptions, ModelSession};
use engine::weights::LoadError;
use futures_util::future::{Either, select};
use protocol::failure::RequestFailure;
use protocol::{Failure, ToPage};

use super::{Host, Model, Ready, Slot, is_lost};
use crate::{device, failure};

/// How long after an error a browser may take to report the loss of the device.
const GRACE_MS: u32 = 250;
/// Losses without anything going well between them, after which no more is tried.
const MAX_LOSSES: u32 = 2;

/// Device losses in a row, without progress between them.
#[derive(Default)]
pub struct Losses(u32);

impl Losses {
    /// Records progress: the next loss is the first again.
    pub fn reset(&mut self) {
        self.0 = 0;
    }

    /// Counts a loss of the device, after which the task should be retried on a new one. Returns the platform's reason.
    ///
    /// # Errors
    /// `failure` if `error` is not a loss of the device. After too many losses, [`failure::lost_for_good`]; the slot is
    /// then empty.
    pub async fn record(
        &mut self,
        host: &Host,
        slot: Option<&mut Slot>,
        (gpu, error): (&Gpu, &EngineError),
        failure: impl FnOnce(&EngineError) -> Failure,
    ) -> Result<String, Failure> {
        let Some(reason) = lost(host, gpu, error).await else { return Err(failure(error)) };
        self.0 += 1;
        if self.0 == MAX_LOSSES {
            if let Some(slot) = slot {
                *slot = None;
            }
            return Err(failure::lost_for_good(&reason));
        }
        Ok(reason)
    }
}

/// Whether an error means that the device was lost; if so, the platform's words.
pub async fn lost(host: &Host, gpu: &Gpu, error: &EngineError) -> Option<String> {
    if !is_lost(gpu) && !error.is_lost() {
        // What was under way is rejected before the loss itself is announced.
        let of_device = matches!(
            error,
            EngineError::Gpu(_)
                | EngineError::Load(LoadError::Upload(UploadError::Refused { .. }))
                | EngineError::Expert(ExpertError::Upload(UploadError::Refused { .. }))
        );
        if !of_device {
            return None;
        }
        let grace = host.platform.pause(GRACE_MS);
        if let Either::Right(_) = select(Box::pin(gpu.lost()), grace).await {
            return None;
        }
    }
    Some(reason(gpu))
}

fn reason(gpu: &Gpu) -> String {
    match gpu.check() {
        Err(GpuError::Lost { reason }) => reason,
        _ => String::new(),
    }
}

/// Returns the session, restored on a new device if the old one is lost.
///
/// # Errors
/// When no model is loaded, or it cannot be loaded again.
pub async fn ensure<'a>(
    host: &Rc<Host>,
    slot: &'a mut Slot,
    cancel: &CancelToken,
) -> Result<&'a mut Ready, Failure> {
    let usable = slot.as_ref().is_some_and(|ready| !is_lost(&ready.gpu));
    if !usable {
        let Some(model) = host.model.borrow().clone() else {
            return Err(RequestFailure::NoModel.into());
        };
        restore(host, slot, &model, cancel).await?;
    }
    slot.as_mut().ok_or_else(|| RequestFailure::NoModel.into())
}

/// Loads the model again, on a new device if the old one is gone.
async fn restore(
    host: &Rc<Host>,
    slot: &mut Slot,
    model: &Model,
    cancel: &CancelToken,
) -> Result<(), Failure> {
    if let Some(old) = slot.take() {
        host.post(ToPage::DeviceLost { reason: reason(&old.gpu) });
    }
    // What is read again is the same whatever the conversation contains.
    let _online = host.keeper.online();
    let (gpu, report) = host.open_device().await.map_err(|report| {
        let failure = device::failure(&report);
        host.post(ToPage::Device(report));
        failure
    })?;
    let bytes_of_others = host.encoder_bytes.get();
    let (tuning, packed_tiles) = (model.tuning.get(), Some(model.packs_prompts.get()));
    let options = LoadOptions { tuning, packed_tiles, bytes_of_others, ..model.options };
    let loaded = ModelSession::load(Rc::clone(&gpu), model.file.clone(), &options, cancel, &mut |_| ()).await;
    // The device is back, whatever became of the model.
    if let Some(report) = report {
        host.post(ToPage::Device(report));
    }
    let failed = |error| failure::of(&error, Some(model.options.context));
    let mut session = loaded.map_err(failed)?;
    host.keeper.reread();
    let adapters = model.adapters.borrow().clone();
    if let ModelSession::Autoregressive(session) = &mut session {
        session.use_adapters(adapters).await.map_err(failed)?;
    }
    *slot = Some(Ready::new(gpu, session, model.projector.as_ref()).await.map_err(failed)?);
    Ok(())
}

/// Restores a device that was lost while nobody used it, and the model with it.
pub async fn restore_idle(host: &Rc<Host>, slot: &mut Slot) {
    let held = slot.as_ref().map(|ready| is_lost(&ready.gpu));
    if held == Some(false) {
        // A task has restored it meanwhile.
        return;
    }
    host.losses.set(host.losses.get() + 1);
    if host.losses.get() >= MAX_LOSSES {
        // It would be lost again. The next answer tries once more.
        if let Some(old) = slot.take() {
            host.warn(failure::lost_for_good(&reason(&old.gpu)));
        }
        return;
    }
    let model = host.model.borrow().clone();
    let restored = match model {
        Some(model) if held.is_some() => restore(host, slot, &model, &CancelToken::new()).await,
        // Nothing to restore but the device; or an answer gave the model up, and the next one will load it.
        _ => host.gpu().await.map(|_| ()).map_err(|report| {
            let failure = device::failure(&report);
            host.post(ToPage::Device(report));
            failure
        }),
    };
    if let Err(failure) = restored {
        host.warn(failure);
    }
}
