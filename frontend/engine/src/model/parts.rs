//! The inputs of plan functions.

use shaders::LayoutError;
use shaders::attention::decode::Decode;
use shaders::sampling::MAX_RECENT;

use super::expert_scratch::CacheValues;
use super::scratch::{WORKGROUPS, chunk, max_splits};
use super::{Attention, Config, KvCache, KvType, LayerCache, RowCacheValues, Scratch};
use crate::plan::{Limits, Origin, PlanError, Value};
use crate::weights::{Matrix, MatrixSpec, Weights};

/// A RoPE table for one kind of layer (`wgsl/shared/rope.wgsl`).
#[derive(Clone, Debug)]
pub struct Rope {
    /// `(cos, sin)` pairs.
    pub table: Value,
    /// Rows of its first part.
    pub hi_rows: u32,
}

impl Rope {
    /// Returns the table for one kind of layer and this context length, and its content, which the caller must write to
    /// [`Rope::table`].
    pub fn describe(config: &Config, attention: Attention, context: u32) -> Self {
        let hi_rows = shaders::rope::hi_rows(context);
        let bytes = shaders::rope::bytes(head_dim(config, attention), context);
        Self { table: Value::new("rope", bytes, Origin::Constant), hi_rows }
    }

    /// Returns the content of the table. `factors` divide the frequencies of global layers.
    pub fn content(
        config: &Config,
        attention: Attention,
        factors: Option<&[f32]>,
        context: u32,
    ) -> Vec<[f32; 2]> {
        let head_dim = head_dim(config, attention);
        let divisor = config.rope_divisor;
        let usual = (factors.is_none() && config.rotates_a_quarter()).then(|| quarter(head_dim));
        let factors = usual.as_deref().or(factors);
        // Dividing all frequencies divides the positions.
        let divided = (divisor != 1.0).then(|| match factors {
            Some(factors) => factors.iter().map(|factor| factor * divisor).collect(),
            None => vec![divisor; head_dim as usize / 2],
        });
        let (theta, factors) = match attention {
            Attention::Sliding => (config.theta_sliding, None),
            Attention::Global => (config.theta_global, divided.as_deref().or(factors)),
        };
        shaders::rope::table(theta.into(), head_dim, factors, context)
    }
}

/// Divisors of the angles of a head of which a quarter is rotated, for files that lack them: those of all published models.
fn quarter(head_dim: u32) -> Vec<f32> {
    (0..head_dim / 2).map(|pair| if pair < head_dim / 8 { 1.0 } else { 1e30 }).collect()
}

/// [`Parts::history`] for a context length.
pub fn history(context: u32) -> Value {
    Value::state("history", 4 * u64::from(context.max(MAX_RECENT)))
}

fn head_dim(config: &Config, attention: Attention) -> u32 {
    let layer = config.layers.iter().find(|layer| layer.attention == attention);
    layer.map_or(16, |layer| layer.head_dim)
}

/// Everything that a model has on the device.
#[derive(Debug)]
pub struct Parts {
    /// The configuration.
    pub config: Config,
    /// Vocabulary size.
    pub vocabulary: u32,
    /// Ids of the sequence, u32 `[context]`: for penalties and for drafts.
    pub history: Value,
    /// Weights.
    pub weights: Weights,
    /// Working buffers.
    pub scratch: Scratch,
    /// The KV cache.
    pub kv: KvCache,
    /// Storage type of the KV cache.
    pub kv_type: KvType,
    /// RoPE table of sliding layers.
    pub rope_sliding: Rope,
    /// RoPE table of global layers.
    pub rope_global: Rope,
    /// The limits of the device.
    pub limits: Limits,
    /// Positions from the last key to the token of a step: 1 in a drafter, whose token has no key; otherwise 0.
    pub ahead: u32,
    /// Whether every step leaves the stream after the output norm in [`Scratch::x`], for a drafter.
    pub keeps_hidden: bool,
}

/// Sizes for [`Parts::describe`].
#[derive(Clone, Copy, Debug)]
pub struct Extent<'s> {
    /// Context length in tokens.
    pub context: u32,
    /// Storage type of the KV cache.
    pub kv_type: KvType,
    /// The per-layer table, if it is on the host.
    pub host_table: Option<&'s MatrixSpec>,
}

