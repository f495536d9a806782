//! The plans of a model that decodes by diffusion (specification §13).
//!
//! | plan | computes |
//! |---|---|
//! | encode | A chunk of tokens that are final, through all layers with the scalars of the encoder: their keys and values. |
//! | canvas | A canvas: embeddings and self-conditioning on the step before, all layers with the scalars of the decoder, the output norm. |
//! | statistics | The head in tiles: largest logit, sum of exponentials and entropy of every row. |
//! | weigh | The head in tiles once more: a sample of every row, and the embeddings weighted by their probabilities. |
//!
//! A canvas puts its keys and values behind those of the final tokens, where the next step, and at last the encoder,
//! overwrites them. A ring has room for its window and for a canvas: nothing that is still needed is lost. Logits exist
//! for a tile at a time, probabilities take their place there.

use shaders::PlanarLayout;
use shaders::backward::input;
use shaders::diffusion::{Pick, Row, join, statistics, weigh};
use shaders::matmul::CooperativeTile;
use shaders::matrix_units::MIN_ROWS;
use shaders::rows::gelu_mul::{self, Rows};

use crate::model::expert_cache::CachePlans;
use crate::model::rows::{self, norm_add, product};
use crate::model::{Parts, chunk, embed, prefill, product as products, rounded_rows};
use crate::plan::{Layout, Limits, Origin, ParamsArena, Plan, PlanError, Schedule, Value};
use crate::weights::Matrix;

/// Values beside those that the plans share with prefill. There are as many rows as in the longest chunk.
pub struct Values {
    /// The temperature of the step, f32.
    pub temperature: Value,
    /// What samples are drawn by, f32 `[T]` in 0..1.
    pub uniform: Value,
    /// Embeddings weighted by the probabilities of the step before, scaled as embeddings are; zero in the first step of a
    /// block. f32 `[T, width]`.
    pub soft: Value,
    /// Logits of a tile of the vocabulary, then probabilities. f32 `[T, tile]`.
    pub tile: Value,
    /// [`Row`]s, `[T]`.
    pub rows: Value,
    /// [`Pick`]s, `[T]`.
    pub picks: Value,
    /// What rows and picks are copied to.
    pub readbacks: [Value; 2],
}

impl Values {
    fn describe(parts: &Parts) -> Self {
        let t = u64::from(chunk(&parts.config));
        let rows = |name: &'static str, width: u32| Value::state(name, 4 * t * u64::from(width));
        let [row_bytes, pick_bytes] = [size_of::<Row>(), size_of::<Pick>()].map(|bytes| t * bytes as u64);
        Self {
            temperature: Value::state("temperature", 4),
            uniform: rows("uniform draws", 1),
            soft: rows("weighted embeddings", parts.config.width),
            tile: Value::temporary("tile of logits", 4 * t * u64::from(tile(parts.vocabulary))),
            rows: Value::state("statistics", row_bytes),
            picks: Value::state("samples", pick_bytes),
            readbacks: [row_bytes, pick_bytes].map(|bytes| Value::new("results", bytes, Origin::Readback)),
        }
    }
}

/// Pieces of a tile of the vocabulary, a multiple of 32, as parts of planar matrices need. A published vocabulary has 32
/// tiles; small ones, which tests have, are cut as well.
fn tile(vocabulary: u32) -> u32 {
    (vocabulary / 32).next_multiple_of(32).clamp(256, 8192).min(vocabulary.next_multiple_of(32))
}

/// Everything that a diffusion model does.
pub struct DiffusionPlans {
    /// What they work in.
    pub values: Values,
    /// Keys and values of a chunk of final tokens.
    pub encode: Plan,
    /// The normed stream of a canvas.
    pub canvas: Plan,
    /// The largest logit, the sum of exponentials and the entropy of every row.
    pub statistics: Plan,
    /// A sample of every row, and the embeddings weighted by their probabilities.
    pub weigh: Plan,
    /// Repacking experts into the slots of a cache.
    cache: CachePlans,
}

