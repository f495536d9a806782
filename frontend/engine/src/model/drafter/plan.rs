//! The plan that drafts tokens: up to seven steps of the drafter, each of which gives one token.

use shaders::draft::{clusters, input, ordered_head};
use shaders::sampling::{Candidates, Params as SamplingParams, Sampling, Settings, TopK, draft as best};

use super::ordered::OrderedHead;
use super::spec::DrafterSpec;
use crate::model::rows::product_of_one;
use crate::model::{Parts, Scratch, Tuning, decode};
use crate::plan::{Amount, Grid, Limits, Origin, Plan, PlanError, Value};
use crate::weights::{LoadError, Weights};

/// A drafter on the device: its decoder, which shares the target's caches and RoPE tables, and what passes between its
/// steps.
#[derive(Debug)]
pub struct DraftParts {
    /// The decoder.
    pub parts: Parts,
    /// What a step leaves for the next one in place of the target's hidden state. f32 `[target width]`.
    pub hidden: Value,
    /// Embedding and hidden state of a step. f32 `[2·target width]`.
    input: Value,
    /// The best candidates of the logits, by slices.
    lists: Value,
    /// The ordered head, if it is used.
    pub ordered: Option<OrderedParts>,
}

/// The values of an ordered head.
#[derive(Debug)]
pub struct OrderedParts {
    head: OrderedHead,
    /// The ids by cluster, u32 `[vocabulary]`.
    pub ordering: Value,
    /// Logits of the centroids, f32 `[clusters]`.
    logits: Value,
    /// The best of them, by slices.
    lists: Value,
    /// The chosen clusters, u32 `[top]`.
    chosen: Value,
}

impl OrderedParts {
    fn describe(head: &OrderedHead) -> Self {
        Self {
            ordering: Value::new("ordering", head.ordering.end - head.ordering.start, Origin::Weight),
            logits: Value::temporary("logits of centroids", 4 * u64::from(head.clusters)),
            lists: Value::temporary(
                "candidates of centroids",
                clusters::sampling(head.clusters).slice_list_bytes(1),
            ),
            chosen: Value::temporary("chosen clusters", 4 * u64::from(head.top)),
            head: head.clone(),
        }
    }
}

impl DraftParts {
    /// Describes a drafter beside its target. Nothing is allocated.
    ///
    /// # Errors
    /// When a matrix has no layout on such a device.
    pub fn describe(spec: &DrafterSpec, target: &Parts, limits: Limits) -> Result<Self, LoadError> {
        let vocabulary = spec.tensors.vocabulary();
        let scratch = Scratch::of_one(&spec.config, vocabulary);
        let parts = Parts {
            weights: Weights::describe(&spec.tensors, limits)?,
            scratch: Scratch { tokens: target.scratch.tokens.clone(), ..scratch },
            config: spec.config.clone(),
            vocabulary,
            history: target.history.clone(),
            kv: target.kv.clone(),
            kv_type: target.kv_type,
            rope_sliding: target.rope_sliding.clone(),
            rope_global: target.rope_global.clone(),
            limits,
            ahead: 1,
            keeps_hidden: true,
        };
        let width = u64::from(target.config.width);
        let ordered = spec.ordered.as_ref();
        let slices = sampling(&parts).slice_list_bytes(1);
        let lists = slices.max(ordered.map_or(0, |head| ordered_head::list_bytes(head.size, head.top)));
        // The kernel of the ordered head reads rows from anywhere in one binding.
        let is_whole = parts.weights.matrix("token_embd").is_some_and(|head| head.parts.len() == 1);
        Ok(Self {
            hidden: Value::state("hidden state of a draft step", 4 * width),
            input: Value::temporary("input of a draft step", 8 * width),
            lists: Value::temporary("candidates of a draft", lists),
            ordered: ordered.filter(|_| is_whole).map(OrderedParts::describe),
            parts,
        })
    }
}

fn sampling(parts: &Parts) -> Sampling {
    Sampling { vocab: parts.vocabulary, candidates: Candidates::One }
}

/// Drafts `count` tokens behind the newest one, into [`Scratch::tokens`].
pub fn draft(target: &Parts, drafter: &DraftParts, tuning: Tuning, count: u32) -> Result<Plan, PlanError> {
    let mut plan = Plan::default();
    for at in 0..count {
        plan.extend(&step(target, drafter, tuning, at, at + 1 < count)?);
    }
    Ok(plan)
}

