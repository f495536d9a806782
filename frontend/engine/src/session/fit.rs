//! Memory needed by a model, and whether it fits on a device.

use shaders::repack::requantize;

use crate::gpu::GpuError;
use crate::model::{
    Attention, DecoderPlans, DiffusionPlans, EncoderPlans, KvCache, KvType, LayerConfig, Parts, Rope, chunk,
    history,
};
use crate::plan::{Layout, Limits, Origin, PlanError, Value, rounded};
use crate::weights::MatrixSpec;

use super::memory::LargestBuffer;
use super::{
    DeviceMemory, EngineError, Fit, MIN_CONTEXT, MemoryUse, ModelSpec, Storage, TablePlace, checkpoints,
};

/// The part that does not depend on the context.
#[derive(Debug)]
struct Fixed {
    weights: u64,
    working: u64,
    largest: Option<LargestBuffer>,
}

impl Fixed {
    const NONE: Self = Self { weights: 0, working: 0, largest: None };
}

/// Memory needed by a model, derived from its plans.
#[derive(Debug)]
pub struct Needs<'s> {
    spec: &'s ModelSpec,
    memory: DeviceMemory,
    towers: u64,
    /// By the places that the per-layer table may have, in their order.
    fixed: Vec<(TablePlace, Fixed)>,
}

