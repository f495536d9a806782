//! What adapters add to the chosen experts. For a chunk and in training, the pairs are sorted by expert as for the products;
//! for a few rows, each is taken by itself.

use shaders::experts::Mixture;
use shaders::experts::low_rank::{Expand, Params, Reduce};

use super::pairs::Pairs;
use crate::adapter::Projection;
use crate::model::Parts;
use crate::model::corrections::{Corrections, ExpertFactors, OfExperts};
use crate::plan::{Plan, PlanError, Value};

impl Pairs<'_> {
    /// z of every pair from rows, with the factors and the scales in `operands`: x, factors, and scales if there are any.
    pub fn reduce(
        &self,
        steps: &mut Plan,
        params: Params,
        operands: &[&Value],
        z: &Value,
    ) -> Result<(), PlanError> {
        let e = self.scratch();
        let kernel =
            Reduce { mixture: self.experts.mixture, sorted: true, scaled: operands.len() > 2, packed: false };
        let mut buffers = vec![&e.tiles, &e.pairs, &e.choices];
        buffers.extend(operands);
        buffers.push(z);
        steps.push_rows(kernel, &params, &buffers, move |rows| kernel.dispatch(&params, rows))
    }

    /// Adds what z makes with factors to the row of every pair in `y`.
    pub fn expand(
        &self,
        steps: &mut Plan,
        params: Params,
        [z, factors, y]: [&Value; 3],
    ) -> Result<(), PlanError> {
        let e = self.scratch();
        let kernel = Expand::Sorted(self.experts.mixture);
        let buffers = [&e.tiles, &e.pairs, &e.choices, z, factors, y];
        steps.push_rows(kernel, &params, &buffers, move |rows| kernel.dispatch(&params, rows))
    }

    /// Adds the corrections of a projection, if adapters have any, to its product `y` of every pair. `pairs_per_row` pairs
    /// share a row of x.
    pub fn correct(
        &self,
        steps: &mut Plan,
        corrections: Option<&Corrections>,
        (projection, pairs_per_row): (Projection, u32),
        [x, y]: [&Value; 2],
    ) -> Result<(), PlanError> {
        let Some((shared, factors)) = corrected(corrections, self.layer, projection) else { return Ok(()) };
        for part in &factors.parts {
            let [a, b] = params(factors, part.experts);
            self.reduce(steps, a.shared_by(pairs_per_row), &[x, &part.a, &shared.scales], &shared.z)?;
            self.expand(steps, b, [&shared.z, &part.b, y])?;
        }
        Ok(())
    }
}

/// Returns the corrections of a projection of experts, if there are any.
fn corrected(
    corrections: Option<&Corrections>,
    layer: usize,
    projection: Projection,
) -> Option<(&OfExperts, &ExpertFactors)> {
    let all = corrections?;
    Some((&all.of_experts, all.at_experts(layer, projection)?))
}

/// For A and for B.
fn params(factors: &ExpertFactors, experts: [u32; 2]) -> [Params; 2] {
    let (shape, rank) = (factors.shape, factors.rank);
    [Params::a(shape.input, rank, 0, experts), Params::b(shape.output, rank, 0, experts)]
}

/// What adapters add to a projection of the experts of a few rows: of gate and up, what each pair gets in addition goes to
/// `y`, before the product; of down, the sum over the experts of a row is added to `y`, behind it. `x` has rows of f32, or
/// codes and scales.
pub fn correct_few(
    parts: &Parts,
    steps: &mut Plan,
    corrections: Option<&Corrections>,
    (mixture, layer, projection): (Mixture, usize, Projection),
    x: &[Value],
    [choices, y]: [&Value; 2],
) -> Result<(), PlanError> {
    let Some((shared, factors)) = corrected(corrections, layer, projection) else { return Ok(()) };
    let state = &parts.scratch.state;
    let (pairs_per_row, expand) = match projection {
        Projection::ExpertDown => (1, Expand::FewSummed(mixture)),
        _ => (mixture.used, Expand::Few(mixture)),
    };
    let reduce = Reduce { mixture, sorted: false, scaled: true, packed: x.len() > 1 };
    for part in &factors.parts {
        let [a, b] = params(factors, part.experts);
        let a = a.shared_by(pairs_per_row);
        let mut buffers = vec![state, choices];
        buffers.extend(x);
        buffers.extend([&part.a, &shared.scales, &shared.z]);
        steps.push_rows(reduce, &a, &buffers, move |rows| reduce.dispatch(&a, rows))?;
        let buffers = [state, choices, &shared.z, &part.b, y];
        steps.push_rows(expand, &b, &buffers, move |rows| expand.dispatch(&b, rows))?;
    }
    Ok(())
}
