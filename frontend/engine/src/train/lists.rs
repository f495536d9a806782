//! All plans of a training.

use shaders::train::optimiser::{self, AdamW, PARTIAL_SUMS, SquaresParams};

use super::builder::Builder;
use super::factors::{self, LayerFactors};
use super::working::Working;
use super::{Base, MemoryPlan, Settings, TrainError};
use crate::gpu::Program;
use crate::model::{Attention, Rope};
use crate::plan::{Grid, Layout, Origin, Params, ParamsArena, Plan, PlanError, Schedule, Value, rounded};

/// The kinds of attention, in the order of their RoPE tables.
pub(super) const ATTENTIONS: [Attention; 2] = [Attention::Sliding, Attention::Global];

/// The computation of a training, without a device.
pub(super) struct Computation {
    pub work: Working,
    /// By layer; `None` if nothing is trained.
    pub factors: Vec<Option<LayerFactors>>,
    /// In the order of [`ATTENTIONS`].
    pub ropes: [Rope; 2],
    /// Parameters of the optimiser, rewritten for each step.
    pub optimiser: Value,
    pub lists: Lists<Plan>,
}

impl Computation {
    /// Describes the computation. The settings were checked.
    pub fn new(base: &Base, settings: &Settings) -> Result<Self, TrainError> {
        let work = Working::describe(base, settings);
        let layouts = factors::layouts(base, settings)?;
        let factors: Vec<_> = layouts.into_iter().map(factors::Layout::describe).collect();
        let ropes = ATTENTIONS.map(|attention| Rope::describe(&base.config, attention, settings.max_tokens));
        let optimiser = Value::new("optimiser", size_of::<AdamW>() as u64, Origin::Params);
        let lists = Lists::plan(base, settings, &work, &factors, &ropes, &optimiser)?;
        Ok(Self { work, factors, ropes, optimiser, lists })
    }

    /// Returns the buffers for a step, an evaluation and the optimiser.
    pub fn layout(&self) -> Layout {
        Layout::of(&self.lists.schedules()).with(self.work.inputs.first())
    }

    /// Memory in addition to the weights.
    pub fn memory(&self, base: &Base) -> MemoryPlan {
        let layout = self.layout();
        let bytes = |values: &[&Value]| -> u64 {
            let held = |value: &&&Value| layout.slots.iter().any(|slot| slot.values.contains(value));
            values.iter().filter(held).map(|value| rounded(value.bytes())).sum()
        };
        let factors: Vec<_> = self.factors.iter().flatten().collect();
        let optimiser = factors.iter().map(|f| bytes(&[&f.theta, &f.gradients, &f.m, &f.v])).sum();
        let donors = self.work.donors.iter().flatten();
        let shared = donors.map(|kv| bytes(&[&kv.k, &kv.v, &kv.dk, &kv.dv])).sum();
        let checkpoints = bytes(&self.work.inputs.iter().collect::<Vec<_>>());
        let params = ParamsArena::of(&self.lists.plans(), base.limits).buffer_bytes();
        MemoryPlan {
            parameters: factors.iter().map(|factors| u64::from(factors.layout.count)).sum(),
            optimiser,
            checkpoints,
            shared,
            working: layout.total() + params
                - layout.bytes(Origin::Weight)
                - optimiser
                - shared
                - checkpoints,
        }
    }
}

/// All plans, or all programs.
pub(super) struct Lists<P = Program> {
    pub embed: P,
    pub per_layer: P,
    /// By layer, for training.
    pub forward: Vec<P>,
    /// By layer, without dropout; empty if there is no dropout.
    pub plain: Vec<P>,
    pub loss: P,
    pub loss_back: P,
    pub spread: P,
    /// By layer; empty below the first trained layer.
    pub backward: Vec<P>,
    pub squares: P,
    pub update: P,
}

impl Lists<Plan> {
    fn plan(
        base: &Base,
        settings: &Settings,
        work: &Working,
        factors: &[Option<LayerFactors>],
        ropes: &[Rope; 2],
        optimiser: &Value,
    ) -> Result<Self, PlanError> {
        let builder = |dropout| Builder::new((base, settings), work, factors, ropes, dropout);
        let layers = base.config.layers.len();
        let drops = settings.dropout > 0.0;
        let lowest = factors.iter().position(Option::is_some).unwrap_or(layers);

        let mut embed = builder(false);
        embed.embed()?;
        let mut per_layer = builder(false);
        per_layer.per_layer()?;
        let (mut forward, mut plain, mut backward) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..layers {
            let mut again = builder(drops);
            again.layer(i)?;
            forward.push(again.finish());
            if drops {
                let mut without = builder(false);
                without.layer(i)?;
                plain.push(without.finish());
            }
            let mut back = builder(drops);
            if i >= lowest {
                // The gradient arrives in dh[0] at the last layer, and alternates between both.
                back.layer_back(i, (layers - 1 - i) % 2)?;
            }
            backward.push(back.finish());
        }
        let (mut loss, mut loss_back, mut spread) = (builder(false), builder(false), builder(false));
        loss.loss()?;
        loss_back.loss_back()?;
        spread.spread()?;

        let (mut squares, mut update) = (Plan::default(), Plan::default());
        for (i, factors) in factors.iter().enumerate() {
            let Some(factors) = factors else { continue };
            let count = factors.layout.count;
            let params = SquaresParams { count, at: i as u32 * PARTIAL_SUMS, pad: [0; 2] };
            let operands = [&factors.gradients, &work.squares];
            let grid = Grid::Fixed([PARTIAL_SUMS, 1, 1]);
            squares.push_source(&optimiser::squares()?, Params::fixed(&params), &operands, grid)?;
            let operands = [&factors.gradients, &factors.theta, &factors.m, &factors.v];
            let grid = Grid::Fixed(AdamW::dispatch(count));
            update.push_source(&AdamW::source()?, Params::Shared(optimiser.clone()), &operands, grid)?;
        }
        Ok(Self {
            embed: embed.finish(),
            per_layer: per_layer.finish(),
            forward,
            plain,
            loss: loss.finish(),
            loss_back: loss_back.finish(),
            spread: spread.finish(),
            backward,
            squares,
            update,
        })
    }

    /// Returns the schedules: a training step, an evaluation, and the optimiser.
    pub fn schedules(&self) -> [Schedule<'_>; 3] {
        let mut step = vec![&self.embed, &self.per_layer];
        step.extend(&self.forward);
        step.extend([&self.loss, &self.loss_back, &self.spread]);
        for (again, back) in self.forward.iter().zip(&self.backward).rev() {
            step.extend([again, back]);
        }
        let mut evaluation = vec![&self.embed, &self.per_layer];
        evaluation.extend(&self.plain);
        evaluation.push(&self.loss);
        [step, evaluation, vec![&self.squares, &self.update]]
    }

    /// Every plan, in the order that [`Self::bind`] expects.
    pub fn plans(&self) -> Vec<&Plan> {
        let plans = [&self.embed, &self.per_layer].into_iter().chain(&self.forward).chain(&self.plain);
        let plans = plans.chain([&self.loss, &self.loss_back, &self.spread]).chain(&self.backward);
        plans.chain([&self.squares, &self.update]).collect()
    }
}
