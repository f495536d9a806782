//! Cases of kernels: small inputs and the outputs of the CPU twins, for a self-test on the user's device.
//! There are no GPU types here either: the engine runs a [`Case`] and compares.

/// The buffers of a case, by the constructors of [`Arg`].
macro_rules! args {
    ($($constructor:ident($($value:expr),*)),*) => {
        vec![$($crate::case::Arg::$constructor($($value),*)),*]
    };
}

pub(crate) mod heads;
mod matrix;

use crate::LayoutError;
use crate::kv_type::KvType;
use crate::math::{pack_rows, rounded_to_bytes};
use crate::planes::PieceError;
use crate::quant::QuantError;
use crate::state::State;

pub(crate) use args;
pub(crate) use matrix::{Matrix, matrix, tolerance, values};

/// ε of norms.
pub(crate) const EPS: f32 = 1e-6;
/// Rows of a case with a few.
pub(crate) const LEN: u32 = 3;

/// A buffer to bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A uniform.
    Uniform(Vec<u8>),
    /// A storage buffer of words.
    Words(Vec<u32>),
}

/// The expected content of a binding.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Number of the binding.
    pub binding: usize,
    /// How the numbers are stored.
    pub reading: Reading,
    /// The numbers.
    pub values: Vec<f32>,
    /// Absolute tolerance.
    pub absolute: f32,
    /// Relative tolerance.
    pub relative: f32,
}

/// How numbers are stored in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// f32, from the first word on.
    F32,
    /// f16, two per word.
    F16,
    /// Keys or values, heads of this size.
    Cache(KvType, u32),
    /// 16-bit integers, two per word: for whole words that must be equal.
    U16,
    /// Signed bytes, four per word.
    I8,
    /// f32, every second word from this one on.
    EverySecond(usize),
    /// An integer and a float, alternating.
    Pairs,
    /// Three floats and an integer in turn.
    Quads,
    /// The key of a logit (`wgsl/sampling/lists.wgsl`) and an id, alternating.
    Candidates,
    /// Accumulators, `[heads, len]`, and a pair of maximum and sum for each head. The value is accumulator / sum.
    Accumulated {
        /// Offset of the accumulators.
        at: usize,
        /// Accumulators per head.
        len: usize,
        /// Offset of the pairs.
        pairs: usize,
    },
}

/// Inputs of a kernel, and its expected outputs.
#[derive(Clone, Debug)]
pub struct Case {
    /// The bindings, in order.
    pub args: Vec<Arg>,
    /// Workgroups.
    pub grid: [u32; 3],
    /// The expected outputs.
    pub expected: Vec<Expected>,
}

/// An error while building a test case.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// Test values that cannot be quantised.
    #[error(transparent)]
    Quant(#[from] QuantError),
    /// Rows that are not a valid piece.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// A matrix without a layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl Arg {
    pub(crate) fn uniform<T: bytemuck::Pod>(value: &T) -> Self {
        Self::Uniform(bytemuck::bytes_of(value).to_vec())
    }

    /// A storage buffer with this content.
    pub(crate) fn words<T: bytemuck::Pod>(values: &[T]) -> Self {
        Self::Words(bytemuck::pod_collect_to_vec(values))
    }

    /// The state of a step of `len` rows, starting at position `pos`.
    pub(crate) fn state(pos: u32, len: u32) -> Self {
        Self::words(&[State { pos, len, ..State::default() }])
    }

    pub(crate) fn floats(values: &[f32]) -> Self {
        Self::words(values)
    }

    pub(crate) fn zeros(count: usize) -> Self {
        Self::Words(vec![0; count])
    }
}

impl Expected {
    pub(crate) fn new(binding: usize, values: Vec<f32>, absolute: f32) -> Self {
        Self { binding, reading: Reading::F32, values, absolute, relative: 1e-3 }
    }

    /// Rows that a kernel leaves as they are, or rounded to int8. Their buffers are added to `args`.
    pub(crate) fn rows(args: &mut Vec<Arg>, rows: Vec<f32>, absolute: f32, packed: bool) -> Vec<Self> {
        let binding = args.len();
        if packed {
            // Codes and scales.
            args.extend(args![zeros(rows.len() / 4), zeros(rows.len() / 8)]);
            return Self::packed(binding, &rows, absolute);
        }
        args.push(Arg::zeros(rows.len()));
        vec![Self::new(binding, rows, absolute)]
    }

