//! Answering.
//!
//! An answer may begin with a text ([`GenerateOptions::begun`]). Where that is the last answer, its ids are used as they were
//! drawn; any other text is tokenized. A count waits 30 ms for a newer one, which cancels it, and only tokenizes texts that the
//! count before did not have.

use std::rc::Rc;

use engine::bytes::SourceError;
use engine::session::{Control, Event as Said, Finish as Ended, Options, Outcome};
use engine::template::{Prompt, RenderOptions, render};
use protocol::failure::RequestFailure;
use protocol::{Begun, Channel, Event, Failure, Finish, GenerateOptions, Message, RequestId, Timings};
use web_time::Instant;

use crate::batch::Batch;
use crate::host::{Host, Model, Ready, Slot};
use crate::tasks::Task;
use crate::{adapters, convert, failure, keeping, media, recovery};

/// Milliseconds for which a count waits whether another one comes.
const BETWEEN_COUNTS: u32 = 30;

/// The last answer, as the page has it and as it was drawn.
pub struct Last {
    prompt: Vec<u32>,
    begun: Begun,
    ids: Vec<u32>,
}

/// What is asked for.
pub struct Wanted {
    /// The conversation.
    pub messages: Vec<Message>,
    /// The bytes of its pictures and sounds.
    pub handles: Vec<web_sys::Blob>,
    /// How to answer.
    pub options: GenerateOptions,
    /// When it was asked for.
    pub asked: Instant,
}

/// Answers [`protocol::Request::Generate`].
pub async fn answer(host: Rc<Host>, id: RequestId, wanted: Wanted, task: Task) -> Result<Event, Failure> {
    // Keeping weights can wait; an answer cannot.
    host.keeper.pause();
    let result = match host.slot(&task.cancel).await {
        Ok(mut slot) => answer_in(&host, &mut slot, id, &wanted, &task).await,
        Err(_) => Err(failure::cancelled()),
    };
    keeping::resume(&host);
    match result {
        Ok((finish, timings)) => Ok(Event::Done { id, finish, timings }),
        // Stopped before the first word.
        Err(failure) if failure.is_cancelled() => {
            Ok(Event::Done { id, finish: Finish::Cancelled, timings: Timings::default() })
        }
        Err(failure) => Err(failure),
    }
}

/// Answers [`protocol::Request::Count`].
pub async fn count(
    host: Rc<Host>,
    id: RequestId,
    messages: Vec<Message>,
    handles: Vec<web_sys::Blob>,
    thinking: bool,
    task: Task,
) -> Result<Event, Failure> {
    let Some(model) = host.model.borrow().clone() else {
        return Err(RequestFailure::NoModel.into());
    };
    // Somebody is writing: of several counts only the last one is worth what it takes from an answer.
    let breath = async {
        host.platform.pause(BETWEEN_COUNTS).await;
        Ok::<_, SourceError>(())
    };
    task.cancel.guard(breath).await.map_err(|_| failure::cancelled())?;
    let prepared = media::prepare(&host, &messages, &handles, &task.cancel).await?;
    let prompt = prompt(&model, &messages, &[], thinking, &prepared.clips())?;
    Ok(Event::Counted { id, tokens: prepared.count(&prompt, &model)? })
}

/// The prompt. `clips` are the clips of each sound, in order.
pub fn prompt(
    model: &Model,
    messages: &[Message],
    tools: &[String],
    thinking: bool,
    clips: &[usize],
) -> Result<Prompt, Failure> {
    let conversation = convert::conversation(messages, tools, clips)?;
    let options = RenderOptions { thinking, ..RenderOptions::new(model.variant) };
    Ok(render(&conversation.messages, &conversation.tools, &options))
}

