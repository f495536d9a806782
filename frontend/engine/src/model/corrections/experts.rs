//! The corrections of the experts of a mixture: each expert has factors of its own, which are read for the pairs of a row and
//! an expert that the router chose. Experts are numbered as the router does, so an expert cache changes nothing here.

use std::collections::BTreeMap;
use std::ops::Range;

use super::site::shape;
use crate::adapter::{Adapter, Factors, Projection, Shape, Target};
use crate::model::{Parts, scratch};
use crate::plan::{Limits, Origin, Value};

/// Stacked factors of some experts, in f32.
pub struct ExpertPart {
    /// First expert, and one past the last.
    pub experts: [u32; 2],
    /// `[experts, rank, input]`.
    pub a: Value,
    /// `[experts, output, rank]`.
    pub b: Value,
}

/// The corrections of one projection of the experts of a layer.
pub struct ExpertFactors {
    /// The projection.
    pub target: Target,
    /// Its shape.
    pub shape: Shape,
    /// Ranks of all adapters together.
    pub rank: u32,
    /// As few as bindings allow.
    pub parts: Vec<ExpertPart>,
}

/// What the corrections of all layers share.
pub struct OfExperts {
    /// Ranks of all adapters together; 0 if none corrects experts.
    pub rank: u32,
    /// Elements of the rank that are an adapter's.
    pub spans: Vec<Range<u32>>,
    /// One number for each element of the rank.
    pub scales: Value,
    /// z of every pair of a chunk, or of a few rows.
    pub z: Value,
}

impl OfExperts {
    /// Describes it for adapters whose ranks have these places. Models without experts need none.
    pub fn describe(parts: &Parts, spans: Vec<Range<u32>>) -> Self {
        let rank = spans.last().filter(|_| parts.config.experts.is_some()).map_or(0, |span| span.end);
        let used = parts.config.experts.map_or(0, |experts| experts.mixture.used);
        let pairs = u64::from(scratch::chunk(&parts.config)) * u64::from(used);
        Self {
            rank,
            spans,
            scales: Value::state("adapter scales of experts", 4 * u64::from(rank)),
            z: Value::temporary("adapter z of experts", 4 * pairs * u64::from(rank)),
        }
    }

    /// Returns the corrections of a layer.
    pub fn layer(
        &self,
        parts: &Parts,
        corrects: &dyn Fn(Target) -> bool,
        layer: usize,
    ) -> BTreeMap<Projection, ExpertFactors> {
        let of = |projection| {
            let target = Target { layer, projection };
            let shape = shape(&parts.config, &parts.weights, target)?;
            (self.rank > 0 && corrects(target)).then(|| {
                let parts = parts_of(shape, self.rank, parts.limits);
                (projection, ExpertFactors { target, shape, rank: self.rank, parts })
            })
        };
        Projection::OF_EXPERTS.into_iter().filter_map(of).collect()
    }
}

fn parts_of(shape: Shape, rank: u32, limits: Limits) -> Vec<ExpertPart> {
    let Shape { experts, input, output } = shape;
    let bytes = |columns: u32| 4 * u64::from(rank) * u64::from(columns);
    let most = limits.largest_binding.min(limits.largest_part) / bytes(input.max(output));
    let most = most.clamp(1, experts.into()) as u32;
    let part = |begin: u32| {
        let end = experts.min(begin + most);
        let value = |name: &'static str, columns: u32| {
            Value::new(name, u64::from(end - begin) * bytes(columns), Origin::Weight)
        };
        let (a, b) = (value("adapter a of experts", input), value("adapter b of experts", output));
        ExpertPart { experts: [begin, end], a, b }
    };
    (0..experts).step_by(most as usize).map(part).collect()
}

/// Returns the factors of all adapters for a projection of experts, with the elements of the rank that are theirs.
fn factors_of<'a>(
    adapters: &'a [&'a Adapter],
    shared: &'a OfExperts,
    target: Target,
) -> impl Iterator<Item = (&'a Range<u32>, &'a Factors)> {
    let all = adapters.iter().zip(&shared.spans);
    all.filter_map(move |(adapter, span)| Some((span, adapter.get(target)?)))
}

/// Returns the content of A of a part.
pub fn a(adapters: &[&Adapter], shared: &OfExperts, of: &ExpertFactors, part: &ExpertPart) -> Vec<f32> {
    let (input, rank) = (of.shape.input as usize, of.rank as usize);
    let [begin, end] = part.experts.map(|expert| expert as usize);
    let mut a = vec![0.0; (end - begin) * rank * input];
    for (span, factors) in factors_of(adapters, shared, of.target) {
        let each = factors.rank as usize * input;
        for (to, from) in a.chunks_exact_mut(rank * input).zip(factors.a.chunks_exact(each).skip(begin)) {
            to[span.start as usize * input..][..each].copy_from_slice(from);
        }
    }
    a
}

/// Returns the content of B of a part, with the scales of adapters multiplied in.
pub fn b(adapters: &[&Adapter], shared: &OfExperts, of: &ExpertFactors, part: &ExpertPart) -> Vec<f32> {
    let (output, rank) = (of.shape.output as usize, of.rank as usize);
    let [begin, end] = part.experts.map(|expert| expert as usize);
    let mut b = vec![0.0; (end - begin) * output * rank];
    for (span, factors) in factors_of(adapters, shared, of.target) {
        let rows = factors.b.chunks_exact(factors.rank as usize).skip(begin * output);
        for (to, from) in b.chunks_exact_mut(rank).zip(rows) {
            let to = to[span.start as usize..].iter_mut();
            to.zip(from).for_each(|(to, value)| *to = value * factors.scale);
        }
    }
    b
}
