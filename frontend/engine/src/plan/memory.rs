//! Memory of plans: which values share a buffer, and bytes by purpose.
//!
//! A temporary lives from the first step that binds it to the last, or to the end of steps that may run again
//! ([`Plan::expert_steps`]). Two temporaries share a buffer if their
//! lifetimes do not overlap in any schedule. They share whole buffers, not ranges: WebGPU rejects a dispatch that
//! binds a buffer both read-only and writable, even in different ranges.

use std::collections::HashMap;
use std::num::NonZeroU64;

use super::{Limits, Origin, Params, Plan, Value};

/// Minimum buffer size; all sizes are multiples of it.
const MIN_BYTES: u64 = 256;

/// Returns the size of the buffer for a value of `bytes` bytes.
pub fn rounded(bytes: u64) -> u64 {
    bytes.max(16).next_multiple_of(MIN_BYTES)
}

/// Plans that run one after the other. Temporaries live within a schedule; values used by several schedules are
/// state.
pub type Schedule<'p> = Vec<&'p Plan>;

/// A buffer and the values that are stored in it, all at offset 0.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Size: that of the largest value.
    pub bytes: u64,
    /// The values; more than one only for temporaries.
    pub values: Vec<Value>,
}

impl Slot {
    /// Returns the origin of its values.
    pub fn origin(&self) -> Origin {
        self.values.first().map_or(Origin::Temporary, Value::origin)
    }
}

/// The buffers for some schedules.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The buffers: first those of a single value, in order of first use, then those of temporaries, largest first.
    pub slots: Vec<Slot>,
}

impl Layout {
    /// Returns the buffers of all values that the schedules bind.
    pub fn of(schedules: &[Schedule<'_>]) -> Self {
        let mut lives: HashMap<&Value, Vec<Option<Life>>> = HashMap::new();
        let mut order = Vec::new();
        for (index, schedule) in schedules.iter().enumerate() {
            let steps = schedule.iter().flat_map(|plan| plan.steps());
            let again = repeated(schedule);
            for (at, step) in steps.enumerate() {
                let Life { first, last } = again(at);
                for value in step.values() {
                    let lives = lives.entry(value).or_insert_with(|| {
                        order.push(value);
                        vec![None; schedules.len()]
                    });
                    let life = lives[index].get_or_insert(Life { first, last });
                    life.last = last;
                }
            }
        }
        let (mut temporaries, alone): (Vec<&Value>, Vec<&Value>) =
            order.into_iter().partition(|value| value.origin() == Origin::Temporary);
        let alone = alone.into_iter().map(|value| Slot { bytes: value.bytes(), values: vec![value.clone()] });
        let mut slots: Vec<Slot> = alone.collect();
        let first_shared = slots.len();
        // Largest first, so that smaller ones fit into free space.
        temporaries.sort_by_key(|value| std::cmp::Reverse(value.bytes()));
        // The lives of the values of each shared slot.
        let mut taken: Vec<Vec<&[Option<Life>]>> = Vec::new();
        for value in temporaries {
            let lives = lives[value].as_slice();
            match taken.iter().position(|others| !others.iter().any(|other| overlap(lives, other))) {
                Some(free) => {
                    taken[free].push(lives);
                    slots[first_shared + free].values.push(value.clone());
                }
                None => {
                    taken.push(vec![lives]);
                    slots.push(Slot { bytes: value.bytes(), values: vec![value.clone()] });
                }
            }
        }
        Self { slots }
    }

    /// Adds a buffer for each value without one.
    pub fn with<'v>(mut self, values: impl IntoIterator<Item = &'v Value>) -> Self {
        for value in values {
            if self.slots.iter().all(|slot| !slot.values.contains(value)) {
                self.slots.push(Slot { bytes: value.bytes(), values: vec![value.clone()] });
            }
        }
        self
    }

    /// Returns the buffers that are needed beside those of another layout, whose temporaries need not be kept.
    pub fn beyond(mut self, other: &Self) -> Self {
        let temporaries = other.slots.iter().filter(|slot| slot.origin() == Origin::Temporary);
        let mut pool: Vec<u64> = temporaries.map(|slot| rounded(slot.bytes)).collect();
        pool.sort_unstable();
        self.slots.retain(|slot| match slot.origin() {
            Origin::Temporary => take_smallest(&mut pool, slot.bytes, |&bytes| bytes).is_none(),
            _ => !other.slots.iter().any(|known| known.values == slot.values),
        });
        self
    }

    /// Total size of all buffers.
    pub fn total(&self) -> u64 {
        self.slots.iter().map(|slot| rounded(slot.bytes)).sum()
    }

    /// Total size of the buffers of an origin.
    pub fn bytes(&self, origin: Origin) -> u64 {
        self.slots.iter().filter(|slot| slot.origin() == origin).map(|slot| rounded(slot.bytes)).sum()
    }

    /// Returns the largest buffer.
    pub fn largest(&self) -> Option<&Slot> {
        self.slots.iter().max_by_key(|slot| slot.bytes)
    }
}

/// Takes the smallest buffer with room for `bytes` out of a pool, which is in ascending order of `size`.
pub fn take_smallest<B>(pool: &mut Vec<B>, bytes: u64, size: impl Fn(&B) -> u64) -> Option<B> {
    let index = pool.iter().position(|buffer| size(buffer) >= bytes)?;
    Some(pool.remove(index))
}

/// The steps of a schedule between which a value is live.
#[derive(Clone, Copy, Debug)]
struct Life {
    first: usize,
    last: usize,
}

/// Returns the steps of a schedule between which what step `at` binds is live: the step alone, or all that run again with it.
fn repeated(schedule: &Schedule<'_>) -> impl Fn(usize) -> Life {
    let mut all = Vec::new();
    let mut before = 0;
    for plan in schedule {
        let ranges = plan.expert_steps().iter().filter(|range| !range.is_empty());
        all.extend(ranges.map(|range| Life { first: before + range.start, last: before + range.end - 1 }));
        before += plan.len();
    }
    move |at| {
        let range = all.iter().find(|life| (life.first..=life.last).contains(&at));
        range.copied().unwrap_or(Life { first: at, last: at })
    }
}

fn overlap(a: &[Option<Life>], b: &[Option<Life>]) -> bool {
    let both = a.iter().zip(b).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
    both.into_iter().any(|(a, b)| a.first <= b.last && b.first <= a.last)
}

/// The parameters of all steps of some plans, in one buffer.
pub struct ParamsArena {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Offset and size of each step's parameters; `None` if the host rewrites them.
    pub places: Vec<Option<(u64, NonZeroU64)>>,
}

impl ParamsArena {
    /// Concatenates the parameters.
    pub fn of(plans: &[&Plan], limits: Limits) -> Self {
        let mut bytes: Vec<u8> = Vec::new();
        let mut places = Vec::new();
        for step in plans.iter().flat_map(|plan| plan.steps()) {
            let Params::Fixed(words) = &step.params else {
                places.push(None);
                continue;
            };
            let at = (bytes.len() as u64).next_multiple_of(limits.params_alignment);
            bytes.resize(at as usize, 0);
            bytes.extend_from_slice(words);
            places.push(NonZeroU64::new(words.len() as u64).map(|len| (at, len)));
        }
        Self { bytes, places }
    }

    /// Size of the buffer; 0 if it is not needed.
    pub fn buffer_bytes(&self) -> u64 {
        if self.bytes.is_empty() { 0 } else { rounded(self.bytes.len() as u64) }
    }
}
