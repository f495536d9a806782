//! Generating an answer: prompt tokens in, pieces of text out.

use std::cell::Cell;
use std::rc::Rc;

use shaders::sampling::{NOTHING, Settings};
use web_time::Instant;

use super::{Constraint, ConstraintError, EngineError, Session};
use crate::bytes::CancelToken;
use crate::media::Input;
use crate::model::{Drafts, Speculation, TIMED_POSITIONS};
use crate::template::{AnswerParser, Piece, StopStrings};

/// Options of an answer.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Sampling settings. The session sets softcap and suppressed ids.
    pub settings: Settings,
    /// Random seed, for reproducible answers.
    pub seed: u64,
    /// Maximum number of tokens; 0 for as many as the context holds.
    pub max_tokens: u32,
    /// Maximum number of tokens of a thought, which is then closed; 0 for no limit.
    pub max_thought: u32,
    /// Stop strings.
    pub stop: Vec<String>,
    /// Continue after end-of-turn tokens, and allow all tokens; for timing and comparisons.
    pub ignore_eos: bool,
    /// When tokens are drafted, and verified several at a time.
    pub drafts: Drafts,
    /// Whether the answer begins inside a thought.
    pub in_thought: bool,
    /// Number of tokens at the end of the prompt that are the beginning of the answer. They belong to the prompt,
    /// and their text is not returned again.
    pub begun: usize,
    /// Ids that a session whose device was lost has already generated for this answer. They count as generated, and
    /// their text is not returned again.
    pub drawn: Vec<u32>,
}

/// Controls of a running answer.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Cancels it, within a token or two.
    pub cancel: CancelToken,
    /// Ends its thought.
    pub answer_now: Rc<Cell<bool>>,
}

/// Events of a running answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Prompt tokens processed and total; cached tokens count as processed.
    Prefilling {
        /// Processed.
        done: u32,
        /// Total.
        total: u32,
    },
    /// A piece of the answer, and the number of tokens generated so far.
    Piece(Piece, u32),
    /// Ids that were read back together; their pieces were sent before. None behind text that was held back until the end.
    Drawn(Vec<u32>),
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended its turn.
    EndOfTurn,
    /// A stop string was found.
    StopText,
    /// `max_tokens` were generated.
    MaxTokens,
    /// The context is full.
    ContextFull,
    /// The model called tools.
    ToolCall,
    /// `max_tokens` were generated or the context is full within a call, which must not be executed.
    CutCall,
    /// It was cancelled.
    Cancelled,
}

/// A finished answer.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub finish: Finish,
    /// The generated ids, including the one that ended the turn.
    pub ids: Vec<u32>,
    /// Timings.
    pub timings: Timings,
}

/// Statistics of an answer; times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Number of prompt tokens.
    pub prompt_tokens: u32,
    /// Number of prompt tokens found in the cache.
    pub cached_tokens: u32,
    /// From the request to the first generated id, with the preparation of drafts.
    pub prefill_ms: f64,
    /// Number of generated tokens.
    pub decode_tokens: u32,
    /// From the first to the last generated id: the time of all tokens but the first.
    pub decode_ms: f64,
    /// Number of submits after the first token.
    pub decode_submits: u32,
    /// Number of buffers created meanwhile.
    pub decode_buffers: u64,
    /// What drafting did, if [`Options::drafts`] asked for it and the model allows it.
    pub speculation: Option<Speculation>,
}

/// How a run of generated tokens ended.
pub(super) enum Exit {
    Finished(Finish),
    /// The thought must end here.
    AnswerNow,
    /// These tokens must come next.
    Forced(Vec<u32>),
}

/// A running answer.
pub(super) struct Run<'a> {
    options: &'a Options,
    pub control: &'a Control,
    pub constraint: Option<&'a mut dyn Constraint>,
    parser: AnswerParser,
    pub on: &'a mut dyn FnMut(Event),
    /// Prompt and generated tokens.
    pub input: Input,
    pub prompt: usize,
    pub limit: u32,
    started: Instant,
    pub first: Option<Instant>,
    pub last: Instant,
    pub submits: u32,
    /// Number of buffers when the first token came.
    pub buffers: u64,
    speculation: Option<Speculation>,
    /// Whether a tool was called.
    called: bool,
    /// Tokens of the thought.
    thought: u32,
}

