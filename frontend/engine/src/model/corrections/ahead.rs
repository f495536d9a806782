//! What a product leaves for the adapters of the next one, `shaders/wgsl/matvec/low_rank/ahead.wgsl`: z of a product of
//! the normed stream, made of what is known before the norm.

use std::sync::Arc;

use shaders::backward::input::{Params, Tile};
use shaders::matvec::Matvec;
use shaders::state::State;

use super::Site;
use crate::gpu::{Buffer, Gpu, GpuError, Memory};
use crate::model::Config;
use crate::plan::{Grid, Plan, Value};
use crate::weights::{Matrix, Weights};

/// What a product leaves ahead.
#[derive(Debug)]
pub struct Ahead {
    /// V = A·diag(w2)·diag(w1)·W, `[corrected products · rank, K]`.
    pub v: Matrix,
    /// Where U = A·diag(w2), `[corrected products · rank, width]`, begins in the buffer of the layer, in elements.
    pub u: u32,
    /// Where V's own rows of B begin there, if the product itself is corrected: `[corrected products · rank, rank]`.
    pub b: Option<u32>,
}

/// The product that can leave z ahead for a site: the one whose result is added to the stream before the site's norm.
#[must_use]
pub fn before(config: &Config, layer: usize, site: Site) -> Option<(usize, Site)> {
    if config.width > Matvec::MAX_NORM_K {
        return None;
    }
    match site {
        Site::GateUp => Some((layer, Site::Output)),
        Site::Qkv if config.ple > 0 => Some((layer.checked_sub(1)?, Site::PleProjection)),
        _ => None,
    }
}

/// The site behind such a product.
#[must_use]
pub fn behind(config: &Config, layer: usize, site: Site) -> Option<(usize, Site)> {
    let next = match site {
        Site::Output => (layer, Site::GateUp),
        Site::PleProjection => (layer + 1, Site::Qkv),
        _ => return None,
    };
    (next.0 < config.layers.len() && before(config, next.0, next.1) == Some((layer, site))).then_some(next)
}

/// Values of the norms between a product and the site behind it.
pub struct Norms {
    values: Vec<f32>,
}

impl Norms {
    /// Reads the vectors of a model back from the device.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn read(gpu: &Gpu, vectors: &Buffer) -> Result<Self, GpuError> {
        let bytes = gpu.read_once(vectors, 0, vectors.size()).await?;
        Ok(Self { values: bytemuck::pod_collect_to_vec(&bytes) })
    }

    /// The branch's norm w1 and the site's w2.
    pub fn at(&self, weights: &Weights, layer: usize, site: Site) -> Result<[&[f32]; 2], GpuError> {
        let names = match site {
            Site::GateUp => [format!("blk.{layer}.post_attention_norm"), format!("blk.{layer}.ffn_norm")],
            _ => [format!("blk.{}.post_norm", layer.saturating_sub(1)), format!("blk.{layer}.attn_norm")],
        };
        let find = |name: &str| {
            let &(first, len) = weights.places.get(name)?;
            self.values.get(first as usize..(first + len) as usize)
        };
        let missing = || GpuError::Fault { reason: format!("no vector {} or {}", names[0], names[1]) };
        Ok([find(&names[0]).ok_or_else(missing)?, find(&names[1]).ok_or_else(missing)?])
    }
}

/// Each row of `matrix` times `vector`, element by element.
pub fn scaled(matrix: &[f32], vector: &[f32]) -> Vec<f32> {
    matrix.iter().zip(vector.iter().cycle()).map(|(a, w)| a * w).collect()
}

/// `a·b` for a `[m, n]` and b `[n, rank]`.
pub fn product(a: &[f32], b: &[f32], rank: usize) -> Vec<f32> {
    let n = b.len() / rank;
    let row = |a: &[f32]| {
        let mut sums = vec![0.0_f64; rank];
        for (&a, b) in a.iter().zip(b.chunks_exact(rank)) {
            sums.iter_mut().zip(b).for_each(|(sum, &b)| *sum += f64::from(a) * f64::from(b));
        }
        sums.into_iter().map(|sum| sum as f32).collect::<Vec<_>>()
    };
    a.chunks_exact(n).flat_map(row).collect()
}

/// A product `V = D·W` that is still to be computed on the device.
pub struct Pending<'m> {
    /// D, `[m, N]`, and where it lies.
    pub d: Value,
    pub buffer: Arc<Buffer>,
    /// W, `[N, K]`.
    pub w: &'m Matrix,
    /// V, `[m, K]`.
    pub v: Matrix,
}

/// Computes them, with the kernel that takes gradients through a matrix: what it does is the same.
///
/// # Errors
/// When the device refuses it.
pub async fn compute(
    gpu: &Gpu,
    pending: &[Pending<'_>],
    model: &Memory,
    adapters: &Memory,
) -> Result<(), GpuError> {
    for Pending { d, buffer, w, v } in pending {
        let mut plan = Plan::default();
        let rows = gpu.storage_with("adapter rows", &[State { len: v.n, ..State::default() }])?;
        let state = Value::temporary("adapter rows", rows.size());
        let mut memory = Memory::default();
        memory.insert(state.clone(), rows);
        memory.insert(d.clone(), Arc::clone(buffer));
        let part = w.whole();
        let params = Params::new(&part.layout, false);
        let tile = Tile::choose(v.n, w.k);
        let v_value = &v.whole().value;
        memory.insert(part.value.clone(), Arc::clone(model.get(&part.value)?));
        memory.insert(v_value.clone(), Arc::clone(adapters.get(v_value)?));
        let grid = Grid::Fixed(tile.dispatch(&params, v.n));
        plan.push(&tile.source(w.dtype)?, &params, &[&part.value, &state, d, v_value], grid)?;
        gpu.run(&gpu.bind(&plan, &memory).await?, 1);
    }
    gpu.drained().await
}