impl Parts {
    /// Describes cache, working memory and tables of a model. Nothing is allocated.
    ///
    /// # Errors
    /// When the table on the host has no planar layout.
    pub fn describe(
        config: Config,
        vocabulary: u32,
        weights: Weights,
        extent: Extent<'_>,
        limits: Limits,
    ) -> Result<Self, LayoutError> {
        let Extent { context, kv_type, host_table } = extent;
        let mut scratch = Scratch::describe(&config, vocabulary, limits);
        let cached = |table| RowCacheValues::describe(table, chunk(&config), limits);
        scratch.row_cache = host_table.map(cached).transpose()?;
        let cache = CacheValues::describe(&config, &weights, chunk(&config));
        scratch.experts = match (scratch.experts, cache) {
            (Some(experts), Some(cache)) => Some(experts.with_cache(cache)),
            (experts, _) => experts,
        };
        Ok(Self {
            scratch,
            kv: KvCache::describe(&config, context, chunk(&config), kv_type),
            rope_sliding: Rope::describe(&config, Attention::Sliding, context),
            rope_global: Rope::describe(&config, Attention::Global, context),
            config,
            vocabulary,
            history: history(context),
            weights,
            kv_type,
            limits,
            ahead: 0,
            keeps_hidden: false,
        })
    }

    /// Describes the same of a model that makes embeddings, for batches of up to `rows` tokens.
    pub fn of_encoder(config: Config, vocabulary: u32, weights: Weights, rows: u32, limits: Limits) -> Self {
        Self {
            scratch: Scratch::of_encoder(&config, rows, limits),
            kv: KvCache::of_encoder(&config, rows),
            rope_sliding: Rope::describe(&config, Attention::Sliding, rows),
            rope_global: Rope::describe(&config, Attention::Global, rows),
            config,
            vocabulary,
            history: history(0),
            weights,
            kv_type: KvType::F32,
            limits,
            ahead: 0,
            keeps_hidden: false,
        }
    }

    /// Returns the values whose sizes depend on the context: KV cache, RoPE tables and history.
    pub fn by_context(&self) -> impl Iterator<Item = &Value> {
        let others = [&self.rope_sliding.table, &self.rope_global.table, &self.history];
        self.kv.values().chain(others)
    }

    /// Returns a matrix that every model of this configuration has.
    ///
    /// # Errors
    /// An internal error: the tensor list was checked.
    pub fn matrix(&self, name: &str) -> Result<&Matrix, PlanError> {
        self.weights.require(name)
    }

    /// Returns the output head: its own matrix, or the embedding.
    ///
    /// # Errors
    /// Same as [`Self::matrix`].
    pub fn head(&self) -> Result<&Matrix, PlanError> {
        self.weights.matrix("output").map_or_else(|| self.matrix("token_embd"), Ok)
    }

    /// Returns the cache that layer `i` uses: its own, or an earlier layer's.
    ///
    /// # Errors
    /// An internal error.
    pub fn cache(&self, i: usize) -> Result<&LayerCache, PlanError> {
        let owner = self.config.layers[i].kv_layer;
        self.kv.layers[owner]
            .as_ref()
            .ok_or_else(|| PlanError::Missing { name: format!("cache of layer {i}") })
    }

    /// Returns the RoPE table of one kind of layer.
    pub fn rope(&self, attention: Attention) -> &Rope {
        match attention {
            Attention::Sliding => &self.rope_sliding,
            Attention::Global => &self.rope_global,
        }
    }

    /// Attention window of layer `i`; 0: unlimited.
    pub fn window(&self, i: usize) -> u32 {
        if self.config.layers[i].attention == Attention::Sliding { self.config.window } else { 0 }
    }

    /// Query heads per workgroup in the decode attention of layer `i`. Those that share keys read them once, unless a window
    /// leaves too few keys to occupy a device so. `own` says whether the kernel makes the token's key and value.
    pub fn query_group(&self, i: usize, own: bool) -> u32 {
        let (layer, heads, window) = (&self.config.layers[i], self.config.heads, self.window(i));
        let group = Decode::group(layer.head_dim, heads / layer.kv_heads, own, self.kv_type);
        let workgroups = max_splits(self.limits, heads, window) * heads / group;
        if window == 0 || workgroups >= WORKGROUPS { group } else { 1 }
    }
}