fn ms(from: Instant, to: Instant) -> f64 {
    to.duration_since(from).as_secs_f64() * 1000.0
}

impl Session {
    /// Generates an answer to a prompt: ids, or an [`Input`] with media, of which those returned by
    /// [`Self::unread_blocks`] must have their soft tokens attached. `on` receives events as they occur. A
    /// cancelled answer is no error; its tokens are kept.
    ///
    /// # Errors
    /// [`EngineError::ContextFull`] when the prompt leaves no space for an answer; errors of the device or the
    /// file. After an error the cache is considered empty.
    pub async fn generate(
        &mut self,
        prompt: impl Into<Input>,
        options: &Options,
        control: &Control,
        on: &mut dyn FnMut(Event),
    ) -> Result<Outcome, EngineError> {
        self.generate_from(prompt.into(), options, control, None, on).await
    }

    /// Same as [`Self::generate`], for an answer that may only be what a constraint allows. Nothing is drafted. The constraint has
    /// taken no token of the answer yet.
    ///
    /// # Errors
    /// Those of [`Self::generate`], and [`EngineError::Constraint`].
    pub async fn generate_constrained(
        &mut self,
        prompt: impl Into<Input>,
        options: &Options,
        control: &Control,
        constraint: &mut dyn Constraint,
        on: &mut dyn FnMut(Event),
    ) -> Result<Outcome, EngineError> {
        let options = Options { drafts: Drafts::Never, ..options.clone() };
        self.generate_from(prompt.into(), &options, control, Some(constraint), on).await
    }

    async fn generate_from(
        &mut self,
        prompt: Input,
        options: &Options,
        control: &Control,
        constraint: Option<&mut dyn Constraint>,
        on: &mut dyn FnMut(Event),
    ) -> Result<Outcome, EngineError> {
        self.check_prompt(prompt.ids(), 1)?;
        self.check_ids(&options.drawn)?;
        let prompt_len = prompt.len();
        let cached = self.reusable(&prompt);
        let room = self.context - prompt_len as u32;
        let limit = if options.max_tokens == 0 { room } else { options.max_tokens.min(room) };
        let stops = StopStrings::new(options.stop.iter().cloned());
        let now = Instant::now();
        let mut run = Run {
            options,
            control,
            constraint: constraint.map(|constraint| constraint as &mut dyn Constraint),
            parser: AnswerParser::new(self.tokenizer.special(), options.in_thought, stops),
            on,
            input: prompt,
            prompt: prompt_len,
            limit,
            started: now,
            first: None,
            last: now,
            submits: 0,
            buffers: 0,
            speculation: None,
            called: false,
            thought: 0,
        };
        run.recall(self)?;
        if run.constraint.is_some() {
            self.decoder.prepare_mask().await?;
        }
        self.decoder.prepare_rounds(options.drafts).await?;
        let result = self.answer(&mut run).await;
        if result.is_err() {
            self.core.sequence.clear();
        }
        let finish = result?;
        let mut pieces = Vec::new();
        run.parser.finish(&mut pieces);
        let (drawn, has_rest) = (run.drawn(), !pieces.is_empty());
        for piece in pieces {
            (run.on)(Event::Piece(piece, drawn));
        }
        if has_rest {
            (run.on)(Event::Drawn(Vec::new()));
        }
        let outcome = Outcome {
            finish,
            ids: run.input.ids()[run.prompt..].to_vec(),
            timings: Timings {
                prompt_tokens: prompt_len as u32,
                cached_tokens: cached,
                prefill_ms: ms(run.started, run.first.unwrap_or(run.last)),
                decode_tokens: drawn,
                decode_ms: run.first.map_or(0.0, |first| ms(first, run.last)),
                decode_submits: run.submits,
                decode_buffers: run.first.map_or(0, |_| self.core.gpu.buffers_created() - run.buffers),
                speculation: run.speculation,
            },
        };
        if finish != Finish::Cancelled {
            self.decoder.look_at_pace_again().await;
        }
        Ok(outcome)
    }

