//! The layers for several rows: a prefill chunk, or a canvas. One matrix product at a time, row-major, with row kernels
//! in between.

use shaders::attention::block::{Block, Params as BlockParams};
use shaders::attention::cooperative::Cooperative;
use shaders::attention::split::{MergeChunk, Split};
use shaders::matrix_units::MIN_ROWS;

use super::corrections::Corrections;
use super::layer::{Mask, Operation, Pass, Slot};
use super::rows::{
    activation, correct, norm_add, norm_heads, per_layer_input, products as push_products, qkv_finish,
};
use super::{Parts, experts, scratch};
use crate::plan::{Amount, Plan, PlanError, Value};

struct Builder<'a> {
    parts: &'a Parts,
    corrections: Option<&'a Corrections>,
    steps: Plan,
}

/// Layers `0..last`. Ends with the complete stream in `h[0]`.
pub fn plan(parts: &Parts, corrections: Option<&Corrections>, last: usize) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, corrections, steps: Plan::default() };
    for i in 0..last {
        builder.layer(i, Pass::Tokens)?;
    }
    Ok(builder.steps)
}

/// Returns all layers for a canvas of a diffusion model, which `visible_until` says the end of, row by row.
pub fn canvas(parts: &Parts) -> Result<Plan, PlanError> {
    let mut builder = Builder { parts, corrections: None, steps: Plan::default() };
    for i in 0..parts.config.layers.len() {
        builder.layer(i, Pass::Canvas)?;
    }
    Ok(builder.steps)
}

impl<'a> Builder<'a> {
    fn norm(&mut self, add: Option<(u32, Option<u32>)>, norm: Option<u32>) -> Result<(), PlanError> {
        norm_add(self.parts, &mut self.steps, &self.parts.scratch.h[0], add, norm)
    }

    /// The previous layer ended with its branch added, so the stream is complete.
    fn layer(&mut self, i: usize, pass: Pass) -> Result<(), PlanError> {
        let parts = self.parts;
        let operations = parts.config.operations(&parts.weights, i, pass)?;
        let mut operations = operations.iter().peekable();
        while let Some(operation) = operations.next() {
            match operation {
                Operation::PerLayerInput { matrix, norm } => {
                    per_layer_input(parts, &mut self.steps, matrix, norm.at)?;
                }
                Operation::Norm { of: Slot::Stream(_), weight, .. } => self.norm(None, Some(weight.at))?,
                Operation::Norm { of, weight, x } => {
                    let values = [of, x].map(|slot| self.value(*slot));
                    norm_heads(parts, &mut self.steps, i, weight.at, values)?;
                }
                Operation::Add { norm, scale, .. } => {
                    let next = match operations.peek() {
                        Some(Operation::Norm { of: Slot::Stream(_), weight, .. }) => Some(weight.at),
                        _ => None,
                    };
                    operations.next_if(|_| next.is_some());
                    self.norm(Some((norm.at, scale.map(|scale| scale.at))), next)?;
                }
                Operation::Products { site, x, products } => {
                    let x = self.value(*x);
                    let values: Vec<_> = products.iter().map(|product| self.value(product.y)).collect();
                    let matrices = products.iter().map(|product| product.matrix);
                    let named: Vec<_> = matrices.zip(values.iter().copied()).collect();
                    push_products(parts, &mut self.steps, &named, x)?;
                    correct(parts, &mut self.steps, self.corrections, (i, *site), x, &values)?;
                }
                Operation::Heads(heads) => qkv_finish(parts, &mut self.steps, i, heads, false)?,
                Operation::Attend(mask) => self.attention(i, *mask)?,
                Operation::Activate { gate, factor, y } => {
                    let values = [gate, factor, y].map(|slot| self.value(*slot));
                    activation(parts, &mut self.steps, i, *factor, values)?;
                }
                Operation::Experts(of) => {
                    experts::chunk::build(parts, &mut self.steps, (i, *of), self.corrections)?;
                }
            }
        }
        Ok(())
    }

    fn value(&self, slot: Slot) -> &'a Value {
        let s = &self.parts.scratch;
        match slot {
            Slot::Stream(_) => &s.h[0],
            Slot::Normed(_) => &s.x,
            Slot::Q => &s.q,
            Slot::K => &s.k,
            Slot::V => &s.v,
            Slot::Attention => &s.attention,
            // The queries have been read.
            Slot::NormedAttention => &s.q,
            Slot::Gate => &s.gate,
            Slot::Up => &s.up,
            Slot::Activated | Slot::PerLayerActivated => &s.act,
            Slot::PerLayerGate => &s.ple_gate,
            Slot::PerLayerInput => &s.ple,
            Slot::Result(_) => &s.branch,
        }
    }

    fn attention(&mut self, i: usize, mask: Mask) -> Result<(), PlanError> {
        let parts = self.parts;
        let (s, config) = (&parts.scratch, &parts.config);
        let layer = &config.layers[i];
        let cache = parts.cache(i)?;
        let kv_type = parts.kv_type;
        let until = mask.sees_ahead();
        let block = Block { head_dim: layer.head_dim, kv_type, until };
        let params = BlockParams {
            heads: config.heads,
            kv_heads: layer.kv_heads,
            window: mask.window,
            ring: cache.ring,
            together: mask.canvas.into(),
            texts: mask.texts.into(),
            workgroups: scratch::split_workgroups(parts.limits, layer.head_dim),
            ..BlockParams::default()
        };
        let mut buffers: Vec<&Value> = vec![&s.state, &s.q, &cache.k, &cache.v, &s.attention];
        let ahead = until.then_some(&s.visible_until);
        let with_parts = buffers.iter().copied().chain([&s.parts_of_chunk]).chain(ahead).collect::<Vec<_>>();
        buffers.extend(ahead);
        let multiply_adds = Amount::Visible { each: 2 * u64::from(config.q_width(i)), window: mask.window };
        let by_units = parts.limits.matrix_units && Cooperative::supports(layer.head_dim, kv_type);
        if by_units {
            let form = Cooperative { head_dim: layer.head_dim, kv_type, until };
            let grid = move |rows| if rows < MIN_ROWS { [0; 3] } else { form.dispatch(&params, rows) };
            self.steps.push_rows(form, &params, &with_parts, grid)?;
            self.steps.computing(multiply_adds);
        }
        let others = move |rows| by_units && rows >= MIN_ROWS;
        if params.workgroups == 0 {
            let grid = move |rows| if others(rows) { [0; 3] } else { block.dispatch(&params, rows) };
            self.steps.push_rows(block, &params, &buffers, grid)?;
            self.steps.computing(multiply_adds);
            return Ok(());
        }
        let form = Split(block);
        let grid = move |rows| if others(rows) { [0; 3] } else { form.dispatch(&params, rows) };
        self.steps.push_rows(form, &params, &with_parts, grid)?;
        self.steps.computing(multiply_adds);
        let merge = MergeChunk { head_dim: layer.head_dim };
        let buffers = [&s.state, &s.parts_of_chunk, &s.attention];
        self.steps.push_rows(merge, &params, &buffers, move |rows| merge.dispatch(&params, rows))
    }
}