impl DiffusionPlans {
    /// Describes them.
    pub fn new(parts: &Parts) -> Result<Self, PlanError> {
        let values = Values::describe(parts);
        let mut encode = embed::tokens(parts)?;
        encode.extend(&prefill::plan(parts, None, parts.config.layers.len())?);
        let mut canvas = embed::tokens(parts)?;
        condition(parts, &values, &mut canvas)?;
        canvas.extend(&prefill::canvas(parts)?);
        let norm = parts.weights.vector("output_norm")?;
        norm_add(parts, &mut canvas, &parts.scratch.h[0], None, Some(norm))?;
        let (statistics, weigh) = (statistics_plan(parts, &values)?, weigh_plan(parts, &values)?);
        let cache = CachePlans::new(parts)?;
        Ok(Self { values, encode, canvas, statistics, weigh, cache })
    }

    /// Returns those that a chunk or a step runs.
    pub fn main(&self) -> [&Plan; 4] {
        [&self.encode, &self.canvas, &self.statistics, &self.weigh]
    }

    /// Returns the plans whose kernels a load compiles.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.main().into_iter().chain(self.cache.all())
    }

    /// Returns a step of a canvas.
    pub fn step(&self) -> Schedule<'_> {
        vec![&self.canvas, &self.statistics, &self.weigh]
    }

    /// What runs one after the other.
    pub fn schedules(&self) -> Vec<Schedule<'_>> {
        let caches = self.cache.all().map(|plan| vec![plan]);
        [vec![&self.encode], self.step()].into_iter().chain(caches).collect()
    }

    /// Returns the buffers of everything: weights, cache, and what the plans work in.
    pub fn layout(&self, parts: &Parts) -> Layout {
        let experts = parts.scratch.experts.as_ref().and_then(|experts| experts.cache.as_ref());
        let of_host = self.values.readbacks.iter().chain(experts.iter().flat_map(|cache| cache.of_host()));
        let others = parts.kv.values().chain(parts.weights.values()).chain(of_host);
        Layout::of(&self.schedules()).with(others)
    }

    /// Bytes of the parameters of the main plans, which share a buffer; those of a cache are values.
    pub fn params_bytes(&self, limits: Limits) -> u64 {
        ParamsArena::of(&self.main(), limits).buffer_bytes()
    }
}

/// Adds to the embeddings in `h[0]` self-conditioning on the step before, and norms the sum.
fn condition(parts: &Parts, values: &Values, steps: &mut Plan) -> Result<(), PlanError> {
    let (s, w, config) = (&parts.scratch, &parts.weights, &parts.config);
    norm_add(parts, steps, &values.soft, None, Some(w.vector("self_cond_pre_norm")?))?;
    let (gate, up) = (parts.matrix("self_cond_gate")?, parts.matrix("self_cond_up")?);
    rows::products(parts, steps, &[(gate, &s.gate), (up, &s.up)], &s.x)?;
    let width = parts.matrix("self_cond_gate")?.n;
    let rows = Rows { stride: width, at: 0 };
    let params = gelu_mul::Params::new(width, rows, rows, rows);
    let operands = [&s.state, &s.gate, &s.up, &s.act];
    steps.push_rows(gelu_mul::GeluMul, &params, &operands, move |rows| gelu_mul::dispatch(&params, rows))?;
    product(parts, steps, "self_cond_down", &s.act, &s.branch)?;
    let params = join::Params::new(config.width, config.eps);
    steps.push_rows(join::Join, &params, &[&s.state, &s.branch, &s.h[0]], join::dispatch)
}

/// Some pieces of the vocabulary: rows of the embedding, which is the head, too.
pub struct Tile<'a> {
    /// The embedding.
    pub matrix: &'a Matrix,
    /// Its first piece.
    pub row0: u32,
    /// Its rows.
    pub layout: PlanarLayout,
    /// What they lie in.
    pub value: &'a Value,
}