    async fn answer(&mut self, run: &mut Run<'_>) -> Result<Finish, EngineError> {
        loop {
            // What was generated before a loss may have been all.
            if let Some(finish) = run.finish(self) {
                return Ok(finish);
            }
            if !self.read_prompt(run).await? {
                return Ok(Finish::Cancelled);
            }
            let exit = match run.constraint {
                Some(_) => self.draw_constrained(run).await?,
                None => self.draw(run).await?,
            };
            match exit {
                Exit::Finished(finish) => return Ok(finish),
                Exit::AnswerNow => {
                    run.control.answer_now.set(false);
                    let Some(close) = self.tokenizer.special().channel_close else {
                        return Ok(Finish::Cancelled);
                    };
                    run.force(self, vec![close])?;
                }
                Exit::Forced(ids) => run.force(self, ids)?,
            }
        }
    }

    /// Prefills up to `run.input` and samples the next token. Returns false if cancelled meanwhile.
    async fn read_prompt(&mut self, run: &mut Run<'_>) -> Result<bool, EngineError> {
        let total = run.input.len() as u32;
        let mut pos = self.restore(&run.input);
        let whole = run.input.len() == run.prompt;
        self.begin_sampling(run);
        let mut written = self.time_drafts(run, pos).await?;
        loop {
            if whole {
                (run.on)(Event::Prefilling { done: pos, total });
            }
            if run.control.cancel.is_cancelled() {
                self.core.sequence.set(run.input.prefix(pos as usize), written);
                return Ok(false);
            }
            let len = self.chunk_end(&run.input, pos, self.decoder.paced_chunk_len(pos))? - pos;
            // Even if it is cancelled halfway, the chunk has overwritten slots of rings.
            written = written.max(pos + len);
            let cancel = &run.control.cancel;
            let reading =
                async { Ok::<_, EngineError>(self.decoder.prefill(&run.input, pos, len, cancel).await?) };
            match cancel.guard(reading).await {
                // The next iteration ends the answer.
                Err(error) if error.is_cancelled() && cancel.is_cancelled() => continue,
                read => read?,
            }
            pos += len;
            if pos == total {
                self.core.sequence.set(run.input.prefix(total as usize), written);
                self.save().await;
                match &mut run.constraint {
                    Some(constraint) => {
                        self.decoder.write_mask(constraint.allowed()?);
                        self.decoder.finish_prompt_masked(pos - len, len);
                    }
                    None => self.decoder.finish_prompt(pos - len, len),
                }
                return Ok(true);
            }
        }
    }

    /// Sets how the tokens behind `run.input` are sampled.
    fn begin_sampling(&mut self, run: &Run<'_>) {
        let mut settings = run.options.settings.clone();
        settings.softcap = self.decoder.config().softcap;
        if !run.options.ignore_eos {
            settings.suppressed = self.tokenizer.suppressed_ids();
        }
        // A second run of one answer must use other random numbers than the first.
        let seed = run.options.seed.wrapping_add(run.drawn().into());
        self.decoder.begin(settings, seed, run.input.ids());
    }

    /// Times drafts, if that is to be done and there is room behind the prompt. `held` tokens of it are in the cache. Returns
    /// one past the highest position that was written.
    async fn time_drafts(&mut self, run: &Run<'_>, held: u32) -> Result<u32, EngineError> {
        let total = run.input.len() as u32;
        if !self.decoder.has_untimed_rounds(run.options.drafts) || total + TIMED_POSITIONS > self.context {
            return Ok(held);
        }
        // Behind what is held, where a ring has room for a chunk. What is written there is read again only once it was
        // overwritten by the prompt or the answer.
        let position = if held == 0 { total } else { held };
        self.decoder.time_rounds(position).await?;
        // A prompt that is read from its beginning writes all slots anew that may be read again.
        Ok(if held == 0 { 0 } else { position + TIMED_POSITIONS })
    }