async fn answer_in(
    host: &Rc<Host>,
    slot: &mut Slot,
    id: RequestId,
    wanted: &Wanted,
    task: &Task,
) -> Result<(Finish, Timings), Failure> {
    recovery::ensure(host, slot, &task.cancel).await?;
    let Some(model) = host.model.borrow().clone() else {
        return Err(RequestFailure::NoModel.into());
    };
    let asked = &wanted.options;
    let prepared = media::prepare(host, &wanted.messages, &wanted.handles, &task.cancel).await?;
    let prompt = prompt(&model, &wanted.messages, &asked.tools, asked.thinking, &prepared.clips())?;
    let mut bare = prepared.input(&prompt, &model)?;
    let asks = bare.ids().to_vec();
    let going_on = match &asked.begun {
        Some(begun) => begun_ids(&model, &prompt, &asks, begun)?,
        None => Vec::new(),
    };
    let begun = asked.begun.clone().unwrap_or_default();
    going_on.iter().for_each(|&id| bare.push(id));
    let seed = asked.sampling.seed.unwrap_or_else(|| host.platform.random());
    let in_thought = prompt.ends_in_thought();
    let mut options = Options { in_thought, begun: going_on.len(), ..convert::options(asked, seed) };
    let control = Control { cancel: task.cancel.clone(), answer_now: Rc::clone(&task.answer_now) };
    let mut speaker = Speaker::new(host, id, asked.thinking, begun);
    let mut losses = 0;
    loop {
        let ready = recovery::ensure(host, slot, &task.cancel).await?;
        adapters::scale(&mut ready.session, &model, &asked.adapters)?;
        // What was encoded on a device that is gone is gone with it.
        let mut input = bare.clone();
        let mut teller = media::Teller::new(host, id);
        let encoded = prepared.encode(&mut teller, ready, &mut input, &wanted.handles, &task.cancel).await;
        speaker.clock.start();
        let said = &mut |said| speaker.hear(said);
        let error = match encoded {
            Ok(()) => match ready.session.generate(input, &options, &control, said).await {
                Ok(outcome) => {
                    speaker.flush();
                    let timings = speaker.timings(&outcome, wanted.asked, ready);
                    // One that ended by itself has nothing to go on with.
                    let cut =
                        matches!(outcome.finish, Ended::Cancelled | Ended::MaxTokens | Ended::ContextFull);
                    let ids = [going_on, outcome.ids].concat();
                    let last = cut.then_some(Last { prompt: asks, begun: speaker.said, ids });
                    model.last.replace(last);
                    return Ok((convert::finish(outcome.finish), timings));
                }
                Err(error) => error,
            },
            Err(media::Trouble::Engine(error)) => error,
            Err(media::Trouble::Said(failure)) => return Err(failure),
        };
        let Some(reason) = recovery::lost(host, &ready.gpu, &error).await else {
            // What was said so far stays on the page.
            speaker.flush();
            return Err(failure::of_answer(&error, model.options.context));
        };
        // In a row: without a token between them.
        losses = if speaker.drawn.len() > options.drawn.len() { 1 } else { losses + 1 };
        if losses == recovery::MOST_LOSSES {
            *slot = None;
            return Err(failure::lost_for_good(&reason));
        }
        options.drawn.clone_from(&speaker.drawn);
    }
}

/// The ids of the beginning of an answer: those that were drawn, where it is the last answer, and else those of its text.
fn begun_ids(model: &Model, prompt: &Prompt, asks: &[u32], begun: &Begun) -> Result<Vec<u32>, Failure> {
    if let Some(last) = &*model.last.borrow()
        && last.begun == *begun
        && last.prompt == asks
    {
        return Ok(last.ids.clone());
    }
    let ids = prompt.begun(&model.tokenizer, &begun.thought, &begun.answer);
    ids.map_err(|error| failure::of(&error.into(), None))
}

/// Passes on what the engine says.
struct Speaker<'a> {
    host: &'a Host,
    id: RequestId,
    batch: Batch,
    /// What the page has of the answer.
    said: Begun,
    /// All ids of the answer.
    drawn: Vec<u32>,
    /// Prompt tokens that the cache had at first; after a lost device it has none.
    cached: Option<u32>,
    clock: Clock,
}

impl<'a> Speaker<'a> {
    fn new(host: &'a Host, id: RequestId, thoughts: bool, said: Begun) -> Self {
        let batch = Batch::new(id, thoughts);
        Self { host, id, batch, said, drawn: Vec::new(), cached: None, clock: Clock::default() }
    }

    fn hear(&mut self, said: Said) {
        match said {
            Said::Prefilling { done, total } => {
                self.cached.get_or_insert(done);
                self.host.post(Event::Prefilling { id: self.id, done, total });
            }
            Said::Piece(piece, tokens) => {
                for event in self.batch.push(piece, tokens) {
                    self.say(event);
                }
            }
            Said::Drawn(ids) => {
                self.clock.drawn();
                self.host.losses.set(0);
                self.drawn.extend(ids);
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        if let Some(event) = self.batch.flush() {
            self.say(event);
        }
    }

    fn say(&mut self, event: Event) {
        if let Event::Text { channel, text, .. } = &event {
            match channel {
                Channel::Answer => self.said.answer.push_str(text),
                Channel::Thought => self.said.thought.push_str(text),
            }
        }
        self.host.post(event);
    }

    fn timings(&self, outcome: &Outcome, asked: Instant, ready: &Ready) -> Timings {
        let clock = &self.clock;
        Timings {
            prompt_tokens: outcome.timings.prompt_tokens,
            cached_tokens: self.cached.unwrap_or_default(),
            prefill_ms: clock.prefill_ms,
            first_token_ms: clock.first.map_or(0.0, |first| ms(asked, first)),
            decode_tokens: outcome.ids.len() as u32,
            decode_ms: clock.decode_ms,
            context_used: ready.session.context_used(),
            context_size: ready.session.context(),
        }
    }
}

/// Times an answer; a pause for the recovery of the device does not count.
#[derive(Debug, Default)]
struct Clock {
    first: Option<Instant>,
    prefill_ms: f64,
    decode_ms: f64,
    /// The last thing that happened: the start, or tokens that came.
    last: Option<Instant>,
}

impl Clock {
    fn start(&mut self) {
        self.last = Some(Instant::now());
    }

    fn drawn(&mut self) {
        let now = Instant::now();
        let passed = self.last.map_or(0.0, |last| ms(last, now));
        if self.first.is_none() {
            self.first = Some(now);
            self.prefill_ms = passed;
        } else {
            self.decode_ms += passed;
        }
        self.last = Some(now);
    }
}

fn ms(from: Instant, to: Instant) -> f64 {
    to.duration_since(from).as_secs_f64() * 1000.0
}
