//! The tensors of a model: their types and content.

use std::str::FromStr;

use shaders::DType;

use engine::gguf::{TensorSpec, WriteError};

use super::blocks::Blocks;
use super::random::Random;
use super::shape::HEAD_GLOBAL;
use super::{Shape, SynthError};

/// Bytes handed to the writer at once.
const CHUNK: usize = 1 << 20;

/// Mix of tensor types of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quant {
    /// Q4_K, with Q6_K for the most sensitive tensors.
    Q4KM,
    /// The same with the per-layer projection in Q4_K too. Some engines read only these.
    Q4KMPle,
    /// The same again, with the per-layer table in BF16: as in Ollama's files of E2B and E4B.
    Q4KMBf16Table,
    /// Q4_0, with Q6_K embeddings.
    Q40,
    /// Q8_0 throughout.
    Q80,
    /// IQ4_XS, with Q6_K embeddings.
    IQ4XS,
    /// IQ3_S, likewise.
    IQ3S,
    /// IQ2_S, likewise.
    IQ2S,
    /// Experts in MXFP4, all else in Q8_0.
    MXFP4Moe,
    /// Half precision throughout.
    F16,
}

impl FromStr for Quant {
    type Err = SynthError;

    fn from_str(name: &str) -> Result<Self, SynthError> {
        let found = Self::ALL.into_iter().find(|quant| quant.name() == name);
        found.ok_or_else(|| SynthError::UnknownQuant { name: name.to_owned() })
    }
}

impl Quant {
    const ALL: [Self; 10] = [
        Self::Q4KM,
        Self::Q4KMPle,
        Self::Q4KMBf16Table,
        Self::Q40,
        Self::Q80,
        Self::IQ4XS,
        Self::IQ3S,
        Self::IQ2S,
        Self::MXFP4Moe,
        Self::F16,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Q4KM => "q4_k_m",
            Self::Q4KMPle => "q4_k_m_ple",
            Self::Q4KMBf16Table => "q4_k_m_bf16_table",
            Self::Q40 => "q4_0",
            Self::Q80 => "q8_0",
            Self::IQ4XS => "iq4_xs",
            Self::IQ3S => "iq3_s",
            Self::IQ2S => "iq2_s",
            Self::MXFP4Moe => "mxfp4_moe",
            Self::F16 => "f16",
        }
    }

    /// Names of all mixes.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::ALL.into_iter().map(Self::name).collect()
    }

    /// The value of `general.file_type`.
    pub(super) fn file_type(self) -> u32 {
        match self {
            Self::Q4KM | Self::Q4KMPle | Self::Q4KMBf16Table => 15,
            Self::Q40 => 2,
            Self::Q80 => 7,
            Self::IQ3S => 26,
            Self::IQ2S => 28,
            Self::IQ4XS => 30,
            Self::MXFP4Moe => 38,
            Self::F16 => 1,
        }
    }

    /// Type of an ordinary matrix.
    fn linear(self) -> DType {
        match self {
            Self::Q4KM | Self::Q4KMPle | Self::Q4KMBf16Table => DType::Q4_K,
            Self::Q40 => DType::Q4_0,
            Self::Q80 | Self::MXFP4Moe => DType::Q8_0,
            Self::IQ4XS => DType::IQ4_XS,
            Self::IQ3S => DType::IQ3_S,
            Self::IQ2S => DType::IQ2_S,
            Self::F16 => DType::F16,
        }
    }

    /// Type of the matrices of experts, where they have one of their own.
    fn experts(self) -> Option<DType> {
        (self == Self::MXFP4Moe).then_some(DType::MXFP4)
    }

    /// Type of the embedding, which is also the head.
    fn embedding(self) -> DType {
        match self {
            Self::Q80 | Self::MXFP4Moe => DType::Q8_0,
            Self::F16 => DType::F16,
            _ => DType::Q6_K,
        }
    }

    /// Type of the per-layer table.
    fn per_layer_table(self) -> DType {
        match self {
            Self::Q4KMBf16Table => DType::BF16,
            _ => self.embedding(),
        }
    }

    /// Type of the per-layer projection, which llama.cpp's quantiser does not quantise.
    fn per_layer_projection(self) -> DType {
        match self {
            Self::F16 => DType::F16,
            Self::Q4KMPle | Self::Q4KMBf16Table => DType::Q4_K,
            _ => DType::BF16,
        }
    }

    /// Type of `attn_v` and `ffn_down`, the `i`-th of `n` in the file: some get more bits (`use_more_bits` of
    /// llama.cpp's quantiser).
    fn sensitive(self, i: u32, n: u32) -> DType {
        let more = i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
        match self {
            Self::Q4KM | Self::Q4KMPle | Self::Q4KMBf16Table if more => DType::Q6_K,
            _ => self.linear(),
        }
    }
}

