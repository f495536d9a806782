//! The numbers of all adapters at one site, stacked.

use std::ops::Range;

use shaders::{DType, PlanarLayout};

use super::Site;
use crate::adapter::{Adapter, Target};
use crate::gpu::{Gpu, GpuError, Memory};
use crate::plan::{Origin, Value};
use crate::weights::{Matrix, Part, Weights};

/// Where the numbers of a site go.
pub struct Stack {
    /// Columns of A.
    pub k: u32,
    /// Rows of B.
    pub rows: u32,
    /// Where the z and the rows of B of each product begin, in elements.
    pub places: [Option<(u32, u32)>; 3],
}

impl Stack {
    /// None where no adapter corrects anything.
    pub fn of(weights: &Weights, adapters: &[&Adapter], rank: u32, layer: usize, site: Site) -> Option<Self> {
        let mut stack = Self { k: 0, rows: 0, places: [None; 3] };
        let mut z = 0;
        for (place, &projection) in stack.places.iter_mut().zip(site.projections()) {
            let target = Target { layer, projection };
            let Some(matrix) = weights.matrix(&target.to_string()) else { continue };
            if adapters.iter().any(|adapter| adapter.get(target).is_some()) {
                *place = Some((z, stack.rows * rank));
                z += rank;
                stack.k = matrix.k;
                stack.rows += matrix.n;
            }
        }
        (stack.k > 0).then_some(stack)
    }

    /// Products that are corrected.
    pub fn corrected(&self) -> u32 {
        self.places.iter().flatten().count() as u32
    }

    /// Bytes of A and B.
    pub fn bytes(&self, rank: u32) -> u64 {
        4 * u64::from(rank) * (u64::from(self.corrected()) * u64::from(self.k) + u64::from(self.rows))
    }

    /// A, `[corrected products · rank, K]`, and B, `[rows, rank]`.
    pub fn numbers(
        &self,
        adapters: &[&Adapter],
        spans: &[Range<u32>],
        layer: usize,
        site: Site,
    ) -> (Vec<f32>, Vec<f32>) {
        let rank = spans.last().map_or(0, |span| span.end);
        let (k, r) = (self.k as usize, rank as usize);
        let mut a = vec![0.0; (self.corrected() * rank) as usize * k];
        let mut b = vec![0.0; self.rows as usize * r];
        for (place, &projection) in self.places.iter().zip(site.projections()) {
            let Some((z_at, b_at)) = place.map(|(z, b)| (z as usize, b as usize)) else { continue };
            for (adapter, span) in adapters.iter().zip(spans) {
                let Some(factors) = adapter.get(Target { layer, projection }) else { continue };
                let (first, own) = (span.start as usize, factors.rank as usize);
                a[(z_at + first) * k..][..own * k].copy_from_slice(&factors.a);
                for (row, values) in factors.b.chunks_exact(own).enumerate() {
                    let to = &mut b[b_at + row * r + first..][..own];
                    to.iter_mut().zip(values).for_each(|(to, b)| *to = b * factors.scale);
                }
            }
        }
        (a, b)
    }
}

/// A matrix of floats on the device; `values` may be written later.
///
/// # Errors
/// When it is larger than the device allows.
pub fn floats(gpu: &Gpu, memory: &mut Memory, [k, n]: [u32; 2], values: &[f32]) -> Result<Matrix, GpuError> {
    let layout = PlanarLayout::new(DType::F32, k.into(), n.into())
        .map_err(|e| GpuError::Fault { reason: e.to_string() })?;
    // In f32 the planar layout is the rows as they are.
    let value = Value::new("adapter a", 4 * u64::from(layout.words), Origin::Weight);
    let buffer = gpu.storage(value.name(), value.bytes())?;
    gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(values));
    memory.insert(value.clone(), buffer);
    Ok(Matrix { dtype: DType::F32, k, n, parts: vec![Part { row0: 0, layout, value }] })
}
