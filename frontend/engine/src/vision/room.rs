//! The buffers that a tower works in, and its lists of dispatches, for pictures up to a size.

use std::rc::Rc;
use std::sync::Arc;

use shaders::attention::block::{Block, Params as BlockParams};
use shaders::rows::gelu_mul::{self, Rows};
use shaders::rows::norm_add::{NormAdd, Params as NormParams};
use shaders::selftest::Form;
use shaders::state::State;
use shaders::vision::layer_norm::{self, LayerNorm};
use shaders::vision::{Picture, heads, patches, pool, position};

use super::config::{Encoder, Kind, TowerConfig};
use super::tensors::{clamps, in_layer};
use crate::gpu::{Buffer, Gpu, GpuError, Grid, Steps};
use crate::model::product;
use crate::weights::{Matrix, Weights};

/// Patches of a picture whose attention is one dispatch for all heads. Longer ones take a head at a time, so that no
/// submit keeps a slow device for long.
const WHOLE_ATTENTION: u32 = 2560;
/// ε of the layer norms of the encoder-free model; no key says it.
const LAYER_NORM_EPS: f32 = 1e-5;
/// Base of the rotations; no key says it.
const THETA: f64 = 100.0;

/// Which pictures a stage is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    Short,
    Long,
}

/// What one submit runs.
pub struct Stage {
    steps: Steps,
    when: When,
    /// Whether rows are soft tokens, not patches.
    pooled: bool,
    /// Whether a layer ends with it: a moment to wait, to tell how far it is, and to stop.
    pub ends_layer: bool,
}

impl Stage {
    /// Its dispatches.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Submits the stage for a picture, if it is for such.
    pub fn run(&self, gpu: &Gpu, patches: u32, tokens: u32) {
        let long = patches > WHOLE_ATTENTION;
        if self.when == When::Always || (self.when == When::Long) == long {
            gpu.run(&self.steps, if self.pooled { tokens } else { patches });
        }
    }
}

/// Buffers and lists.
pub struct Room {
    /// Rows of the patches' matrices.
    pub rows: u32,
    /// The grid of the picture.
    pub picture: Arc<Buffer>,
    /// `State` whose length is the number of patches.
    pub state: Arc<Buffer>,
    /// `State` whose length is the number of soft tokens.
    pub pooled_state: Arc<Buffer>,
    /// RGB bytes.
    pub pixels: Arc<Buffer>,
    /// For each patch the end of what it sees: all patches.
    pub until: Arc<Buffer>,
    /// Soft tokens of the picture.
    pub out: Arc<Buffer>,
    /// The lists in order.
    pub stages: Vec<Stage>,
    /// Kept for their bind groups.
    kept: Vec<Arc<Buffer>>,
}

/// Elements of a row of each working buffer, in the order of [`Builder`].
fn widths(config: &TowerConfig) -> Vec<u64> {
    match config.kind {
        Kind::Encoder(e) => {
            let (d, ff) = (u64::from(e.width), u64::from(e.feed_forward));
            // Stream, normed stream, q, k, v; gate (the cut picture before), up, activated.
            vec![d, d, d, d, d, ff.max(768), ff, ff]
        }
        Kind::Direct(width) => vec![6912, 6912, width.into(), width.into()],
    }
}

/// Bytes of a room for so many rows.
pub fn bytes(config: &TowerConfig, rows: u32) -> u64 {
    let (pixels, tokens) = sizes(config, rows);
    let widths: u64 = widths(config).iter().sum();
    let rotations = match config.kind {
        Kind::Encoder(e) => 2 * u64::from(config.positions) * u64::from(e.head_dim / 4),
        Kind::Direct(_) => 0,
    };
    4 * (u64::from(rows) * (widths + 1) + tokens * u64::from(config.model_width) + rotations) + pixels
}

/// Bytes of the pixels, and soft tokens.
fn sizes(config: &TowerConfig, rows: u32) -> (u64, u64) {
    let rows = u64::from(rows);
    match config.kind {
        Kind::Encoder(_) => (rows * 768, rows / 9),
        Kind::Direct(_) => (rows * 6912, rows),
    }
}

struct Builder<'a> {
    gpu: &'a Gpu,
    weights: &'a Weights,
    config: &'a TowerConfig,
    work: Vec<Arc<Buffer>>,
    steps: Steps,
    stages: Vec<Stage>,
}

