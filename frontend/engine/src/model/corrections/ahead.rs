//! What a product leaves for the adapters of the next one, `shaders/wgsl/matvec/low_rank/ahead.wgsl`: z of a product of
//! the normed stream, made of what is known before the norm.

use shaders::backward::input::{ColumnProduct, Params, Tile};
use shaders::matvec::Matvec;

use crate::model::Config;
use crate::model::layer::Site;
use crate::model::layer::{Branch, Operation, Pass, Slot};
use crate::plan::{Grid, Limits, Plan, PlanError, Value};
use crate::weights::{Matrix, Weights};

/// What a product leaves ahead.
pub struct Ahead {
    /// The site behind the product, whose stacked A this is made of.
    pub next: (usize, Site),
    /// Where the weights of the norms in between begin among the vectors: w1 of the branch, w2 of the site.
    pub norms: [u32; 2],
    /// V = A·diag(w2)·diag(w1)·W, `[corrected products · rank, K]`.
    pub v: Matrix,
    /// Where U = A·diag(w2), `[corrected products · rank, width]`, begins in the buffer of the layer, in elements.
    pub u: u32,
    /// Where V's own rows of B begin there, if the product itself is corrected: `[corrected products · rank, rank]`.
    pub b: Option<u32>,
    /// Computes V, once.
    pub plan: Plan,
}

/// Returns the product that can leave z ahead for a site: the one whose result is added to the stream before the site's norm.
pub fn before(config: &Config, layer: usize, site: Site) -> Option<(usize, Site)> {
    // The products of mixtures are not fused.
    if config.width > Matvec::MAX_NORM_K || !config.can_fuse() {
        return None;
    }
    match site {
        Site::GateUp => Some((layer, Site::Output)),
        Site::Qkv if config.ple > 0 => Some((layer.checked_sub(1)?, Site::PleProjection)),
        _ => None,
    }
}

/// Returns the site behind such a product.
pub fn behind(config: &Config, layer: usize, site: Site) -> Option<(usize, Site)> {
    let next = match site {
        Site::Output => (layer, Site::GateUp),
        Site::PleProjection => (layer + 1, Site::Qkv),
        _ => return None,
    };
    (next.0 < config.layers.len() && before(config, next.0, next.1) == Some((layer, site))).then_some(next)
}

/// Where the weights of the branch's norm w1 and of the site's w2 begin.
///
/// # Errors
/// [`PlanError::Missing`] when a layer has no such norm.
pub fn norms(
    config: &Config,
    weights: &Weights,
    (layer, site): (usize, Site),
) -> Result<[u32; 2], PlanError> {
    let [before, behind] = match site {
        Site::GateUp => [(layer, Branch::Attention), (layer, Branch::FeedForward)],
        _ => [(layer.saturating_sub(1), Branch::PerLayer), (layer, Branch::Attention)],
    };
    let find = |i: usize, of: &dyn Fn(&Operation<'_>) -> Option<u32>| {
        let found = config.operations(weights, i, Pass::Tokens)?.iter().find_map(of);
        found.ok_or_else(|| PlanError::Missing { name: format!("norm around {site:?} of layer {layer}") })
    };
    let added = find(before.0, &|operation| match operation {
        Operation::Add { branch, norm, .. } if *branch == before.1 => Some(norm.at),
        _ => None,
    })?;
    let normed = find(behind.0, &|operation| match operation {
        Operation::Norm { of, weight, .. } if *of == Slot::Stream(behind.1) => Some(weight.at),
        _ => None,
    })?;
    Ok([added, normed])
}

/// `V = D·W` for D `[m, N]`, W `[N, K]` and V `[m, K]`, with the kernel that takes gradients through a matrix: what it
/// does is the same. `state` counts the rows.
pub fn plan(limits: Limits, [w, v]: [&Matrix; 2], state: &Value, d: &Value) -> Result<Plan, PlanError> {
    let mut plan = Plan::default();
    let part = w.whole();
    let params = Params::new(&part.layout, false);
    let tile = Tile::choose(v.n, w.k, limits.software);
    let grid = Grid::Fixed(tile.dispatch(&params, v.n));
    let kernel = ColumnProduct { tile, dtype: w.dtype };
    plan.push(kernel, &params, &[&part.value, state, d, &v.whole().value], grid)?;
    Ok(plan)
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
