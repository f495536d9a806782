//! The content of corrections, stacked and written to the device.

use std::ops::Range;
use std::sync::Arc;

use shaders::state::State;

use super::describe::{Corrections, SiteCorrections, UpdateSource};
use super::{ahead, experts};
use crate::adapter::{Adapter, Factors};
use crate::gpu::{Buffer, Gpu, GpuError, Memory};
use crate::model::Parts;
use crate::plan::Value;

/// Scales of adapters in buffers that begin with them.
struct Places {
    buffers: Vec<Arc<Buffer>>,
    /// Elements of the rank that are an adapter's.
    spans: Vec<Range<u32>>,
}

/// Where the scales of adapters lie: of what all tokens share, and of experts.
pub struct Scales([Places; 2]);

impl Scales {
    /// Sets the scale of each adapter.
    pub fn set(&self, gpu: &Gpu, scales: &[f32]) {
        for Places { buffers, spans } in &self.0 {
            let each = spans.iter().zip(scales).flat_map(|(span, &scale)| span.clone().map(move |_| scale));
            let each: Vec<f32> = each.collect();
            for buffer in buffers {
                gpu.queue().write_buffer(buffer, 0, bytemuck::cast_slice(&each));
            }
        }
    }
}

/// Writes adapters to `memory`, which has the weights of the model and the values of the corrections that were described
/// for them. All scales are zero.
///
/// # Errors
/// When the device was lost, or has no room for what this takes meanwhile.
pub async fn load(
    gpu: &Gpu,
    parts: &Parts,
    corrections: &Corrections,
    adapters: &[&Adapter],
    memory: &Memory,
) -> Result<Scales, GpuError> {
    let plans: Vec<_> = corrections.all_ahead().map(|ahead| &ahead.plan).collect();
    let mut memory = memory.clone();
    gpu.allocate("adapters", plans.iter().flat_map(|plan| plan.values()), &mut memory).await?;
    let mut programs = gpu.bind_all(&plans, &memory).await?.into_iter();
    let write = |value: &Value, content: &[f32]| {
        gpu.queue().write_buffer(memory.get(value)?, 0, bytemuck::cast_slice(content));
        Ok::<_, GpuError>(())
    };
    let vectors = memory.get(&parts.weights.vectors)?;
    let vectors: Vec<f32> = bytemuck::pod_collect_to_vec(&gpu.read_once(vectors, 0, vectors.size()).await?);
    let stacks = Stacks { adapters, spans: &corrections.spans };
    // One layer at a time: what is stacked is as large as the adapters themselves.
    for of_layer in &corrections.layers {
        let mut numbers = vec![0.0; (of_layer.buffer.bytes() / 4) as usize];
        for of_site in of_layer.sites.values() {
            let a = stacks.a(of_site);
            write(&of_site.a.whole().value, &a)?;
            stacks.write_b(of_site, &mut numbers);
            if let UpdateSource::Partial { columns } = of_site.source {
                let (k, rows) = (of_site.a.k as usize, of_site.a.n as usize);
                put(&mut numbers, columns, (0..a.len()).map(|i| a[i % rows * k + i / rows]));
            }
        }
        for ((site, ahead), program) in of_layer.ahead.iter().zip(&mut programs) {
            let a = corrections.at(ahead.next.0, ahead.next.1).map(|next| stacks.a(next));
            let norm = |at: u32| &vectors[at as usize..][..parts.config.width as usize];
            let u = ahead::scaled(&a.unwrap_or_default(), norm(ahead.norms[1]));
            let d = ahead::scaled(&u, norm(ahead.norms[0]));
            put(&mut numbers, ahead.u, u);
            let own = of_layer.sites.get(site).and_then(|of_site| of_site.correction.places[0]);
            if let Some((at, (_, b))) = ahead.b.zip(own) {
                let rank = corrections.rank();
                let b = &numbers[b as usize..][..(rank * parts.config.width) as usize];
                let product = ahead::product(&d, b, rank as usize);
                put(&mut numbers, at, product);
            }
            let [state, d_value] = &corrections.ahead_inputs;
            let rows = State { len: ahead.v.n, ..State::default() };
            gpu.queue().write_buffer(memory.get(state)?, 0, bytemuck::bytes_of(&rows));
            write(d_value, &d)?;
            gpu.run(&program, 1);
        }
        if !numbers.is_empty() {
            write(&of_layer.buffer, &numbers)?;
        }
        for factors in of_layer.experts.values() {
            for part in &factors.parts {
                write(&part.a, &experts::a(adapters, &corrections.of_experts, factors, part))?;
                write(&part.b, &experts::b(adapters, &corrections.of_experts, factors, part))?;
            }
        }
    }
    gpu.drained().await?;
    let buffers = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(|value| memory.get(value).cloned()).collect::<Result<Vec<_>, _>>()
    };
    let shared = Places { buffers: buffers(&mut corrections.scaled())?, spans: corrections.spans.clone() };
    let of_experts = Places {
        buffers: buffers(&mut corrections.scales_of_experts().into_iter())?,
        spans: corrections.of_experts.spans.clone(),
    };
    Ok(Scales([shared, of_experts]))
}

/// Writes values from an element on.
fn put(numbers: &mut [f32], at: u32, values: impl IntoIterator<Item = f32>) {
    numbers[at as usize..].iter_mut().zip(values).for_each(|(to, value)| *to = value);
}

/// The factors of all adapters, stacked.
struct Stacks<'a> {
    adapters: &'a [&'a Adapter],
    spans: &'a [Range<u32>],
}

impl Stacks<'_> {
    /// Returns the factors at a site, each with the rows of z and the elements of B at which its own begin.
    fn factors(&self, of_site: &SiteCorrections) -> impl Iterator<Item = ([usize; 2], &Factors)> {
        let places = of_site.correction.places.into_iter().flatten();
        of_site.targets.iter().zip(places).flat_map(|(&target, (z, b))| {
            self.adapters.iter().zip(self.spans).filter_map(move |(adapter, span)| {
                Some(([z, b].map(|at| (at + span.start) as usize), adapter.get(target)?))
            })
        })
    }

    /// Returns a of a site, `[corrected products · rank, K]`.
    fn a(&self, of_site: &SiteCorrections) -> Vec<f32> {
        let k = of_site.a.k as usize;
        let mut a = vec![0.0; of_site.a.n as usize * k];
        for ([z, _], factors) in self.factors(of_site) {
            a[z * k..][..factors.a.len()].copy_from_slice(&factors.a);
        }
        a
    }

    /// Writes the rows of B of a site to the numbers of its layer, `[rows, rank]`.
    fn write_b(&self, of_site: &SiteCorrections, numbers: &mut [f32]) {
        let rank = of_site.correction.rank as usize;
        for ([_, b], factors) in self.factors(of_site) {
            for (row, values) in factors.b.chunks_exact(factors.rank as usize).enumerate() {
                let to = &mut numbers[b + row * rank..][..values.len()];
                to.iter_mut().zip(values).for_each(|(to, value)| *to = value * factors.scale);
            }
        }
    }
}
