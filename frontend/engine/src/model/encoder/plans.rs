//! The plans of a model that makes embeddings.
//!
//! | plan | computes |
//! |---|---|
//! | embed | The embeddings of the tokens of a batch, in `h[0]`; soft tokens are copied over them. |
//! | layers | All layers and the output norm. |
//! | head | The mean of the rows of each text, and what follows it: one row for each text. |
//!
//! The texts of a batch lie behind each other, and a row sees those of its own text alone. Attention depends on the distances
//! of positions, so the position of a row is its place in the batch. Keys and values are those of the layer that runs.

use shaders::rows::mean;
use shaders::state::State;

use crate::model::rows::norm_add;
use crate::model::{DENSE, Parts, embed, prefill, product};
use crate::plan::{Layout, Limits, Origin, ParamsArena, Plan, PlanError, Schedule, Value};
use crate::weights::Matrix;

/// Most tokens of a batch, where the device has room: 32 texts of 256.
pub const BATCH_ROWS: u32 = 8192;
/// Most texts of a batch.
pub const MAX_TEXTS: u32 = 256;

/// Values beside those that the plans share with prefill.
pub struct Values {
    /// A [`State`] with the number of texts.
    pub count: Value,
    /// The first row of each text and the one behind its last, u32 `[texts, 2]`.
    pub texts: Value,
    /// A row for each text before the norm, f32 `[texts, elements]`.
    pub vectors: Value,
    /// What `vectors` are copied to.
    pub readback: Value,
    /// Elements of a vector.
    pub elements: u32,
}

/// Everything that a model does to make embeddings.
pub struct EncoderPlans {
    /// What they work in.
    pub values: Values,
    /// Embeddings of tokens.
    pub embed: Plan,
    /// All layers.
    pub layers: Plan,
    /// From rows to one for each text.
    pub head: Plan,
}

impl EncoderPlans {
    /// Describes them.
    ///
    /// # Errors
    /// [`PlanError::Missing`] when a tensor is missing.
    pub fn new(parts: &Parts) -> Result<Self, PlanError> {
        let mut layers = prefill::plan(parts, None, parts.config.layers.len())?;
        let norm = parts.weights.vector("output_norm")?;
        norm_add(parts, &mut layers, &parts.scratch.h[0], None, Some(norm))?;
        let rows = |name: &'static str, width: u32| Value::state(name, 4 * u64::from(MAX_TEXTS * width));
        let names = if parts.weights.matrix("output").is_some() { &["output"][..] } else { &DENSE };
        let matrices: Vec<&Matrix> = names.iter().filter_map(|name| parts.weights.matrix(name)).collect();
        let count = Value::state("number of texts", size_of::<State>() as u64);
        let texts = rows("texts", 2);
        let mut head = Plan::default();
        let (mut elements, mut vectors) = (parts.config.width, rows("means", parts.config.width));
        let params = mean::Params::new(elements);
        let operands = [&count, &texts, &parts.scratch.x, &vectors];
        head.push_rows(mean::Mean, &params, &operands, move |texts| params.dispatch(texts))?;
        for matrix in matrices {
            let y = rows("vectors", matrix.n);
            product::push(&mut head, parts.limits, matrix, None, [&count, &vectors, &y])?;
            (elements, vectors) = (matrix.n, y);
        }
        let readback = Value::new("embeddings of texts", vectors.bytes(), Origin::Readback);
        let values = Values { count, texts, vectors, readback, elements };
        Ok(Self { values, embed: embed::tokens(parts)?, layers, head })
    }

    /// Returns all of them.
    pub fn all(&self) -> [&Plan; 3] {
        [&self.embed, &self.layers, &self.head]
    }

    /// Returns what runs one after the other.
    pub fn schedule(&self) -> Schedule<'_> {
        self.all().into()
    }

    /// Returns the buffers of everything.
    pub fn layout(&self, parts: &Parts) -> Layout {
        Layout::of(&[self.schedule()]).with(parts.weights.values().chain([&self.values.readback]))
    }

    /// Bytes of the parameters, which share a buffer.
    pub fn params_bytes(&self, limits: Limits) -> u64 {
        ParamsArena::of(&self.all(), limits).buffer_bytes()
    }
}
