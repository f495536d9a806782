//! The corrections of all adapters as values, before any is on the device.

use std::collections::BTreeMap;
use std::ops::Range;

use shaders::matvec::Correction;
use shaders::state::State;
use shaders::{DType, PlanarLayout};

use super::ahead::{self, Ahead};
use super::experts::{ExpertFactors, OfExperts};
use crate::adapter::{Projection, Ranks, Target};
use crate::model::layer::Site;
use crate::model::tuning::MAX_FUSED_RANK;
use crate::model::{Parts, scratch};
use crate::plan::{Origin, PlanError, Value};
use crate::weights::{Matrix, Part};

/// Bytes that all workgroups of a product together read of partial results, beyond which a dispatch costs less: reckoned from
/// what 19 MB cost (`shaders/MEASUREMENTS.md`).
const MAX_PART_BYTES: u64 = 96 << 20;

/// How decode obtains `z = A·x` of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateSource {
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

impl UpdateSource {
    /// Where the columns of A begin, if z comes in parts.
    pub fn columns(self) -> Option<u32> {
        match self {
            Self::Partial { columns } => Some(columns),
            Self::Own | Self::Ahead => None,
        }
    }
}

/// The corrections at one site of one layer.
pub struct SiteCorrections {
    /// The products that any adapter corrects.
    pub targets: Vec<Target>,
    /// The stacked A, `[corrected products · rank, K]`.
    pub a: Matrix,
    /// Where each product's share of z lies, and of B in the buffer of the layer.
    pub correction: Correction,
    /// How decode obtains z.
    pub source: UpdateSource,
}

/// The corrections of one layer.
pub struct LayerCorrections {
    /// What adapters have for it but for the stacked A.
    pub buffer: Value,
    /// Where any adapter corrects something.
    pub sites: BTreeMap<Site, SiteCorrections>,
    /// What its products leave for the sites behind them.
    pub ahead: BTreeMap<Site, Ahead>,
    /// Where any adapter corrects experts.
    pub experts: BTreeMap<Projection, ExpertFactors>,
}

/// The corrections of all adapters.
pub struct Corrections {
    /// By layer.
    pub layers: Vec<LayerCorrections>,
    /// One number for each element of the rank.
    pub scales: Value,
    /// z of a chunk, or of one token.
    pub z: Value,
    /// What the plans of [`Ahead`] read beside weights, written before each runs: the state, and D = U·diag(w1).
    pub ahead_inputs: [Value; 2],
    /// Elements of the rank that are an adapter's.
    pub spans: Vec<Range<u32>>,
    /// What the corrections of experts share.
    pub of_experts: OfExperts,
}

/// Elements of the rank that adapters of these ranks take together.
pub fn total_rank(ranks: impl IntoIterator<Item = u32>) -> u32 {
    ranks.into_iter().map(|rank| rank.next_multiple_of(4)).sum()
}

/// Returns the elements of the rank that each adapter has.
fn spans(ranks: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
    let place = |end: &mut u32, rank| {
        let start = *end;
        *end += total_rank([rank]);
        Some(start..*end)
    };
    ranks.scan(0, place).collect()
}

impl Corrections {
    /// Describes the corrections of adapters of these ranks, which together correct the products that `corrects` names.
    /// Each [`total_rank`] is at most [`shaders::adapter::expand::MAX_RANK`].
    pub fn describe(
        parts: &Parts,
        ranks: &[Ranks],
        corrects: &dyn Fn(Target) -> bool,
    ) -> Result<Self, PlanError> {
        let (spans, of_experts) =
            (spans(ranks.iter().map(|all| all.shared)), spans(ranks.iter().map(|all| all.experts)));
        let of_experts = OfExperts::describe(parts, of_experts);
        let rank = spans.last().map_or(0, |span| span.end);
        // No site has more than three products.
        let d = Value::state("adapter d", 4 * u64::from(3 * rank) * u64::from(parts.config.width));
        let ahead_inputs = [Value::state("adapter rows", size_of::<State>() as u64), d];
        let describer =
            Describer { parts, rank, corrects, ahead_inputs: &ahead_inputs, of_experts: &of_experts };
        let layers = 0..parts.config.layers.len();
        let layers = layers.map(|layer| describer.layer(layer)).collect::<Result<Vec<_>, _>>()?;
        let widest = layers.iter().flat_map(|layer| layer.sites.values()).map(|site| site.a.n).max();
        let z_row = 4 * u64::from(widest.unwrap_or(0));
        Ok(Self {
            layers,
            scales: Value::state("adapter scales", 4 * u64::from(rank)),
            z: Value::temporary("adapter z", u64::from(scratch::chunk(&parts.config)) * z_row),
            ahead_inputs,
            spans,
            of_experts,
        })
    }

