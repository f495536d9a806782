//! Choosing the tuning whose token is timed to be the fastest.

use std::borrow::Cow;
use std::time::Duration;

use shaders::state::State;
use web_time::Instant;

use super::Preparing;
use super::plans::{self, DecoderPlans, Plans};
use super::programs::Programs;
use crate::gpu::{Gpu, GpuError, Memory, Program, Timer};
use crate::model::{Class, Parts, Tuning};
use crate::plan::{Plan, PlanError};

/// Position of the token by which tunings are compared, if the context is as long.
const TIMED_POSITION: u32 = 512;
/// Minimum relative gain to choose products that round more.
const MIN_GAIN: f64 = 0.03;
/// Minimum relative gain to choose another form, which doesn't round more.
const MIN_GAIN_OF_FORM: f64 = 0.01;
/// Maximum number of turns of a comparison.
const TURNS: usize = 5;
/// Turns whose ratios are all so far on one side decide it.
const CLEAR: f64 = 0.05;
/// Time after which a comparison of two turns or more ends.
const MAX_TIME: Duration = Duration::from_millis(400);
/// Time after which no further forms are tried.
const MAX_TUNING: Duration = Duration::from_millis(1500);

/// The programs of the chosen tuning.
pub(super) struct Chosen {
    pub tuning: Tuning,
    pub programs: Programs,
    /// Whether they were compared with others by timing.
    pub timed: bool,
}

/// Binds a decoder's plans: for the tuning that is asked for, or that is measured to be the fastest, with other forms if
/// `tries_forms`.
///
/// # Errors
/// When the device was lost, or rejects a kernel that is not packed.
pub(super) async fn choose(
    gpu: &Gpu,
    parts: &Parts,
    plans: &DecoderPlans,
    memory: &Memory,
    tries_forms: bool,
    progress: &mut dyn FnMut(Preparing),
) -> Result<Chosen, GpuError> {
    let mut timed = false;
    let mut chosen: Option<(Program, &(Tuning, Plans))> = None;
    // A token behind others, whatever they are.
    let pos = parts.kv.least_slots().saturating_sub(1).min(TIMED_POSITION);
    let state = State { pos, len: 1, ..State::default() };
    let buffer = memory.get(&parts.scratch.state)?;
    let prepare = || gpu.queue().write_buffer(buffer, 0, bytemuck::bytes_of(&state));
    for set in &plans.sets {
        let one = match gpu.bind(&set.1.one, memory).await {
            // Some browsers do not support packed products.
            Err(GpuError::Kernel { .. }) if chosen.is_some() => continue,
            bound => bound?,
        };
        if let Some((current, _)) = chosen.as_ref().filter(|_| plans.measured) {
            timed = true;
            progress(Preparing::Tuning);
            if !is_faster(gpu, [&one, current], MIN_GAIN, &prepare).await? {
                continue;
            }
        }
        chosen = Some((one, set));
    }
    let none = || PlanError::Internal { what: "plans of a decoder".into() };
    let (one, (tuning, set)) = chosen.ok_or_else(none)?;
    let (mut tuning, mut set) = (*tuning, Cow::Borrowed(set));
    // A software device has no time for it, and nothing to gain.
    if tries_forms
        && timed
        && !parts.limits.software
        && let Some((faster, one)) = tune(gpu, parts, memory, (tuning, one), &prepare).await?
    {
        set = Cow::Owned(set.with_forms(parts, faster, one)?);
        tuning = faster;
    }
    let programs = Programs::bind(gpu, &set, memory, &mut |done| progress(Preparing::Programs(done))).await?;
    Ok(Chosen { tuning, programs, timed })
}

/// Tries the forms of each class of products, in turns with the best so far. `None` if the usual ones are the fastest.
///
/// # Errors
/// When the device was lost.
async fn tune(
    gpu: &Gpu,
    parts: &Parts,
    memory: &Memory,
    (mut tuning, mut best): (Tuning, Program),
    prepare: &dyn Fn(),
) -> Result<Option<(Tuning, Plan)>, GpuError> {
    let started = Instant::now();
    let usual = tuning;
    let fused = tuning.is_fused(&parts.config);
    // A slow device only has time for the first ones.
    for class in Class::by_bytes_read(fused) {
        // The other forms of the class, whichever of them is found to be faster meanwhile.
        for other in tuning.with_others(class, fused) {
            if started.elapsed() > MAX_TUNING {
                break;
            }
            let plan = plans::one(parts, other, None)?;
            // A model may have no product of a class.
            if plan.names().eq(best.plan().names()) {
                continue;
            }
            gpu.compile_ahead([&plan]).await;
            let program = match gpu.bind(&plan, memory).await {
                Err(GpuError::Kernel { .. }) => continue,
                bound => bound?,
            };
            if is_faster(gpu, [&program, &best], MIN_GAIN_OF_FORM, prepare).await? {
                (tuning, best) = (other, program);
            }
        }
    }
    Ok((tuning != usual).then(|| (tuning, best.plan().clone())))
}

/// Returns whether a token by `other` is faster than one by `current`, by at least `min_gain` of its time. `prepare` writes the
/// state before each pass. Whole tokens are timed: what kernels take one at a time leaves out what it costs
/// to begin so many.
///
/// # Errors
/// When the device was lost.
async fn is_faster(
    gpu: &Gpu,
    [other, current]: [&Program; 2],
    min_gain: f64,
    prepare: &dyn Fn(),
) -> Result<bool, GpuError> {
    let timer = Timer::new(gpu)?;
    let programs = [other, current];
    let started = Instant::now();
    let mut ratios = Vec::new();
    let most = 1.0 - min_gain;
    let is_clear = |ratios: &[f64]| {
        ratios.iter().all(|ratio| *ratio < most - CLEAR) || ratios.iter().all(|ratio| *ratio > most + CLEAR)
    };
    let mut before = [None; 2];
    while ratios.len() < 2 || (ratios.len() < TURNS && !is_clear(&ratios) && started.elapsed() < MAX_TIME) {
        let mut ms = [0.0; 2];
        // Each is the first of every second turn: an idle card raises its clock meanwhile, which then favours neither.
        let is_first = ratios.len() % 2;
        for i in [is_first, 1 - is_first] {
            ms[i] = match before[i] {
                Some(timed) => timer.time_again(programs[i], timed, prepare).await?,
                None => before[i].insert(timer.calibrate(programs[i], 1, u32::MAX, prepare).await?).ms,
            };
        }
        ratios.push(ms[0] / ms[1]);
    }
    ratios.sort_by(f64::total_cmp);
    let median = f64::midpoint(ratios[(ratios.len() - 1) / 2], ratios[ratios.len() / 2]);
    Ok(median < most)
}
