//! Answering: prompt tokens in, pieces of text out.

use std::cell::Cell;
use std::rc::Rc;

use shaders::sampling::{NOTHING, Settings};
use web_time::Instant;

use super::{EngineError, Session};
use crate::bytes::CancelToken;
use crate::media::Input;
use crate::template::{AnswerParser, Piece, StopStrings};

/// How to answer.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How tokens are drawn. Softcap and suppressed ids are the session's to fill in.
    pub settings: Settings,
    /// Makes the draw repeatable.
    pub seed: u64,
    /// Most tokens; 0 for as many as the context holds.
    pub max_tokens: u32,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// Go on after tokens that end a turn, and let any token be drawn; for timing and for comparisons.
    pub ignore_eos: bool,
    /// Whether the answer begins inside a thought.
    pub in_thought: bool,
    /// How many of the prompt's last tokens are the beginning of the answer: it goes on after them. They are of the prompt,
    /// not drawn, and their text is not given again.
    pub begun: usize,
    /// What a session whose device was lost has drawn of this answer: it goes on after these ids. They count as drawn,
    /// and their text is not given again.
    pub drawn: Vec<u32>,
}

/// What a running answer can be told.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Ends it, within a token or two.
    pub cancel: CancelToken,
    /// Ends its thought.
    pub answer_now: Rc<Cell<bool>>,
}

/// What a running answer says.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Prompt tokens read, of all; those found in the cache are counted as read.
    Prefilling {
        /// Read.
        done: u32,
        /// In all.
        total: u32,
    },
    /// A piece of the answer, and the tokens drawn so far.
    Piece(Piece, u32),
    /// These ids were read back together; their pieces came before.
    Drawn(Vec<u32>),
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended its turn.
    EndOfTurn,
    /// A stop text came.
    StopText,
    /// `max_tokens` were drawn.
    MaxTokens,
    /// The context is full.
    ContextFull,
    /// The model waits for a tool.
    ToolCall,
    /// It was cancelled.
    Cancelled,
}

/// An answer that has ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub finish: Finish,
    /// The drawn ids, the one that ended the turn included.
    pub ids: Vec<u32>,
    /// Figures.
    pub timings: Timings,
}

/// Figures of an answer; times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Of these, found in the cache.
    pub cached_tokens: u32,
    /// From the request to the first token's id.
    pub prefill_ms: f64,
    /// Tokens drawn.
    pub decode_tokens: u32,
    /// From the first token's id to the last one's.
    pub decode_ms: f64,
    /// Submits that drew the tokens after the first one.
    pub decode_submits: u32,
    /// Buffers created meanwhile.
    pub decode_buffers: u64,
}

/// How a run of drawn tokens ended.
enum Exit {
    Finished(Finish),
    /// The thought is to end here.
    AnswerNow,
}

/// An answer under way.
struct Run<'a> {
    options: &'a Options,
    control: &'a Control,
    parser: AnswerParser,
    on: &'a mut dyn FnMut(Event),
    /// Prompt and drawn tokens.
    input: Input,
    prompt: usize,
    limit: u32,
    started: Instant,
    first: Option<Instant>,
    last: Instant,
    submits: u32,
    /// Buffers that there had been when the first token came.
    buffers: u64,
}

fn ms(from: Instant, to: Instant) -> f64 {
    to.duration_since(from).as_secs_f64() * 1000.0
}

impl Session {
    /// Answers a prompt: ids, or an [`Input`] with media, of which those that [`Self::unread_blocks`] names must have
    /// their soft tokens attached. `on` gets what comes as it comes. A cancelled answer is no error: what was drawn is kept.
    ///
    /// # Errors
    /// [`EngineError::ContextFull`] when the prompt leaves no room for an answer; what the device or the file reports.
    /// After an error the cache is taken to hold nothing.
    pub async fn generate(
        &mut self,
        prompt: impl Into<Input>,
        options: &Options,
        control: &Control,
        on: &mut dyn FnMut(Event),
    ) -> Result<Outcome, EngineError> {
        self.generate_from(prompt.into(), options, control, on).await
    }

    async fn generate_from(
        &mut self,
        prompt: Input,
        options: &Options,
        control: &Control,
        on: &mut dyn FnMut(Event),
    ) -> Result<Outcome, EngineError> {
        self.check_prompt(&prompt)?;
        let prompt_len = prompt.len();
        let cached = self.reusable(&prompt);
        let room = self.context - prompt_len as u32;
        let limit = if options.max_tokens == 0 { room } else { options.max_tokens.min(room) };
        let stops = StopStrings::new(options.stop.iter().cloned());
        let now = Instant::now();
        let mut run = Run {
            options,
            control,
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
        };
        run.recall(self);
        let result = self.answer(&mut run).await;
        if result.is_err() {
            self.sequence.clear();
        }
        let finish = result?;
        let mut pieces = Vec::new();
        run.parser.finish(&mut pieces);
        let drawn = run.drawn();
        for piece in pieces {
            (run.on)(Event::Piece(piece, drawn));
        }
        Ok(Outcome {
            finish,
            ids: run.input.ids()[run.prompt..].to_vec(),
            timings: Timings {
                prompt_tokens: prompt_len as u32,
                cached_tokens: cached,
                prefill_ms: ms(run.started, run.first.unwrap_or(run.last)),
                decode_tokens: drawn,
                decode_ms: run.first.map_or(0.0, |first| ms(first, run.last)),
                decode_submits: run.submits,
                decode_buffers: run.first.map_or(0, |_| self.gpu.buffers_created() - run.buffers),
            },
        })
    }