    /// Returns the corrections at a site, if an adapter has any there.
    pub fn at(&self, layer: usize, site: Site) -> Option<&SiteCorrections> {
        self.layers[layer].sites.get(&site)
    }

    /// Returns the corrections of a projection of experts, if an adapter has any.
    pub fn at_experts(&self, layer: usize, projection: Projection) -> Option<&ExpertFactors> {
        self.layers[layer].experts.get(&projection)
    }

    /// What the product of a site leaves for the site behind it.
    pub fn ahead_of(&self, layer: usize, site: Site) -> Option<&Ahead> {
        self.layers[layer].ahead.get(&site)
    }

    /// Everything that products leave, by layer.
    pub fn all_ahead(&self) -> impl Iterator<Item = &Ahead> {
        self.layers.iter().flat_map(|layer| layer.ahead.values())
    }

    /// Ranks of all adapters together.
    pub fn rank(&self) -> u32 {
        self.spans.last().map_or(0, |span| span.end)
    }

    /// Returns the values that stay as long as the adapters.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let stacked = self.layers.iter().flat_map(|layer| layer.sites.values()).map(|site| &site.a);
        let matrices = stacked.chain(self.all_ahead().map(|ahead| &ahead.v));
        let factors = self.layers.iter().flat_map(|layer| layer.experts.values());
        let of_experts = factors.flat_map(|factors| &factors.parts).flat_map(|part| [&part.a, &part.b]);
        let scaled = self.scaled().chain(self.scales_of_experts());
        scaled.chain(matrices.map(|matrix| &matrix.whole().value)).chain(of_experts)
    }

    /// Returns those of them that begin with the scales.
    pub fn scaled(&self) -> impl Iterator<Item = &Value> {
        let some = self.rank() > 0;
        self.layers.iter().map(|layer| &layer.buffer).chain([&self.scales]).filter(move |_| some)
    }

    /// Returns the scales of experts, if any are corrected.
    pub fn scales_of_experts(&self) -> Option<&Value> {
        Some(&self.of_experts.scales).filter(|scales| scales.bytes() > 0)
    }
}

/// What all corrections follow from.
struct Describer<'a> {
    parts: &'a Parts,
    rank: u32,
    corrects: &'a dyn Fn(Target) -> bool,
    ahead_inputs: &'a [Value; 2],
    of_experts: &'a OfExperts,
}

/// The shapes of the corrections at one site.
struct Stack {
    /// Columns of A.
    k: u32,
    /// Rows of A.
    z: u32,
    /// Rows of B.
    rows: u32,
    /// Where the z and the rows of B of each product begin, in elements.
    places: [Option<(u32, u32)>; 3],
    /// The products that have places.
    targets: Vec<Target>,
}

