//! What a reader has read so far. Files may have gate and up of experts as two tensors, each with factors of its own; the
//! adapter has one pair for both.

use std::collections::BTreeMap;

use super::{Adapter, AdapterError, Factors, Target};

/// What part of a target's matrix a matrix of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// All of it.
    Whole,
    /// The gate rows of [`super::Projection::ExpertGateUp`].
    Gate,
    /// Its up rows.
    Up,
}

/// A target, or a part of it.
pub type Key = (Target, Part);

/// An adapter that is being read.
#[derive(Default)]
pub struct Reading {
    adapter: Adapter,
    /// Factors of gate and of up.
    halves: BTreeMap<Target, [Option<Factors>; 2]>,
}

impl Reading {
    /// Adds the factors of a target, or of a part of it.
    ///
    /// # Errors
    /// As [`Adapter::insert`].
    pub fn put(&mut self, (target, part): Key, factors: Factors) -> Result<(), AdapterError> {
        let index = match part {
            Part::Whole => return self.adapter.insert(target, factors),
            Part::Gate => 0,
            Part::Up => 1,
        };
        self.halves.entry(target).or_insert([None, None])[index] = Some(factors);
        Ok(())
    }

    /// Returns the adapter.
    ///
    /// # Errors
    /// When gate and up of a layer contradict each other, or both have factors of their own beside common ones.
    pub fn finish(mut self) -> Result<Adapter, AdapterError> {
        for (target, halves) in self.halves {
            let joined = match halves {
                [Some(gate), Some(up)] => joined(target, &gate, &up)?,
                [Some(gate), None] => padded(gate, 0),
                [None, Some(up)] => padded(up, 1),
                [None, None] => continue,
            };
            self.adapter.insert(target, joined)?;
        }
        Ok(self.adapter)
    }
}

/// Factors of which the other half of the rows is zero.
fn padded(half: Factors, index: usize) -> Factors {
    let each = (half.output * half.rank) as usize;
    let mut b = vec![0.0; 2 * half.b.len()];
    for (to, from) in b.chunks_exact_mut((2 * each).max(1)).zip(half.b.chunks_exact(each.max(1))) {
        to[index * each..][..each].copy_from_slice(from);
    }
    Factors { output: 2 * half.output, b, ..half }
}

/// Returns the factors of both: those of one rank if they have A in common, otherwise side by side, with zeros in the rows of the
/// other one.
fn joined(target: Target, gate: &Factors, up: &Factors) -> Result<Factors, AdapterError> {
    let shape = |f: &Factors| [f.experts(), f.output, f.input].map(u64::from).to_vec();
    if shape(gate) != shape(up) {
        let (found, expected) = (shape(up), shape(gate));
        return Err(AdapterError::Shape { tensor: format!("{target} (up beside gate)"), found, expected });
    }
    let halves = [gate, up];
    let same_a = gate.rank == up.rank && gate.a == up.a;
    let rank = if same_a { gate.rank } else { gate.rank + up.rank };
    // The scale of one is in B, if they have two.
    let scale = if gate.scale == up.scale { gate.scale } else { 1.0 };
    let (experts, output) = (gate.experts() as usize, gate.output as usize);
    let a = if same_a {
        gate.a.clone()
    } else {
        let of = |f: &Factors, e: usize| {
            let each = (f.rank * f.input) as usize;
            f.a[e * each..][..each].to_vec()
        };
        (0..experts).flat_map(|e| halves.map(|f| of(f, e)).concat()).collect()
    };
    let mut b = vec![0.0; experts * 2 * output * rank as usize];
    for (row, to) in b.chunks_exact_mut(rank as usize).enumerate() {
        let (expert, index) = (row / (2 * output), row / output % 2);
        let half = halves[index];
        let from = &half.b[(expert * output + row % output) * half.rank as usize..][..half.rank as usize];
        let at = if same_a || index == 0 { 0 } else { gate.rank as usize };
        let factor = if gate.scale == up.scale { 1.0 } else { half.scale };
        to[at..][..from.len()].iter_mut().zip(from).for_each(|(to, v)| *to = factor * v);
    }
    Ok(Factors { rank, input: gate.input, output: 2 * gate.output, a, b, scale })
}
