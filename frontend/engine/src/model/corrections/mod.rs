//! Adapters on the device: the corrections of all of them, stacked, so that their number costs no dispatches.
//!
//! | file | has |
//! |---|---|
//! | [`stack`] | the numbers of a site |
//! | [`ahead`] | what a product leaves for the site behind it |
//!
//! Products that share an input share a *site*. A site has one matrix A, `[corrected products · rank, K]`, that makes
//! z, and the rows of B of its products, `[rows, rank]`. `rank` is the sum over adapters of their largest ranks, each
//! rounded up to a multiple of 4; what an adapter lacks is zero. α/r is multiplied into B; the scale that a person sets
//! lies in a buffer with one number for each element of the rank.
//!
//! In decode z comes without a dispatch of its own where it can ([`Way`]). What that needs lies in one buffer a layer: the
//! scales, then site by site B, the columns of A, U, and the rows of B of V.

mod ahead;
mod stack;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use shaders::adapter::expand::MOST_RANK;
use shaders::matvec::Correction;

use crate::adapter::{Adapter, Projection, Target};
use crate::gpu::{Buffer, Gpu, GpuError, Memory};
use crate::plan::{Limits, Origin, Value};
use crate::weights::{Matrix, Weights};

pub use ahead::Ahead;
use ahead::{Norms, Pending};
use stack::Stack;

use super::forms::MOST_FUSED_RANK;
use super::{Config, Parts, scratch};

/// Bytes that all workgroups of a product together read of partial results, beyond which a dispatch costs less: reckoned from
/// what 19 MB cost (`shaders/MEASUREMENTS.md`).
const MOST_PART_BYTES: u64 = 96 << 20;

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

/// How decode has z of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By a dispatch of its own.
    Own,
    /// From the workgroups that make x, each of which leaves A·x over what it made.
    Partial {
        /// Where the columns of A, `[K, rank]`, begin in the buffer of the layer, in elements.
        columns: u32,
    },
    /// From the product that is added to the stream before the site's norm, where a list has it ([`Ahead`]).
    Ahead,
}

impl Way {
    /// Where the columns of A begin, if z comes in parts.
    #[must_use]
    pub fn columns(self) -> Option<u32> {
        match self {
            Self::Partial { columns } => Some(columns),
            Self::Own | Self::Ahead => None,
        }
    }
}

/// The corrections at one site of one layer.
#[derive(Debug)]
pub struct SiteCorrections {
    /// The stacked A.
    pub a: Matrix,
    /// What adapters have for the layer, with the rows of B.
    pub b: Value,
    /// Where each product's share lies.
    pub correction: Correction,
    /// How decode has z.
    pub way: Way,
}

