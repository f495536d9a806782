//! Grammars, and the beginning of an answer.

use llguidance::Matcher;
use llguidance::api::TopLevelGrammar;
use serde_json::Value;

use crate::calls::{self, Declared, Tool};
use crate::error::GrammarError;
use crate::json::{self, Whitespace};
use crate::schema::{Dialect, Schema};
use crate::vocabulary::{Mask, Vocabulary};

/// What an answer, or a part of it, may be.
#[derive(Clone, Debug)]
pub struct Grammar(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Json { schema: Value },
    Calls { tools: Vec<Declared>, several: bool },
}

impl Grammar {
    /// JSON of a schema.
    ///
    /// # Errors
    /// [`GrammarError::Refused`] at the first keyword that can't be enforced.
    pub fn json(schema: &Value, whitespace: Whitespace) -> Result<Self, GrammarError> {
        let schema = Schema::read(schema, Dialect::Json, "")?;
        Ok(Self(Kind::Json { schema: json::compiled(&schema, whitespace) }))
    }

    /// A call of one of these tools or, if `several`, more of them.
    ///
    /// # Errors
    /// [`GrammarError::Refused`] at the first keyword that can't be enforced; [`GrammarError::NoTools`].
    pub fn calls(tools: &[Tool], several: bool) -> Result<Self, GrammarError> {
        Ok(Self(Kind::Calls { tools: calls::read(tools)?, several }))
    }
}

/// The beginning of what a grammar describes.
pub struct Prefix {
    matcher: Matcher,
    ends: Vec<u32>,
}

impl Prefix {
    /// Compiles a grammar, with nothing written.
    ///
    /// # Errors
    /// [`GrammarError::Unusable`] if it is too large or nothing matches it; [`GrammarError::NoCalls`].
    pub fn new(grammar: &Grammar, vocabulary: &Vocabulary) -> Result<Self, GrammarError> {
        let markers = &vocabulary.markers;
        let (compiled, behind) = match &grammar.0 {
            Kind::Json { schema } => (TopLevelGrammar::from_json_schema(schema.clone()), None),
            Kind::Calls { tools, several } => {
                let compiled = calls::compiled(tools, *several, markers)?;
                (TopLevelGrammar::from_lark(compiled), markers.response_open)
            }
        };
        let matcher = Matcher::new(vocabulary.factory.create_parser(compiled));
        match matcher.get_error() {
            Some(error) => Err(GrammarError::unusable(error)),
            None => Ok(Self { matcher, ends: markers.ends.iter().copied().chain(behind).collect() }),
        }
    }

    /// Takes a token that isn't an end.
    ///
    /// # Errors
    /// [`GrammarError::Forbidden`].
    pub fn push(&mut self, id: u32) -> Result<(), GrammarError> {
        match self.matcher.try_consume_tokens(&[id]) {
            Ok(1) => Ok(()),
            Ok(_) => Err(GrammarError::Forbidden { id }),
            Err(error) => Err(GrammarError::unusable(error)),
        }
    }

    /// Returns whether a token ends an answer of this grammar, once it is whole.
    pub fn is_end(&self, id: u32) -> bool {
        self.ends.contains(&id)
    }

    /// Returns whether what is written is whole.
    ///
    /// # Errors
    /// [`GrammarError::Unusable`] if the grammar has exceeded its limits.
    pub fn is_whole(&mut self) -> Result<bool, GrammarError> {
        if self.matcher.is_stopped() && !self.matcher.is_error() {
            return Ok(true);
        }
        self.matcher.is_accepting().map_err(GrammarError::unusable)
    }

    /// Returns the beginning of the text that must come next; empty if there is a choice.
    pub fn forced(&self) -> String {
        // The copy is dropped, since a matcher that knows what is forced allows fewer ways to tokenize it.
        let bytes = self.matcher.clone().compute_ff_bytes();
        let text = bytes.utf8_chunks().next().map(|chunk| chunk.valid().to_owned());
        text.unwrap_or_default()
    }

    /// Sets the tokens that may come next, ends included.
    ///
    /// # Errors
    /// [`GrammarError::Unusable`] if the grammar has exceeded its limits; [`GrammarError::DeadEnd`].
    pub fn allowed(&mut self, vocabulary: &Vocabulary, mask: &mut Mask) -> Result<(), GrammarError> {
        let is_whole = self.is_whole()?;
        if self.matcher.is_stopped() {
            mask.copy(Mask::none(vocabulary.size()).words());
        } else {
            let allowed = self.matcher.compute_mask().map_err(GrammarError::unusable)?;
            mask.copy(allowed.as_slice());
            vocabulary.allow_twins(mask);
        }
        for &end in vocabulary.markers.ends.iter().chain(&self.ends) {
            mask.set(end, is_whole && self.ends.contains(&end));
        }
        if mask.is_empty() { Err(GrammarError::DeadEnd) } else { Ok(()) }
    }
}
