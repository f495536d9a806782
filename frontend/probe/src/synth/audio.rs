//! The audio towers of the published shapes (specification §10.6).

use shaders::DType;

use super::Shape;
use super::tensors::{Content, Planned};
use engine::gguf::{TensorSpec, WriteValue};

/// Sizes of the published conformer.
const BLOCKS: u32 = 12;
const WIDTH: u64 = 1024;
const HEADS: u32 = 8;
const FEED_FORWARD: u64 = 4096;
const CHANNELS: [u64; 2] = [128, 32];
const TAPS: u64 = 5;
const OUT: u64 = 1536;
/// Samples per token of raw input.
const FRAME: u64 = 640;
/// Bounds of clipped linears are about this, far outside of usual values.
const BOUND: f32 = 20.0;

/// Norms of a block.
const NORMS: [&str; 9] = [
    "ffn_norm",
    "ffn_post_norm",
    "ln1",
    "ln2",
    "conv_norm",
    "norm_conv",
    "ffn_norm_1",
    "ffn_post_norm_1",
    "layer_pre_norm",
];

/// The audio tower of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AudioTower {
    Conformer,
    Raw,
    None,
}

impl AudioTower {
    fn of(shape: &Shape) -> Self {
        match shape.name {
            "e2b" | "e4b" => Self::Conformer,
            "12b" => Self::Raw,
            _ => Self::None,
        }
    }
}

/// The metadata keys of the tower.
pub(super) fn metadata(shape: &Shape) -> Vec<(String, WriteValue)> {
    if AudioTower::of(shape) != AudioTower::Conformer {
        return Vec::new();
    }
    let pairs = [
        ("block_count", WriteValue::U32(BLOCKS)),
        ("embedding_length", WriteValue::U32(WIDTH as u32)),
        ("feed_forward_length", WriteValue::U32(FEED_FORWARD as u32)),
        ("attention.head_count", WriteValue::U32(HEADS)),
        ("attention.layer_norm_epsilon", WriteValue::F32(1e-5)),
        ("conv_kernel_size", WriteValue::U32(TAPS as u32)),
    ];
    pairs.into_iter().map(|(key, value)| (format!("gemma4.audio.{key}"), value)).collect()
}

/// The tensors of the tower. Matrices have the types of published files.
pub(super) fn plan(shape: &Shape) -> Vec<Planned> {
    let mut plan = Plan(Vec::new());
    let width = u64::from(shape.width);
    match AudioTower::of(shape) {
        AudioTower::None => {}
        AudioTower::Raw => plan.matrix("mm.a.input_projection.weight", [FRAME, width], DType::BF16),
        AudioTower::Conformer => {
            plan.ends();
            for i in 0..BLOCKS {
                plan.block(i);
            }
            plan.matrix("mm.a.input_projection.weight", [OUT, width], DType::F16);
        }
    }
    plan.0
}

struct Plan(Vec<Planned>);

impl Plan {
    fn push(&mut self, name: impl Into<String>, shape: &[u64], dtype: DType, content: Content) {
        self.0.push(Planned { spec: TensorSpec::new(name, shape, dtype), content });
    }

    fn matrix(&mut self, name: impl Into<String>, shape: [u64; 2], dtype: DType) {
        self.push(name, &shape, dtype, Content::Weights((shape[0] as f32).powf(-0.5)));
    }

    fn vector(&mut self, name: impl Into<String>, len: u64, near: f32) {
        self.push(name, &[len], DType::F32, Content::Near(near));
    }

    /// A convolution with this many inputs per output.
    fn convolution(&mut self, name: impl Into<String>, shape: &[u64], seen: u64) {
        self.push(name, shape, DType::F32, Content::Weights((seen as f32).powf(-0.5)));
    }

    /// The tensors before and after the blocks.
    fn ends(&mut self) {
        for (i, channels_in) in [1, CHANNELS[0]].into_iter().enumerate() {
            let shape = [3, 3, channels_in, CHANNELS[i]];
            self.convolution(format!("a.conv1d.{i}.weight"), &shape, 9 * channels_in);
            self.vector(format!("a.conv1d.{i}.norm.weight"), CHANNELS[i], 1.0);
        }
        self.matrix("a.pre_encode.out.weight", [32 * CHANNELS[1], WIDTH], DType::BF16);
        self.matrix("mm.a.fc.weight", [WIDTH, OUT], DType::F16);
        self.vector("mm.a.fc.bias", OUT, 0.1);
    }

    fn block(&mut self, i: u32) {
        let name = |part: &str| format!("a.blk.{i}.{part}");
        let linears = [
            ("ffn_up", WIDTH, FEED_FORWARD),
            ("ffn_down", FEED_FORWARD, WIDTH),
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", WIDTH, WIDTH),
            ("attn_v", WIDTH, WIDTH),
            ("attn_out", WIDTH, WIDTH),
            ("conv_pw1", WIDTH, 2 * WIDTH),
            ("conv_pw2", WIDTH, WIDTH),
            ("ffn_up_1", WIDTH, FEED_FORWARD),
            ("ffn_down_1", FEED_FORWARD, WIDTH),
        ];
        for (linear, k, n) in linears {
            self.matrix(name(&format!("{linear}.weight")), [k, n], DType::BF16);
            for side in ["input", "output"] {
                self.vector(name(&format!("{linear}.{side}_min")), 1, -BOUND);
                self.vector(name(&format!("{linear}.{side}_max")), 1, BOUND);
            }
        }
        self.matrix(name("linear_pos.weight"), [WIDTH, WIDTH], DType::BF16);
        for norm in NORMS {
            self.vector(name(&format!("{norm}.weight")), WIDTH, 1.0);
        }
        // The softplus of 0.
        self.vector(name("per_dim_scale.weight"), WIDTH / u64::from(HEADS), std::f32::consts::LN_2);
        self.convolution(name("conv_dw.weight"), &[TAPS, WIDTH], TAPS);
    }
}
