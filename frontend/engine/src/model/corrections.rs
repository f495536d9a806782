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
                Some(((layer, site), Stack::of(weights, adapters, rank, layer, site)?))
            })
            .collect();
        let widest = stacks.iter().map(|(_, stack)| stack.corrected()).max().unwrap_or(0);
        let z_bytes = 4 * u64::from(scratch::chunk(config)) * u64::from(widest) * u64::from(rank);
        let bytes: u64 = stacks.iter().map(|(_, stack)| stack.bytes(rank)).sum();
        gpu.allocating("adapters", bytes + z_bytes, || {
            // One site at a time: what is stacked is as large as the adapters themselves.
            let sites = stacks.into_iter().map(|((layer, site), stack)| {
                Ok(((layer, site), stack.upload(gpu, adapters, &spans, layer, site)?))
            });
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

/// Where the numbers of a site go.
struct Stack {
    /// Columns of A.
    k: u32,
    /// Rows of B.
    rows: u32,
    places: [Option<(u32, u32)>; 3],
}

impl Stack {
    /// None where no adapter corrects anything.
    fn of(weights: &Weights, adapters: &[&Adapter], rank: u32, layer: usize, site: Site) -> Option<Self> {
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
    fn corrected(&self) -> u32 {
        self.places.iter().flatten().count() as u32
    }

    fn bytes(&self, rank: u32) -> u64 {
        4 * u64::from(rank) * (u64::from(self.corrected()) * u64::from(self.k) + u64::from(self.rows))
    }

    fn upload(
        self,
        gpu: &Gpu,
        adapters: &[&Adapter],
        spans: &[Range<u32>],
        layer: usize,
        site: Site,
    ) -> Result<SiteCorrections, GpuError> {
        let rank = spans.last().map_or(0, |span| span.end);
        let (k, r) = (self.k as usize, rank as usize);
        let n = self.corrected() * rank;
        let mut a = vec![0.0; n as usize * k];
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
        let layout = PlanarLayout::new(DType::F32, k as u64, n.into())
            .map_err(|e| GpuError::Fault { reason: e.to_string() })?;
        // In f32 the planar layout is the rows as they are.
        let buffer = gpu.storage("adapter a", 4 * u64::from(layout.words))?;
        gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&a));
        let a = Matrix { dtype: DType::F32, k: self.k, n, parts: vec![Part { row0: 0, layout, buffer }] };
        let b = gpu.storage_with("adapter b", &b)?;
        Ok(SiteCorrections { a, b, correction: Correction { rank, places: self.places } })
    }
}
