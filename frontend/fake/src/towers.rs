//! The towers of the fake model, and the media that they have encoded.

use std::rc::Weak;

use protocol::{LoadPhase, LoadProgress, Message, Outcome, Progress, RequestId};

use super::play::{Ended, State, progress, wait};
use super::{media, models};

/// Bytes of a fake tower.
const TOWER_BYTES: u64 = 320_000_000;

/// Loads towers that are needed for the first time, and encodes what was not encoded yet. Says whether it was let.
pub async fn encode(state: &Weak<State>, id: RequestId, messages: &[Message]) -> Option<bool> {
    let mut fresh = media::of(messages);
    {
        let all = state.upgrade()?;
        let encoded = all.encoded.borrow();
        fresh.retain(|(_, key)| !encoded.contains(key));
    }
    let of = fresh.len() as u32;
    for (index, (sense, key)) in (0..).zip(fresh) {
        let is_new = state.upgrade()?.towers.borrow_mut().insert(sense);
        for step in (0..=4).filter(|_| is_new) {
            let (done, total) = (step * TOWER_BYTES / 4, TOWER_BYTES);
            let loading = LoadProgress { phase: LoadPhase::Weights, done, total, rate: 0.0, lost: false };
            progress(state, id, Progress::Tower { sense, progress: loading })?;
            wait(state, 60).await?;
        }
        for step in 0..=4_u8 {
            if state.upgrade()?.cancelled.borrow_mut().remove(&id) {
                return Some(false);
            }
            progress(state, id, Progress::Encoding { sense, index, of, share: f32::from(step) / 4.0 })?;
            wait(state, 60).await?;
        }
        state.upgrade()?.encoded.borrow_mut().insert(key);
    }
    Some(true)
}

/// Says what towers take, and frees it if asked to.
pub fn report(state: &Weak<State>, free: bool) -> Ended {
    let all = state.upgrade()?;
    if free {
        all.towers.borrow_mut().clear();
    }
    let loaded = all.loaded.borrow().clone();
    let bytes = TOWER_BYTES * all.towers.borrow().len() as u64;
    let gpu_bytes =
        loaded.as_ref().map_or(0, |(source, context)| models::gpu_bytes(source, *context)) + bytes;
    Some(Ok(Outcome::Towers { bytes: loaded.map(|_| bytes), gpu_bytes }))
}
