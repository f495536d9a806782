//! Grammars of answers for the tokens of a model.

use engine::session::{Constraint, ConstraintError};
use engine::template::Tool;
use engine::tokenizer::Tokenizer;
use grammar::{Answer, GrammarError, Markers, Vocabulary};

/// A grammar as what constrains an answer of the engine.
pub struct Constrained(pub Answer);

impl Constraint for Constrained {
    fn push(&mut self, id: u32) -> Result<(), ConstraintError> {
        self.0.push(id).map_err(failed)
    }

    fn allowed(&mut self) -> Result<&[u32], ConstraintError> {
        Ok(self.0.allowed().map_err(failed)?.words())
    }

    fn forced(&mut self) -> String {
        // An error comes again where the tokens are asked for.
        self.0.forced().unwrap_or_default()
    }
}

fn failed(error: GrammarError) -> ConstraintError {
    ConstraintError(error.to_string())
}

/// Returns the tokens of a model, for grammars.
///
/// # Errors
/// If there are too many.
pub fn vocabulary(tokenizer: &Tokenizer) -> Result<Vocabulary, GrammarError> {
    let special = tokenizer.special();
    let markers = Markers {
        ends: [special.eos, special.turn_close].into_iter().flatten().collect(),
        call_open: special.tool_call_open,
        call_close: special.tool_call_close,
        response_open: special.tool_response_open,
        quote: special.quote,
        channel_open: special.channel_open,
        channel_close: special.channel_close,
    };
    let count = tokenizer.vocabulary_size() as u32;
    Vocabulary::new((0..count).map(|id| tokenizer.bytes(id)), markers)
}

/// Returns the declarations without what only the model reads.
pub fn declared(tools: &[Tool]) -> Vec<grammar::Tool> {
    let declared =
        |tool: &Tool| grammar::Tool { name: tool.name.clone(), parameters: tool.parameters.clone() };
    tools.iter().map(declared).collect()
}
