//! Sampling on the device, and readback of ids.

use std::sync::Arc;

use shaders::sampling::{Candidates, Params, Sampling, Settings};
use shaders::selftest::Form as Tested;

use super::Parts;
use crate::gpu::{Buffer, Gpu, GpuError, Memory, Program, Readback};
use crate::plan::{Grid, Origin, Plan, PlanError, Value};

/// Length of the output ring: more ids than can be pending.
pub const OUT_LEN: u32 = 64;
/// Bytes of the ring, and of the number of ids behind it.
const DRAWN_BYTES: u64 = 4 * (OUT_LEN as u64 + 1);

/// The sampling plans, one for each variant.
pub struct SamplingPlans {
    /// See [`Parts::history`].
    history: Value,
    /// Ring of sampled ids, and their number.
    drawn: Value,
    /// Readback buffers, used in turn.
    readbacks: [Value; 2],
    forms: Vec<SamplingPlan>,
}

struct SamplingPlan {
    plan: Plan,
    params: Value,
    sampling: Sampling,
}

impl SamplingPlans {
    /// Describes all variants, so that a change of settings needs no compilation.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn new(parts: &Parts) -> Result<Self, PlanError> {
        let ring = DRAWN_BYTES;
        let drawn = Value::state("drawn tokens", ring);
        let readbacks = [(); 2].map(|()| Value::new("drawn tokens", ring, Origin::Readback));
        let form = |candidates| SamplingPlan::new(parts, candidates, &parts.history, &drawn);
        let forms = Candidates::ALL.into_iter().map(form).collect::<Result<_, _>>()?;
        Ok(Self { history: parts.history.clone(), drawn, readbacks, forms })
    }

    /// The readback buffers.
    pub fn readbacks(&self) -> impl Iterator<Item = &Value> {
        self.readbacks.iter()
    }

    /// The plans of all variants.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.forms.iter().map(|form| &form.plan)
    }
}

impl SamplingPlan {
    fn new(parts: &Parts, candidates: Candidates, history: &Value, drawn: &Value) -> Result<Self, PlanError> {
        let s = &parts.scratch;
        let sampling = Sampling { vocab: parts.vocabulary, candidates };
        let many = candidates == Candidates::Many;
        let lists = Value::temporary("candidates", sampling.slice_list_bytes());
        let merged = Value::temporary("merged candidates", sampling.merged_list_bytes());
        let sums = Value::temporary("sums", sampling.sum_bytes());
        let params = Value::new("sampling", size_of::<Params>() as u64, Origin::Params);
        let mut plan = Plan::default();
        let mut operands = vec![&s.state, history, &s.logits, &lists];
        if many {
            operands.push(&sums);
        }
        plan.push_shared(&sampling.top_k()?, &params, &operands, Grid::Fixed(sampling.top_k_grid()))?;
        plan.tested_as(Tested::TopK(candidates));
        let mut last = &lists;
        if sampling.merges() {
            let grid = Grid::Fixed(sampling.merge_lists_grid());
            plan.push_shared(&sampling.merge_lists()?, &params, &[&lists, &merged], grid)?;
            plan.tested_as(Tested::MergeLists(candidates));
            last = &merged;
        }
        let mut operands = vec![&s.state, history, &s.tokens, drawn, last];
        if many {
            operands.push(&sums);
        }
        plan.push_shared(&sampling.sample()?, &params, &operands, Grid::Fixed([1, 1, 1]))?;
        plan.tested_as(Tested::Sample(candidates));
        Ok(Self { plan, params, sampling })
    }
}

/// One variant of the sampling kernels, bound.
struct Form {
    program: Program,
    params: Arc<Buffer>,
    sampling: Sampling,
}

/// The sampling kernels and their buffers.
pub struct Sampler {
    forms: Vec<Form>,
    active: usize,
    history: Arc<Buffer>,
    drawn: Arc<Buffer>,
    readbacks: [Readback; 2],
    settings: Settings,
}

impl Sampler {
    /// Binds all variants.
    ///
    /// # Errors
    /// When the device rejects a kernel or a buffer.
    pub async fn bind(gpu: &Gpu, plans: &SamplingPlans, memory: &Memory) -> Result<Self, GpuError> {
        let mut forms = Vec::new();
        for SamplingPlan { plan, params, sampling } in &plans.forms {
            let (program, params) = (gpu.bind(plan, memory).await?, Arc::clone(memory.get(params)?));
            forms.push(Form { program, params, sampling: *sampling });
        }
        let [first, second] = &plans.readbacks;
        let readbacks =
            [memory.get(first)?, memory.get(second)?].map(|buffer| Readback::new(Arc::clone(buffer)));
        let [history, drawn] = [memory.get(&plans.history)?, memory.get(&plans.drawn)?].map(Arc::clone);
        let mut sampler = Self { forms, active: 0, history, drawn, readbacks, settings: Settings::default() };
        sampler.begin(gpu, Settings::default(), &[]);
        Ok(sampler)
    }

    /// Sets the settings for the next tokens, and the tokens before them. Returns the number of these.
    pub fn begin(&mut self, gpu: &Gpu, settings: Settings, history: &[u32]) -> u32 {
        let candidates = settings.candidates();
        self.active = self.forms.iter().position(|f| f.sampling.candidates == candidates).unwrap_or(0);
        let form = &self.forms[self.active];
        let params = Params::new(&settings, form.sampling, OUT_LEN);
        gpu.queue().write_buffer(&form.params, 0, bytemuck::bytes_of(&params));
        self.settings = settings;
        let room = usize::try_from(self.history.size() / 4).unwrap_or(usize::MAX);
        let history = &history[..history.len().min(room)];
        gpu.queue().write_buffer(&self.history, 0, bytemuck::cast_slice(history));
        history.len() as u32
    }

    /// The dispatches that sample a token from the logits and make it the next input.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.forms[self.active].program
    }

    /// The programs of all variants.
    pub fn all(&self) -> impl Iterator<Item = &Program> {
        self.forms.iter().map(|form| &form.program)
    }

    /// Submits `encoder`, with a copy of the sampled ids to one of the two readback buffers at its end.
    pub fn submit(&self, gpu: &Gpu, encoder: wgpu::CommandEncoder, which: usize) {
        self.readbacks[which].submit(gpu, encoder, &self.drawn, 0, DRAWN_BYTES);
    }

    /// The ids of the last copy: token number `i` is at `i % OUT_LEN`. Behind them is the number of tokens sampled.
    ///
    /// # Errors
    /// When the device was lost.
    pub async fn read(&self, gpu: &Gpu, which: usize) -> Result<Vec<u32>, GpuError> {
        let bytes = self.readbacks[which].read(gpu, DRAWN_BYTES).await?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
