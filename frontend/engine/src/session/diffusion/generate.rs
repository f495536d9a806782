//! Denoising canvases until the answer ends.

use web_time::Instant;

use super::text::{CanvasText, preview};
use super::{DiffusionSession, EngineError};
use crate::model::{CanvasLogits, Denoising, Noise, Predicted, Stability};
use crate::session::{Control, Finish};
use crate::template::{AnswerParser, Piece, StopStrings};

/// Options of an answer.
#[derive(Clone, Debug, Default)]
pub struct DiffusionOptions {
    /// Settings of the sampler. The file's own are [`DiffusionSession::denoising`].
    pub denoising: Denoising,
    /// Maximum number of blocks; 0 for as many as the context holds.
    pub blocks: u32,
    /// Maximum number of tokens; 0 for as many as the context holds.
    pub max_tokens: u32,
    /// Source of random numbers.
    pub noise: Noise,
    /// Stop strings.
    pub stop: Vec<String>,
    /// Continue after end-of-turn tokens; for comparisons.
    pub ignore_eos: bool,
    /// Report the logits of every step as well; for comparisons.
    pub logits: bool,
    /// Whether the answer begins inside a thought.
    pub in_thought: bool,
    /// Number of tokens at the end of the prompt that are the beginning of the answer. Their text is not returned
    /// again.
    pub begun: usize,
    /// Ids of blocks that a session whose device was lost has already finished. They count as generated, and their
    /// text is not returned again.
    pub drawn: Vec<u32>,
}

/// A step of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenoisingStep {
    /// Number of the block, from 0.
    pub block: u32,
    /// Number of the step in it, from 0.
    pub step: u32,
    /// Its temperature.
    pub temperature: f32,
    /// Input canvas.
    pub canvas: Vec<u32>,
    /// Output of the model.
    pub predicted: Predicted,
    /// Which samples are accepted.
    pub accepted: Vec<bool>,
    /// The canvas of the next step.
    pub next: Vec<u32>,
    /// Text of the most likely ids, up to one that ends the turn.
    pub text: Vec<CanvasText>,
    /// Logits after the softcap, divided by the temperature, `[canvas, vocabulary]`; empty unless asked for.
    pub logits: Vec<f32>,
}

/// Events of a running answer.
#[derive(Clone, Debug, PartialEq)]
pub enum DiffusionEvent {
    /// Prompt tokens processed and total; cached tokens count as processed.
    Prefilling {
        /// Processed.
        done: u32,
        /// Total.
        total: u32,
    },
    /// A step is done.
    Step(Box<DenoisingStep>),
    /// A piece of finished text, and the number of tokens generated so far.
    Piece(Piece, u32),
    /// A block is finished: its ids up to the one that ends the turn. Its pieces were sent before.
    Block(Vec<u32>),
}

/// A finished answer.
#[derive(Clone, Debug)]
pub struct DiffusionOutcome {
    /// Why it ended.
    pub finish: Finish,
    /// The generated ids, including the one that ended the turn.
    pub ids: Vec<u32>,
    /// Steps of each finished block.
    pub steps: Vec<u32>,
    /// Timings.
    pub timings: DiffusionTimings,
}

/// Timings of an answer in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiffusionTimings {
    /// Number of prompt tokens.
    pub prompt_tokens: u32,
    /// Number of prompt tokens found in the cache.
    pub cached_tokens: u32,
    /// Reading the prompt.
    pub prefill_ms: f64,
    /// All steps of all blocks.
    pub denoise_ms: f64,
    /// Reading finished canvases.
    pub encode_ms: f64,
}

/// A canvas when its steps have ended.
enum Denoised {
    /// The number of steps, and the finished ids.
    Finished(u32, Vec<u32>),
    /// It was cancelled: the ids that were accepted from the beginning on, without a gap.
    Cancelled(Vec<u32>),
}

/// A running answer.
struct Run<'a> {
    options: &'a DiffusionOptions,
    control: &'a Control,
    on: &'a mut dyn FnMut(DiffusionEvent),
    parser: AnswerParser,
    logits: Option<CanvasLogits>,
    ids: Vec<u32>,
    steps: Vec<u32>,
    timings: DiffusionTimings,
}

fn ms_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}

