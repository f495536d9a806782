//! Large models as mixtures of experts: what their experts take, and how they are found.

use protocol::{Diffusion, ExpertMemory, ExpertTimings, FitVerdict, ModelSource};

use super::{Scenario, models};

/// Experts of a layer.
const EXPERTS: u64 = 128;
/// Experts of a token.
const USED: u64 = 8;
/// Layers.
const LAYERS: u64 = 30;
/// Bytes a second that are read.
const SPEED: f64 = 1e9;

/// A mixture on the fake device.
pub struct Mixture {
    /// Bytes of an expert of every layer.
    slot: u64,
    /// Bytes of all else.
    rest: u64,
    /// Places for experts in every layer.
    slots: u64,
    asked: Option<u64>,
    /// If it decodes by diffusion: every step uses all experts.
    diffusion: Option<Diffusion>,
}

impl Mixture {
    /// A model that is one in this scenario, with so many bytes for its experts, or what is free.
    pub fn new(scenario: &Scenario, source: &ModelSource, context: u32, asked: Option<u64>) -> Option<Self> {
        let size = models::size(source);
        if !scenario.mixture || size < 1_000_000_000 {
            return None;
        }
        // Most of it are experts.
        let slot = size / 5 * 4 / EXPERTS;
        let context = models::allocated(source, context);
        let rest = size / 5 + u64::from(context) * 131_072 + 40_000_000;
        let room = asked.unwrap_or(models::DEVICE_BYTES.saturating_sub(rest));
        let diffusion = models::diffusion(scenario);
        let mixture = Self { slot, rest, slots: (room / slot).min(EXPERTS), asked, diffusion };
        // If even those of a token have no room, the verdict says so.
        Some(if asked.is_none() { Self { slots: mixture.slots.max(USED), ..mixture } } else { mixture })
    }

    /// Takes half of the places away, as where graphics memory is full.
    pub fn halve(&mut self) {
        self.slots = (self.slots / 2).max(USED);
    }

    /// Whether the experts of a token have no place.
    pub fn is_too_little(&self) -> bool {
        self.slots < USED
    }

    /// Bytes of graphics memory in all.
    pub fn gpu_bytes(&self) -> u64 {
        self.rest + self.slots * self.slot
    }

    /// What the page is told of its experts.
    pub fn memory(&self) -> ExpertMemory {
        let read = self.slot * self.used() * (EXPERTS - self.slots) / EXPERTS;
        let tokens = self.diffusion.map_or(1.0, |it| f64::from(it.canvas) / f64::from(it.steps));
        ExpertMemory {
            least: self.slot * USED,
            all: self.slot * EXPERTS,
            held: self.slot * self.slots,
            asked: self.asked,
            rate: (read > 0).then(|| tokens * SPEED / read as f64),
        }
    }

    /// Whether it fits.
    pub fn verdict(&self, context: u32) -> FitVerdict {
        let (bytes, available) = (self.gpu_bytes(), models::DEVICE_BYTES);
        if bytes > available {
            return FitVerdict::TooLarge { needed: bytes, available };
        }
        FitVerdict::Fits { context, bytes, outside: (EXPERTS - self.slots) * self.slot }
    }

    /// Experts of a layer that a token, or a step of a diffusion model, uses.
    fn used(&self) -> u64 {
        if self.diffusion.is_some() { EXPERTS } else { USED }
    }

    /// The figures of an answer of so many tokens, or steps: for tokens, routers choose some experts more often than others.
    /// None where all have a place.
    pub fn timings(&self, count: u32) -> Option<ExpertTimings> {
        let uses = u64::from(count) * self.used() * LAYERS;
        let evenly = uses * (EXPERTS - self.slots) / EXPERTS;
        let misses = if self.diffusion.is_some() { evenly } else { evenly / 2 };
        (self.slots < EXPERTS).then(|| ExpertTimings { uses, misses, bytes: misses * self.slot / LAYERS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(size: u64) -> ModelSource {
        ModelSource::Local { names: vec!["a.gguf".into()], sizes: vec![size] }
    }

    fn mixture(size: u64, asked: Option<u64>) -> Option<Mixture> {
        Mixture::new(&Scenario::read("mixture"), &source(size), 0, asked)
    }

    #[test]
    fn memory_decides_how_many_experts_there_are() {
        assert!(mixture(14_000_000, None).is_none());
        let free = mixture(7_162_394_016, None).expect("a mixture");
        let memory = free.memory();
        assert!(memory.held < memory.all && free.gpu_bytes() <= models::DEVICE_BYTES, "{memory:?}");
        let some = mixture(7_162_394_016, Some(memory.least)).expect("a mixture");
        assert!(some.memory().rate < memory.rate && !some.is_too_little());
        let few = mixture(7_162_394_016, Some(memory.least - 1)).expect("a mixture");
        assert!(few.is_too_little());
        let whole = mixture(2_000_000_000, None).expect("a mixture");
        assert_eq!((whole.memory().rate, whole.timings(10)), (None, None));
        assert!(matches!(whole.verdict(8192), FitVerdict::Fits { outside: 0, .. }));
        let large = mixture(7_162_394_016, Some(memory.all)).expect("a mixture");
        assert!(matches!(large.verdict(8192), FitVerdict::TooLarge { .. }));
    }
}