/// The corrections of all adapters.
#[derive(Debug)]
pub struct Corrections {
    sites: HashMap<(usize, Site), SiteCorrections>,
    /// What products leave, by the product.
    ahead: HashMap<(usize, Site), Ahead>,
    /// What adapters have for each layer.
    layers: Vec<Value>,
    /// One number for each element of the rank.
    pub scales: Value,
    /// z of a chunk, or of one token.
    pub z: Value,
    memory: Memory,
    /// Buffers that begin with the scales.
    scaled: Vec<Arc<Buffer>>,
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
        parts: &Parts,
        memory: &Memory,
        adapters: &[&Adapter],
    ) -> Result<Self, GpuError> {
        let (config, weights) = (&parts.config, &parts.weights);
        let spans = spans(adapters).unwrap_or_default();
        let rank = spans.last().map_or(0, |span| span.end);
        let maker = Maker { gpu, limits: parts.limits, config, weights, adapters, spans: &spans, rank };
        let layers = 0..config.layers.len();
        let stacks: HashMap<_, _> = layers
            .flat_map(|layer| Site::ALL.map(|site| (layer, site)))
            .filter_map(|(layer, site)| Some(((layer, site), maker.stack(layer, site)?)))
            .collect();
        let norms = Norms::read(gpu, memory.get(&weights.vectors)?).await?;
        let widest = stacks.values().map(Stack::corrected).max().unwrap_or(0);
        let z_bytes = 4 * u64::from(scratch::chunk(config)) * u64::from(widest) * u64::from(rank);
        let bytes: u64 = stacks.iter().map(|(&place, stack)| maker.bytes(place, stack)).sum();
        let mut pending = Vec::new();
        let corrections = gpu
            .allocating("adapters", bytes + z_bytes, || {
                let mut all = Self {
                    sites: HashMap::new(),
                    ahead: HashMap::new(),
                    layers: Vec::new(),
                    scales: Value::state("adapter scales", 4 * u64::from(rank)),
                    z: Value::temporary("adapter z", z_bytes),
                    memory: Memory::default(),
                    scaled: Vec::new(),
                    spans: spans.clone(),
                };
                let scales = gpu.storage("adapter scales", 4 * u64::from(rank))?;
                all.scaled.push(Arc::clone(&scales));
                all.memory.insert(all.scales.clone(), scales);
                all.memory.insert(all.z.clone(), gpu.storage("adapter z", z_bytes)?);
                // One layer at a time: what is stacked is as large as the adapters themselves.
                for layer in 0..config.layers.len() {
                    maker.layer(layer, &norms, &mut all, &mut pending)?;
                }
                Ok(all)
            })
            .await?;
        ahead::compute(gpu, &pending, memory, corrections.memory()).await?;
        Ok(corrections)
    }

    /// The corrections at a site, if an adapter has any there.
    #[must_use]
    pub fn at(&self, layer: usize, site: Site) -> Option<&SiteCorrections> {
        self.sites.get(&(layer, site))
    }

    /// Ranks of all adapters together.
    #[must_use]
    pub fn rank(&self) -> u32 {
        self.spans.last().map_or(0, |span| span.end)
    }

    /// Where the values of all corrections lie.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// What adapters have for a layer.
    #[must_use]
    pub fn of_layer(&self, layer: usize) -> Option<&Value> {
        self.layers.get(layer)
    }

    /// What the product of a site leaves for the site behind it.
    #[must_use]
    pub fn ahead_of(&self, layer: usize, site: Site) -> Option<&Ahead> {
        self.ahead.get(&(layer, site))
    }

    /// Sets the scale of each adapter.
    pub fn set_scales(&self, gpu: &Gpu, scales: &[f32]) {
        let each: Vec<f32> = self
            .spans
            .iter()
            .zip(scales)
            .flat_map(|(span, &scale)| span.clone().map(move |_| scale))
            .collect();
        for buffer in &self.scaled {
            gpu.queue().write_buffer(buffer, 0, bytemuck::cast_slice(&each));
        }
    }
}

/// What all corrections are made of.
struct Maker<'a> {
    gpu: &'a Gpu,
    limits: Limits,
    config: &'a Config,
    weights: &'a Weights,
    adapters: &'a [&'a Adapter],
    spans: &'a [Range<u32>],
    rank: u32,
}

impl<'a> Maker<'a> {
    fn stack(&self, layer: usize, site: Site) -> Option<Stack> {
        Stack::of(self.weights, self.adapters, self.rank, layer, site)
    }

    fn numbers(&self, stack: &Stack, layer: usize, site: Site) -> (Vec<f32>, Vec<f32>) {
        stack.numbers(self.adapters, self.spans, layer, site)
    }

    /// Whether z of a site can come ahead: besides its matrices the product binds y, the stream before and behind, the
    /// vectors, the branch and what adapters have.
    fn comes_ahead(&self, layer: usize, site: Site) -> bool {
        let matrices = site.rows(self.weights, layer).len() as u32;
        self.rank <= MOST_FUSED_RANK
            && matrices + 6 <= self.limits.storage_buffers
            && ahead::before(self.config, layer, site).is_some()
    }

    /// Whether z of a site comes in parts. Down reads those of every workgroup of gate and up in each of its own: in wide
    /// layers more than a dispatch is worth.
    fn is_partial(&self, site: Site, stack: &Stack) -> bool {
        let fits = match site {
            Site::Output => true,
            // 16 rows a workgroup there, 4 here (`matvec_form`).
            Site::Down => {
                let [parts, readers] = [stack.k.div_ceil(16), stack.rows.div_ceil(4)].map(u64::from);
                4 * parts * readers * u64::from(self.rank) <= MOST_PART_BYTES
            }
            _ => false,
        };
        fits && self.rank <= MOST_FUSED_RANK
    }

