//! Adapters on the device: the corrections of all of them, stacked, so that their number costs no dispatches.
//!
//! Products that share an input share a *site*. A site has one matrix A, `[corrected products · rank, K]`, that makes
//! z, and the rows of B of its products, `[rows, rank]`. `rank` is the sum over adapters of their largest ranks, each
//! rounded up to a multiple of 4; what an adapter lacks is zero. α/r is multiplied into B; the scale that a person sets
//! lies in a buffer with one number for each element of the rank.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use shaders::adapter::expand::MOST_RANK;
use shaders::matvec::Correction;
use shaders::{DType, PlanarLayout};

use crate::adapter::{Adapter, Projection, Target};
use crate::gpu::{Buffer, Gpu, GpuError};
use crate::weights::{Matrix, Part, Weights};

use super::Config;
use super::scratch;

/// Products that share an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// Queries, keys, values.
    Qkv,
    /// The output of attention.
    Output,
    /// Both halves of the feed-forward part.
    GateUp,
    /// Its output.
    Down,
    /// The gate of the per-layer input.
    PleGate,
    /// Its projection.
    PleProjection,
}

impl Site {
    const ALL: [Self; 6] =
        [Self::Qkv, Self::Output, Self::GateUp, Self::Down, Self::PleGate, Self::PleProjection];

    /// Its products in the order of the decoder.
    const fn projections(self) -> &'static [Projection] {
        match self {
            Self::Qkv => &[Projection::Q, Projection::K, Projection::V],
            Self::Output => &[Projection::Output],
            Self::GateUp => &[Projection::Gate, Projection::Up],
            Self::Down => &[Projection::Down],
            Self::PleGate => &[Projection::PleGate],
            Self::PleProjection => &[Projection::PleProjection],
        }
    }

    /// Rows of its products, as far as the layer has them.
    #[must_use]
    pub fn rows(self, weights: &Weights, layer: usize) -> Vec<u32> {
        let matrix = |&projection: &Projection| weights.matrix(&Target { layer, projection }.to_string());
        self.projections().iter().filter_map(matrix).map(|matrix| matrix.n).collect()
    }
}

/// The corrections at one site of one layer.
#[derive(Debug)]
pub struct SiteCorrections {
    /// The stacked A.
    pub a: Matrix,
    /// The rows of B.
    pub b: Arc<Buffer>,
    /// Where each product's share lies.
    pub correction: Correction,
}

/// The corrections of all adapters.
#[derive(Debug)]
pub struct Corrections {
    sites: HashMap<(usize, Site), SiteCorrections>,
    /// One number for each element of the rank.
    pub scales: Arc<Buffer>,
    /// z of a chunk, or of one token.
    pub z: Arc<Buffer>,
    /// Elements of the rank that are an adapter's.
    spans: Vec<Range<u32>>,
}

/// Elements of the rank for each adapter; none when they are too many together.
#[must_use]
pub fn spans(adapters: &[&Adapter]) -> Option<Vec<Range<u32>>> {
    let mut end = 0;
    let spans = adapters.iter().map(|adapter| {
        let start = end;
        end += adapter.rank().next_multiple_of(4);
        start..end
    });
    let spans = spans.collect();
    (end <= MOST_RANK).then_some(spans)
}

impl Corrections {
    /// Stacks adapters that fit the model (see [`Adapter::fit`]) and whose ranks fit together (see [`spans`]).
    ///
    /// # Errors
    /// When the device has no room.
    pub async fn new(
        gpu: &Gpu,
        config: &Config,
        weights: &Weights,
        adapters: &[&Adapter],
    ) -> Result<Self, GpuError> {
        let spans = spans(adapters).unwrap_or_default();
        let rank = spans.last().map_or(0, |span| span.end);
        let stacks: Vec<_> = (0..config.layers.len())
            .flat_map(|layer| Site::ALL.map(|site| (layer, site)))
            .filter_map(|(layer, site)| {
                Some(((layer, site), Stack::of(weights, adapters, &spans, layer, site)?))
            })
            .collect();
        let widest = stacks.iter().map(|(_, stack)| stack.places.iter().flatten().count()).max();
        let z_bytes = 4 * u64::from(scratch::chunk(config)) * widest.unwrap_or(0) as u64 * u64::from(rank);
        let bytes: u64 = stacks.iter().map(|(_, s)| 4 * (s.a.len() + s.b.len()) as u64).sum();
        gpu.allocating("adapters", bytes + z_bytes, || {
            let sites = stacks.into_iter().map(|(key, stack)| Ok((key, stack.upload(gpu, rank)?)));
            Ok(Self {
                sites: sites.collect::<Result<_, GpuError>>()?,
                scales: gpu.storage("adapter scales", 4 * u64::from(rank))?,
                z: gpu.storage("adapter z", z_bytes)?,
                spans,
            })
        })
        .await
    }