/// `dtype`, or the quantiser's fallback if rows are not a whole number of its blocks.
fn for_rows(dtype: DType, row: u64) -> DType {
    match dtype {
        DType::Q4_K if !row.is_multiple_of(256) => DType::Q5_0,
        DType::Q6_K if !row.is_multiple_of(256) => DType::Q8_0,
        DType::IQ4_XS | DType::IQ3_S | DType::IQ2_S if !row.is_multiple_of(256) => DType::IQ4_NL,
        other => other,
    }
}

/// The content of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Content {
    /// Random values around zero with this standard deviation.
    Weights(f32),
    /// The same in f32, with row `i` divided by `(1 + i)` to the power of the second number.
    Skewed(f32, f32),
    /// Values near this one.
    Near(f32),
    /// The divisors of RoPE frequencies: one for rotated pairs, a huge number for the others.
    RopeFactors,
}

/// A tensor of the model.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) spec: TensorSpec,
    pub(super) content: Content,
}

/// All tensors, in the order of a published file (specification of the text decoder, section 4).
pub(super) fn plan(shape: &Shape, quant: Quant, vocabulary: u32, skew: f32) -> Vec<Planned> {
    let mut plan = Plan(Vec::new());
    let (d, vocabulary) = (u64::from(shape.width), u64::from(vocabulary));
    // The embedding is scaled by √d at the input and not at the output: 1/√d keeps both near one.
    plan.table("token_embd.weight", &[d, vocabulary], quant.embedding(), (d as f32).powf(-0.5));
    plan.vector("output_norm.weight", d, 1.0);
    if !shape.is_gemma3() && shape.embedding == 0 {
        plan.push("rope_freqs.weight", &[u64::from(HEAD_GLOBAL) / 2], DType::F32, Content::RopeFactors);
    }
    if shape.per_layer > 0 {
        let per_layer = u64::from(shape.per_layer);
        let all = per_layer * u64::from(shape.layers);
        // Scaled by √P when it is read.
        let scale = (per_layer as f32).powf(-0.5);
        if shape.embedding == 0 {
            plan.table("per_layer_token_embd.weight", &[all, vocabulary], quant.per_layer_table(), scale);
        }
        plan.matrix("per_layer_model_proj.weight", &[d, all], quant.per_layer_projection());
        plan.vector("per_layer_proj_norm.weight", per_layer, 1.0);
    }
    if shape.is_drafter() {
        let target = u64::from(shape.target_width);
        plan.matrix("nextn.pre_projection.weight", &[2 * target, d], quant.linear());
        plan.matrix("nextn.post_projection.weight", &[d, target], quant.linear());
    }
    if shape.canvas > 0 {
        let ff = u64::from(shape.feed_forward(0));
        plan.vector("self_cond_pre_norm.weight", d, 1.0);
        plan.matrix("self_cond_gate.weight", &[d, ff], quant.linear());
        plan.matrix("self_cond_up.weight", &[d, ff], quant.linear());
        plan.matrix("self_cond_down.weight", &[ff, d], quant.linear());
    }
    match u64::from(shape.embedding) {
        0 => {}
        middle if shape.is_gemma3() => {
            plan.matrix("dense_2.weight", &[d, middle], quant.linear());
            plan.matrix("dense_3.weight", &[middle, d], quant.linear());
        }
        out => plan.matrix("output.weight", &[d, out], quant.linear()),
    }
    let mut values = 0;
    for i in 0..shape.layers {
        plan_layer(&mut plan, (shape, quant, skew), i, &mut values);
    }
    plan.0
}

