//! Answering by diffusion: prompt tokens in, finished canvases out.

use std::rc::Rc;

use web_time::Instant;

use super::sequence::Sequence;
use super::{
    DeviceMemory, EngineError, Finish, LoadOptions, Loading, ModelFile, ModelSpec, read_header,
    read_tokenizer,
};
use crate::bytes::CancelToken;
use crate::gpu::{Gpu, GpuError};
use crate::media::Input;
use crate::model::{
    CanvasLogits, ConfigError, Denoising, Diffuser, DiffusionPlans, Noise, Predicted, Stability, ring,
};
use crate::template::{Conversation, Prompt, RenderOptions, Variant, render};
use crate::tokenizer::Tokenizer;
use crate::weights;

/// A loaded diffusion model and the KV cache of its conversation.
pub struct DiffusionSession {
    gpu: Rc<Gpu>,
    tokenizer: Rc<Tokenizer>,
    variant: Variant,
    denoising: Denoising,
    diffuser: Diffuser,
    context: u32,
    sequence: Sequence,
}

/// How to answer.
#[derive(Clone, Debug)]
pub struct DiffusionOptions {
    /// Settings of the sampler. The file's own are [`DiffusionSession::denoising`].
    pub denoising: Denoising,
    /// Maximum number of blocks; 0 for as many as the context holds.
    pub blocks: u32,
    /// Source of random numbers.
    pub noise: Noise,
    /// Go on after tokens that end a turn; for comparisons.
    pub ignore_eos: bool,
    /// Report the logits of every step as well; for comparisons.
    pub logits: bool,
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
    /// Logits after the softcap, divided by the temperature, `[canvas, vocabulary]`; empty unless asked for.
    pub logits: Vec<f32>,
}

/// Progress of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum DiffusionEvent {
    /// Prompt tokens read, of all; those found in the cache are counted as read.
    Prefilling {
        /// Read.
        done: u32,
        /// In all.
        total: u32,
    },
    /// A step is done.
    Step(DenoisingStep),
    /// A block is finished: its ids up to the one that ends the turn.
    Block(Vec<u32>),
}

/// An answer that has ended.
#[derive(Clone, Debug)]
pub struct DiffusionOutcome {
    /// Why it ended: [`Finish::EndOfTurn`], [`Finish::ToolCall`], [`Finish::MaxTokens`] after the last block,
    /// [`Finish::ContextFull`] or [`Finish::Cancelled`].
    pub finish: Finish,
    /// The ids of finished blocks, the one that ended the turn included.
    pub ids: Vec<u32>,
    /// Steps of each finished block.
    pub steps: Vec<u32>,
    /// Figures.
    pub timings: DiffusionTimings,
}

/// Figures of an answer; times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiffusionTimings {
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Of these, found in the cache.
    pub cached_tokens: u32,
    /// Reading the prompt.
    pub prefill_ms: f64,
    /// All steps of all blocks.
    pub denoise_ms: f64,
    /// Reading finished canvases.
    pub encode_ms: f64,
}

fn ms_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}

impl DiffusionSession {
    /// Loads a model.
    ///
    /// # Errors
    /// Any [`EngineError`]. Cancellation is reported as [`EngineError::is_cancelled`].
    pub async fn load(
        gpu: Rc<Gpu>,
        file: ModelFile,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let header = read_header(&file, cancel, progress).await?;
        let spec = ModelSpec::of_any_kind(&header, options)?;
        let architecture = || header.metadata.str("general.architecture").unwrap_or_default().to_owned();
        let denoising = spec.config.diffusion;
        let denoising = denoising.ok_or_else(|| ConfigError::NotDiffusion { found: architecture() })?;
        let fit = spec.fit(options.context, DeviceMemory::assumed(&gpu))?;
        let tokenizer = read_tokenizer(&header, &spec)?;
        let variant = Variant::from_metadata(&header.metadata);
        drop(header);

        let mut parts = spec.describe(fit.context, false, gpu.plan_limits())?;
        let plans = DiffusionPlans::new(&parts).map_err(GpuError::from)?;
        let compiled = gpu.compile_ahead(plans.all());
        drop(plans);
        let mut told = |p: weights::Progress| progress(Loading::Weights(p.done, p.total));
        let loaded =
            weights::load(&gpu, &file.bytes, &spec.tensors, &mut parts.weights, cancel, &mut told).await?;
        let diffuser = cancel
            .guard(async {
                progress(Loading::Kernels(0, 1));
                compiled.await;
                let made = Diffuser::new(Rc::clone(&gpu), parts, loaded, fit.context).await;
                made.map_err(EngineError::from)
            })
            .await?;
        progress(Loading::Kernels(1, 1));
        let (context, sequence) = (fit.context, Sequence::default());
        Ok(Self { gpu, tokenizer, variant, denoising, diffuser, context, sequence })
    }