    async fn draw(&mut self, run: &mut Run<'_>) -> Result<Exit, EngineError> {
        let base = run.input.len();
        let most = run.limit - (base - run.prompt) as u32;
        let (ids, cancel) = (run.input.ids(), &run.control.cancel);
        let mut source = self.decoder.draw(run.options.drafts, most, ids, cancel);
        let before = run.speculation.unwrap_or_default();
        let submits = run.submits;
        let exit = loop {
            let drawn = source.next().await.map_err(EngineError::from);
            run.submits = submits + source.submits();
            run.speculation = source.speculation().map(|now| before.with(now));
            let ids = match drawn {
                Err(error) if error.is_cancelled() => break Exit::Finished(Finish::Cancelled),
                drawn => drawn?,
            };
            if ids.is_empty() {
                break Exit::Finished(run.out_of_room(self));
            }
            run.last = Instant::now();
            if run.first.is_none() {
                (run.first, run.buffers) = (Some(run.last), self.core.gpu.buffers_created());
            }
            let before = run.input.len();
            let mut exit = None;
            for id in ids {
                if id == NOTHING {
                    return Err(EngineError::NotNumbers);
                }
                exit = run.take(self, id);
                if exit.is_some() {
                    break;
                }
            }
            (run.on)(Event::Drawn(run.input.ids()[before..].to_vec()));
            if let Some(exit) = exit {
                break exit;
            }
        };
        let submitted = source.submitted();
        // The last generated token has not been an input yet, unless decoding ran ahead.
        let held = run.input.prefix(run.input.len() - 1);
        self.core.sequence.set(held, (base as u32 + submitted).saturating_sub(1));
        Ok(exit)
    }
}

impl Run<'_> {
    /// Returns the number of tokens generated so far.
    fn drawn(&self) -> u32 {
        (self.input.len() - self.prompt) as u32
    }

    /// Restores what was already generated of this answer.
    fn recall(&mut self, session: &Session) -> Result<(), ConstraintError> {
        let begun = self.prompt.saturating_sub(self.options.begun);
        let begun = &self.input.ids()[begun..self.prompt];
        self.parser.resume(&session.tokenizer, begun, &self.options.drawn);
        if let Some(constraint) = &mut self.constraint {
            begun.iter().chain(&self.options.drawn).try_for_each(|&id| constraint.push(id))?;
        }
        self.options.drawn.iter().for_each(|&id| self.input.push(id));
        if self.parser.in_thought() {
            // A thought comes first.
            self.thought = (self.options.begun + self.options.drawn.len()) as u32;
        }
        Ok(())
    }

    /// Adds a token to the answer and sends its pieces.
    fn push(&mut self, session: &Session, id: u32) {
        self.input.push(id);
        let drawn = self.drawn();
        for piece in self.parser.push(&session.tokenizer, id) {
            self.called |= matches!(piece, Piece::Call(_));
            (self.on)(Event::Piece(piece, drawn));
        }
    }

    /// Adds tokens to the answer that were not drawn.
    fn force(&mut self, session: &Session, ids: Vec<u32>) -> Result<(), ConstraintError> {
        for &id in &ids {
            self.push(session, id);
            if let Some(constraint) = &mut self.constraint {
                constraint.push(id)?;
            }
        }
        (self.on)(Event::Drawn(ids));
        Ok(())
    }

    /// Handles a generated token; some end the run.
    pub fn take(&mut self, session: &Session, id: u32) -> Option<Exit> {
        if self.control.cancel.is_cancelled() {
            return Some(Exit::Finished(Finish::Cancelled));
        }
        self.push(session, id);
        if let Some(finish) = self.finish(session) {
            return Some(Exit::Finished(finish));
        }
        if !self.parser.in_thought() {
            return None;
        }
        self.thought += 1;
        if self.control.answer_now.get() {
            return Some(Exit::AnswerNow);
        }
        let most = self.options.max_thought;
        (most > 0 && self.thought >= most).then(|| Exit::Forced(session.end_of_thought()))
    }

    /// Why the answer ends with its last token, if it does.
    fn finish(&self, session: &Session) -> Option<Finish> {
        let &last = self.input.ids()[self.prompt..].last()?;
        let end = session.end_of_turn(last).filter(|_| !self.options.ignore_eos);
        let end = end.map(|end| if self.called { Finish::ToolCall } else { end });
        let end = end.or_else(|| self.parser.stopped().map(|_| Finish::StopText));
        end.or_else(|| (self.drawn() >= self.limit).then(|| self.out_of_room(session)))
    }

    fn out_of_room(&self, session: &Session) -> Finish {
        match self.input.len() as u32 >= session.context {
            _ if self.parser.in_call() => Finish::CutCall,
            true => Finish::ContextFull,
            false => Finish::MaxTokens,
        }
    }
}