/// Adds layer `i`. `values` counts the `attn_v` matrices so far.
fn plan_layer(plan: &mut Plan, (shape, quant, skew): (&Shape, Quant, f32), i: u32, values: &mut u32) {
    let name = |part: &str| format!("blk.{i}.{part}");
    let (d, head) = (u64::from(shape.width), u64::from(shape.head_dim(i)));
    let (q, kv) = (u64::from(shape.heads) * head, u64::from(shape.kv_heads(i)) * head);
    let ff = u64::from(shape.feed_forward(i));
    let (linear, sensitive) = (quant.linear(), quant.sensitive(i, shape.layers));
    // Scores are q·k without a scale: with both norms at head^(-1/4) their standard deviation is one. Gemma 3 scales them.
    let qk_norm = if shape.is_gemma3() { 1.0 } else { (head as f32).powf(-0.25) };

    plan.vector(name("attn_norm.weight"), d, 1.0);
    plan.matrix(name("attn_q.weight"), &[d, q], linear);
    plan.vector(name("attn_q_norm.weight"), head, qk_norm);
    if !shape.is_drafter() {
        // Published models have k and v also in layers that do not use them.
        plan.matrix(name("attn_k.weight"), &[d, kv], linear);
        plan.vector(name("attn_k_norm.weight"), head, qk_norm);
    }
    if shape.has_values(i) {
        let all = (0..shape.layers).filter(|&i| shape.has_values(i)).count() as u32;
        plan.matrix(name("attn_v.weight"), &[d, kv], quant.sensitive(*values, all));
        *values += 1;
    }
    plan.matrix(name("attn_output.weight"), &[q, d], linear);
    plan.vector(name("post_attention_norm.weight"), d, 1.0);
    plan.vector(name("ffn_norm.weight"), d, 1.0);
    plan.matrix(name("ffn_gate.weight"), &[d, ff], linear);
    plan.matrix(name("ffn_up.weight"), &[d, ff], linear);
    plan.matrix(name("ffn_down.weight"), &[ff, d], sensitive);
    plan.vector(name("post_ffw_norm.weight"), d, 1.0);
    if let Some(experts) = shape.experts {
        let (count, ff) = (u64::from(experts.count), u64::from(experts.feed_forward));
        let router = Content::Skewed((d as f32).powf(-0.5), skew);
        plan.push(name("ffn_gate_inp.weight"), &[d, count], DType::F32, router);
        plan.vector(name("ffn_gate_inp.scale"), d, (d as f32).sqrt());
        plan.matrix(name("ffn_gate_up_exps.weight"), &[d, 2 * ff, count], quant.experts().unwrap_or(linear));
        plan.matrix(name("ffn_down_exps.weight"), &[ff, d, count], quant.experts().unwrap_or(sensitive));
        plan.vector(name("ffn_down_exps.scale"), count, 1.0);
        plan.vector(name("post_ffw_norm_1.weight"), d, 1.0);
        plan.vector(name("pre_ffw_norm_2.weight"), d, 1.0);
        plan.vector(name("post_ffw_norm_2.weight"), d, 1.0);
    }
    if shape.per_layer > 0 {
        let per_layer = u64::from(shape.per_layer);
        plan.matrix(name("inp_gate.weight"), &[d, per_layer], linear);
        plan.matrix(name("proj.weight"), &[per_layer, d], linear);
        plan.vector(name("post_norm.weight"), d, 1.0);
    }
    if !shape.is_gemma3() {
        plan.vector(name("layer_output_scale.weight"), 1, 1.0);
    }
    if shape.canvas > 0 {
        plan.vector(name("enc_layer_output_scale.weight"), 1, 1.0);
    }
}

struct Plan(Vec<Planned>);

impl Plan {
    fn push(&mut self, name: impl Into<String>, shape: &[u64], dtype: DType, content: Content) {
        let spec = TensorSpec::new(name, shape, for_rows(dtype, shape[0]));
        self.0.push(Planned { spec, content });
    }

    fn table(&mut self, name: &str, shape: &[u64], dtype: DType, deviation: f32) {
        self.push(name, shape, dtype, Content::Weights(deviation));
    }

    /// A matrix whose outputs have the same magnitude as its inputs.
    fn matrix(&mut self, name: impl Into<String>, shape: &[u64], dtype: DType) {
        self.push(name, shape, dtype, Content::Weights((shape[0] as f32).powf(-0.5)));
    }

    fn vector(&mut self, name: impl Into<String>, len: u64, near: f32) {
        self.push(name, &[len], DType::F32, Content::Near(near));
    }
}

/// Generates a tensor and passes its bytes to `write`, piece by piece.
pub(super) fn fill(
    tensor: &Planned,
    random: &mut Random,
    write: &mut dyn FnMut(&[u8]) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let elements: u64 = tensor.spec.shape.iter().product();
    match tensor.content {
        Content::Weights(deviation) => {
            let blocks = Blocks::new(tensor.spec.dtype, deviation);
            let (block, mut left) = (tensor.spec.dtype.block_bytes(), tensor.spec.bytes()?);
            let mut chunk = vec![0; CHUNK / block * block];
            while left > 0 {
                let len = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                blocks.draw(random, &mut chunk[..len]);
                write(&chunk[..len])?;
                left -= len as u64;
            }
            Ok(())
        }
        Content::Skewed(deviation, skew) => {
            let columns = tensor.spec.shape[0];
            // Uniform with this deviation reaches √3 times as far.
            let reach = deviation * 3.0_f32.sqrt();
            write_floats(write, elements, |i| {
                reach * random.signed() * ((1 + i / columns) as f32).powf(-skew)
            })
        }
        Content::Near(value) => write_floats(write, elements, |_| value * (1.0 + 0.1 * random.signed())),
        // A quarter of the pairs is rotated (rope factor 0.25).
        Content::RopeFactors => write_floats(write, elements, |i| if i < elements / 4 { 1.0 } else { 1e30 }),
    }
}

fn write_floats(
    write: &mut dyn FnMut(&[u8]) -> Result<(), WriteError>,
    count: u64,
    value: impl FnMut(u64) -> f32,
) -> Result<(), WriteError> {
    let bytes: Vec<u8> = (0..count).map(value).flat_map(f32::to_le_bytes).collect();
    write(&bytes)
}
