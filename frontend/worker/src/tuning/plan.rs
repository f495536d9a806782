//! What a run would learn and cost, before it begins.

use std::rc::Rc;

use engine::bytes::CancelToken;
use engine::train::examples::split;
use engine::train::{Example, Trainer};
use protocol::failure::{RequestFailure, TrainingFailure};
use protocol::tune::{Preview, TunePlan, TuneSettings};
use protocol::{Failure, Outcome, TuneOutcome};
use web_time::Instant;

use super::examples::Read;
use super::soft_tokens::Sources;
use super::{TrainingData, convert, examples, failures, kept};
use crate::failure::{self, Stopped};
use crate::host::{Host, Model, Slot};
use crate::state::tasks::Task;

/// Passes through the model that a training step takes, each about as long as reading a prompt: forward, forward again
/// for what was not kept, and backward, which multiplies twice.
const PASSES: f64 = 4.0;
/// Of these, evaluation takes the first.
const EVALUATIONS: f64 = 10.0;
/// Tokens by which the device's pace is measured, at most.
const MEASURED: usize = 128;

/// Bytes of a checkpoint at most: it is put together in the memory of the tab, where nothing is larger.
const MAX_CHECKPOINT: u64 = i32::MAX as u64;

/// Examples that are ready, with what the run over them is.
pub struct Prepared {
    /// Their preview.
    pub preview: Preview,
    /// To learn from.
    pub train: Vec<Example>,
    /// To evaluate with.
    pub evaluate: Vec<Example>,
    /// Their pictures and sounds.
    pub sources: Sources,
    /// Steps.
    pub steps: u32,
}

/// The loaded model, if it can be trained.
pub fn model(host: &Host) -> Result<Rc<Model>, Failure> {
    let model = host.model.borrow().clone().ok_or(RequestFailure::NoModel)?;
    if model.denoising.is_some() {
        return Err(RequestFailure::Diffusion.into());
    }
    Ok(model)
}

/// Why a run with so many parameters cannot be kept, if so: a checkpoint has A, B and both moments, in f32.
pub fn obstacle(parameters: u64) -> Option<Failure> {
    let (needed, most) = (3 * 4 * parameters, MAX_CHECKPOINT);
    (needed > most).then(|| TrainingFailure::CheckpointTooLarge { needed, most }.into())
}

/// Reads and divides the examples.
pub async fn read(
    host: &Host,
    model: &Model,
    data: &TrainingData,
    settings: &TuneSettings,
    cancel: &CancelToken,
) -> Result<Prepared, Failure> {
    let limit = settings.max_tokens.min(model.options.context);
    let read = examples::read(host, model, data, limit, cancel).await;
    let Read { preview, mut usable, sources } = read.map_err(|Stopped(failure)| failure)?;
    let (learn, kept) = split(usable.len(), settings.eval_share, settings.seed);
    let mut take =
        |indices: Vec<usize>| indices.into_iter().map(|at| std::mem::take(&mut usable[at])).collect();
    let (train, evaluate): (Vec<_>, Vec<_>) = (take(learn), take(kept));
    let steps = convert::steps(settings, train.len());
    Ok(Prepared { preview, train, evaluate, sources, steps })
}

/// Answers [`protocol::TuneRequest::Prepare`].
pub async fn prepare(
    host: Rc<Host>,
    data: TrainingData,
    settings: TuneSettings,
    task: Task,
) -> Result<Outcome, Failure> {
    let model = model(&host)?;
    let prepared = read(&host, &model, &data, &settings, &task.cancel).await?;
    let plan = match prepared.train.is_empty() || host.tasks.holder().is_some() {
        true => None,
        false => Some(plan(&host, &prepared, &settings, &task.cancel).await?),
    };
    let prepared = TuneOutcome::Prepared { preview: prepared.preview, plan };
    Ok(Outcome::Tune(Box::new(prepared)))
}

