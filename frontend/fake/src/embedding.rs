//! Embeddings that say which words texts have in common.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use protocol::{Content, Embeddings, EncoderDetails};

/// Elements of an embedding.
const ELEMENTS: u32 = 64;

/// What is said of a model of this name.
pub fn details(name: &str) -> EncoderDetails {
    EncoderDetails {
        name: name.to_owned(),
        elements: ELEMENTS,
        longest: 2048,
        gpu_bytes: 400_000_000,
        ..EncoderDetails::default()
    }
}

/// Counts of words by their hashes, at length 1.
pub fn embed(inputs: &[Vec<Content>], elements: Option<u32>) -> Embeddings {
    let elements = elements.unwrap_or(ELEMENTS).clamp(1, ELEMENTS);
    let values = inputs.iter().flat_map(|input| {
        let mut counts = vec![0.0f32; elements as usize];
        let texts = input.iter().filter_map(|part| match part {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        for word in
            texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).filter(|it| !it.is_empty())
        {
            let mut hasher = DefaultHasher::new();
            word.to_lowercase().hash(&mut hasher);
            counts[(hasher.finish() % u64::from(elements)) as usize] += 1.0;
        }
        let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt().max(1e-12);
        counts.into_iter().map(move |count| count / length)
    });
    Embeddings { elements, values: values.collect() }
}
