//! Repacking an expert into a slot.

use shaders::repack::{PieceError, Repack};
use shaders::{DType, PlanarLayout, repack};

use crate::model::Parts;
use crate::model::expert_scratch::{CacheValues, expert_matrices};
use crate::plan::{Grid, Plan, PlanError};

/// A range of slots in one buffer of a matrix.
pub struct PartPlan {
    /// First slot.
    pub first: u32,
    /// Repacks the staged rows of one expert.
    pub plan: Plan,
    /// Where the slots are.
    layout: PlanarLayout,
    /// Rows per expert.
    rows: u32,
}

/// A matrix of the experts of a layer.
pub struct MatrixPlans {
    /// Its name.
    pub name: String,
    /// Bytes of one expert in the file.
    pub bytes: u64,
    /// In order of slots; at least one.
    pub parts: Vec<PartPlan>,
}

/// The plans that bring an expert into a slot.
pub struct CachePlans {
    /// By layer, then by matrix.
    pub layers: Vec<Vec<MatrixPlans>>,
}

impl PartPlan {
    /// Returns the parameters for a slot of this part.
    ///
    /// # Errors
    /// When the rows of an expert don't begin with a word of their plane.
    pub fn params(&self, slot: u32) -> Result<repack::Params, PieceError> {
        repack::Params::new(&self.layout, (slot - self.first) * self.rows, self.rows, 0)
    }
}

impl CachePlans {
    /// Describes them; none without a cache.
    pub fn new(parts: &Parts) -> Result<Self, PlanError> {
        let cache = parts.scratch.experts.as_ref().and_then(|scratch| scratch.cache.as_ref());
        let layers = cache.map_or(0, |_| parts.config.layers.len());
        let layer = |i| cache.map_or(Ok(Vec::new()), |cache| layer(parts, cache, i));
        Ok(Self { layers: (0..layers).map(layer).collect::<Result<_, _>>()? })
    }

    /// Returns all plans.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.layers.iter().flatten().flat_map(|matrix| &matrix.parts).map(|part| &part.plan)
    }
}

fn layer(parts: &Parts, cache: &CacheValues, i: usize) -> Result<Vec<MatrixPlans>, PlanError> {
    let Some(experts) = parts.config.experts else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    let layer = expert_matrices(&parts.weights, experts, parts.config.width, i);
    for ((name, matrix, rows), [staging, params]) in layer.into_iter().zip(&cache.staging) {
        let mut of_matrix = Vec::new();
        for part in &matrix.parts {
            let mut plan = Plan::default();
            let grid = Grid::Fixed(grid(matrix.dtype, &part.layout, rows));
            plan.push_shared(Repack(matrix.dtype), params, &[staging, &part.value], grid)?;
            let first = part.row0 / rows;
            of_matrix.push(PartPlan { first, plan, layout: part.layout, rows });
        }
        let bytes = matrix.dtype.row_bytes(matrix.k.into()).unwrap_or(0) * u64::from(rows);
        all.push(MatrixPlans { name, bytes, parts: of_matrix });
    }
    Ok(all)
}

/// Workgroups that repack the rows of one expert.
fn grid(dtype: DType, layout: &PlanarLayout, rows: u32) -> [u32; 3] {
    repack::Params::new(layout, 0, rows, 0).map_or([0; 3], |params| repack::dispatch(dtype, &params))
}
