//! Synthetic models: the published shapes with random weights, for timing. A file has the size and layout of a
//! published one, without a download of gigabytes. The answers are meaningless.
//!
//! Weights are generated in quantised form. Their scales keep all activations near one, as in a trained model, so
//! that nothing overflows for any number of layers.

mod audio;
mod blocks;
mod header_only;
mod random;
mod shape;
mod tensors;
mod towers;
mod vocabulary;

use std::io::Write;

use engine::gguf::{GgufError, WriteError, WriteValue, Writer};

pub use header_only::header;
pub use shape::{Experts, Shape};
pub use tensors::Quant;

/// The vocabulary of published models.
pub const PUBLISHED_VOCABULARY: u32 = 262_144;
/// The smallest vocabulary with control tokens, bytes and letters.
pub const MIN_VOCABULARY: u32 = 1024;

/// What to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// Shape of the model.
    pub shape: Shape,
    /// Mix of tensor types.
    pub quant: Quant,
    /// Vocabulary size.
    pub vocabulary: u32,
    /// Number of layers, if not all.
    pub layers: Option<u32>,
    /// Number of experts per layer, if not all.
    pub experts: Option<u32>,
    /// Whether to include the towers of the shape.
    pub towers: bool,
    /// How unevenly a router chooses: the weights of expert `i` are divided by `(1 + i)` to this power.
    pub router_skew: f32,
    /// Seed of all random values.
    pub seed: u64,
}

impl Options {
    /// The whole model with the published vocabulary.
    #[must_use]
    pub fn new(shape: Shape, quant: Quant) -> Self {
        let vocabulary = PUBLISHED_VOCABULARY;
        Self {
            shape,
            quant,
            vocabulary,
            layers: None,
            experts: None,
            towers: false,
            router_skew: 0.0,
            seed: 0,
        }
    }
}

/// Why a model could not be written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum SynthError {
    /// Not the name of a shape.
    #[error("There is no shape \u{ab}{name}\u{bb}. There are {}.", Shape::names().join(", "))]
    UnknownShape { name: String },
    /// Not the name of a mix.
    #[error("There is no quantisation \u{ab}{name}\u{bb}. There are {}.", Quant::names().join(", "))]
    UnknownQuant { name: String },
    /// The vocabulary is too small or too large.
    #[error("A vocabulary has {MIN_VOCABULARY} to {PUBLISHED_VOCABULARY} pieces, not {found}.")]
    Vocabulary { found: u32 },
    /// Too few or too many layers.
    #[error("This shape has 1 to {most} layers, not {found}.")]
    Layers { found: u32, most: u32 },
    /// Too few or too many experts.
    #[error("This shape has {least} to {most} experts a layer, not {found}.")]
    Experts { found: u32, least: u32, most: u32 },
    /// The file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Its header.
    #[error(transparent)]
    Read(#[from] GgufError),
}

/// Writes a model.
///
/// # Errors
/// When the options are invalid, or writing fails.
pub fn write(out: impl Write, options: &Options) -> Result<(), SynthError> {
    let (shape, tensors) = contents(options)?;
    let specs: Vec<_> = tensors.iter().map(|tensor| tensor.spec.clone()).collect();
    let mut writer = Writer::new(out, &metadata(&shape, options), &specs)?;
    let mut random = random::Random::new(options.seed);
    for tensor in &tensors {
        tensors::fill(tensor, &mut random, &mut |bytes| writer.write(bytes))?;
    }
    writer.finish()?;
    Ok(())
}

/// The shape and the tensors of a model.
fn contents(options: &Options) -> Result<(Shape, Vec<tensors::Planned>), SynthError> {
    if !(MIN_VOCABULARY..=PUBLISHED_VOCABULARY).contains(&options.vocabulary) {
        return Err(SynthError::Vocabulary { found: options.vocabulary });
    }
    let shape = match options.layers {
        Some(layers) => options.shape.clone().with_layers(layers)?,
        None => options.shape.clone(),
    };
    let shape = match options.experts {
        Some(experts) => shape.with_experts(experts)?,
        None => shape,
    };
    let mut plan = tensors::plan(&shape, options.quant, options.vocabulary, options.router_skew);
    if options.towers && shape.has_towers() {
        plan.extend(towers::plan(&shape));
        plan.extend(audio::plan(&shape));
    }
    Ok((shape, plan))
}

fn metadata(shape: &Shape, options: &Options) -> Vec<(String, WriteValue)> {
    let mut pairs = vec![
        ("general.architecture".to_owned(), WriteValue::String(shape.architecture().to_owned())),
        ("general.name".to_owned(), WriteValue::String(format!("Random {}", shape.name))),
        ("general.file_type".to_owned(), WriteValue::U32(options.quant.file_type())),
        ("general.quantization_version".to_owned(), WriteValue::U32(2)),
    ];
    pairs.extend(shape.metadata());
    if options.towers && shape.has_towers() {
        pairs.extend(towers::metadata(shape));
        pairs.extend(audio::metadata(shape));
    }
    pairs.extend(vocabulary::metadata(options.vocabulary, shape.is_gemma3()));
    pairs
}
