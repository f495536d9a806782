//! What plans are made of.

use super::scratch::chunk;
use super::{Attention, Config, KvCache, KvType, LayerCache, Scratch};
use crate::plan::{Limits, Origin, PlanError, Value};
use crate::weights::{Matrix, Weights};

/// A table of rotations for one kind of layer; `wgsl/shared/rope.wgsl`.
#[derive(Debug)]
pub struct Rope {
    /// `(cos, sin)` pairs.
    pub table: Value,
    /// Rows of its first part.
    pub hi_rows: u32,
}

impl Rope {
    /// The table of a kind of layer for contexts of this length, and what it holds; [`Rope::table`] is still to be written.
    #[must_use]
    pub fn describe(config: &Config, attention: Attention, context: u32) -> Self {
        let hi_rows = shaders::rope::hi_rows(context);
        let bytes = shaders::rope::bytes(head_dim(config, attention), context);
        Self { table: Value::new("rope", bytes, Origin::Constant), hi_rows }
    }

    /// What the table of a kind of layer holds. `factors` divide the frequencies of global layers.
    #[must_use]
    pub fn content(
        config: &Config,
        attention: Attention,
        factors: Option<&[f32]>,
        context: u32,
    ) -> Vec<[f32; 2]> {
        let (theta, factors) = match attention {
            Attention::Sliding => (config.theta_sliding, None),
            Attention::Global => (config.theta_global, factors),
        };
        shaders::rope::table(theta.into(), head_dim(config, attention), factors, context)
    }
}

fn head_dim(config: &Config, attention: Attention) -> u32 {
    let layer = config.layers.iter().find(|layer| layer.attention == attention);
    layer.map_or(16, |layer| layer.head_dim)
}

/// Everything on the device that a model needs.
#[derive(Debug)]
pub struct Parts {
    /// What the file says.
    pub config: Config,
    /// Pieces of the vocabulary.
    pub vocabulary: u32,
    /// Weights.
    pub weights: Weights,
    /// Working buffers.
    pub scratch: Scratch,
    /// Keys and values.
    pub kv: KvCache,
    /// How they are stored.
    pub kv_type: KvType,
    /// Rotations of sliding layers.
    pub rope_sliding: Rope,
    /// Rotations of global layers.
    pub rope_global: Rope,
    /// What the device allows.
    pub limits: Limits,
}

/// What [`Parts`] are described for.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Context length in tokens.
    pub context: u32,
    /// How keys and values are stored.
    pub kv_type: KvType,
    /// Whether the rows of the per-layer table come from outside of the device.
    pub ple_on_host: bool,
}

impl Parts {
    /// Describes cache, working memory and tables for a model. Nothing is on the device yet.
    #[must_use]
    pub fn describe(
        config: Config,
        vocabulary: u32,
        weights: Weights,
        extent: Extent,
        limits: Limits,
    ) -> Self {
        let Extent { context, kv_type, ple_on_host } = extent;
        Self {
            scratch: Scratch::describe(&config, vocabulary, ple_on_host),
            kv: KvCache::describe(&config, context, chunk(&config), kv_type),
            rope_sliding: Rope::describe(&config, Attention::Sliding, context),
            rope_global: Rope::describe(&config, Attention::Global, context),
            config,
            vocabulary,
            weights,
            kv_type,
            limits,
        }
    }

    /// The values whose sizes grow with the context: keys, values and rotations.
    pub fn by_context(&self) -> impl Iterator<Item = &Value> {
        self.kv.values().chain([&self.rope_sliding.table, &self.rope_global.table])
    }

    /// A matrix that every model of this configuration has.
    ///
    /// # Errors
    /// A fault of this program: the tensor list was checked.
    pub fn matrix(&self, name: &str) -> Result<&Matrix, PlanError> {
        self.weights.matrix(name).ok_or_else(|| PlanError::Missing { name: format!("matrix {name}") })
    }

    /// The head: a matrix of its own, or the embedding.
    ///
    /// # Errors
    /// As [`Self::matrix`].
    pub fn head(&self) -> Result<&Matrix, PlanError> {
        self.weights.matrix("output").map_or_else(|| self.matrix("token_embd"), Ok)
    }

    /// The cache that layer `i` reads: its own, or its donor's.
    ///
    /// # Errors
    /// A fault of this program.
    pub fn cache(&self, i: usize) -> Result<&LayerCache, PlanError> {
        let owner = self.config.layers[i].kv_layer;
        self.kv.layers[owner]
            .as_ref()
            .ok_or_else(|| PlanError::Missing { name: format!("cache of layer {i}") })
    }

    /// The rotations of one kind of layer.
    #[must_use]
    pub fn rope(&self, attention: Attention) -> &Rope {
        match attention {
            Attention::Sliding => &self.rope_sliding,
            Attention::Global => &self.rope_global,
        }
    }

    /// Positions a layer sees; 0 for all.
    #[must_use]
    pub fn window(&self, i: usize) -> u32 {
        if self.config.layers[i].attention == Attention::Sliding { self.config.window } else { 0 }
    }
}
