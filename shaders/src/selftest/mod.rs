//! Test cases for kernels: small inputs and the outputs of the CPU twins, for a self-test on the user's device.
//! There are no GPU types here either: the engine runs a [`Case`] and compares.

mod attention;
mod diffusion;
mod experts;
mod low_rank;
mod products;
mod prologue;
mod rows;
mod sampling;
mod towers;

use crate::attention::{KvType, block::Block, cooperative::Cooperative, decode::Decode, few_rows};
use crate::backward::input;
use crate::experts::low_rank::{Expand, Reduce};
use crate::experts::{Mixture, down::Down, gate_up::GateUp};
use crate::matmul::{CooperativeTile, FewRows, Tile, pack_rows::pack_rows};
use crate::matvec::Matvec;
use crate::ple::combine::Table;
use crate::quant::QuantError;
use crate::repack::PieceError;
use crate::rows::{norm_add::NormAdd, qkv_finish::QkvFinish};
use crate::sampling::Candidates;
use crate::state::State;
use crate::vision::layer_norm::LayerNorm;
use crate::{DType, LayoutError, PreprocessError, Source};

/// A kernel permutation that can be tested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Matrix–vector product of decode.
    Matvec(Matvec),
    /// Matrix product of prefill.
    Matmul(Tile, DType),
    /// Matrix product of prefill by matrix units.
    Cooperative(CooperativeTile, DType),
    /// The same with expert matrices.
    CooperativeExperts(CooperativeTile, DType),
    /// The product with the columns of a matrix by matrix units.
    CooperativeColumns(DType),
    /// Rows rounded to halves.
    HalfRows,
    /// Sums over groups of neighbouring rows.
    GroupSum,
    /// Matrix product of a few rows.
    FewRows(FewRows),
    /// Rows rounded to int8.
    PackRows,
    /// Attention of decode.
    Decode(Decode),
    /// Attention of a few rows.
    FewRowsAttention(few_rows::FewRows),
    /// The merge of its partial results with heads of this size, rounded to int8 or not.
    MergeRows(u32, bool),
    /// Attention of prefill.
    Block(Block),
    /// Attention of prefill by matrix units.
    CooperativeAttention(Cooperative),
    /// Head norms, RoPE, append to the cache.
    QkvFinish(QkvFinish),
    /// Norms and residual additions of rows of this width.
    NormAdd(NormAdd, u32),
    /// The gated activation of prefill.
    GeluMul,
    /// Repacking of file blocks to planes.
    Repack(DType),
    /// Requantisation of floats to Q8_0.
    Requantize(DType),
    /// Token embeddings.
    Gather(DType),
    /// Per-layer inputs.
    Combine(Table),
    /// The search for rows in the cache of the per-layer table, for a few rows or for many.
    LocateRows(bool),
    /// The router's choice.
    ChooseExperts(Mixture),
    /// The search for chosen experts in the cache, for a few rows or for many.
    LocateExperts(Mixture, bool),
    /// Sorting of choices into tiles of this many pairs.
    SortChoices(Mixture, u32),
    /// Matrix product of prefill with expert matrices.
    ExpertMatmul(Tile, DType),
    /// Norms and sum of dense part and experts, which are summed already without a mixture.
    MixExperts(Option<Mixture>, u32),
    /// Gate and up of the chosen experts, for a few rows.
    ExpertGateUp(GateUp),
    /// Sum of the chosen experts, for a few rows.
    ExpertDown(Down),
    /// From rows to the rank of an adapter, for pairs of rows and experts.
    ExpertReduce(Reduce),
    /// From the rank of an adapter to rows, for pairs of rows and experts.
    ExpertExpand(Expand),
    /// Low-rank update of this many prefill products.
    Expand(usize),
    /// The best candidates of each slice of the logits.
    TopK(Candidates),
    /// Merging of candidate lists.
    MergeLists(Candidates),
    /// Sampling of a token.
    Sample(Candidates),
    /// Tokens drafted by n-gram look-up.
    LookUp,
    /// The input of a drafter's step.
    DraftInput(DType),
    /// The best candidate as a drafted token.
    Draft,
    /// The clusters of an ordered head with the best centroids.
    Clusters,
    /// The best token of these clusters.
    OrderedHead(DType),
    /// The copy that measures bandwidth.
    Copy,
    /// Product of a clipped linear, in towers.
    ClampedMatmul(Tile, DType),
    /// Pixels to patches with sides of this many pixels.
    Patches(u32),
    /// Position embeddings of patches.
    Positions(DType),
    /// Head norms and 2D RoPE for heads of this size.
    TurnedHeads(u32),
    /// Average pooling of patches, standardised or not.
    Pool(bool),
    /// Layer norm.
    LayerNorm(LayerNorm),
    /// RMS norm without weights.
    UnitNorm,
    /// Audio convolution with these input and output channels.
    Convolution(u32, u32),
    /// Gated depthwise convolution of the audio tower.
    LightConvolution,
    /// Local attention of the audio tower, with heads of this size.
    SoundAttention(u32),
    /// Activation of the audio tower.
    Silu,
    /// What enters the first layer for a canvas.
    Join,
    /// Statistics of the logits of a canvas.
    Statistics,
    /// Probabilities and samples of a canvas.
    Weigh,
    /// The product with the columns of a matrix.
    ColumnProduct(input::Tile, DType),
}

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
    /// Rows of this length in two terms of signed bytes, q and then r: 128·q + r.
    Terms(u32),
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

