//! Tokens drawn one by one, each from those that a mask allows.
//!
//! The device computes the logits behind a token as soon as that is drawn, while the host reads the token and makes the next
//! mask. Nothing is drafted.

use std::sync::Arc;

use shaders::sampling::NOTHING;
use shaders::sampling::mask::{self, Mask};

use super::{Decoder, StepError};
use crate::bytes::CancelToken;
use crate::gpu::{Buffer, GpuError, Memory, Program};
use crate::model::sampling_plans::{MAX_PENDING, OUT_LEN};
use crate::plan::{Grid, Layout, Plan, Value};

/// The mask on the device, and the program that applies it to the logits of a step.
pub struct Masking {
    program: Program,
    mask: Arc<Buffer>,
    /// Kept alive: dropping a buffer destroys it.
    #[allow(dead_code, reason = "the program uses its buffers")]
    memory: Memory,
}

impl Masking {
    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

impl Decoder {
    /// Binds the mask, if it is not bound yet.
    ///
    /// # Errors
    /// When the device is out of memory or rejects the kernel.
    pub async fn prepare_mask(&mut self) -> Result<(), GpuError> {
        if self.masking.is_some() {
            return Ok(());
        }
        let vocab = self.parts.vocabulary;
        let value = Value::state("allowed tokens", mask::bytes(vocab));
        let params = mask::Params::new(vocab);
        let mut plan = Plan::default();
        plan.push(Mask, &params, &[&value, &self.parts.scratch.logits], Grid::Fixed(params.grid()))?;
        let mut memory = self.memory.clone();
        let layout = Layout::of(&[]).with([&value]);
        self.gpu.allocate_layout("allowed tokens", &layout, &mut memory).await?;
        let program = self.gpu.bind(&plan, &memory).await?;
        let mask = Arc::clone(memory.get(&value)?);
        self.gpu.check()?;
        self.masking = Some(Masking { program, mask, memory });
        Ok(())
    }

    /// Sets the tokens that may be drawn next: a bit for each, from the lowest of the first word on.
    pub fn write_mask(&self, allowed: &[u32]) {
        if let Some(masking) = &self.masking {
            let room = usize::try_from(masking.mask.size() / 4).unwrap_or(usize::MAX);
            let allowed = &allowed[..allowed.len().min(room)];
            self.gpu.queue().write_buffer(&masking.mask, 0, bytemuck::cast_slice(allowed));
        }
    }

    /// Same as [`Self::finish_prompt`], but the first token is one that [`Self::write_mask`] allows. It is the first that
    /// [`Self::draw_masked`] returns.
    pub fn finish_prompt_masked(&self, pos: u32, len: u32) {
        self.finish_prompt_with(pos, len, self.masking.as_ref());
    }

    /// Samples up to `most` tokens after a prompt that [`Self::finish_prompt_masked`] has finished.
    pub fn draw_masked<'d>(&'d self, most: u32, cancel: &'d CancelToken) -> MaskedSource<'d> {
        if let Some((_, rows)) = &self.table {
            rows.write_slots();
        }
        let source = MaskedSource { decoder: self, cancel, most, seen: 0, steps: 0, last: None, which: 0 };
        source.step_ahead()
    }
}

/// The source of tokens. [`Self::next`] and [`Self::allow`] take turns.
pub struct MaskedSource<'d> {
    decoder: &'d Decoder,
    cancel: &'d CancelToken,
    most: u32,
    /// Tokens that were read.
    seen: u32,
    /// Steps behind the prompt whose logits were submitted.
    steps: u32,
    last: Option<u32>,
    /// The readback of the pending token.
    which: usize,
}

impl MaskedSource<'_> {
    /// Returns the token that was sampled last.
    ///
    /// # Errors
    /// When the device fails.
    pub async fn next(&mut self) -> Result<u32, StepError> {
        let Decoder { sampler, gpu, .. } = self.decoder;
        let ring = sampler.read(gpu, self.which).await?;
        let drawn = ring[OUT_LEN as usize] > self.seen;
        let id = if drawn { ring[self.seen as usize % OUT_LEN as usize] } else { NOTHING };
        self.seen += 1;
        self.last = Some(id);
        Ok(id)
    }

    /// Samples the next token from these.
    ///
    /// # Errors
    /// When the device, the per-layer table or an expert fails, or waiting for it was cancelled.
    pub async fn allow(&mut self, allowed: &[u32]) -> Result<(), StepError> {
        let decoder = self.decoder;
        if self.steps < self.seen {
            // A step that is cancelled has written rows of the cache, too.
            self.steps += 1;
            let step = async {
                decoder.fetch_rows(self.last.as_slice()).await?;
                decoder.write_rows_of_step(1);
                decoder.run_step(&decoder.programs().one, 1, None).await
            };
            self.cancel.guard(step).await?;
        }
        decoder.write_mask(allowed);
        self.which = self.seen as usize % MAX_PENDING;
        let encoder = decoder.gpu.encode_pass(|pass| {
            decoder.masking.iter().for_each(|masking| masking.program.encode(pass, 1));
            decoder.sampler.program().encode(pass, 1);
        });
        decoder.sampler.submit(&decoder.gpu, encoder, self.which);
        self.submit_step_ahead();
        Ok(())
    }

    /// Returns the number of submitted tokens. All but the last are in the cache.
    pub fn submitted(&self) -> u32 {
        self.steps + 1
    }

    /// Submits the step behind the token that is being sampled, unless the host has a part in it.
    fn submit_step_ahead(&mut self) {
        let decoder = self.decoder;
        if decoder.needs_host() || decoder.experts.is_some() || self.steps + 1 >= self.most {
            return;
        }
        self.steps += 1;
        let encoder = decoder.gpu.encode_pass(|pass| decoder.programs().one.encode(pass, 1));
        decoder.gpu.submit(encoder);
    }

    fn step_ahead(mut self) -> Self {
        self.submit_step_ahead();
        self
    }
}