impl DiffusionSession {
    /// Generates an answer to a prompt, block by block. `on` receives events as they occur. A cancelled answer, which ends
    /// between two steps, is no error: finished blocks are kept, and what was accepted at the beginning of the last one.
    ///
    /// # Errors
    /// [`EngineError::Denoising`] for invalid settings or recorded numbers; [`EngineError::ContextFull`] when the prompt
    /// leaves no space for a canvas; [`EngineError::NotNumbers`]; errors of the device. After an error the cache is
    /// considered empty.
    pub async fn generate(
        &mut self,
        prompt: &[u32],
        options: &DiffusionOptions,
        control: &Control,
        on: &mut dyn FnMut(DiffusionEvent),
    ) -> Result<DiffusionOutcome, EngineError> {
        options.denoising.check(self.diffuser.most_rows())?;
        options.noise.check(options.denoising.canvas, self.diffuser.parts().vocabulary)?;
        let stops = StopStrings::new(options.stop.iter().cloned());
        let logits = if options.logits { Some(CanvasLogits::new(&self.diffuser).await?) } else { None };
        let mut run = Run {
            options,
            control,
            on,
            parser: AnswerParser::new(self.tokenizer.special(), options.in_thought, stops),
            logits,
            ids: options.drawn.clone(),
            steps: Vec::new(),
            timings: DiffusionTimings { prompt_tokens: prompt.len() as u32, ..Default::default() },
        };
        run.recall(self, prompt);
        let result = self.answer(prompt, &mut run).await;
        if result.is_err() {
            self.core.sequence.clear();
        }
        let finish = result?;
        run.end();
        Ok(DiffusionOutcome { finish, ids: run.ids, steps: run.steps, timings: run.timings })
    }

    async fn answer(&mut self, prompt: &[u32], run: &mut Run<'_>) -> Result<Finish, EngineError> {
        let canvas = run.options.denoising.canvas;
        let (tokens, context) = (prompt.len() as u32, self.context);
        if tokens + canvas > context {
            return Err(EngineError::ContextFull { tokens, context });
        }
        let started = Instant::now();
        let input = [prompt, &run.ids].concat();
        let cached = self.read(&input, &run.control.cancel, run.on).await?;
        run.timings.prefill_ms = ms_since(started);
        let Some(cached) = cached else { return Ok(Finish::Cancelled) };
        run.timings.cached_tokens = cached;
        let mut unread = Vec::new();
        // The same random numbers as without the blocks that were drawn before.
        let first = run.ids.len() as u32 / canvas;
        for block in first.. {
            if run.is_long_enough(block) {
                return Ok(Finish::MaxTokens);
            }
            if self.context_used() + unread.len() as u32 + canvas > context {
                return Ok(Finish::ContextFull);
            }
            let started = Instant::now();
            for ids in unread.chunks(self.diffuser.most_rows() as usize) {
                match self.append(ids, &run.control.cancel).await {
                    Err(error) if error.is_cancelled() => return Ok(Finish::Cancelled),
                    appended => appended?,
                }
            }
            if !unread.is_empty() {
                self.core.gpu.drained().await?;
            }
            run.timings.encode_ms += ms_since(started);
            let started = Instant::now();
            let denoised = self.denoise(block, run).await?;
            run.timings.denoise_ms += ms_since(started);
            let finish;
            (unread, finish) = match denoised {
                Denoised::Cancelled(ids) => (run.take(self, ids).0, Some(Finish::Cancelled)),
                Denoised::Finished(steps, ids) => {
                    run.steps.push(steps);
                    run.take(self, ids)
                }
            };
            if let Some(finish) = finish {
                return Ok(finish);
            }
            if run.control.answer_now.replace(false)
                && let Some(close) = self.tokenizer.special().channel_close
                && run.parser.in_thought()
            {
                unread.extend(run.take(self, vec![close]).0);
            }
        }
        Ok(Finish::MaxTokens)
    }