/// A kernel with its inputs and expected outputs.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub source: Source,
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
    /// The template.
    #[error(transparent)]
    Template(#[from] PreprocessError),
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

impl Form {
    /// The test case of this permutation.
    ///
    /// # Errors
    /// When the template cannot be expanded, or a shape that the type cannot have.
    pub fn case(&self) -> Result<Case, CaseError> {
        match self {
            Self::Matvec(kernel) => products::matvec(kernel),
            Self::Matmul(tile, dtype) => products::matmul(*tile, *dtype),
            Self::Cooperative(tile, dtype) => products::cooperative(*tile, *dtype),
            Self::CooperativeExperts(tile, dtype) => experts::cooperative(*tile, *dtype),
            Self::CooperativeColumns(dtype) => products::cooperative_columns(*dtype),
            Self::HalfRows => products::half_rows(),
            Self::GroupSum => products::group_sum(),
            Self::FewRows(kernel) => products::of_few_rows(kernel),
            Self::PackRows => products::packed_rows(),
            Self::Repack(dtype) => products::repacked(*dtype),
            Self::Requantize(dtype) => products::requantized(*dtype),
            Self::Gather(dtype) => products::gather(*dtype),
            Self::Decode(form) => attention::decode(form),
            Self::FewRowsAttention(form) => attention::few_rows(*form),
            Self::MergeRows(head_dim, packed) => attention::merge(*head_dim, *packed),
            Self::Block(form) => attention::block(form),
            Self::CooperativeAttention(form) => attention::cooperative(*form),
            Self::QkvFinish(form) => attention::qkv_finish(form),
            Self::NormAdd(form, width) => rows::norm_add(*form, *width),
            Self::GeluMul => rows::gelu_mul(),
            Self::Combine(table) => rows::combine(*table),
            Self::LocateRows(few_rows) => rows::locate(*few_rows),
            Self::ChooseExperts(mixture) => experts::choose(*mixture),
            Self::LocateExperts(mixture, few_rows) => experts::locate(*mixture, *few_rows),
            Self::SortChoices(mixture, bm) => experts::sort(*mixture, *bm),
            Self::ExpertMatmul(tile, dtype) => experts::matmul(*tile, *dtype),
            Self::MixExperts(mixture, width) => experts::mix(*mixture, *width),
            Self::ExpertGateUp(kernel) => experts::gate_up(kernel),
            Self::ExpertDown(kernel) => experts::down(kernel),
            Self::ExpertReduce(kernel) => experts::reduce(*kernel),
            Self::ExpertExpand(kernel) => experts::expand(*kernel),
            Self::Expand(products) => rows::expand(*products),
            Self::TopK(candidates) => sampling::top_k(*candidates),
            Self::MergeLists(candidates) => sampling::merge(*candidates),
            Self::LookUp => sampling::look_up(),
            Self::DraftInput(dtype) => products::draft_input(*dtype),
            Self::Draft => sampling::draft(),
            Self::Clusters => sampling::clusters(),
            Self::OrderedHead(dtype) => products::ordered_head(*dtype),
            Self::Sample(candidates) => sampling::sample(*candidates),
            Self::Copy => rows::copy(),
            Self::ClampedMatmul(tile, dtype) => products::clamped_matmul(*tile, *dtype),
            Self::Patches(side) => towers::patches(*side),
            Self::Positions(dtype) => towers::positions(*dtype),
            Self::TurnedHeads(head_dim) => towers::turned_heads(*head_dim),
            Self::Pool(standardise) => towers::pool(*standardise),
            Self::LayerNorm(form) => towers::layer_norm(*form),
            Self::UnitNorm => towers::unit_norm(),
            Self::Convolution(channels_in, channels) => towers::convolution(*channels_in, *channels),
            Self::LightConvolution => towers::light_convolution(),
            Self::SoundAttention(head_dim) => towers::sound_attention(*head_dim),
            Self::Silu => towers::silu(),
            Self::Join => diffusion::join(),
            Self::Statistics => diffusion::statistics(),
            Self::Weigh => diffusion::weigh(),
            Self::ColumnProduct(tile, dtype) => products::column_product(*tile, *dtype),
        }
    }
}

impl Arg {
    fn uniform<T: bytemuck::Pod>(value: &T) -> Self {
        Self::Uniform(bytemuck::bytes_of(value).to_vec())
    }

    /// A storage buffer with this content.
    fn words<T: bytemuck::Pod>(values: &[T]) -> Self {
        Self::Words(bytemuck::pod_collect_to_vec(values))
    }

    /// The state of a step of `len` rows, starting at position `pos`.
    fn state(pos: u32, len: u32) -> Self {
        Self::words(&[State { pos, len, ..State::default() }])
    }

    fn floats(values: &[f32]) -> Self {
        Self::words(values)
    }

    fn zeros(count: usize) -> Self {
        Self::Words(vec![0; count])
    }
}

impl Expected {
    fn new(binding: usize, values: Vec<f32>, absolute: f32) -> Self {
        Self { binding, reading: Reading::F32, values, absolute, relative: 1e-3 }
    }

    /// Words that must be equal.
    fn words(binding: usize, words: &[u32]) -> Self {
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
            Self::Terms(len) => {
                let bytes: Vec<i8> =
                    words.iter().flat_map(|word| word.to_le_bytes()).map(|byte| byte as i8).collect();
                let row = |row: &[i8]| {
                    let (q, r) = row.split_at(row.len() / 2);
                    q.iter().zip(r).map(|(&q, &r)| 128.0 * f32::from(q) + f32::from(r)).collect::<Vec<_>>()
                };
                bytes.chunks_exact(2 * len as usize).flat_map(row).take(count).collect()
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

/// Space for codes and scales of so many elements that are rounded to int8.
fn packed_zeros(count: usize) -> [Arg; 2] {
    [Arg::zeros(count / 4), Arg::zeros(count / 8)]
}

fn as_f32(values: &[f64]) -> Vec<f32> {
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
