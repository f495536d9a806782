//! The plans of a decoder.

use std::rc::Rc;

use crate::model::corrections::Corrections;
use crate::model::drafter::DraftParts;
use crate::model::expert_cache::CachePlans;
use crate::model::sampling_plans::SamplingPlans;
use crate::model::{Parts, RowCacheValues, Tuning, decode, embed, prefill, verify};
use crate::plan::{Layout, Limits, ParamsArena, Plan, PlanError, Schedule};

/// What a decoder does but for sampling: as it is, or with the corrections of adapters.
#[derive(Clone)]
pub struct Plans {
    /// One token: embedding, all layers, head.
    pub one: Plan,
    /// Embeddings of a chunk. Soft tokens take their places before the next plan runs.
    pub embed: Plan,
    /// A chunk behind its embeddings: the layers that have keys of their own.
    pub chunk: Plan,
    /// The layers without keys of their own for one row of a chunk, then the head.
    pub tail: Plan,
}

impl Plans {
    /// Describes them.
    pub fn new(parts: &Parts, tuning: Tuning, corrections: Option<&Corrections>) -> Result<Self, PlanError> {
        let first_shared = parts.config.first_shared;
        Ok(Self {
            one: one(parts, tuning, corrections)?,
            embed: embed::tokens(parts)?,
            chunk: chunk(parts, corrections, first_shared)?,
            tail: decode::plan(parts, tuning, corrections, first_shared)?,
        })
    }

    /// Returns the same without adapters, with products of other forms, `one` of which is given. The temporaries stay.
    pub(super) fn with_forms(&self, parts: &Parts, tuning: Tuning, one: Plan) -> Result<Self, PlanError> {
        let tail = decode::plan(parts, tuning, None, parts.config.first_shared)?;
        Ok(Self { one, tail, ..self.clone() })
    }

    /// Returns all of them.
    pub fn all(&self) -> [&Plan; 4] {
        [&self.one, &self.embed, &self.chunk, &self.tail]
    }

    /// Returns the buffers of what it does with these corrections. Sampling is done without.
    pub fn layout(&self, corrections: &Corrections) -> Layout {
        let schedules = [vec![&self.embed, &self.chunk], vec![&self.one], vec![&self.tail]];
        Layout::of(&schedules).with(corrections.values())
    }

    /// Bytes of the parameters of its programs.
    pub fn params_bytes(&self, limits: Limits) -> u64 {
        self.all().map(|plan| ParamsArena::of(&[plan], limits).buffer_bytes()).iter().sum()
    }

    /// What runs one after the other, with `sampling` behind each head.
    pub fn schedules<'p>(&'p self, sampling: impl Iterator<Item = &'p Plan>) -> Vec<Schedule<'p>> {
        let mut schedules: Vec<Schedule<'p>> = vec![vec![&self.embed, &self.chunk]];
        for sampling in sampling {
            schedules.extend([&self.one, &self.tail].map(|plan| vec![plan, sampling]));
        }
        schedules
    }
}

/// One token, from its embedding to the logits.
pub(super) fn one(
    parts: &Parts,
    tuning: Tuning,
    corrections: Option<&Corrections>,
) -> Result<Plan, PlanError> {
    let mut one = embed::tokens(parts)?;
    one.extend(&embed::per_layer_of_one(parts, tuning)?);
    one.extend(&decode::plan(parts, tuning, corrections, 0)?);
    Ok(one)
}

/// Returns a chunk behind its embeddings, through the layers before `last`.
fn chunk(parts: &Parts, corrections: Option<&Corrections>, last: usize) -> Result<Plan, PlanError> {
    let mut chunk = embed::per_layer(parts)?;
    chunk.extend(&prefill::plan(parts, corrections, last)?);
    Ok(chunk)
}

/// What brings logits of every row of a prompt.
pub struct LogitsPlans {
    /// Embeddings of a chunk.
    pub embed: Plan,
    /// A chunk behind them, through all layers.
    pub chunk: Plan,
    /// The head for one row of it.
    pub head: Plan,
}

impl LogitsPlans {
    /// Describes them.
    pub fn new(parts: &Parts, tuning: Tuning, corrections: Option<&Corrections>) -> Result<Self, PlanError> {
        let layers = parts.config.layers.len();
        Ok(Self {
            embed: embed::tokens(parts)?,
            chunk: chunk(parts, corrections, layers)?,
            head: decode::plan(parts, tuning, corrections, layers)?,
        })
    }

    /// What runs one after the other.
    pub fn schedules(&self) -> [Schedule<'_>; 2] {
        [vec![&self.embed, &self.chunk], vec![&self.head]]
    }
}

