//! The plans of a vision tower, for images up to a size.

use shaders::attention::KvType;
use shaders::attention::block::{Block, Params as BlockParams};
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::norm_add::{NormAdd, NormAddRows, Params as NormParams};
use shaders::state::State;
use shaders::vision::layer_norm::{self, LayerNorm};
use shaders::vision::{PatchGrid, heads, patches, pool, position};

use super::config::{Encoder, Kind, TowerConfig};
use super::tensors::{clamps, in_layer};
use crate::model::product;
use crate::plan::{Layout, Limits, Origin, ParamsArena, Plan, PlanError, Value};
use crate::weights::{Matrix, Weights};

/// Maximum number of patches for which attention is one dispatch for all heads. Longer images use one dispatch per
/// head, so that no submit occupies a slow device for long.
pub(super) const WHOLE_ATTENTION: u32 = 2560;
/// ε of the layer norms of the encoder-free model; there is no key for it.
const LAYER_NORM_EPS: f32 = 1e-5;
/// RoPE base; there is no key for it.
pub(super) const THETA: f64 = 100.0;

/// The images that need a stage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    Short,
    Long,
}

/// Properties of a stage, which is one submit.
#[derive(Clone, Copy)]
pub(super) struct StageInfo {
    pub condition: Condition,
    /// Whether its rows are soft tokens instead of patches.
    pub pooled: bool,
    /// Whether it is the last stage of a layer, after which progress is reported and cancellation is checked.
    pub ends_layer: bool,
}

/// The values of a tower.
pub(super) struct Values {
    /// The patch grid of the image.
    pub patch_grid: Value,
    /// `State` whose length is the number of patches.
    pub state: Value,
    /// `State` whose length is the number of soft tokens.
    pub pooled_state: Value,
    /// RGB bytes.
    pub pixels: Value,
    /// For each patch, one past the last patch that it attends to: the number of patches.
    pub until: Value,
    /// Soft tokens of the image.
    pub out: Value,
    /// RoPE table.
    pub rope: Value,
    /// Working buffers with one row per patch, in the order of [`widths`].
    pub work: Vec<Value>,
}

impl Values {
    fn describe(config: &TowerConfig, rows: u32) -> Self {
        let (pixels, tokens) = sizes(config, rows);
        let work = |width| Value::temporary("vision", 4 * u64::from(rows) * width);
        Self {
            patch_grid: Value::state("vision patch grid", size_of::<PatchGrid>() as u64),
            state: Value::state("vision state", size_of::<State>() as u64),
            pooled_state: Value::state("vision pooled state", size_of::<State>() as u64),
            pixels: Value::state("vision pixels", pixels),
            until: Value::state("vision until", 4 * u64::from(rows)),
            out: Value::state("vision out", 4 * tokens * u64::from(config.model_width)),
            rope: Value::new("vision rotations", rotation_bytes(config), Origin::Constant),
            work: widths(config).into_iter().map(work).collect(),
        }
    }
}

/// The plans of all stages for images up to a size.
pub struct StagePlans {
    pub rows: u32,
    pub(super) values: Values,
    pub(super) stages: Vec<(Plan, StageInfo)>,
}

impl StagePlans {
    /// Describes the stages for up to `rows` rows.
    pub fn new(weights: &Weights, config: &TowerConfig, rows: u32) -> Result<Self, PlanError> {
        let values = Values::describe(config, rows);
        let mut builder =
            Builder { weights, config, values: &values, steps: Plan::default(), stages: Vec::new() };
        match config.kind {
            Kind::Encoder(encoder) => builder.encoder(&encoder)?,
            Kind::Direct(width) => builder.direct(width)?,
        }
        let stages = builder.stages;
        Ok(Self { rows, values, stages })
    }