    /// The tokenizer.
    #[must_use]
    pub fn tokenizer(&self) -> &Rc<Tokenizer> {
        &self.tokenizer
    }

    /// The sampler settings of the file.
    #[must_use]
    pub fn denoising(&self) -> Denoising {
        self.denoising
    }

    /// The programs, for figures and comparisons.
    #[must_use]
    pub fn diffuser(&self) -> &Diffuser {
        &self.diffuser
    }

    /// Tokens that the context holds, canvases included.
    #[must_use]
    pub fn context(&self) -> u32 {
        self.context
    }

    /// Tokens in the cache.
    #[must_use]
    pub fn context_used(&self) -> u32 {
        self.sequence.held().len() as u32
    }

    /// The prompt of a conversation, in this model's template.
    #[must_use]
    pub fn render(&self, conversation: &Conversation, thinking: bool) -> Prompt {
        let options = RenderOptions { thinking, ..RenderOptions::new(self.variant) };
        render(&conversation.messages, &conversation.tools, &options)
    }

    /// Answers a prompt, block by block. `on` gets what comes as it comes. An answer that was cancelled, which it is between
    /// two steps, is no error: finished blocks are kept.
    ///
    /// # Errors
    /// [`EngineError::Denoising`] for settings or recorded numbers that cannot be; [`EngineError::ContextFull`] when the
    /// prompt leaves no room for a canvas; [`EngineError::NotNumbers`]; what the device reports. After an error the cache is
    /// taken to hold nothing.
    pub async fn generate(
        &mut self,
        prompt: &[u32],
        options: &DiffusionOptions,
        cancel: &CancelToken,
        on: &mut dyn FnMut(DiffusionEvent),
    ) -> Result<DiffusionOutcome, EngineError> {
        options.denoising.check(self.diffuser.most_rows())?;
        options.noise.check(options.denoising.canvas, self.diffuser.parts().vocabulary)?;
        let result = self.answer(prompt, options, cancel, on).await;
        if result.is_err() {
            self.sequence.clear();
        }
        result
    }

    async fn answer(
        &mut self,
        prompt: &[u32],
        options: &DiffusionOptions,
        cancel: &CancelToken,
        on: &mut dyn FnMut(DiffusionEvent),
    ) -> Result<DiffusionOutcome, EngineError> {
        let canvas = options.denoising.canvas;
        let tokens = prompt.len() as u32;
        let room = self.context.saturating_sub(tokens) / canvas;
        if room == 0 {
            return Err(EngineError::ContextFull { tokens, context: self.context });
        }
        let most = if options.blocks == 0 { u32::MAX } else { options.blocks };
        let blocks = most.min(room);
        let mut timings = DiffusionTimings { prompt_tokens: tokens, ..Default::default() };
        let (mut ids, mut steps) = (Vec::new(), Vec::new());
        let started = Instant::now();
        let read = self.read(prompt, cancel, on).await?;
        timings.prefill_ms = ms_since(started);
        let Some(cached) = read else {
            return Ok(DiffusionOutcome { finish: Finish::Cancelled, ids, steps, timings });
        };
        timings.cached_tokens = cached;
        let logits = if options.logits { Some(CanvasLogits::new(&self.diffuser).await?) } else { None };
        let mut finish = if blocks < most { Finish::ContextFull } else { Finish::MaxTokens };
        for block in 0..blocks {
            let started = Instant::now();
            let denoised = self.denoise(block, options, logits.as_ref(), cancel, on).await?;
            timings.denoise_ms += ms_since(started);
            let Some((count, mut finished)) = denoised else {
                finish = Finish::Cancelled;
                break;
            };
            steps.push(count);
            let stops = self.tokenizer.stop_ids();
            let stop = finished.iter().position(|id| !options.ignore_eos && stops.contains(id));
            if let Some(at) = stop {
                finished.truncate(at + 1);
                let waits = self.tokenizer.special().tool_response_open == Some(finished[at]);
                finish = if waits { Finish::ToolCall } else { Finish::EndOfTurn };
            }
            ids.extend(&finished);
            on(DiffusionEvent::Block(finished.clone()));
            if stop.is_some() {
                break;
            }
            if block + 1 < blocks {
                let started = Instant::now();
                self.append(&finished)?;
                self.gpu.drained().await?;
                timings.encode_ms += ms_since(started);
            }
        }
        Ok(DiffusionOutcome { finish, ids, steps, timings })
    }

