//! Measuring.

use std::rc::Rc;

use engine::session::{Control, Finish};
use protocol::diagnosis::Round;
use protocol::{Benchmark, BenchmarkOptions, Diagnosis, Event, Failure, Finding, RequestId};

use crate::host::{Host, Slot};
use crate::tasks::Task;
use crate::{failure, keeping, recovery};

/// Answers [`protocol::Request::Diagnose`].
pub async fn diagnose(host: Rc<Host>, id: RequestId, what: Diagnosis, task: Task) -> Result<Event, Failure> {
    // It would be measured, too.
    host.keeper.pause();
    let result = match host.slot(&task.cancel).await {
        Ok(mut slot) => match what {
            Diagnosis::Benchmark(options) => benchmark(&host, &mut slot, id, options, &task).await,
        },
        Err(_) => Err(failure::cancelled()),
    };
    keeping::resume(&host);
    result.map(|finding| Event::Diagnosed { id, finding })
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
    let context = ready.session.context();
    let answer = options.answer.clamp(1, context / 2);
    let prompt = options.prompt.clamp(1, context - answer);
    let control = Control { cancel: task.cancel.clone(), ..Control::default() };
    let mut told = Benchmark {
        prompt,
        answer,
        dispatches_per_token: ready.session.decoder().dispatches_per_token() as u32,
        ..Benchmark::default()
    };
    let total = options.warm_up.saturating_add(options.rounds);
    let mut submits = 0;
    for done in 0..total {
        host.post(Event::Diagnosing { id, done, total });
        let before = ready.gpu.buffers_created();
        let round = options.first.wrapping_add(done);
        let timed = ready.session.time(prompt, answer, round, &control).await;
        let outcome = timed.map_err(|error| failure::of(&error, Some(context)))?;
        if outcome.finish == Finish::Cancelled {
            return Err(failure::cancelled());
        }
        if done >= options.warm_up {
            let timings = outcome.timings;
            told.rounds.push(Round { prefill_ms: timings.prefill_ms, decode_ms: timings.decode_ms });
            told.buffers_created += ready.gpu.buffers_created() - before;
            submits += timings.decode_submits;
        }
    }
    let drawn = u64::from(answer - 1) * told.rounds.len() as u64;
    told.submits_per_token = if drawn > 0 { f64::from(submits) / drawn as f64 } else { 0.0 };
    Ok(Finding::Benchmark(told))
}
