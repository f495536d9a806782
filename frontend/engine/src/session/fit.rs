//! Memory needed by a model, and whether it fits on a device.

use crate::gpu::GpuError;
use crate::model::{Attention, DecoderPlans, DiffusionPlans, KvCache, Parts, Rope, chunk, history};
use crate::plan::{Layout, Limits, Origin, PlanError, Value, rounded};

use super::memory::LargestBuffer;
use super::{DeviceMemory, EngineError, Fit, MIN_CONTEXT, MemoryUse, ModelSpec, checkpoints};

/// The part that does not depend on the context.
#[derive(Debug)]
struct Fixed {
    weights: u64,
    working: u64,
    largest: Option<LargestBuffer>,
}

/// Memory needed by a model, derived from its plans.
#[derive(Debug)]
pub struct Needs<'s> {
    spec: &'s ModelSpec,
    memory: DeviceMemory,
    towers: u64,
    /// With the per-layer table on the device, if that is possible.
    inside: Option<Fixed>,
    /// With the table on the host, if there is one.
    outside: Option<Fixed>,
}

impl ModelSpec {
    /// Computes the memory that the model needs.
    ///
    /// # Errors
    /// When a matrix cannot be bound for any context ([`GpuError::TooLarge`]), or has no layout.
    pub fn needs(&self, memory: DeviceMemory) -> Result<Needs<'_>, EngineError> {
        let limits = memory.limits;
        let can_be_inside = self.table().is_none_or(|table| {
            !self.ple_on_host && matches!(table.rows_within(limits.largest_binding), Ok(Some(_)))
        });
        let fixed = |table_on_host| self.fixed(table_on_host, limits);
        Ok(Needs {
            spec: self,
            memory,
            towers: self.tower_bytes(limits)?,
            inside: can_be_inside.then(|| fixed(false)).transpose()?,
            outside: self.table().map(|_| fixed(true)).transpose()?,
        })
    }

    /// Fits the model to a device; see [`Needs::fit`].
    ///
    /// # Errors
    /// As [`Self::needs`] and [`Needs::fit`].
    pub fn fit(&self, asked: u32, memory: DeviceMemory) -> Result<Fit, EngineError> {
        self.needs(memory)?.fit(asked)
    }

    fn fixed(&self, table_on_host: bool, limits: Limits) -> Result<Fixed, EngineError> {
        let parts = self.describe(MIN_CONTEXT, table_on_host, limits)?;
        let (Layout { mut slots }, params) = self.plans(&parts, limits).map_err(GpuError::from)?;
        slots.retain(|slot| !parts.by_context().any(|value| slot.values.contains(value)));
        let layout = Layout { slots };
        let (mut weights, mut working) = (0, params);
        for slot in &layout.slots {
            *(if slot.origin() == Origin::Weight { &mut weights } else { &mut working }) +=
                rounded(slot.bytes);
        }
        let others = layout.slots.iter().filter(|slot| slot.origin() != Origin::Weight);
        Ok(Fixed {
            weights,
            working,
            largest: LargestBuffer::of(others.filter_map(|slot| slot.values.first())),
        })
    }

    /// The buffers of everything, and bytes of the parameters.
    fn plans(&self, parts: &Parts, limits: Limits) -> Result<(Layout, u64), PlanError> {
        if self.config.diffusion.is_some() {
            let plans = DiffusionPlans::new(parts)?;
            return Ok((plans.layout(parts), plans.params_bytes(limits)));
        }
        let plans = DecoderPlans::new(parts, self.products, None)?;
        Ok((plans.layout(parts), plans.params_bytes(limits)))
    }

    /// Memory of the towers, including working memory.
    fn tower_bytes(&self, limits: Limits) -> Result<u64, EngineError> {
        let seeing = self.vision.as_ref().map(|tower| tower.bytes(self.budget, limits)).transpose()?;
        let hearing = self.audio.as_ref().map(|tower| tower.bytes(limits)).transpose()?;
        Ok(self.projector_bytes + seeing.unwrap_or(0) + hearing.unwrap_or(0))
    }
}