    /// Denoises a canvas behind what the cache holds.
    async fn denoise(&mut self, block: u32, run: &mut Run<'_>) -> Result<Denoised, EngineError> {
        let DiffusionOptions { denoising, noise, .. } = run.options;
        let (len, vocabulary) = (denoising.canvas, self.diffuser.parts().vocabulary);
        let pos = self.context_used();
        // The slots of rings behind the final tokens are used from now on.
        self.core.sequence.set(self.core.sequence.held().clone(), pos + len);
        let mut canvas = noise.canvas(block, len, vocabulary);
        let mut stability = Stability::default();
        let mut firm = Vec::new();
        self.diffuser.begin()?;
        let mut step = 0;
        loop {
            if run.control.cancel.is_cancelled() {
                return Ok(Denoised::Cancelled(firm));
            }
            let temperature = denoising.temperature(step);
            let uniform = noise.uniform(block, step, len);
            let cancel = &run.control.cancel;
            // A step that waits for experts can take long.
            let predicting = async {
                let predicted = self.diffuser.step(&canvas, pos, temperature, &uniform, cancel);
                Ok::<_, EngineError>(predicted.await?)
            };
            let predicted = match cancel.guard(predicting).await {
                Err(error) if error.is_cancelled() => return Ok(Denoised::Cancelled(firm)),
                predicted => predicted?,
            };
            if predicted.entropies.iter().any(|entropy| !entropy.is_finite()) {
                return Err(EngineError::NotNumbers);
            }
            let logits = match &run.logits {
                Some(reader) => reader.read(&self.diffuser, len, temperature).await?,
                None => Vec::new(),
            };
            let accepted = denoising.accepted(&predicted.entropies);
            let mut next = noise.renoise(block, step, len, vocabulary);
            let taken = next.iter_mut().zip(&predicted.sampled).zip(&accepted);
            taken.filter(|(_, accepted)| **accepted).for_each(|((next, &sampled), _)| *next = sampled);
            let ends = stability.ends(denoising, &predicted.likeliest, &predicted.entropies);
            let likeliest = predicted.likeliest.clone();
            firm = likeliest.iter().zip(&accepted).map_while(|(&id, &it)| it.then_some(id)).collect();
            let before = std::mem::replace(&mut canvas, next.clone());
            let text = preview(&run.parser, &self.tokenizer, (&likeliest, &accepted), run.stops(self));
            (run.on)(DiffusionEvent::Step(Box::new(DenoisingStep {
                block,
                step,
                temperature,
                canvas: before,
                predicted,
                accepted,
                next,
                text,
                logits,
            })));
            step += 1;
            if ends || step == denoising.steps {
                return Ok(Denoised::Finished(step, likeliest));
            }
        }
    }
}

impl Run<'_> {
    /// Returns the ids that end the answer.
    fn stops<'s>(&self, session: &'s DiffusionSession) -> &'s [u32] {
        if self.options.ignore_eos { &[] } else { session.tokenizer.stop_ids() }
    }

    /// Restores what was already generated of this answer.
    fn recall(&mut self, session: &DiffusionSession, prompt: &[u32]) {
        let begun = &prompt[prompt.len().saturating_sub(self.options.begun)..];
        self.parser.resume(&session.tokenizer, begun, &self.options.drawn);
    }

    /// Returns whether the limits are reached after `blocks` blocks.
    fn is_long_enough(&self, blocks: u32) -> bool {
        let DiffusionOptions { blocks: most, max_tokens, .. } = *self.options;
        (most > 0 && blocks >= most) || (max_tokens > 0 && self.ids.len() >= max_tokens as usize)
    }

    /// Adds the ids of a block, up to where the answer ends, and sends its pieces. Returns these ids, and why the answer
    /// ends with them if it does.
    fn take(&mut self, session: &DiffusionSession, mut ids: Vec<u32>) -> (Vec<u32>, Option<Finish>) {
        let mut finish = None;
        if self.options.max_tokens > 0 {
            let room = (self.options.max_tokens as usize).saturating_sub(self.ids.len());
            if ids.len() > room {
                ids.truncate(room);
                finish = Some(Finish::MaxTokens);
            }
        }
        for (at, &id) in ids.iter().enumerate() {
            self.ids.push(id);
            for piece in self.parser.push(&session.tokenizer, id) {
                (self.on)(DiffusionEvent::Piece(piece, self.ids.len() as u32));
            }
            let end = session.end_of_turn(id).filter(|_| !self.options.ignore_eos);
            let end = end.or_else(|| self.parser.stopped().map(|_| Finish::StopText));
            if end.is_some() {
                finish = end;
                ids.truncate(at + 1);
                break;
            }
        }
        (self.on)(DiffusionEvent::Block(ids.clone()));
        (ids, finish)
    }

    /// Sends what the parser has held back.
    fn end(&mut self) {
        let mut pieces = Vec::new();
        self.parser.finish(&mut pieces);
        for piece in pieces {
            (self.on)(DiffusionEvent::Piece(piece, self.ids.len() as u32));
        }
    }
}