    fn check_prompt(&self, prompt: &Input) -> Result<(), EngineError> {
        let vocabulary = self.decoder.vocabulary();
        if prompt.is_empty() {
            return Err(EngineError::Empty);
        }
        if let Some(&id) = prompt.ids().iter().find(|&&id| id >= vocabulary) {
            return Err(EngineError::NoToken { id, vocabulary });
        }
        if prompt.len() >= self.context as usize {
            return Err(EngineError::ContextFull { tokens: prompt.len() as u32, context: self.context });
        }
        Ok(())
    }

    async fn answer(&mut self, run: &mut Run<'_>) -> Result<Finish, EngineError> {
        loop {
            if !self.read_prompt(run).await? {
                return Ok(Finish::Cancelled);
            }
            match self.draw(run).await? {
                Exit::Finished(finish) => return Ok(finish),
                Exit::AnswerNow => {
                    run.control.answer_now.set(false);
                    let Some(close) = self.tokenizer.special().channel_close else {
                        return Ok(Finish::Cancelled);
                    };
                    run.push(self, close);
                    (run.on)(Event::Drawn(vec![close]));
                }
            }
        }
    }

    /// Brings the cache up to `run.input` and draws the next token. False when cancelled meanwhile.
    async fn read_prompt(&mut self, run: &mut Run<'_>) -> Result<bool, EngineError> {
        let total = run.input.len() as u32;
        let mut pos = self.restore(&run.input);
        let whole = run.input.len() == run.prompt;
        loop {
            if whole {
                (run.on)(Event::Prefilling { done: pos, total });
            }
            if run.control.cancel.is_cancelled() {
                self.sequence.set(run.input.prefix(pos as usize), pos);
                return Ok(false);
            }
            let len = self.chunk_end(&run.input, pos)? - pos;
            let reading = async { Ok::<_, EngineError>(self.decoder.prefill(&run.input, pos, len).await?) };
            match run.control.cancel.guard(reading).await {
                // The next turn of the loop ends it.
                Err(error) if error.is_cancelled() && run.control.cancel.is_cancelled() => continue,
                read => read?,
            }
            pos += len;
            if pos == total {
                self.sequence.set(run.input.prefix(total as usize), total);
                self.save().await;
                let mut settings = run.options.settings.clone();
                settings.softcap = self.decoder.config().softcap;
                if !run.options.ignore_eos {
                    settings.suppressed = self.tokenizer.suppressed_ids();
                }
                // A second run of one answer draws other numbers than the first.
                let seed = run.options.seed.wrapping_add(run.drawn().into());
                self.decoder.begin(settings, seed, run.input.ids());
                self.decoder.finish_prompt(pos - len, len);
                return Ok(true);
            }
            // Between chunks, so that cancelling is prompt and progress is true.
            self.gpu.drained().await?;
        }
    }

    async fn draw(&mut self, run: &mut Run<'_>) -> Result<Exit, EngineError> {
        let base = run.input.len();
        let most = run.limit - (base - run.prompt) as u32;
        let mut source = self.decoder.draw(most, &run.control.cancel);
        let submits = run.submits;
        let exit = loop {
            let drawn = source.next().await.map_err(EngineError::from);
            run.submits = submits + source.submits();
            let ids = match drawn {
                Err(error) if error.is_cancelled() => break Exit::Finished(Finish::Cancelled),
                drawn => drawn?,
            };
            if ids.is_empty() {
                break Exit::Finished(run.out_of_room(self));
            }
            run.last = Instant::now();
            if run.first.is_none() {
                (run.first, run.buffers) = (Some(run.last), self.gpu.buffers_created());
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
        drop(source);
        // The last drawn token has not been an input yet, unless it was drawn ahead of.
        let held = run.input.prefix(run.input.len() - 1);
        self.sequence.set(held, (base as u32 + submitted).saturating_sub(1));
        Ok(exit)
    }
}

impl Run<'_> {
    /// Tokens drawn so far.
    fn drawn(&self) -> u32 {
        (self.input.len() - self.prompt) as u32
    }

    /// Takes up what was drawn of this answer before.
    fn recall(&mut self, session: &Session) {
        let begun = self.prompt.saturating_sub(self.options.begun);
        for &id in &self.input.ids()[begun..self.prompt] {
            self.parser.push(&session.tokenizer, id);
        }
        if self.options.begun > 0 {
            self.parser.drop_held();
        }
        for &id in &self.options.drawn {
            self.input.push(id);
            // Said before.
            self.parser.push(&session.tokenizer, id);
        }
    }

    /// Adds a token to the answer and says what it means.
    fn push(&mut self, session: &Session, id: u32) {
        self.input.push(id);
        let drawn = self.drawn();
        for piece in self.parser.push(&session.tokenizer, id) {
            (self.on)(Event::Piece(piece, drawn));
        }
    }

    /// A drawn token; some end the run.
    fn take(&mut self, session: &Session, id: u32) -> Option<Exit> {
        if self.control.cancel.is_cancelled() {
            return Some(Exit::Finished(Finish::Cancelled));
        }
        self.push(session, id);
        let tokenizer = &session.tokenizer;
        if !self.options.ignore_eos && tokenizer.stop_ids().contains(&id) {
            let waits = tokenizer.special().tool_response_open == Some(id);
            return Some(Exit::Finished(if waits { Finish::ToolCall } else { Finish::EndOfTurn }));
        }
        if self.parser.stopped().is_some() {
            return Some(Exit::Finished(Finish::StopText));
        }
        if self.drawn() >= self.limit {
            return Some(Exit::Finished(self.out_of_room(session)));
        }
        if self.control.answer_now.get() && self.parser.in_thought() {
            return Some(Exit::AnswerNow);
        }
        None
    }

    fn out_of_room(&self, session: &Session) -> Finish {
        if self.input.len() as u32 >= session.context { Finish::ContextFull } else { Finish::MaxTokens }
    }
}
