//! Measuring.

use std::rc::Rc;

use engine::bytes::CancelToken;
use engine::check::{self, Check, Problem};
use engine::gpu::{Gpu, GpuError};
use engine::model::Tuning;
use engine::plan::Tested;
use engine::session::{Control, EngineError, Finish};
use protocol::diagnosis::{KernelCheck, KernelProblem, KernelTime, Round, SwitchedOff};
use protocol::failure::RequestFailure;
use protocol::{
    Benchmark, BenchmarkOptions, Constraint, Diagnosis, Failure, Finding, ModelPhase, Outcome, Profile,
    Progress, RequestId, SelfTest,
};
use shaders::{Kernel, selftest};

use crate::host::{Host, Model, Slot, recovery};
use crate::state::tasks::{Kind, Task};
use crate::{choices, constraining, device, failure, keeping};

/// Answers [`protocol::Request::Diagnose`].
pub async fn diagnose(host: Rc<Host>, what: Diagnosis, task: Task) -> Result<Outcome, Failure> {
    let id = task.id;
    let _turn = host.turn(id, &task.cancel).await?;
    // One may have begun meanwhile.
    if host.tasks.training().is_some() {
        return Err(RequestFailure::Busy(Kind::Train.activity()).into());
    }
    // Checks would be measured, too.
    let _paused = keeping::pause(&host);
    let mut slot = host.slot(&task.cancel).await?;
    let finding = match what {
        Diagnosis::Benchmark(options) => benchmark(&host, &mut slot, id, options, &task).await?,
        Diagnosis::Profile { position, rows } => {
            profile(&host, &mut slot, id, [position, rows], &task).await?
        }
        Diagnosis::SelfTest => {
            let mut tell = |done, total| host.progress(id, Progress::Diagnosing { done, total });
            Finding::SelfTest(self_test(&host, &mut slot, &task.cancel, &mut tell).await?)
        }
    };
    Ok(Outcome::Diagnosed(finding))
}

/// The model reads and answers, round after round. A lost device ends it.
async fn benchmark(
    host: &Rc<Host>,
    slot: &mut Slot,
    id: RequestId,
    options: BenchmarkOptions,
    task: &Task,
) -> Result<Finding, Failure> {
    let ready = recovery::ensure(host, slot, &task.cancel).await?;
    let Some(model) = host.model.borrow().clone() else {
        return Err(RequestFailure::NoModel.into());
    };
    let constraint = Constraint { format: options.format, ..Constraint::default() };
    let constrained = constraining::of_answer(host, &model, &constraint)?;
    let tuning = ready.session.tuning().and_then(|tuning| serde_json::to_string(&tuning).ok());
    let session = ready.session.autoregressive_mut().map_err(|error| failure::of(&error, None))?;
    let context = session.context();
    let answer = options.answer.clamp(1, context / 2);
    let prompt = options.prompt.clamp(1, context - answer);
    let control = Control { cancel: task.cancel.clone(), ..Control::default() };
    let mut told = Benchmark {
        prompt,
        answer,
        dispatches_per_token: session.decoder().dispatches_per_token() as u32,
        tuning: tuning.unwrap_or_default(),
        ..Benchmark::default()
    };
    let total = options.warm_up.saturating_add(options.rounds);
    let mut submits = 0;
    for done in 0..total {
        host.progress(id, Progress::Diagnosing { done, total });
        let round = options.first.wrapping_add(done);
        let mut drawing = match &constrained {
            Some(vocabulary) => Some(vocabulary.begin(&constraint, false, false)?),
            None => None,
        };
        let drawing = drawing.as_deref_mut().map(|it| it as _);
        let timed = session.time(prompt, answer, round, &control, drawing).await;
        let outcome = match timed {
            Ok(outcome) => outcome,
            Err(error) => {
                if matches!(error, EngineError::NotNumbers) {
                    host.keeper.doubt().await;
                }
                return Err(failure::of(&error, Some(context)));
            }
        };
        if outcome.finish == Finish::Cancelled {
            return Err(failure::cancelled());
        }
        if done >= options.warm_up {
            let timings = outcome.timings;
            told.rounds.push(Round { prefill_ms: timings.prefill_ms, decode_ms: timings.decode_ms });
            told.buffers_created += timings.decode_buffers;
            submits += timings.decode_submits;
        }
    }
    let drawn = u64::from(answer - 1) * told.rounds.len() as u64;
    told.submits_per_token = if drawn > 0 { f64::from(submits) / drawn as f64 } else { 0.0 };
    Ok(Finding::Benchmark(told))
}

/// Every kernel of a token, or of a chunk of `rows`, is timed.
async fn profile(
    host: &Rc<Host>,
    slot: &mut Slot,
    id: RequestId,
    [position, rows]: [u32; 2],
    task: &Task,
) -> Result<Finding, Failure> {
    let ready = recovery::ensure(host, slot, &task.cancel).await?;
    let session = ready.session.autoregressive_mut().map_err(|error| failure::of(&error, None))?;
    let context = session.context();
    let mut tell = |done, total| host.progress(id, Progress::Diagnosing { done, total });
    let profiled = session.profile(position, rows, &task.cancel, &mut tell).await;
    let told = profiled.map_err(|error| failure::of(&error, Some(context)))?;
    let kernels = told.kernels.into_iter().map(|kernel| KernelTime {
        name: kernel.name,
        dispatches: kernel.dispatches,
        ms: kernel.ms,
        bytes: kernel.bytes,
    });
    Ok(Finding::Profile(Profile {
        position: told.position,
        timestamps: told.timestamps,
        copy_bytes_per_s: told.copy_bytes_per_s,
        token_ms: told.token_ms,
        token_bytes: told.token_bytes,
        dispatches: told.dispatches,
        kernels: kernels.collect(),
    }))
}

