//! Grammar support, which each platform provides.

use std::rc::Rc;

use engine::session;
use engine::tokenizer::Tokenizer;
use protocol::{Constraint, Failure};

/// Makes constraints of answers.
pub trait Constraints {
    /// Checks that a constraint can be enforced.
    ///
    /// # Errors
    /// Those of requests for a schema.
    fn check(&self, constraint: &Constraint) -> Result<(), Failure>;

    /// Takes the tokens of a model. This takes seconds for a large vocabulary.
    ///
    /// # Errors
    /// [`RequestFailure::Unconstrained`].
    fn vocabulary(&self, tokens: &Tokens) -> Result<Rc<dyn Vocabulary>, Failure>;
}

/// The tokens of a model, for grammars.
pub trait Vocabulary {
    /// Begins an answer, which may begin inside of a thought.
    ///
    /// # Errors
    /// As [`Constraints::check`]; [`RequestFailure::Unconstrained`].
    fn begin(
        &self,
        constraint: &Constraint,
        thinking: bool,
        in_thought: bool,
    ) -> Result<Box<dyn session::Constraint>, Failure>;
}

/// The tokens of a model in a few buffers, since they leave this program's memory.
pub struct Tokens {
    /// The bytes of all.
    pub bytes: Vec<u8>,
    /// The number of bytes of each; `u32::MAX` for control tokens.
    pub lengths: Vec<u32>,
    /// The ids of two ends of an answer, and of the tokens that open and close calls, open responses, quote strings, open and
    /// close thoughts; -1 for what the model lacks.
    pub markers: [i32; 8],
}

impl Tokens {
    /// Returns those of a tokenizer.
    #[must_use]
    pub fn of(tokenizer: &Tokenizer) -> Self {
        let special = tokenizer.special();
        let markers = [
            special.eos,
            special.turn_close,
            special.tool_call_open,
            special.tool_call_close,
            special.tool_response_open,
            special.quote,
            special.channel_open,
            special.channel_close,
        ];
        let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
        for id in 0..tokenizer.vocabulary_size() as u32 {
            let token = tokenizer.bytes(id);
            lengths.push(token.as_ref().map_or(u32::MAX, |token| token.len() as u32));
            bytes.extend(token.into_iter().flatten());
        }
        Self { bytes, lengths, markers: markers.map(|id| id.map_or(-1, |id| id as i32)) }
    }
}