    /// Brings the cache up to a prompt; the tokens that it held already, or none when cancelled meanwhile.
    ///
    /// # Errors
    /// As [`Self::generate`].
    pub async fn read(
        &mut self,
        prompt: &[u32],
        cancel: &CancelToken,
        on: &mut dyn FnMut(DiffusionEvent),
    ) -> Result<Option<u32>, EngineError> {
        let vocabulary = self.diffuser.parts().vocabulary;
        if prompt.is_empty() {
            return Err(EngineError::Empty);
        }
        if let Some(&id) = prompt.iter().find(|&&id| id >= vocabulary) {
            return Err(EngineError::NoToken { id, vocabulary });
        }
        let total = prompt.len() as u32;
        if total > self.context {
            return Err(EngineError::ContextFull { tokens: total, context: self.context });
        }
        let config = &self.diffuser.parts().config;
        let ring = ring(config, self.diffuser.most_rows());
        let ring = if self.context > ring { ring } else { 0 };
        let input = Input::from(prompt);
        let cached = self.sequence.reusable(&input, ring, config.window);
        self.sequence.set(input.prefix(cached as usize), cached);
        let mut pos = cached;
        loop {
            on(DiffusionEvent::Prefilling { done: pos, total });
            if pos == total {
                return Ok(Some(cached));
            }
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let end = total.min(pos + self.diffuser.most_rows());
            self.append(&prompt[pos as usize..end as usize])?;
            self.gpu.drained().await?;
            pos = end;
        }
    }

    /// Puts final tokens, at most a chunk of them, behind what the cache holds.
    fn append(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        let pos = self.context_used();
        self.diffuser.encode(ids, pos)?;
        let held = [self.sequence.held().ids(), ids].concat();
        let written = held.len() as u32;
        self.sequence.set(held.into(), written);
        Ok(())
    }

    /// Denoises a canvas behind what the cache holds: the number of steps and the finished ids, or none when cancelled
    /// meanwhile.
    async fn denoise(
        &mut self,
        block: u32,
        options: &DiffusionOptions,
        logits: Option<&CanvasLogits>,
        cancel: &CancelToken,
        on: &mut dyn FnMut(DiffusionEvent),
    ) -> Result<Option<(u32, Vec<u32>)>, EngineError> {
        let DiffusionOptions { denoising, noise, .. } = options;
        let (len, vocabulary) = (denoising.canvas, self.diffuser.parts().vocabulary);
        let pos = self.context_used();
        // The slots of rings behind the final tokens are used from now on.
        self.sequence.set(self.sequence.held().clone(), pos + len);
        let mut canvas = noise.canvas(block, len, vocabulary);
        let mut stability = Stability::default();
        self.diffuser.begin()?;
        let mut step = 0;
        loop {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let temperature = denoising.temperature(step);
            let uniform = noise.uniform(block, step, len);
            let predicted = self.diffuser.step(&canvas, pos, temperature, &uniform).await?;
            if predicted.entropies.iter().any(|entropy| !entropy.is_finite()) {
                return Err(EngineError::NotNumbers);
            }
            let logits = match logits {
                Some(reader) => reader.read(&self.diffuser, len, temperature).await?,
                None => Vec::new(),
            };
            let accepted = denoising.accepted(&predicted.entropies);
            let mut next = noise.renoise(block, step, len, vocabulary);
            let taken = next.iter_mut().zip(&predicted.sampled).zip(&accepted);
            taken.filter(|(_, accepted)| **accepted).for_each(|((next, &sampled), _)| *next = sampled);
            let ends = stability.ends(denoising, &predicted.likeliest, &predicted.entropies);
            let likeliest = predicted.likeliest.clone();
            let before = std::mem::replace(&mut canvas, next.clone());
            on(DiffusionEvent::Step(DenoisingStep {
                block,
                step,
                temperature,
                canvas: before,
                predicted,
                accepted,
                next,
                logits,
            }));
            step += 1;
            if ends || step == denoising.steps {
                return Ok(Some((step, likeliest)));
            }
        }
    }
}
