//! The text of canvases: of finished ones, and of the one that is being denoised.

use crate::template::{AnswerParser, Piece};
use crate::tokenizer::Tokenizer;

/// A piece of the text of a canvas that is not finished. Neighbours differ in their kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanvasText {
    /// The text; it may change with every step.
    pub text: String,
    /// Whether it belongs to a thought.
    pub in_thought: bool,
    /// Whether the sampler accepted it in this step.
    pub accepted: bool,
}

/// Returns the text of a canvas up to the first of `stops`, behind what `parser` has read. Tool calls are left out: they are
/// complete only when the canvas is.
pub fn preview(
    parser: &AnswerParser,
    tokenizer: &Tokenizer,
    (ids, accepted): (&[u32], &[bool]),
    stops: &[u32],
) -> Vec<CanvasText> {
    let mut parser = parser.clone();
    let mut texts = Vec::new();
    let mut last = false;
    for (&id, &accepted) in ids.iter().zip(accepted) {
        if stops.contains(&id) || parser.stopped().is_some() {
            break;
        }
        let pieces = parser.push(tokenizer, id);
        pieces.into_iter().for_each(|piece| add(&mut texts, piece, accepted));
        last = accepted;
    }
    let mut held = Vec::new();
    parser.finish(&mut held);
    held.into_iter().for_each(|piece| add(&mut texts, piece, last));
    texts
}

fn add(texts: &mut Vec<CanvasText>, piece: Piece, accepted: bool) {
    let (text, in_thought) = match piece {
        Piece::Answer(text) => (text, false),
        Piece::Thought(text) => (text, true),
        Piece::Call(_) | Piece::BrokenCall { .. } => return,
    };
    match texts.last_mut() {
        Some(before) if before.in_thought == in_thought && before.accepted == accepted => {
            before.text.push_str(&text);
        }
        _ => texts.push(CanvasText { text, in_thought, accepted }),
    }
}