    fn bytes(&self, (layer, site): (usize, Site), stack: &Stack) -> u64 {
        let columns = if self.is_partial(site, stack) { u64::from(stack.k) } else { 0 };
        let before = ahead::before(self.config, layer, site).filter(|_| self.comes_ahead(layer, site));
        let ahead = before.map_or(0, |(layer, site)| {
            let k = self.product(layer, site).map_or(0, |matrix| u64::from(matrix.k));
            // U, what V is made of, V, and its rows of B.
            u64::from(stack.corrected()) * (2 * u64::from(self.config.width) + k + u64::from(self.rank))
        });
        stack.bytes(self.rank) + 4 * u64::from(self.rank) * (columns + ahead)
    }

    /// The only product of a site.
    fn product(&self, layer: usize, site: Site) -> Option<&'a Matrix> {
        let target = Target { layer, projection: *site.projections().first()? };
        self.weights.matrix(&target.to_string())
    }

    /// Makes the buffer of a layer, and what belongs to its sites.
    fn layer(
        &self,
        layer: usize,
        norms: &Norms,
        all: &mut Corrections,
        pending: &mut Vec<Pending<'a>>,
    ) -> Result<(), GpuError> {
        let mut numbers = vec![0.0; self.rank as usize];
        let mut sites = Vec::new();
        for site in Site::ALL {
            let stack = self.stack(layer, site);
            let mut own = None;
            if let Some(stack) = &stack {
                let (a, b) = self.numbers(stack, layer, site);
                let base = numbers.len() as u32;
                numbers.extend(&b);
                let mut way = if self.comes_ahead(layer, site) { Way::Ahead } else { Way::Own };
                if self.is_partial(site, stack) {
                    way = Way::Partial { columns: numbers.len() as u32 };
                    let k = stack.k as usize;
                    numbers
                        .extend((0..a.len()).map(|i| a[i % self.rank as usize * k + i / self.rank as usize]));
                }
                let places = stack.places.map(|place| place.map(|(z, b)| (z, base + b)));
                let correction = Correction { rank: self.rank, places };
                let a =
                    stack::floats(self.gpu, &mut all.memory, [stack.k, stack.corrected() * self.rank], &a)?;
                sites.push((site, a, correction, way));
                own = Some(b);
            }
            if let Some((made, product)) =
                self.ahead(layer, site, own.as_deref(), norms, &mut numbers, &mut all.memory)?
            {
                pending.push(product);
                all.ahead.insert((layer, site), made);
            }
        }
        let buffer = self.gpu.storage_with("adapter b", &numbers)?;
        let b = Value::new("adapter b", buffer.size(), Origin::Weight);
        all.scaled.push(Arc::clone(&buffer));
        all.memory.insert(b.clone(), buffer);
        for (site, a, correction, way) in sites {
            all.sites.insert((layer, site), SiteCorrections { a, b: b.clone(), correction, way });
        }
        all.layers.push(b);
        Ok(())
    }

    /// What the product of a site leaves for the site behind it, if that is corrected; `own` are its own rows of B. What
    /// it needs is appended to the numbers of the layer.
    fn ahead(
        &self,
        layer: usize,
        site: Site,
        own: Option<&[f32]>,
        norms: &Norms,
        numbers: &mut Vec<f32>,
        memory: &mut Memory,
    ) -> Result<Option<(Ahead, Pending<'a>)>, GpuError> {
        let next =
            ahead::behind(self.config, layer, site).filter(|&(layer, site)| self.comes_ahead(layer, site));
        let Some((next, w)) = next.zip(self.product(layer, site)) else { return Ok(None) };
        let Some(stack) = self.stack(next.0, next.1) else { return Ok(None) };
        let (a, _) = self.numbers(&stack, next.0, next.1);
        let [branch, input] = norms.at(self.weights, next.0, next.1)?;
        let u = ahead::scaled(&a, input);
        let u_at = numbers.len() as u32;
        numbers.extend(&u);
        let d = ahead::scaled(&u, branch);
        let b = own.map(|own| {
            let at = numbers.len() as u32;
            numbers.extend(ahead::product(&d, own, self.rank as usize));
            at
        });
        let buffer = self.gpu.storage_with("adapter ahead", &d)?;
        let d = Value::temporary("adapter ahead", buffer.size());
        let v = stack::floats(self.gpu, memory, [w.k, stack.corrected() * self.rank], &[])?;
        Ok(Some((Ahead { v: v.clone(), u: u_at, b }, Pending { d, buffer, w, v })))
    }
}