async fn plan(
    host: &Rc<Host>,
    prepared: &Prepared,
    settings: &TuneSettings,
    cancel: &CancelToken,
) -> Result<TunePlan, Failure> {
    let Prepared { preview, train, evaluate, sources, steps } = prepared;
    let tokens = |examples: &[Example]| examples.iter().map(|it| it.input.len() as u64).sum::<u64>();
    let each_step = f64::from(convert::batch(settings)) * tokens(train) as f64 / train.len() as f64;
    let passes = f64::from(*steps) * each_step * PASSES + EVALUATIONS * tokens(evaluate) as f64;

    let mut slot = host.slot(cancel).await?;
    let pace = measure(host, &mut slot, train).await;
    let ready = slot.as_ref().ok_or(RequestFailure::NoModel)?;
    let wanted = convert::settings(settings, *steps, preview.longest);
    let available = host.memory(&ready.gpu).available;
    let mut plan = TunePlan {
        steps: *steps,
        train: train.len() as u32,
        evaluate: evaluate.len() as u32,
        tokens: (f64::from(*steps) * each_step).round() as u64,
        parameters: 0,
        gpu_bytes: ready.memory_without_towers(),
        gpu_available: available,
        seconds: pace.map(|pace| pace * passes),
        checkpoint_bytes: 0,
        media_bytes: 0,
        storage_left: None,
        obstacle: None,
    };
    let session = ready.session.autoregressive().map_err(|error| failure::of(&error, None))?;
    match Trainer::plan(&session.training_base(), &wanted) {
        Ok(memory) => {
            plan.parameters = memory.parameters;
            plan.gpu_bytes += memory.bytes();
            // A, B and both moments, and the adapter by itself: all in f32.
            plan.checkpoint_bytes = memory.parameters * 4 * 4;
            if plan.gpu_bytes > available {
                let needed = plan.gpu_bytes;
                plan.obstacle = Some(TrainingFailure::OutOfMemory { needed, available }.into());
            }
            plan.obstacle = plan.obstacle.or_else(|| obstacle(memory.parameters));
        }
        Err(error) => plan.obstacle = Some(failures::of(error, None)),
    }
    let width = session.decoder().config().width;
    drop(slot);
    plan.media_bytes = sources.bytes(width);
    if plan.media_bytes > 0 {
        let stores = host.tuning.stores().await.map_err(|error| kept::of_store(&error))?;
        plan.obstacle = plan.obstacle.or_else(|| sources.obstacle(width, &stores));
    }
    if let Ok(kept) = host.platform.kept().await
        && kept.quota > 0
    {
        plan.storage_left = Some(kept.quota.saturating_sub(kept.used));
    }
    Ok(plan)
}

/// Seconds per token in one pass, measured by reading the beginning of an example once. `None` if that fails: the run
/// will report the error.
async fn measure(host: &Rc<Host>, slot: &mut Slot, train: &[Example]) -> Option<f64> {
    if let Some(pace) = host.tuning.pace.get() {
        return Some(pace);
    }
    let ready = slot.as_mut()?;
    let longest = train.iter().max_by_key(|example| example.input.len())?;
    let ids = &longest.ids()[..longest.input.len().min(MEASURED)];
    // The first pass pays for what is only done once.
    let session = ready.session.autoregressive_mut().ok()?;
    session.logits(&ids[..1], 1).await.ok()?;
    let begun = Instant::now();
    session.logits(ids, 1).await.ok()?;
    let pace = begun.elapsed().as_secs_f64() / ids.len() as f64;
    host.tuning.pace.set(Some(pace));
    Some(pace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_that_the_tab_cannot_hold_is_an_obstacle() {
        // All usual projections of the 26B at the largest rank, and its experts at rank 6 and at the usual one.
        assert_eq!(obstacle(8 * 9_300_000), None);
        assert_eq!(obstacle(237_895_680 / 8 * 6), None);
        let failure = obstacle(237_895_680).expect("an obstacle");
        let expected = TrainingFailure::CheckpointTooLarge { needed: 2_854_748_160, most: i32::MAX as u64 };
        assert_eq!(failure, Failure::from(expected));
    }
}