/// Returns the vocabulary in tiles.
pub fn tiles(parts: &Parts) -> Result<Vec<Tile<'_>>, PlanError> {
    let matrix = parts.matrix("token_embd")?;
    let size = tile(parts.vocabulary);
    let mut all = Vec::new();
    for part in &matrix.parts {
        for row in (0..part.layout.n).step_by(size as usize) {
            let layout = part.layout.rows(row, size.min(part.layout.n - row));
            all.push(Tile { matrix, row0: part.row0 + row, layout, value: &part.value });
        }
    }
    Ok(all)
}

/// Raw logits of a tile, from the normed stream in `x`.
pub fn logits(parts: &Parts, values: &Values, tile: &Tile<'_>, steps: &mut Plan) -> Result<(), PlanError> {
    let s = &parts.scratch;
    let weights = (tile.matrix.dtype, &tile.layout, tile.value);
    rounded_rows::push_all(steps, parts.limits, &[(weights, &values.tile)], &s.x, s)
}

fn statistics_plan(parts: &Parts, values: &Values) -> Result<Plan, PlanError> {
    let mut steps = Plan::default();
    for (index, tile) in tiles(parts)?.iter().enumerate() {
        logits(parts, values, tile, &mut steps)?;
        let params = statistics::Params {
            n: tile.layout.n,
            row0: tile.row0,
            first: u32::from(index == 0),
            softcap: parts.config.softcap,
        };
        let operands = [&parts.scratch.state, &values.temperature, &values.tile, &values.rows];
        steps.push_rows(statistics::Statistics, &params, &operands, statistics::dispatch)?;
    }
    Ok(steps)
}

fn weigh_plan(parts: &Parts, values: &Values) -> Result<Plan, PlanError> {
    let (state, config) = (&parts.scratch.state, &parts.config);
    let mut steps = Plan::default();
    for (index, tile) in tiles(parts)?.iter().enumerate() {
        logits(parts, values, tile, &mut steps)?;
        let params = weigh::Params {
            n: tile.layout.n,
            row0: tile.row0,
            first: u32::from(index == 0),
            softcap: config.softcap,
            scale: (config.width as f32).sqrt(),
            ..Default::default()
        };
        let Values { temperature, uniform, rows, tile: logits, picks, .. } = values;
        let operands = [state, temperature, uniform, rows, logits, picks];
        steps.push_rows(weigh::Weigh, &params, &operands, weigh::dispatch)?;
        weighted_embeddings(parts, values, tile, index > 0, &mut steps)?;
    }
    Ok(steps)
}

/// The rows of a tile of the embedding, weighted by the probabilities in `tile`: the first in `soft`, the others added to it.
fn weighted_embeddings(
    parts: &Parts,
    values: &Values,
    tile: &Tile<'_>,
    add: bool,
    steps: &mut Plan,
) -> Result<(), PlanError> {
    let (state, limits) = (&parts.scratch.state, parts.limits);
    let (dtype, PlanarLayout { n, k, .. }) = (tile.matrix.dtype, tile.layout);
    let by_units = limits.matrix_units && CooperativeTile::suits_columns(dtype, n);
    let least = if by_units { MIN_ROWS } else { u32::MAX };
    if by_units {
        let usual = parts.config.diffusion.map_or(MIN_ROWS, |settings| settings.canvas);
        products::push_columns(
            steps,
            (dtype, &tile.layout, tile.value),
            [state, &values.tile, &values.soft],
            [usual, chunk(&parts.config)],
            add,
        )?;
    }
    let params = input::Params::new(&tile.layout, add);
    for &size in input::Tile::all(limits.software) {
        let is_chosen = move |rows| rows < least && input::Tile::choose(rows, k, limits.software) == size;
        let grid = move |rows| if is_chosen(rows) { size.dispatch(&params, rows) } else { [0; 3] };
        let operands = [tile.value, state, &values.tile, &values.soft];
        let kernel = input::ColumnProduct { tile: size, dtype };
        steps.push_rows(kernel, &params, &operands, grid)?;
    }
    Ok(())
}
