//! Embeddings: texts, images and audio in, one vector for each out.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use super::kind::Described;
use super::{Core, EngineError, LoadOptions, Loading, ModelFile, ModelSpec, SessionKind};
use crate::bytes::CancelToken;
use crate::gpu::{Gpu, GpuError};
use crate::media::{Input, Medium};
use crate::model::{ConfigError, DENSE, Encoder, EncoderPlans, ExpertUse, TextEncoder};
use crate::plan::Tested;
use crate::template::{Prompt, PromptError};
use crate::tokenizer::special;

/// A loaded model that makes embeddings.
pub struct EncoderSession {
    core: Core,
    encoder: TextEncoder,
    /// Most tokens of a text.
    longest: u32,
    lacks_dense: bool,
}

impl Deref for EncoderSession {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl DerefMut for EncoderSession {
    fn deref_mut(&mut self) -> &mut Core {
        &mut self.core
    }
}

impl SessionKind for EncoderSession {
    fn expert_use(&self) -> Option<(u32, ExpertUse)> {
        None
    }

    fn tested(&self) -> Vec<Tested> {
        self.with_towers(self.encoder.tested())
    }
}

impl ModelSpec {
    /// Returns whether it makes embeddings by two dense layers, which the file lacks. Then its embeddings are worse, and can't
    /// be compared with those of a file that has them.
    pub fn lacks_dense(&self) -> bool {
        self.config.encoder == Some(Encoder::Dense) && self.tensors.matrix(DENSE[0]).is_none()
    }
}

impl EncoderSession {
    /// Loads a model. The context of `options` are the tokens of a batch.
    ///
    /// # Errors
    /// Any [`EngineError`]. Cancellation is reported as [`EngineError::is_cancelled`].
    pub async fn load(
        gpu: Rc<Gpu>,
        mut file: ModelFile,
        options: &LoadOptions,
        cancel: &CancelToken,
        progress: &mut dyn FnMut(Loading),
    ) -> Result<Self, EngineError> {
        let header = file.take_header(cancel, progress).await?;
        let spec = ModelSpec::with_options(&header, options)?;
        if spec.config.encoder.is_none() {
            let found = header.metadata.str("general.architecture").unwrap_or_default().to_owned();
            return Err(ConfigError::NotEncoder { found }.into());
        }
        let mut described = Described::new(Rc::clone(&gpu), file, (header, spec), options, progress).await?;
        let plans = EncoderPlans::new(&described.parts).map_err(GpuError::from)?;
        let compiled = gpu.compile_ahead(plans.all());
        drop(plans);
        let weights = described.load_weights(cancel, progress).await?;
        let Described { core, spec, parts, .. } = described;
        let (rows, pad) = (core.context, core.tokenizer.special().pad.unwrap_or(0));
        let encoder = cancel
            .guard(async {
                progress(Loading::Kernels(0, 1));
                compiled.await;
                Ok::<_, EngineError>(TextEncoder::new(gpu, parts, weights, rows, pad).await?)
            })
            .await?;
        progress(Loading::Kernels(1, 1));
        let (longest, lacks_dense) = (spec.config.max_context.min(rows), spec.lacks_dense());
        Ok(Self { core, encoder, longest, lacks_dense })
    }

    /// Elements of an embedding.
    pub fn elements(&self) -> u32 {
        self.encoder.elements()
    }

    /// Most tokens of a text.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// [`ModelSpec::lacks_dense`].
    pub fn lacks_dense(&self) -> bool {
        self.lacks_dense
    }

    /// Returns the input for a text: `<bos>`, the text, `<eos>`. The end of one that is too long is left out.
    ///
    /// # Errors
    /// When the vocabulary has no `<eos>`.
    pub fn text(&self, text: &str) -> Result<Input, EngineError> {
        let ids = self.tokenizer().encode(text, crate::tokenizer::Specials::Ignore);
        let mut ids = self.tokenizer().with_one_bos(ids);
        ids.truncate(self.longest.saturating_sub(1) as usize);
        ids.push(self.eos()?);
        Ok(ids.into())
    }

    /// Returns the input for texts and media in order, between `<bos>` and `<eos>`.
    ///
    /// # Errors
    /// When the media are not those of the prompt, or the vocabulary has no token for them.
    pub fn input(&self, prompt: &Prompt, media: &[Medium]) -> Result<Input, EngineError> {
        let mut input = prompt.expand(self.tokenizer(), media)?;
        input.push(self.eos()?);
        Ok(input)
    }

    fn eos(&self) -> Result<u32, PromptError> {
        self.tokenizer().special().eos.ok_or(PromptError::NoToken { token: special::EOS })
    }

    /// Returns how many of these inputs, from the first on, make a batch; 0 if the first is too long for any.
    pub fn batch(&self, inputs: &[Input]) -> usize {
        self.encoder.batch(inputs)
    }

    /// Returns an embedding of length 1 for each input, in order. `on` gets the number of those that are done.
    ///
    /// # Errors
    /// [`EngineError::ContextFull`] for an input that is too long. When soft tokens are missing, it is cancelled, or the device
    /// was lost.
    pub async fn embed(
        &self,
        inputs: &[Input],
        cancel: &CancelToken,
        on: &mut dyn FnMut(usize),
    ) -> Result<Vec<Vec<f32>>, EngineError> {
        for input in inputs {
            self.check_ids(input.ids())?;
            let (tokens, context) = (input.len() as u32, self.longest);
            if tokens > context {
                return Err(EngineError::ContextFull { tokens, context });
            }
            if tokens == 0 {
                return Err(EngineError::Empty);
            }
        }
        let mut all = Vec::with_capacity(inputs.len());
        while all.len() < inputs.len() {
            let rest = &inputs[all.len()..];
            let batch = &rest[..self.encoder.batch(rest)];
            let vectors =
                cancel.guard(async { Ok::<_, EngineError>(self.encoder.run(batch, cancel).await?) }).await?;
            if vectors.iter().any(|value| !value.is_finite()) {
                return Err(EngineError::NotNumbers);
            }
            let elements = self.elements() as usize;
            all.extend(vectors.chunks_exact(elements).map(|vector| shortened(vector, elements)));
            on(all.len());
        }
        Ok(all)
    }
}

/// Returns the first `elements` of a vector, at length 1. Published models were trained for 768, 512, 256 and 128.
pub fn shortened(vector: &[f32], elements: usize) -> Vec<f32> {
    let kept = &vector[..elements.min(vector.len())];
    let squares: f64 = kept.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
    let length = squares.sqrt().max(1e-12);
    kept.iter().map(|&value| (f64::from(value) / length) as f32).collect()
}