impl Room {
    /// Allocates the buffers and makes the lists.
    ///
    /// # Errors
    /// When the device has no room, or refuses a kernel.
    pub async fn new(
        gpu: &Gpu,
        weights: &Weights,
        config: &TowerConfig,
        rows: u32,
    ) -> Result<Self, GpuError> {
        let (pixels, tokens) = sizes(config, rows);
        let all = bytes(config, rows);
        let rotations = match config.kind {
            Kind::Encoder(e) => heads::table(THETA, e.head_dim, config.positions),
            Kind::Direct(_) => Vec::new(),
        };
        let mut room = gpu
            .allocating("the memory to look at a picture", all, || {
                let work = widths(config).into_iter().map(|w| gpu.storage("vision", 4 * u64::from(rows) * w));
                Ok(Self {
                    rows,
                    picture: gpu.storage("vision picture", size_of::<Picture>() as u64)?,
                    state: gpu.storage("vision state", size_of::<State>() as u64)?,
                    pooled_state: gpu.storage("vision pooled state", size_of::<State>() as u64)?,
                    pixels: gpu.storage("vision pixels", pixels)?,
                    until: gpu.storage("vision until", 4 * u64::from(rows))?,
                    out: gpu.storage("vision out", 4 * tokens * u64::from(config.model_width))?,
                    stages: Vec::new(),
                    kept: work.collect::<Result<_, GpuError>>()?,
                })
            })
            .await?;
        let work = room.kept.clone();
        let mut builder = Builder { gpu, weights, config, work, steps: Steps::default(), stages: Vec::new() };
        match config.kind {
            Kind::Encoder(encoder) => {
                let rope = gpu.storage_with("vision rotations", &rotations)?;
                gpu.validating(builder.encoder(&room, &encoder, &rope)).await?;
                room.kept.push(rope);
            }
            Kind::Direct(width) => gpu.validating(builder.direct(&room, width)).await?,
        }
        room.stages = builder.stages;
        Ok(room)
    }
}