/// The kernels of the loaded model, or a standard set, beside their twins. Where only packed products compute wrongly, the
/// model goes on without them. A model with another such kernel is unloaded: it would answer nonsense.
pub async fn self_test(
    host: &Rc<Host>,
    slot: &mut Slot,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(u32, u32),
) -> Result<SelfTest, Failure> {
    let mut told = SelfTest::default();
    let Some(model) = host.model.borrow().clone() else {
        let gpu = host.gpu().await.map_err(|report| device::failure(&report))?;
        try_all(host, &gpu, &selftest::standard(), cancel, tell, &mut told.checks).await?;
        return Ok(told);
    };
    told.of_model = true;
    // Once is enough, unless this one ends early.
    let was_verified = model.verified.replace(true);
    let tested = test_model(host, slot, &model, cancel, tell, &mut told).await;
    if !was_verified && tested.as_ref().is_err_and(Failure::is_cancelled) {
        // The background test goes on.
        model.verified.set(false);
    }
    tested.map(|()| told)
}

async fn test_model(
    host: &Rc<Host>,
    slot: &mut Slot,
    model: &Model,
    cancel: &CancelToken,
    tell: &mut dyn FnMut(u32, u32),
    told: &mut SelfTest,
) -> Result<(), Failure> {
    let ready = recovery::ensure(host, slot, cancel).await?;
    let all = ready.session.tested();
    let failed = try_all(host, &ready.gpu, &Tested::kernels(&all), cancel, tell, &mut told.checks).await?;
    model.tried.borrow_mut().extend(all.iter().map(Tested::text));
    let mut is_sound = failed.is_empty();
    if !is_sound {
        host.keeper.doubt().await;
    }
    if !is_sound && failed.iter().all(|kernel| kernel.is_packed()) {
        let before = model.tuning.replace(Some(Tuning::FLOATS));
        let packed_prompts = model.packs_prompts.replace(false);
        let ready = if packed_prompts {
            // Plans of prompts are made when it is loaded.
            *slot = None;
            recovery::ensure(host, slot, cancel).await?
        } else {
            let changed = match ready.session.autoregressive_mut() {
                Ok(session) => session.set_tuning(Tuning::FLOATS).await,
                Err(error) => Err(error),
            };
            if let Err(error) = changed {
                // The next request loads it anew.
                *slot = None;
                return Err(failure::of(&error, Some(model.options.context)));
            }
            ready
        };
        // Those that have taken their place.
        let mut new = ready.session.tested();
        new.retain(|tested| !model.tried.borrow().contains(&tested.text()));
        match try_all(host, &ready.gpu, &Tested::kernels(&new), cancel, tell, &mut told.checks).await {
            Ok(failed) => {
                is_sound = failed.is_empty();
                model.tried.borrow_mut().extend(new.iter().map(Tested::text));
            }
            Err(failure) => {
                // Nobody knows whether it answers right: the next request loads it anew, with what it had.
                model.tuning.set(before);
                model.packs_prompts.set(packed_prompts);
                *slot = None;
                return Err(failure);
            }
        }
        if let Some(subject) = model.subject.as_ref().filter(|_| is_sound) {
            choices::switch_off(host, subject).await;
        }
        told.switched_off = is_sound.then_some(SwitchedOff::PackedProducts);
    }
    if !is_sound {
        host.model.replace(None);
        host.keeper.set(Vec::new());
        *slot = None;
        host.show_model(ModelPhase::Empty, &[]);
    }
    Ok(())
}

/// Tries kernels; those that compute wrongly.
async fn try_all(
    host: &Host,
    gpu: &Gpu,
    kernels: &[Rc<dyn Kernel>],
    cancel: &CancelToken,
    tell: &mut dyn FnMut(u32, u32),
    checks: &mut Vec<KernelCheck>,
) -> Result<Vec<Rc<dyn Kernel>>, Failure> {
    let before = checks.len();
    let total = (before + kernels.len()) as u32;
    let mut failed = Vec::new();
    for (done, kernel) in (before as u32..).zip(kernels) {
        if cancel.is_cancelled() {
            return Err(failure::cancelled());
        }
        tell(done, total);
        let tried = try_one(host, gpu, &**kernel).await;
        let Check { name, deviation, problem } = tried.map_err(|error| failure::of(&error.into(), None))?;
        if problem.is_some() {
            failed.push(Rc::clone(kernel));
        }
        checks.push(KernelCheck { name, deviation, problem: problem.map(told_problem) });
    }
    Ok(failed)
}

fn told_problem(problem: Problem) -> KernelProblem {
    match problem {
        Problem::Differs { element, found, expected } => {
            KernelProblem::Differs { element: element as u64, found, expected }
        }
        Problem::Refused { reason } => KernelProblem::Refused { reason },
    }
}

/// Tries a kernel.
pub async fn try_one(host: &Host, gpu: &Gpu, kernel: &dyn Kernel) -> Result<Check, GpuError> {
    let mut check = check::check(gpu, kernel).await?;
    if host.doubted.borrow().as_ref().is_some_and(|is_wrong| is_wrong(&check.name)) {
        check.problem = Some(Problem::Refused { reason: "it is doubted".to_owned() });
    }
    Ok(check)
}