impl Describer<'_> {
    /// None where no adapter corrects anything.
    fn stack(&self, layer: usize, site: Site) -> Option<Stack> {
        let mut stack = Stack { k: 0, z: 0, rows: 0, places: [None; 3], targets: Vec::new() };
        for (place, target) in stack.places.iter_mut().zip(site.targets(layer)) {
            let matrix = self.parts.weights.matrix(&target.to_string());
            let corrected = self.rank > 0 && (self.corrects)(target);
            let Some(matrix) = matrix.filter(|_| corrected) else { continue };
            *place = Some((stack.z, stack.rows * self.rank));
            (stack.k, stack.z, stack.rows) = (matrix.k, stack.z + self.rank, stack.rows + matrix.n);
            stack.targets.push(target);
        }
        (stack.k > 0).then_some(stack)
    }

    /// Returns whether z of a site can come ahead: besides its matrices the product binds y, the stream before and behind, the
    /// vectors, the branch and what adapters have.
    fn comes_ahead(&self, layer: usize, site: Site) -> bool {
        let matrices = site.rows(&self.parts.weights, layer).len() as u32;
        self.rank <= MAX_FUSED_RANK
            && matrices + 6 <= self.parts.limits.storage_buffers
            && ahead::before(&self.parts.config, layer, site).is_some()
    }

    /// Returns whether z of a site comes in partial sums. That takes fused products, and for the output projection an attention
    /// whose partial results it merges. Each workgroup of down would read the partial sums of all workgroups of gate and up, which
    /// in wide layers costs more than a separate dispatch.
    fn is_partial(&self, layer: usize, site: Site, stack: &Stack) -> bool {
        let fits = match site {
            Site::Output => self.parts.window(layer) > 0,
            // 16 rows a workgroup there, 4 here (`matvec_form`).
            Site::Down => {
                let [parts, readers] = [stack.k.div_ceil(16), stack.rows.div_ceil(4)].map(u64::from);
                4 * parts * readers * u64::from(self.rank) <= MAX_PART_BYTES
            }
            _ => false,
        };
        fits && self.rank <= MAX_FUSED_RANK && self.parts.config.can_fuse()
    }

    /// Returns the corrections of a layer.
    fn layer(&self, layer: usize) -> Result<LayerCorrections, PlanError> {
        let Parts { config, weights, .. } = self.parts;
        let (mut sites, mut all_ahead) = (BTreeMap::new(), BTreeMap::new());
        // The scales come first.
        let mut end = self.rank;
        let mut place = |elements: u32| {
            end += elements;
            end - elements
        };
        for site in Site::ALL {
            if let Some(stack) = self.stack(layer, site) {
                let base = place(stack.rows * self.rank);
                let places = stack.places.map(|place| place.map(|(z, b)| (z, base + b)));
                let source = match self.is_partial(layer, site, &stack) {
                    true => UpdateSource::Partial { columns: place(stack.z * stack.k) },
                    false if self.comes_ahead(layer, site) => UpdateSource::Ahead,
                    false => UpdateSource::Own,
                };
                let (a, correction) = (floats(stack.k, stack.z)?, Correction { rank: self.rank, places });
                sites.insert(site, SiteCorrections { targets: stack.targets, a, correction, source });
            }
            if let Some(next) = ahead::behind(config, layer, site)
                && self.comes_ahead(next.0, next.1)
                && let Some(stack) = self.stack(next.0, next.1)
                && let Some(product) = site.targets(layer).next()
            {
                let w = self.parts.matrix(&product.to_string())?;
                let v = floats(w.k, stack.z)?;
                let u = place(stack.z * config.width);
                let b = sites.contains_key(&site).then(|| place(stack.z * self.rank));
                let [state, d] = self.ahead_inputs;
                let (plan, norms) =
                    (ahead::plan(weights.limits, [w, &v], state, d)?, ahead::norms(config, weights, next)?);
                all_ahead.insert(site, Ahead { next, norms, v, u, b, plan });
            }
        }
        let buffer = Value::new("adapter b", 4 * u64::from(end), Origin::Weight);
        let experts = self.of_experts.layer(self.parts, self.corrects, layer);
        Ok(LayerCorrections { buffer, sites, ahead: all_ahead, experts })
    }
}

/// Returns a matrix of floats. In f32 the planar layout is the rows as they are.
fn floats(k: u32, n: u32) -> Result<Matrix, PlanError> {
    let layout = PlanarLayout::new(DType::F32, k.into(), n.into())?;
    let value = Value::new("adapter a", layout.bytes(), Origin::Weight);
    Ok(Matrix { dtype: DType::F32, k, n, parts: vec![Part { row0: 0, layout, value }] })
}