    /// Returns the plans of all stages, in order.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.stages.iter().map(|(plan, _)| plan)
    }

    /// Returns the buffers of all stages, and those that the host accesses.
    pub fn layout(&self) -> Layout {
        let v = &self.values;
        let hosts = [&v.patch_grid, &v.state, &v.pooled_state, &v.pixels, &v.out];
        Layout::of(&[self.plans().collect()]).with(hosts)
    }

    /// Bytes on the device: working memory and the weights of the tower.
    pub fn bytes(&self, weights: &Weights, limits: Limits) -> u64 {
        let params = ParamsArena::of(&self.plans().collect::<Vec<_>>(), limits);
        self.layout().with(weights.values()).total() + params.buffer_bytes()
    }
}

/// Row length of each working buffer, in the order of [`Values::work`].
fn widths(config: &TowerConfig) -> Vec<u64> {
    match config.kind {
        Kind::Encoder(e) => {
            let (d, ff) = (u64::from(e.width), u64::from(e.feed_forward));
            // Stream, normed stream, q, k, v; gate (before that the patches), up, activations.
            vec![d, d, d, d, d, ff.max(768), ff, ff]
        }
        Kind::Direct(width) => vec![6912, 6912, width.into(), width.into()],
    }
}

fn rotation_bytes(config: &TowerConfig) -> u64 {
    match config.kind {
        Kind::Encoder(e) => 4 * 2 * u64::from(config.positions) * u64::from(e.head_dim / 4),
        Kind::Direct(_) => 0,
    }
}

/// Bytes of the pixels, and number of soft tokens.
fn sizes(config: &TowerConfig, rows: u32) -> (u64, u64) {
    let rows = u64::from(rows);
    match config.kind {
        Kind::Encoder(_) => (rows * 768, rows / 9),
        Kind::Direct(_) => (rows * 6912, rows),
    }
}

struct Builder<'a> {
    weights: &'a Weights,
    config: &'a TowerConfig,
    values: &'a Values,
    steps: Plan,
    stages: Vec<(Plan, StageInfo)>,
}