impl Needs<'_> {
    /// Bytes by purpose for a context length, with the table on the host if requested and possible.
    #[must_use]
    pub fn memory(&self, context: u32, table_on_host: bool) -> MemoryUse {
        let [first, second] =
            if table_on_host { [&self.outside, &self.inside] } else { [&self.inside, &self.outside] };
        let (weights, fixed) = first.as_ref().or(second.as_ref()).map_or((0, 0), |f| (f.weights, f.working));
        let (cache, ropes) = self.by_context(context);
        let bytes =
            |values: &mut dyn Iterator<Item = &Value>| values.map(|value| rounded(value.bytes())).sum();
        let rings = bytes(&mut cache.rings());
        // A diffusion model keeps neither history nor checkpoints.
        let is_diffusion = self.spec.config.diffusion.is_some();
        let history = (!is_diffusion).then(|| history(context));
        MemoryUse {
            weights,
            cache: bytes(&mut cache.values()),
            working: fixed + bytes(&mut ropes.iter().map(|rope| &rope.table).chain(&history)),
            checkpoints: if is_diffusion { 0 } else { checkpoints::planned_bytes(rings) },
            towers: self.towers,
            drafter: self.spec.drafter_bytes,
        }
    }

    /// KV cache and RoPE tables for a context length.
    fn by_context(&self, context: u32) -> (KvCache, Vec<Rope>) {
        let config = &self.spec.config;
        let cache = KvCache::describe(config, context, chunk(config, self.memory.limits), self.spec.kv_type);
        let used = |attention: &Attention| config.layers.iter().any(|layer| layer.attention == *attention);
        let attentions = [Attention::Sliding, Attention::Global].into_iter().filter(used);
        (cache, attentions.map(|attention| Rope::describe(config, attention, context)).collect())
    }

    /// The largest buffer of cache and working memory for a context length. Unlike a table, it cannot be split.
    #[must_use]
    pub fn largest_buffer(&self, context: u32) -> LargestBuffer {
        let (cache, ropes) = self.by_context(context);
        let by_context = LargestBuffer::of(cache.values().chain(ropes.iter().map(|rope| &rope.table)));
        let fixed = self.inside.as_ref().or(self.outside.as_ref()).and_then(|fixed| fixed.largest.clone());
        by_context.into_iter().chain(fixed).max_by_key(|largest| largest.bytes).unwrap_or_default()
    }

    /// Memory of the towers.
    #[must_use]
    pub fn tower_bytes(&self) -> u64 {
        self.towers
    }

    /// The fit for exactly this context length, whether or not there is enough memory. The per-layer table is on
    /// the device if it fits.
    #[must_use]
    pub fn with_context(&self, context: u32) -> Fit {
        let inside = self.memory(context, false).total();
        let fits = self.inside.is_some() && inside <= self.memory.available;
        let table_on_host = self.outside.is_some() && !fits;
        let bytes = if table_on_host { self.memory(context, true).total() } else { inside };
        Fit { context, bytes, table_on_host }
    }

    /// Fits the model. The context is the requested one (0: the default), or the longest shorter one, in steps of
    /// 512, whose buffers can be bound and that fits in memory. The per-layer table goes to the device if it fits
    /// in addition; the context is not shortened for it.
    ///
    /// # Errors
    /// [`EngineError::TooLarge`] when even the shortest context does not fit, [`GpuError::TooLarge`] when one of
    /// its buffers cannot be bound.
    pub fn fit(&self, asked: u32) -> Result<Fit, EngineError> {
        let DeviceMemory { available, limits } = self.memory;
        let limit = limits.largest_binding;
        let wanted = self.spec.context(asked);
        let steps = (1..wanted.div_ceil(MIN_CONTEXT)).rev().map(|n| n * MIN_CONTEXT);
        let can_be_bound = |context: &u32| self.largest_buffer(*context).bytes <= limit;
        let mut bindable = std::iter::once(wanted).chain(steps).filter(can_be_bound);
        let shortest = self.spec.context(MIN_CONTEXT);
        let Some(longest) = bindable.next() else {
            let LargestBuffer { label, bytes } = self.largest_buffer(shortest);
            return Err(GpuError::TooLarge { label, bytes, limit }.into());
        };
        let outside = |context| {
            let bytes = self.memory(context, true).total();
            Fit { context, bytes, table_on_host: self.outside.is_some() }
        };
        std::iter::once(self.with_context(longest))
            .chain(bindable.map(outside))
            .find(|fit| fit.bytes <= available)
            .ok_or_else(|| EngineError::TooLarge { needed: outside(shortest).bytes, available })
    }
}