    /// The corrections at a site, if an adapter has any there.
    #[must_use]
    pub fn at(&self, layer: usize, site: Site) -> Option<&SiteCorrections> {
        self.sites.get(&(layer, site))
    }

    /// Sets the scale of each adapter.
    pub fn set_scales(&self, gpu: &Gpu, scales: &[f32]) {
        let each: Vec<f32> = self
            .spans
            .iter()
            .zip(scales)
            .flat_map(|(span, &scale)| span.clone().map(move |_| scale))
            .collect();
        gpu.queue().write_buffer(&self.scales, 0, bytemuck::cast_slice(&each));
    }
}

/// The numbers of a site before they are uploaded.
struct Stack {
    a: Vec<f32>,
    b: Vec<f32>,
    k: u32,
    places: [Option<(u32, u32)>; 3],
}

impl Stack {
    /// None where no adapter corrects anything.
    fn of(
        weights: &Weights,
        adapters: &[&Adapter],
        spans: &[Range<u32>],
        layer: usize,
        site: Site,
    ) -> Option<Self> {
        let rank = spans.last()?.end as usize;
        let mut stack = Self { a: Vec::new(), b: Vec::new(), k: 0, places: [None; 3] };
        for (place, &projection) in stack.places.iter_mut().zip(site.projections()) {
            let target = Target { layer, projection };
            let Some(matrix) = weights.matrix(&target.to_string()) else { continue };
            if adapters.iter().all(|adapter| adapter.get(target).is_none()) {
                continue;
            }
            let (k, n) = (matrix.k as usize, matrix.n as usize);
            let (a_at, b_at) = (stack.a.len(), stack.b.len());
            *place = Some(((a_at / k) as u32, b_at as u32));
            stack.k = matrix.k;
            stack.a.resize(a_at + rank * k, 0.0);
            stack.b.resize(b_at + n * rank, 0.0);
            for (adapter, span) in adapters.iter().zip(spans) {
                let Some(factors) = adapter.get(target) else { continue };
                let (first, r) = (span.start as usize, factors.rank as usize);
                stack.a[a_at + first * k..][..r * k].copy_from_slice(&factors.a);
                for (row, values) in factors.b.chunks_exact(r).enumerate() {
                    let to = &mut stack.b[b_at + row * rank + first..][..r];
                    to.iter_mut().zip(values).for_each(|(to, b)| *to = b * factors.scale);
                }
            }
        }
        (stack.k > 0).then_some(stack)
    }

    fn upload(self, gpu: &Gpu, rank: u32) -> Result<SiteCorrections, GpuError> {
        let (k, n) = (self.k, self.a.len() as u32 / self.k);
        let layout = PlanarLayout::new(DType::F32, k.into(), n.into())
            .map_err(|e| GpuError::Fault { reason: e.to_string() })?;
        // In f32 the planar layout is the rows as they are.
        let buffer = gpu.storage("adapter a", 4 * u64::from(layout.words))?;
        gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&self.a));
        let a = Matrix { dtype: DType::F32, k, n, parts: vec![Part { row0: 0, layout, buffer }] };
        let b = gpu.storage_with("adapter b", &self.b)?;
        Ok(SiteCorrections { a, b, correction: Correction { rank, places: self.places } })
    }
}