impl ModelSpec {
    /// Computes the memory that the model needs.
    ///
    /// # Errors
    /// When a matrix cannot be bound for any context ([`GpuError::TooLarge`]), or has no layout.
    pub fn needs(&self, memory: DeviceMemory) -> Result<Needs<'_>, EngineError> {
        let limits = memory.limits;
        let fixed = |place| Ok((place, self.fixed(place, limits)?));
        Ok(Needs {
            spec: self,
            memory,
            towers: self.tower_bytes(limits)?,
            fixed: self.places(limits).into_iter().map(fixed).collect::<Result<_, EngineError>>()?,
        })
    }

    /// Returns the places that the per-layer table may have on a device with these limits, in their order. The last one is always
    /// possible.
    fn places(&self, limits: Limits) -> Vec<TablePlace> {
        let Some(table) = self.table() else { return vec![TablePlace::Device] };
        let can_be_bound = |dtype| {
            let table = MatrixSpec { dtype, ..table.clone() };
            matches!(table.rows_within(limits.largest_binding), Ok(Some(_)))
        };
        let in_floats = requantize::supports(table.dtype, table.k);
        let can_have = |place: &TablePlace| match place {
            TablePlace::Device => can_be_bound(table.dtype),
            TablePlace::Requantized => in_floats && can_be_bound(requantize::TARGET),
            TablePlace::Host => true,
        };
        // A table that is quantised already stays as it is.
        let first = match self.storage.table {
            TablePlace::Requantized if !in_floats => TablePlace::Device,
            asked => asked,
        };
        let all = [TablePlace::Device, TablePlace::Requantized, TablePlace::Host];
        all.into_iter().filter(|place| *place >= first && can_have(place)).collect()
    }

    /// Fits the model to a device; see [`Needs::fit`].
    ///
    /// # Errors
    /// As [`Self::needs`] and [`Needs::fit`].
    pub fn fit(&self, asked: u32, memory: DeviceMemory) -> Result<Fit, EngineError> {
        self.needs(memory)?.fit(asked)
    }

    fn fixed(&self, table: TablePlace, limits: Limits) -> Result<Fixed, EngineError> {
        let parts = self.describe(MIN_CONTEXT, Storage { table, ..self.storage }, limits)?;
        let (Layout { mut slots }, params) = self.plans(&parts, limits).map_err(GpuError::from)?;
        let is_encoder = self.config.encoder.is_some();
        slots.retain(|slot| match slot.origin() {
            Origin::Weight => true,
            // Nearly all depend on the rows of a batch.
            _ if is_encoder => false,
            _ => !parts.by_context().any(|value| slot.values.contains(value)),
        });
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

    /// Returns the buffers of everything, and bytes of the parameters.
    fn plans(&self, parts: &Parts, limits: Limits) -> Result<(Layout, u64), PlanError> {
        if self.config.diffusion.is_some() {
            let plans = DiffusionPlans::new(parts)?;
            return Ok((plans.layout(parts), plans.params_bytes(limits)));
        }
        if self.config.encoder.is_some() {
            let plans = EncoderPlans::new(parts)?;
            return Ok((plans.layout(parts), plans.params_bytes(limits)));
        }
        let plans = DecoderPlans::new(parts, self.tuning, None)?;
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
    /// Returns the ways to store table and cache, the preferred one first. The cache is rounded further only when the table has
    /// left the device.
    pub fn storages(&self) -> impl DoubleEndedIterator<Item = Storage> + Clone + '_ {
        let asked = self.spec.storage.kv_type;
        let can_be_smaller = |layer: &LayerConfig| KvType::Q8_0.supports(layer.head_dim);
        let can_be_smaller = asked == KvType::F16 && self.spec.config.layers.iter().all(can_be_smaller);
        let smaller = can_be_smaller.then_some(KvType::Q8_0);
        let kv_types = [Some(asked), smaller].into_iter().flatten();
        kv_types.flat_map(|kv_type| self.fixed.iter().map(move |&(table, _)| Storage { table, kv_type }))
    }

    /// Returns the next way to store them that takes less memory, if there is one.
    pub fn storage_after(&self, storage: Storage) -> Option<Storage> {
        self.storages().skip_while(|other| *other != storage).nth(1)
    }

    /// Bytes by purpose for a context length. A place that the table cannot have counts as the last one.
    pub fn memory(&self, context: u32, storage: Storage) -> MemoryUse {
        let Fixed { weights, working, .. } = self.fixed_with(storage.table);
        if let Some(batch) = self.batch(context) {
            let working = working + batch.total();
            return MemoryUse { weights: *weights, working, towers: self.towers, ..MemoryUse::default() };
        }
        let (cache, ropes) = self.by_context(context, storage.kv_type);
        let bytes =
            |values: &mut dyn Iterator<Item = &Value>| values.map(|value| rounded(value.bytes())).sum();
        let rings = bytes(&mut cache.rings());
        // A diffusion model keeps neither history nor checkpoints.
        let is_diffusion = self.spec.config.diffusion.is_some();
        let history = (!is_diffusion).then(|| history(context));
        MemoryUse {
            weights: *weights,
            cache: bytes(&mut cache.values()),
            working: working + bytes(&mut ropes.iter().map(|rope| &rope.table).chain(&history)),
            checkpoints: if is_diffusion { 0 } else { checkpoints::planned_bytes(rings) },
            towers: self.towers,
            drafter: self.spec.drafter_bytes,
        }
    }

    /// What a model that makes embeddings works in, with batches of so many rows; `None` for other models.
    fn batch(&self, rows: u32) -> Option<Layout> {
        self.spec.config.encoder?;
        let parts = self.spec.describe(rows, self.spec.storage, self.memory.limits).ok()?;
        // It was planned before, with fewer rows.
        let (mut layout, _) = self.spec.plans(&parts, self.memory.limits).ok()?;
        layout.slots.retain(|slot| slot.origin() != Origin::Weight);
        Some(layout)
    }

    fn fixed_with(&self, table: TablePlace) -> &Fixed {
        let found = self.fixed.iter().find(|(place, _)| *place == table).or(self.fixed.last());
        found.map_or(&Fixed::NONE, |(_, fixed)| fixed)
    }

    /// KV cache and RoPE tables for a context length.
    fn by_context(&self, context: u32, kv_type: KvType) -> (KvCache, Vec<Rope>) {
        let config = &self.spec.config;
        let cache = KvCache::describe(config, context, chunk(config), kv_type);
        let used = |attention: &Attention| config.layers.iter().any(|layer| layer.attention == *attention);
        let attentions = [Attention::Sliding, Attention::Global].into_iter().filter(used);
        (cache, attentions.map(|attention| Rope::describe(config, attention, context)).collect())
    }

    /// Returns the largest buffer of cache and working memory for a context length. Unlike a table, it cannot be split.
    pub fn largest_buffer(&self, context: u32, storage: Storage) -> LargestBuffer {
        if let Some(batch) = self.batch(context) {
            let values = batch.slots.iter().filter_map(|slot| slot.values.first());
            return LargestBuffer::of(values).unwrap_or_default();
        }
        let (cache, ropes) = self.by_context(context, storage.kv_type);
        let by_context = LargestBuffer::of(cache.values().chain(ropes.iter().map(|rope| &rope.table)));
        let fixed = self.fixed_with(storage.table).largest.clone();
        by_context.into_iter().chain(fixed).max_by_key(|largest| largest.bytes).unwrap_or_default()
    }

    /// Memory of the towers.
    pub fn tower_bytes(&self) -> u64 {
        self.towers
    }

    fn fit_of(&self, context: u32, storage: Storage) -> Fit {
        Fit { context, bytes: self.memory(context, storage).total(), storage }
    }

    /// Returns the last way to store table and cache, which takes the least memory.
    fn smallest(&self) -> Storage {
        self.storages().next_back().unwrap_or_default()
    }

    /// Bytes for exactly this context length, with table and cache stored in as little as they can be.
    pub(super) fn least_bytes(&self, context: u32) -> u64 {
        self.memory(context, self.smallest()).total()
    }

    /// Returns the fit for exactly this context length, whether or not there is enough memory, with the first way to store table
    /// and cache that fits.
    pub fn with_context(&self, context: u32) -> Fit {
        let mut fits = self.storages().map(|storage| self.fit_of(context, storage));
        let fit = fits.find(|fit| fit.bytes <= self.memory.available);
        fit.unwrap_or_else(|| self.fit_of(context, self.smallest()))
    }

    /// Fits the model. The context is the requested one (0: the default), or the longest shorter one, in steps of
    /// 512, whose buffers can be bound and that fits in memory. Before it is shortened, table and cache are stored in less
    /// memory ([`Self::storages`]).
    ///
    /// # Errors
    /// [`EngineError::TooLarge`] when even the shortest context does not fit, [`GpuError::TooLarge`] when one of
    /// its buffers cannot be bound.
    pub fn fit(&self, asked: u32) -> Result<Fit, EngineError> {
        let DeviceMemory { available, limits } = self.memory;
        let limit = limits.largest_binding;
        let wanted = self.spec.context(asked);
        let (shortest, smallest) = (self.spec.context(MIN_CONTEXT), self.smallest());
        let LargestBuffer { label, bytes } = self.largest_buffer(shortest, smallest);
        if bytes > limit {
            return Err(GpuError::TooLarge { label, bytes, limit }.into());
        }
        let steps = (1..wanted.div_ceil(MIN_CONTEXT)).rev().map(|n| n * MIN_CONTEXT);
        std::iter::once(wanted)
            .chain(steps)
            .flat_map(|context| self.storages().map(move |storage| (context, storage)))
            .filter(|(context, storage)| self.largest_buffer(*context, *storage).bytes <= limit)
            .map(|(context, storage)| self.fit_of(context, storage))
            .find(|fit| fit.bytes <= available)
            .ok_or_else(|| EngineError::TooLarge { needed: self.least_bytes(shortest), available })
    }
}
