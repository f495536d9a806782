//! The configuration of an audio tower, from metadata and tensor shapes, validated since files may be hostile.

use shaders::audio::attention::MAX_HEAD_DIM;
use shaders::audio::conv2d::Conv2d;

use super::{AudioError, mel};
use crate::gguf::Header;

/// Maximum number of blocks; published towers have 12.
const MAX_BLOCKS: u32 = 256;
/// Maximum width of a row.
const MAX_WIDTH: u64 = 1 << 16;
/// Maximum kernel size of the convolution over time.
const MAX_TAPS: u64 = 32;

/// Maximum number of tokens per step: ten seconds. Enough rows for large tiles, with buffers of moderate size.
pub const STEP_TOKENS: u32 = 256;
/// ε of every norm. Values in files are wrong (specification §10.7).
pub const EPS: f32 = 1e-6;

/// The naming scheme of the tensors. The same name can mean different tensors (specification §10.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Text and towers in one file.
    Monolithic,
    /// The towers in a separate file.
    Projector,
}

/// An audio tower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerConfig {
    /// The naming scheme.
    pub layout: Layout,
    /// The kind of tower.
    pub kind: Kind,
    /// Width of a soft token: the model's width.
    pub width: u32,
}

/// The two kinds of tower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Convolutions and conformer blocks over mel features.
    Conformer(Conformer),
    /// No tower: a projection of raw samples.
    Raw {
        /// Samples per token.
        frame: u32,
    },
}

/// Sizes of a conformer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conformer {
    /// Blocks.
    pub blocks: u32,
    /// Width of the stream.
    pub width: u32,
    /// Heads of attention.
    pub heads: u32,
    /// Elements per head.
    pub head_dim: u32,
    /// Width of the feed-forward parts.
    pub feed_forward: u32,
    /// Channels after each of the two subsampling convolutions.
    pub channels: [u32; 2],
    /// Kernel size of the light convolution.
    pub taps: u32,
    /// Width of the projector's input.
    pub out: u32,
}

impl TowerConfig {
    /// Returns the number of soft tokens of a clip of `samples` samples.
    pub fn tokens(&self, samples: usize) -> u32 {
        let tokens = match &self.kind {
            Kind::Conformer(_) => mel::tokens(samples),
            Kind::Raw { frame } => samples.div_ceil(*frame as usize),
        };
        tokens as u32
    }
}

impl Conformer {
    /// Frequencies before, between and after the two convolutions.
    pub const FREQUENCIES: [u32; 3] = [mel::BINS as u32, mel::BINS as u32 / 2, mel::BINS as u32 / 4];

    /// Elements per position after the convolutions.
    pub fn stem(&self) -> u32 {
        Self::FREQUENCIES[2] * self.channels[1]
    }
}

/// Reads metadata keys of the audio tower.
struct Keys<'a> {
    header: &'a Header,
    prefix: String,
}

impl Keys<'_> {
    fn size(&self, name: &str, most: u32) -> Result<u32, AudioError> {
        let key = format!("{}.audio.{name}", self.prefix);
        match self.header.metadata.try_u32(&key)? {
            None => Err(AudioError::MissingKey { key }),
            Some(value) if value == 0 || value > most => {
                Err(wrong(key, value, "only sizes of known towers are believed"))
            }
            Some(value) => Ok(value),
        }
    }
}

fn wrong(name: impl Into<String>, found: impl ToString, expected: &'static str) -> AudioError {
    AudioError::Config { name: name.into(), found: found.to_string(), expected }
}

/// Dimension `index` of a tensor, at most `most`.
fn dimension(header: &Header, name: &str, index: usize, most: u64) -> Result<u32, AudioError> {
    let missing = || crate::weights::TensorError::Missing { name: name.to_owned() };
    let tensor = header.tensor(name).ok_or_else(missing)?;
    match tensor.shape.get(index).copied() {
        Some(size) if size > 0 && size <= most => Ok(size as u32),
        _ => Err(wrong(name, format!("{:?}", tensor.shape), "only shapes of known towers are believed")),
    }
}

/// The name of the projector's input matrix in both layouts.
pub(super) const PROJECTION: &str = "mm.a.input_projection.weight";

impl TowerConfig {
    /// Reads the tower configuration from a file's header, if it has a tower, for a model of this width.
    ///
    /// # Errors
    /// When a value is out of range or missing.
    pub fn read(header: &Header, width: u32) -> Result<Option<Self>, AudioError> {
        if header.tensor(PROJECTION).is_none() {
            return Ok(None);
        }
        let architecture = header.architecture().unwrap_or_default();
        let layout = if architecture == "clip" { Layout::Projector } else { Layout::Monolithic };
        let kind = if header.tensor("a.conv1d.0.weight").is_some() {
            Kind::Conformer(conformer(header, layout, architecture)?)
        } else {
            let frame = dimension(header, PROJECTION, 0, MAX_WIDTH)?;
            if !frame.is_multiple_of(16) || frame < mel::HOP as u32 {
                return Err(wrong(
                    PROJECTION,
                    frame,
                    "a token stands for a multiple of 16 samples, at least 160",
                ));
            }
            Kind::Raw { frame }
        };
        Ok(Some(Self { layout, kind, width }))
    }
}

fn conformer(header: &Header, layout: Layout, architecture: &str) -> Result<Conformer, AudioError> {
    let keys = Keys { header, prefix: architecture.to_owned() };
    let most = MAX_WIDTH as u32;
    let blocks = keys.size("block_count", MAX_BLOCKS)?;
    let width = keys.size("embedding_length", most)?;
    let heads = keys.size("attention.head_count", most)?;
    let feed_forward = keys.size("feed_forward_length", most)?;
    if !width.is_multiple_of(32) || !width.is_multiple_of(heads) {
        return Err(wrong("embedding_length", width, "it must be a multiple of 32 and of the heads"));
    }
    let head_dim = width / heads;
    if head_dim > MAX_HEAD_DIM {
        return Err(wrong("attention.head_count", heads, "heads that long have no kernel"));
    }
    let channels = [
        dimension(header, "a.conv1d.0.weight", 3, MAX_WIDTH)?,
        dimension(header, "a.conv1d.1.weight", 3, MAX_WIDTH)?,
    ];
    if !Conv2d::takes(1, channels[0]) || !Conv2d::takes(channels[0], channels[1]) {
        return Err(wrong("a.conv1d", format!("{channels:?}"), "so many channels have no kernel"));
    }
    let output = match layout {
        Layout::Monolithic => "mm.a.fc.weight",
        Layout::Projector => "a.pre_encode.out.weight",
    };
    let out = dimension(header, output, 1, MAX_WIDTH)?;
    if !out.is_multiple_of(16) {
        return Err(wrong(output, out, "the projector takes a multiple of 16 elements"));
    }
    let taps = dimension(header, "a.blk.0.conv_dw.weight", 0, MAX_TAPS)?;
    Ok(Conformer { blocks, width, heads, head_dim, feed_forward, channels, taps, out })
}