impl Builder<'_> {
    fn matrix(&self, name: &str) -> Result<&Matrix, GpuError> {
        self.weights.matrix(name).ok_or_else(|| GpuError::Fault { reason: format!("no matrix {name}") })
    }

    /// Ends a stage.
    fn cut(&mut self, when: When) {
        let steps = std::mem::take(&mut self.steps);
        self.stages.push(Stage { steps, when, pooled: false, ends_layer: false });
    }

    fn end_layer(&mut self) {
        self.cut(When::Always);
        if let Some(stage) = self.stages.last_mut() {
            stage.ends_layer = true;
        }
    }

    async fn push<P: bytemuck::Pod>(
        &mut self,
        (source, form): (shaders::Source, Form),
        params: &P,
        buffers: &[&wgpu::Buffer],
        grid: impl Fn(u32) -> [u32; 3] + 'static,
    ) -> Result<(), GpuError> {
        self.steps.push(self.gpu, &source, params, buffers, Grid::Rows(Rc::new(grid))).await?;
        self.steps.tried_as(form);
        Ok(())
    }

    /// The picture cut into patches, through the first product.
    async fn embed(&mut self, room: &Room, side: u32, into: usize) -> Result<(), GpuError> {
        let work = self.work.clone();
        let params = if side == 16 { patches::Params::SIGNED } else { patches::Params::UNSIGNED };
        let buffers: [&wgpu::Buffer; 3] = [&room.picture, &room.pixels, &work[into]];
        let kernel = (patches::source(side)?, Form::Patches(side));
        self.push(kernel, &params, &buffers, move |rows| patches::dispatch(side, rows)).await
    }

    async fn position(&mut self, room: &Room, h: usize) -> Result<(), GpuError> {
        let work = self.work.clone();
        let (columns, rows) = (self.matrix("columns")?.clone(), self.matrix("rows")?.clone());
        let params = position::Params::new(&columns.whole().layout, &rows.whole().layout);
        let buffers: [&wgpu::Buffer; 4] =
            [&room.picture, &columns.whole().buffer, &rows.whole().buffer, &work[h]];
        let kernel = (position::source(columns.dtype)?, Form::Positions(columns.dtype));
        self.push(kernel, &params, &buffers, move |rows| params.dispatch(rows)).await
    }

    /// A product, clipped where the file has bounds for it.
    async fn product(
        &mut self,
        room: &Room,
        (layer, linear): (u32, &str),
        x: usize,
        y: usize,
    ) -> Result<(), GpuError> {
        let bounds = clamps(self.weights, layer, linear);
        let matrix = self.matrix(&in_layer(layer, linear))?.clone();
        let buffers: [&Buffer; 3] = [&room.state, &self.work[x], &self.work[y]];
        product::push(self.gpu, &mut self.steps, &matrix, bounds, buffers).await
    }

    /// Adds the normed branch to the stream (`add`: its norm), then norms the stream (`norm`).
    async fn norm(
        &mut self,
        room: &Room,
        width: u32,
        add: Option<(String, usize)>,
        norm: Option<String>,
    ) -> Result<(), GpuError> {
        let work = self.work.clone();
        let mut params = NormParams::new(width, self.config.eps);
        let mut buffers: Vec<&wgpu::Buffer> = vec![&room.state, &self.weights.vectors, &work[H]];
        if let Some((name, branch)) = &add {
            params.branch_norm = self.weights.vector(name);
            buffers.push(&work[*branch]);
        }
        if let Some(name) = &norm {
            params.norm = self.weights.vector(name);
            buffers.push(&work[X]);
        }
        let form = match (add, norm) {
            (Some(_), Some(_)) => NormAdd::AddNorm,
            (Some(_), None) => NormAdd::Add,
            (None, _) => NormAdd::Norm,
        };
        let kernel = (form.source()?, Form::NormAdd(form));
        self.push(kernel, &params, &buffers, move |rows| NormAdd::dispatch(&params, rows)).await
    }

    async fn encoder(&mut self, room: &Room, encoder: &Encoder, rope: &wgpu::Buffer) -> Result<(), GpuError> {
        self.embed(room, 16, GATE).await?;
        let embed = self.matrix("patches")?.clone();
        let buffers: [&Buffer; 3] = [&room.state, &self.work[GATE], &self.work[H]];
        product::push(self.gpu, &mut self.steps, &embed, None, buffers).await?;
        self.position(room, H).await?;
        let norm = |i: u32, name: &str| in_layer(i, &format!("{name}.weight"));
        self.norm(room, encoder.width, None, Some(norm(0, "ln1"))).await?;
        for i in 0..encoder.layers {
            for (linear, y) in [("attn_q", Q), ("attn_k", K), ("attn_v", V)] {
                self.product(room, (i, linear), X, y).await?;
            }
            self.attention(room, encoder, i, rope).await?;
            // The queries are done with: their buffer takes the branches.
            self.product(room, (i, "attn_out"), X, Q).await?;
            let add = Some((norm(i, "attn_post_norm"), Q));
            self.norm(room, encoder.width, add, Some(norm(i, "ln2"))).await?;
            self.product(room, (i, "ffn_gate"), X, GATE).await?;
            self.cut(When::Always);
            self.product(room, (i, "ffn_up"), X, UP).await?;
            self.activation(room, encoder.feed_forward).await?;
            self.cut(When::Always);
            self.product(room, (i, "ffn_down"), ACT, Q).await?;
            let next = (i + 1 < encoder.layers).then(|| norm(i + 1, "ln1"));
            self.norm(room, encoder.width, Some((norm(i, "ffn_post_norm"), Q)), next).await?;
            self.end_layer();
        }
        self.pool(room, encoder).await
    }

    async fn attention(
        &mut self,
        room: &Room,
        encoder: &Encoder,
        i: u32,
        rope: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let work = self.work.clone();
        let params = heads::Params {
            heads: encoder.heads,
            q_norm: self.weights.vector(&in_layer(i, "attn_q_norm.weight")),
            k_norm: self.weights.vector(&in_layer(i, "attn_k_norm.weight")),
            eps: self.config.eps,
        };
        let buffers: [&wgpu::Buffer; 6] =
            [&room.picture, &self.weights.vectors, rope, &work[Q], &work[K], &work[V]];
        let kernel = (heads::source(encoder.head_dim)?, Form::TurnedHeads(encoder.head_dim));
        self.push(kernel, &params, &buffers, move |rows| params.dispatch(rows)).await?;
        self.cut(When::Always);

        let block = Block { head_dim: encoder.head_dim, kv_f16: false, until: true };
        let all = BlockParams { heads: encoder.heads, kv_heads: encoder.heads, ..BlockParams::default() };
        let buffers: [&wgpu::Buffer; 6] = [&room.state, &work[Q], &work[K], &work[V], &work[X], &room.until];
        let kernel = (block.source()?, Form::Block(block));
        self.push(kernel.clone(), &all, &buffers, move |rows| block.dispatch(&all, rows)).await?;
        self.cut(When::Short);
        for first_head in 0..encoder.heads {
            let one = BlockParams { first_head, ..all };
            self.push(kernel.clone(), &one, &buffers, move |rows| block.dispatch_heads(&one, rows, 1))
                .await?;
            self.cut(When::Long);
        }
        Ok(())
    }

    async fn activation(&mut self, room: &Room, width: u32) -> Result<(), GpuError> {
        let work = self.work.clone();
        let rows = Rows { stride: width, at: 0 };
        let params = gelu_mul::Params::new(width, rows, rows, rows);
        let buffers: [&wgpu::Buffer; 4] = [&room.state, &work[GATE], &work[UP], &work[ACT]];
        let kernel = (gelu_mul::source()?, Form::GeluMul);
        self.push(kernel, &params, &buffers, move |rows| gelu_mul::dispatch(&params, rows)).await
    }

    /// From the stream to soft tokens.
    async fn pool(&mut self, room: &Room, encoder: &Encoder) -> Result<(), GpuError> {
        let work = self.work.clone();
        let mut params =
            pool::Params { width4: encoder.width / 4, std_bias: 0, std_scale: 0, eps: self.config.eps };
        let mut buffers: Vec<&wgpu::Buffer> = vec![&room.picture, &work[H], &work[X]];
        if encoder.standardised {
            params.std_bias = self.weights.vector("v.std_bias");
            params.std_scale = self.weights.vector("v.std_scale");
            buffers.push(&self.weights.vectors);
        }
        let kernel = (pool::source(encoder.standardised)?, Form::Pool(encoder.standardised));
        self.push(kernel, &params, &buffers, pool::dispatch).await?;
        self.cut(When::Always);
        self.project(&room.pooled_state, X, &room.out).await?;
        self.cut(When::Always);
        if let Some(stage) = self.stages.last_mut() {
            stage.pooled = true;
        }
        Ok(())
    }

    async fn project(&mut self, state: &Buffer, x: usize, out: &Buffer) -> Result<(), GpuError> {
        let matrix = self.matrix("projection")?.clone();
        let buffers: [&Buffer; 3] = [state, &self.work[x], out];
        product::push(self.gpu, &mut self.steps, &matrix, None, buffers).await
    }

    /// The encoder-free model: patches, norm, product, norm, position, norm, projection.
    async fn direct(&mut self, room: &Room, width: u32) -> Result<(), GpuError> {
        let [a, b, c, d] = [0, 1, 2, 3];
        self.embed(room, 48, a).await?;
        self.layer_norm(room, (1, 6912), LayerNorm::default(), [a, b]).await?;
        let dense = self.matrix("patches")?.clone();
        let buffers: [&Buffer; 3] = [&room.state, &self.work[b], &self.work[c]];
        product::push(self.gpu, &mut self.steps, &dense, None, buffers).await?;
        self.layer_norm(room, (2, width), LayerNorm { bias: true, rms: false }, [c, d]).await?;
        self.position(room, d).await?;
        self.layer_norm(room, (3, width), LayerNorm { bias: false, rms: true }, [d, c]).await?;
        self.project(&room.state, c, &room.out).await?;
        self.end_layer();
        Ok(())
    }

    async fn layer_norm(
        &mut self,
        room: &Room,
        (number, width): (u32, u32),
        form: LayerNorm,
        [x, y]: [usize; 2],
    ) -> Result<(), GpuError> {
        let work = self.work.clone();
        let vector = |name: String| self.weights.vector(&name);
        let params = layer_norm::Params {
            width4: width / 4,
            weight: vector(format!("v.patch_norm.{number}.weight")),
            bias: vector(format!("v.patch_norm.{number}.bias")),
            before: vector("v.patch_embd.bias".into()),
            eps: LAYER_NORM_EPS,
            rms_eps: self.config.eps,
            ..layer_norm::Params::default()
        };
        let buffers: [&wgpu::Buffer; 4] = [&room.state, &self.weights.vectors, &work[x], &work[y]];
        self.push((form.source()?, Form::LayerNorm(form)), &params, &buffers, layer_norm::dispatch).await
    }
}

// Working buffers of an encoder, by their places in `widths`.
const H: usize = 0;
const X: usize = 1;
const Q: usize = 2;
const K: usize = 3;
const V: usize = 4;
const GATE: usize = 5;
const UP: usize = 6;
const ACT: usize = 7;