    /// Words that must be equal.
    pub(crate) fn words(binding: usize, words: &[u32]) -> Self {
        let values = Reading::U16.read(words, 2 * words.len());
        Self { binding, reading: Reading::U16, values, absolute: 0.25, relative: 0.0 }
    }

    /// Rows rounded to int8: codes in this binding, scales in the next. A code may differ by one, as the elements, with
    /// this tolerance, may lie between two; so may the sum of the codes of a unit, by a few.
    fn packed(binding: usize, rows: &[f32], absolute: f32) -> Vec<Self> {
        let (codes, scales) = pack_rows(rows);
        let codes = Reading::I8.read(&codes, 4 * codes.len());
        let (factors, sums): (Vec<f32>, Vec<f32>) =
            scales.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        let largest = factors.iter().fold(0.0_f32, |most, &factor| most.max(factor));
        vec![
            Self { reading: Reading::I8, relative: 0.0, ..Self::new(binding, codes, 1.1) },
            Self { reading: Reading::EverySecond(0), ..Self::new(binding + 1, factors, absolute / 127.0) },
            Self { reading: Reading::EverySecond(1), ..Self::new(binding + 1, sums, 3.0 * largest) },
        ]
    }
}

impl Reading {
    /// Reads numbers from the words of a buffer.
    #[must_use]
    pub fn read(self, words: &[u32], count: usize) -> Vec<f32> {
        let float = |word: &u32| f32::from_bits(*word);
        match self {
            Self::F32 => words.iter().take(count).map(float).collect(),
            Self::F16 => {
                let halves = words.iter().flat_map(|word| [word & 0xffff, word >> 16]);
                halves.take(count).map(|bits| half::f16::from_bits(bits as u16).to_f32()).collect()
            }
            Self::Cache(kv_type, head_dim) => {
                let mut values = kv_type.values(words, head_dim);
                values.truncate(count);
                values
            }
            Self::U16 => {
                let parts = words.iter().flat_map(|word| [word & 0xffff, word >> 16]);
                parts.take(count).map(|part| part as f32).collect()
            }
            Self::I8 => {
                let bytes = words.iter().flat_map(|word| word.to_le_bytes());
                bytes.take(count).map(|byte| f32::from(byte as i8)).collect()
            }
            Self::EverySecond(first) => words.iter().skip(first).step_by(2).take(count).map(float).collect(),
            Self::Pairs => {
                let number = |(i, word): (usize, &u32)| if i % 2 == 0 { *word as f32 } else { float(word) };
                words.iter().take(count).enumerate().map(number).collect()
            }
            Self::Quads => {
                let number = |(i, word): (usize, &u32)| if i % 4 == 3 { *word as f32 } else { float(word) };
                words.iter().take(count).enumerate().map(number).collect()
            }
            Self::Candidates => {
                let logit = |key: u32| f32::from_bits(if key >> 31 == 1 { key & 0x7fff_ffff } else { !key });
                let number = |(i, word): (usize, &u32)| if i % 2 == 0 { logit(*word) } else { *word as f32 };
                words.iter().take(count).enumerate().map(number).collect()
            }
            Self::Accumulated { at, len, pairs } => {
                let word = |index: usize| words.get(index).map_or(f32::NAN, float);
                (0..count).map(|i| word(at + i) / word(pairs + 2 * (i / len) + 1)).collect()
            }
        }
    }
}

/// Rows as a kernel reads them, as they are or rounded to int8: the values that it multiplies, and their buffers.
pub(crate) fn rows_of(values: Vec<f32>, packed: bool) -> (Vec<f32>, Vec<Arg>) {
    if !packed {
        let args = args![floats(&values)];
        return (values, args);
    }
    let (codes, scales) = pack_rows(&values);
    let exact: Vec<f64> = values.iter().map(|&v| v.into()).collect();
    (as_f32(&rounded_to_bytes(&exact)), args![Words(codes), floats(&scales)])
}

pub(crate) fn as_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

/// Reproducible values in −1..1 (SplitMix64).
#[must_use]
pub fn random(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}