/// Everything that a decoder does, with or without adapters.
pub struct DecoderPlans {
    /// For every candidate: the first one with floats ([`Tuning::candidates`]).
    pub(super) sets: Vec<(Tuning, Plans)>,
    pub(super) sampling: Rc<SamplingPlans>,
    /// Repacking experts into the slots of a cache.
    cache: CachePlans,
    /// Repacking rows of the per-layer table into their cache.
    rows: Option<Plan>,
    /// Whether a load compares the candidates.
    pub(super) measured: bool,
}

impl DecoderPlans {
    /// Describes it.
    pub fn new(
        parts: &Parts,
        asked: Option<Tuning>,
        corrections: Option<&Corrections>,
    ) -> Result<Self, PlanError> {
        Self::with_sampling(parts, asked, corrections, Rc::new(SamplingPlans::new(parts)?))
    }

    pub(super) fn with_sampling(
        parts: &Parts,
        asked: Option<Tuning>,
        corrections: Option<&Corrections>,
        sampling: Rc<SamplingPlans>,
    ) -> Result<Self, PlanError> {
        let mut sets = Vec::new();
        for tuning in Tuning::candidates(parts.limits, &parts.config, asked) {
            let plans = Plans::new(parts, tuning, corrections)?;
            if tuning.packed.is_none() || plans.one.tested().any(|tested| tested.kernel.is_packed()) {
                sets.push((tuning, plans));
            }
        }
        let rows = parts.scratch.row_cache.as_ref().map(RowCacheValues::plan).transpose()?;
        let cache = CachePlans::new(parts)?;
        Ok(Self { sets, sampling, cache, rows, measured: asked.is_none() })
    }

    /// Returns the plans whose kernels a load compiles.
    pub fn usual(&self) -> impl Iterator<Item = &Plan> {
        self.sets().flat_map(Plans::all).chain(self.sampling.all()).chain(self.caches())
    }

    /// What runs one after the other.
    pub fn schedules(&self) -> Vec<Schedule<'_>> {
        let steps = self.sets().flat_map(|plans| plans.schedules(self.sampling.all()));
        steps.chain(self.caches().map(|plan| vec![plan])).collect()
    }

    /// Returns the plans that fill caches.
    fn caches(&self) -> impl Iterator<Item = &Plan> {
        self.cache.all().chain(&self.rows)
    }

    /// Returns the buffers of everything: weights, cache, and what the plans work in.
    pub fn layout(&self, parts: &Parts) -> Layout {
        let experts = parts.scratch.experts.as_ref().and_then(|experts| experts.cache.as_ref());
        let of_host = self.sampling.readbacks().chain(experts.iter().flat_map(|cache| cache.of_host()));
        let others = parts.kv.values().chain(parts.weights.values()).chain(of_host);
        Layout::of(&self.schedules()).with(others)
    }

    /// Bytes of the parameters of the programs that a load binds: those of the tuning that is asked for, or of several
    /// that are compared, the one that takes most.
    pub fn params_bytes(&self, limits: Limits) -> u64 {
        let sampling = self.sampling.all().map(|plan| ParamsArena::of(&[plan], limits).buffer_bytes());
        let compared = if self.measured { self.sets.len() } else { 1 };
        let sets = self.sets().map(|plans| plans.params_bytes(limits));
        sets.skip(self.sets.len().saturating_sub(compared)).max().unwrap_or(0) + sampling.sum::<u64>()
    }

    /// One drawn token, greedily: with packed products, where there are any.
    pub fn decode(&self) -> Schedule<'_> {
        self.preferred().map(|plans| &plans.one).into_iter().chain(self.sampling.all().take(1)).collect()
    }

    /// Returns a chunk of a prompt.
    pub fn prefill(&self) -> Schedule<'_> {
        self.preferred().into_iter().flat_map(|plans| [&plans.embed, &plans.chunk]).collect()
    }

    /// What is left of the last token of a prompt, and the first token drawn, greedily.
    pub fn tail(&self) -> Schedule<'_> {
        self.preferred().map(|plans| &plans.tail).into_iter().chain(self.sampling.all().take(1)).collect()
    }

    /// Returns a round of `rows` rows, the last token and drafts, sampled greedily.
    pub fn round(
        &self,
        parts: &Parts,
        rows: u32,
        corrections: Option<&Corrections>,
        drafter: Option<&DraftParts>,
    ) -> Result<Plan, PlanError> {
        let tuning = self.sets.last().map_or(Tuning::FLOATS, |(tuning, _)| *tuning);
        let mut round = verify::plan(parts, rows, tuning, corrections, drafter)?;
        self.sampling.all().take(1).for_each(|sampling| round.extend(sampling));
        Ok(round)
    }

    /// What is usual: where a load compares candidates, fused products.
    fn preferred(&self) -> Option<&Plans> {
        let at = if self.sets.len() > 2 { self.sets.len() - 2 } else { self.sets.len().checked_sub(1)? };
        self.sets.get(at).map(|(_, plans)| plans)
    }

    fn sets(&self) -> impl Iterator<Item = &Plans> {
        self.sets.iter().map(|(_, plans)| plans)
    }
}
