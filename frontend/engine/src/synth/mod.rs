//! Models of the real shapes with random weights, for timing: a file of the size and layout of a published one without
//! its gigabytes having to be fetched. The answers mean nothing.
//!
//! Weights are drawn in their quantised form. Their scales are such that every activation stays near one, as in a
//! trained model, so nothing overflows however many layers there are.

mod audio;
mod blocks;
mod hollow;
mod random;
mod shape;
mod tensors;
mod towers;
mod vocabulary;

use std::io::Write;

use crate::gguf::{GgufError, WriteError, WriteValue, Writer};

pub use hollow::header;
pub use shape::{Experts, Shape};
pub use tensors::Quant;

/// The vocabulary of published models.
pub const PUBLISHED_VOCABULARY: u32 = 262_144;
/// The smallest vocabulary that has room for control tokens, bytes and letters.
pub const LEAST_VOCABULARY: u32 = 1024;

/// What to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// Shape of the model.
    pub shape: Shape,
    /// Mix of tensor types.
    pub quant: Quant,
    /// Pieces of the vocabulary.
    pub vocabulary: u32,
    /// Only so many of its layers.
    pub layers: Option<u32>,
    /// Only so many of a layer's experts.
    pub experts: Option<u32>,
    /// With the towers that the shape has.
    pub towers: bool,
    /// Decides every random value.
    pub seed: u64,
}

impl Options {
    /// The whole model with the published vocabulary.
    #[must_use]
    pub fn new(shape: Shape, quant: Quant) -> Self {
        let vocabulary = PUBLISHED_VOCABULARY;
        Self { shape, quant, vocabulary, layers: None, experts: None, towers: false, seed: 0 }
    }
}

/// Why a model could not be made up.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum SynthError {
    /// Not the name of a shape.
    #[error("There is no shape \u{ab}{name}\u{bb}. There are {}.", Shape::names().join(", "))]
    UnknownShape { name: String },
    /// Not the name of a mix.
    #[error("There is no quantisation \u{ab}{name}\u{bb}. There are {}.", Quant::names().join(", "))]
    UnknownQuant { name: String },
    /// Too few or too many pieces.
    #[error("A vocabulary has {LEAST_VOCABULARY} to {PUBLISHED_VOCABULARY} pieces, not {found}.")]
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
/// When the options make no model, or writing fails.
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
    if !(LEAST_VOCABULARY..=PUBLISHED_VOCABULARY).contains(&options.vocabulary) {
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
    let mut plan = tensors::plan(&shape, options.quant, options.vocabulary);
    if options.towers {
        plan.extend(towers::plan(&shape));
        plan.extend(audio::plan(&shape));
    }
    Ok((shape, plan))
}

fn metadata(shape: &Shape, options: &Options) -> Vec<(String, WriteValue)> {
    let mut pairs = vec![
        ("general.architecture".to_owned(), WriteValue::String("gemma4".to_owned())),
        ("general.name".to_owned(), WriteValue::String(format!("Random {}", shape.name))),
        ("general.file_type".to_owned(), WriteValue::U32(options.quant.file_type())),
        ("general.quantization_version".to_owned(), WriteValue::U32(2)),
    ];
    pairs.extend(shape.metadata());
    if options.towers {
        pairs.extend(towers::metadata(shape));
        pairs.extend(audio::metadata(shape));
    }
    pairs.extend(vocabulary::metadata(options.vocabulary));
    pairs
}