/// Step `at` of a draft, which computes token `at + 1` of [`Scratch::tokens`], and the hidden state for the next step if there
/// is one.
pub fn step(
    target: &Parts,
    drafter: &DraftParts,
    tuning: Tuning,
    at: u32,
    has_next: bool,
) -> Result<Plan, PlanError> {
    let DraftParts { parts, input: u, hidden, lists, ordered } = drafter;
    let (s, t) = (&parts.scratch, &target.scratch);
    let mut plan = Plan::default();
    let before = if at == 0 { &t.x } else { hidden };
    let embedding = target.matrix("token_embd")?;
    for part in &embedding.parts {
        let params = input::Params::new(&part.layout, part.row0, (target.config.width as f32).sqrt(), at);
        let operands = [&part.value, &s.tokens, &t.state, before, u, &s.state];
        let kernel = input::Input(embedding.dtype);
        plan.push(kernel, &params, &operands, Grid::Fixed(params.dispatch()))?;
    }
    product_of_one(parts, &mut plan, tuning, "nextn.pre_projection", [u, &s.h[0]])?;
    // The hidden state and an ordered head need the normed stream in memory.
    let needs_hidden = has_next || ordered.is_some();
    let decode = if needs_hidden { decode::hidden } else { decode::logits };
    plan.extend(&decode(parts, tuning)?);
    if has_next {
        product_of_one(parts, &mut plan, tuning, "nextn.post_projection", [&s.x, hidden])?;
    }
    let count = match ordered {
        Some(ordered) => ordered_head(parts, &mut plan, tuning, ordered, lists)?,
        None => {
            if needs_hidden {
                product_of_one(parts, &mut plan, tuning, "token_embd", [&s.x, &s.logits])?;
            }
            candidates(parts, &mut plan, sampling(parts), [&s.logits, lists])?;
            sampling(parts).slices()
        }
    };
    let params = best::Params::new(count, parts.vocabulary, at + 1);
    plan.push(best::Draft, &params, &[lists, &s.tokens], Grid::Fixed([1, 1, 1]))?;
    Ok(plan)
}

/// The best candidates of each slice of logits, which are taken as they are.
fn candidates(
    parts: &Parts,
    steps: &mut Plan,
    sampling: Sampling,
    [logits, lists]: [&Value; 2],
) -> Result<(), PlanError> {
    let greedy = SamplingParams::new(&Settings { temperature: 0.0, ..Settings::default() }, sampling, 1);
    let s = &parts.scratch;
    let operands = [&s.state, &parts.history, &s.tokens, logits, lists];
    steps.push(TopK(sampling.candidates), &greedy, &operands, Grid::Fixed(sampling.top_k_grid(1)))
}

/// The best tokens of the clusters with the best centroids. Returns the number of lists.
fn ordered_head(
    parts: &Parts,
    steps: &mut Plan,
    tuning: Tuning,
    ordered: &OrderedParts,
    lists: &Value,
) -> Result<u32, PlanError> {
    let (s, OrderedParts { head, ordering, logits, lists: centroids, chosen }) = (&parts.scratch, ordered);
    product_of_one(parts, steps, tuning, "masked_embd_centroids", [&s.x, logits])?;
    candidates(parts, steps, clusters::sampling(head.clusters), [logits, centroids])?;
    let params = clusters::Params::new(head.clusters, head.top);
    steps.push(clusters::Clusters, &params, &[centroids, chosen], Grid::Fixed([1, 1, 1]))?;
    let matrix = parts.matrix("token_embd")?;
    let part = matrix.whole();
    let params = ordered_head::Params::new(&part.layout, head.size, head.top);
    let operands = [&part.value, ordering, chosen, &s.x, lists];
    let kernel = ordered_head::OrderedHead(matrix.dtype);
    steps.push(kernel, &params, &operands, Grid::Fixed(params.dispatch()))?;
    let row_bytes = part.layout.bytes() / u64::from(part.layout.n);
    steps.reading(Amount::Fixed(row_bytes * u64::from(head.size * head.top)));
    Ok(params.lists())
}