impl<'a> Builder<'a> {
    fn matrix(&self, name: &str) -> Result<&'a Matrix, PlanError> {
        self.weights.require(name)
    }

    /// Ends a stage.
    fn cut(&mut self, condition: Condition) {
        let steps = std::mem::take(&mut self.steps);
        self.stages.push((steps, StageInfo { condition, pooled: false, ends_layer: false }));
    }

    fn end_layer(&mut self) {
        self.cut(Condition::Always);
        if let Some((_, info)) = self.stages.last_mut() {
            info.ends_layer = true;
        }
    }

    /// Splits the image into patches for the first product.
    fn embed(&mut self, side: u32, into: usize) -> Result<(), PlanError> {
        let (values, work) = (self.values, &self.values.work);
        let params = if side == 16 { patches::Params::SIGNED } else { patches::Params::UNSIGNED };
        let buffers = [&values.patch_grid, &values.pixels, &work[into]];
        self.steps.push_rows(patches::Patches { side }, &params, &buffers, move |rows| {
            patches::dispatch(side, rows)
        })
    }

    fn position(&mut self, h: usize) -> Result<(), PlanError> {
        let (values, work) = (self.values, &self.values.work);
        let (columns, rows) = (self.matrix("columns")?.clone(), self.matrix("rows")?.clone());
        let params = position::Params::new(&columns.whole().layout, &rows.whole().layout);
        let buffers = [&values.patch_grid, &columns.whole().value, &rows.whole().value, &work[h]];
        let kernel = position::Positions(columns.dtype);
        self.steps.push_rows(kernel, &params, &buffers, move |rows| params.dispatch(rows))
    }

    /// A product, clipped if the file has bounds for it.
    fn product(&mut self, (layer, linear): (u32, &str), x: usize, y: usize) -> Result<(), PlanError> {
        let bounds = clamps(self.weights, layer, linear);
        let matrix = self.matrix(&in_layer(layer, linear))?;
        let buffers = [&self.values.state, &self.values.work[x], &self.values.work[y]];
        product::push(&mut self.steps, self.weights.limits, matrix, bounds, buffers)
    }

    /// Adds the normed branch to the stream (`add`: its norm), then norms the stream (`norm`).
    fn norm(
        &mut self,
        width: u32,
        add: Option<(String, usize)>,
        norm: Option<String>,
    ) -> Result<(), PlanError> {
        let work = &self.values.work;
        let mut params = NormParams::new(width, self.config.eps);
        let mut buffers: Vec<&Value> = vec![&self.values.state, &self.weights.vectors, &work[H]];
        if let Some((name, branch)) = &add {
            params.branch_norm = self.weights.vector(name)?;
            buffers.push(&work[*branch]);
        }
        if let Some(name) = &norm {
            params.norm = self.weights.vector(name)?;
            buffers.push(&work[X]);
        }
        let form = match (add, norm) {
            (Some(_), Some(_)) => NormAdd::AddNorm,
            (Some(_), None) => NormAdd::Add,
            (None, _) => NormAdd::Norm,
        };
        let kernel = NormAddRows { form, width };
        self.steps.push_rows(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows))
    }

    fn encoder(&mut self, encoder: &Encoder) -> Result<(), PlanError> {
        self.embed(16, GATE)?;
        let embed = self.matrix("patches")?;
        let buffers = [&self.values.state, &self.values.work[GATE], &self.values.work[H]];
        product::push(&mut self.steps, self.weights.limits, embed, None, buffers)?;
        self.position(H)?;
        let norm = |i: u32, name: &str| in_layer(i, &format!("{name}.weight"));
        self.norm(encoder.width, None, Some(norm(0, "ln1")))?;
        for i in 0..encoder.layers {
            for (linear, y) in [("attn_q", Q), ("attn_k", K), ("attn_v", V)] {
                self.product((i, linear), X, y)?;
            }
            self.attention(encoder, i)?;
            // The queries are no longer needed: their buffer holds the branches.
            self.product((i, "attn_out"), X, Q)?;
            let add = Some((norm(i, "attn_post_norm"), Q));
            self.norm(encoder.width, add, Some(norm(i, "ln2")))?;
            self.product((i, "ffn_gate"), X, GATE)?;
            self.cut(Condition::Always);
            self.product((i, "ffn_up"), X, UP)?;
            self.activation(encoder.feed_forward)?;
            self.cut(Condition::Always);
            self.product((i, "ffn_down"), ACT, Q)?;
            let next = (i + 1 < encoder.layers).then(|| norm(i + 1, "ln1"));
            self.norm(encoder.width, Some((norm(i, "ffn_post_norm"), Q)), next)?;
            self.end_layer();
        }
        self.pool(encoder)
    }

    fn attention(&mut self, encoder: &Encoder, i: u32) -> Result<(), PlanError> {
        let (values, work) = (self.values, &self.values.work);
        let params = heads::Params {
            heads: encoder.heads,
            q_norm: self.weights.vector(&in_layer(i, "attn_q_norm.weight"))?,
            k_norm: self.weights.vector(&in_layer(i, "attn_k_norm.weight"))?,
            eps: self.config.eps,
        };
        let buffers = [&values.patch_grid, &self.weights.vectors, &values.rope, &work[Q], &work[K], &work[V]];
        let kernel = heads::Heads { head_dim: encoder.head_dim };
        self.steps.push_rows(kernel, &params, &buffers, move |rows| params.dispatch(rows))?;
        self.cut(Condition::Always);

        let block = Block { head_dim: encoder.head_dim, kv_type: KvType::F32, until: true };
        let all = BlockParams { heads: encoder.heads, kv_heads: encoder.heads, ..BlockParams::default() };
        let buffers = [&values.state, &work[Q], &work[K], &work[V], &work[X], &values.until];
        self.steps.push_rows(block, &all, &buffers, move |rows| block.dispatch(&all, rows))?;
        self.cut(Condition::Short);
        for first_head in 0..encoder.heads {
            let one = BlockParams { first_head, ..all };
            self.steps.push_rows(block, &one, &buffers, move |rows| block.dispatch_heads(&one, rows, 1))?;
            self.cut(Condition::Long);
        }
        Ok(())
    }

    fn activation(&mut self, width: u32) -> Result<(), PlanError> {
        let (values, work) = (self.values, &self.values.work);
        let rows = Rows { stride: width, at: 0 };
        let params = gelu_mul::Params::new(width, rows, rows, rows);
        let buffers = [&values.state, &work[GATE], &work[UP], &work[ACT]];
        self.steps
            .push_rows(gelu_mul::GeluMul, &params, &buffers, move |rows| gelu_mul::dispatch(&params, rows))
    }

    /// From the stream to soft tokens.
    fn pool(&mut self, encoder: &Encoder) -> Result<(), PlanError> {
        let (values, work) = (self.values, &self.values.work);
        let mut params =
            pool::Params { width4: encoder.width / 4, std_bias: 0, std_scale: 0, eps: self.config.eps };
        let mut buffers: Vec<&Value> = vec![&values.patch_grid, &work[H], &work[X]];
        if encoder.standardised {
            params.std_bias = self.weights.vector("v.std_bias")?;
            params.std_scale = self.weights.vector("v.std_scale")?;
            buffers.push(&self.weights.vectors);
        }
        let kernel = pool::Pool { standardise: encoder.standardised };
        self.steps.push_rows(kernel, &params, &buffers, pool::dispatch)?;
        self.cut(Condition::Always);
        self.project(&values.pooled_state, X)?;
        self.cut(Condition::Always);
        if let Some((_, info)) = self.stages.last_mut() {
            info.pooled = true;
        }
        Ok(())
    }

    fn project(&mut self, state: &Value, x: usize) -> Result<(), PlanError> {
        let matrix = self.matrix("projection")?;
        let buffers = [state, &self.values.work[x], &self.values.out];
        product::push(&mut self.steps, self.weights.limits, matrix, None, buffers)
    }

    /// The encoder-free model: patches, norm, product, norm, position, norm, projection.
    fn direct(&mut self, width: u32) -> Result<(), PlanError> {
        let [a, b, c, d] = [0, 1, 2, 3];
        self.embed(48, a)?;
        self.layer_norm((1, 6912), LayerNorm::default(), [a, b])?;
        let dense = self.matrix("patches")?;
        let buffers = [&self.values.state, &self.values.work[b], &self.values.work[c]];
        product::push(&mut self.steps, self.weights.limits, dense, None, buffers)?;
        self.layer_norm((2, width), LayerNorm { bias: true, rms: false }, [c, d])?;
        self.position(d)?;
        self.layer_norm((3, width), LayerNorm { bias: false, rms: true }, [d, c])?;
        self.project(&self.values.state, c)?;
        self.end_layer();
        Ok(())
    }

    fn layer_norm(
        &mut self,
        (number, width): (u32, u32),
        form: LayerNorm,
        [x, y]: [usize; 2],
    ) -> Result<(), PlanError> {
        let work = &self.values.work;
        let vector = |name: String| self.weights.vector(&name);
        let params = layer_norm::Params {
            width4: width / 4,
            weight: vector(format!("v.patch_norm.{number}.weight"))?,
            bias: vector(format!("v.patch_norm.{number}.bias"))?,
            before: vector("v.patch_embd.bias".into())?,
            eps: LAYER_NORM_EPS,
            rms_eps: self.config.eps,
            ..layer_norm::Params::default()
        };
        let buffers = [&self.values.state, &self.weights.vectors, &work[x], &work[y]];
        self.steps.push_rows(form, &params, &buffers, layer_norm::dispatch)
    }
}

// Indices of an encoder's working buffers in `widths`.
const H: usize = 0;
const X: usize = 1;
const Q: usize = 2;
const K: usize = 3;
const V: usize = 4;
const GATE: usize = 5;
const UP: usize = 6;
const ACT: usize = 7;
