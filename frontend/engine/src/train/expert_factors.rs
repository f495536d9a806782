//! The factors of a mixture's experts in training: `y_p = W_e·x + s·B_e·(A_e·x)` for each pair p of a row and an expert e, and
//! the gradients of both factors. Pairs are sorted by expert, so that the gradient of an expert is a sum over a range of them.

use shaders::experts::low_rank::Params;
use shaders::train::expert_gradient;

use super::builder::Builder;
use super::factors::{LayerFactors, Place};
use crate::adapter::Projection;
use crate::model::Pairs;
use crate::plan::{Amount, PlanError, Value};

/// What the gradients of a projection's factors follow from: rows, with the number of pairs that share one.
#[derive(Clone, Copy)]
pub(super) struct ExpertProduct<'a> {
    /// The input.
    pub x: (&'a Value, u32),
    /// The gradient of the result.
    pub dy: (&'a Value, u32),
    /// Whether that gradient still lacks the weights that the router gave the pairs.
    pub weighted: bool,
}

impl<'a> Builder<'a> {
    /// Adds `s·B·(A·x)` to the result `y` of every pair; A·x is kept.
    pub fn correct_experts(
        &mut self,
        pairs: &Pairs<'_>,
        (i, projection): (usize, Projection),
        (x, pairs_per_row): (&Value, u32),
        y: &Value,
    ) -> Result<(), PlanError> {
        let Some((factors, place)) = self.place(i, projection) else { return Ok(()) };
        let (settings, work) = (self.settings, self.work);
        let (z, theta) = (&work.z[projection as usize], &factors.theta);
        let a = place.expert_a(settings).shared_by(pairs_per_row);
        pairs.reduce(self.steps(), a, &[x, theta], z)?;
        pairs.expand(self.steps(), place.expert_b(settings), [z, theta, y])?;
        self.factor_multiply_adds(pairs, &place, 1);
        Ok(())
    }

    /// Adds to the gradients of the factors, if they are trained. Returns them with the gradient of A·x, without weights.
    pub fn expert_factors_back(
        &mut self,
        pairs: &Pairs<'_>,
        (i, projection): (usize, Projection),
        product: ExpertProduct<'_>,
    ) -> Result<Option<(&'a LayerFactors, Place)>, PlanError> {
        let ExpertProduct { x, dy, weighted } = product;
        let Some((factors, place)) = self.place(i, projection) else { return Ok(None) };
        let (settings, work) = (self.settings, self.work);
        let (z, dz) = (&work.z[projection as usize], &work.expert_dz);
        let b = place.expert_b(settings).shared_by(dy.1);
        pairs.reduce(self.steps(), b, &[dy.0, &factors.theta], dz)?;
        self.expert_gradient(pairs, (b, weighted), [dy.0, z], factors)?;
        let a = place.expert_a(settings).shared_by(x.1);
        self.expert_gradient(pairs, (a, weighted), [x.0, dz], factors)?;
        self.factor_multiply_adds(pairs, &place, 2);
        Ok(Some((factors, place)))
    }

    /// Adds `Aᵀ·dz` to the gradient of every pair's input, if the factors are trained.
    pub fn expert_input_back(
        &mut self,
        pairs: &Pairs<'_>,
        trained: Option<(&'a LayerFactors, Place)>,
        dx: &Value,
    ) -> Result<(), PlanError> {
        let Some((factors, place)) = trained else { return Ok(()) };
        let (a, work) = (place.expert_a(self.settings), self.work);
        pairs.expand(self.steps(), a, [&work.expert_dz, &factors.theta, dx])
    }

    /// Adds to the gradient of a factor.
    fn expert_gradient(
        &mut self,
        pairs: &Pairs<'_>,
        (params, weighted): (Params, bool),
        [rows, z]: [&Value; 2],
        factors: &LayerFactors,
    ) -> Result<(), PlanError> {
        let e = pairs.scratch();
        let params = Params { tiles: e.capacity, ..params };
        let mut buffers = vec![&e.tiles, &e.pairs];
        buffers.extend(weighted.then_some(&e.choices));
        buffers.extend([rows, z, &factors.gradients]);
        let source = expert_gradient::source(weighted)?;
        self.push(&source, &params, &buffers, move |_| expert_gradient::dispatch(&params))
    }

    /// Sets the multiply-adds of the last step: `times` those of both factors.
    fn factor_multiply_adds(&mut self, pairs: &Pairs<'_>, place: &Place, times: u64) {
        let columns = u64::from(place.shape.input) + u64::from(place.shape.output);
        let each = u64::from(pairs.experts.mixture.used) * u64::from(self.settings.rank) * columns;
        self.steps().computing(Amount::Fixed(times * each));
    }
}
