//! Grammar support, linked instead of fetched.

use std::rc::Rc;

use engine::session::{self, ConstraintError};
use protocol::{Constraint, Failure};
use worker::constraints::{Constraints, Tokens, Vocabulary};

pub struct Grammars;

impl Constraints for Grammars {
    fn check(&self, constraint: &Constraint) -> Result<(), Failure> {
        constraints::check(constraint)
    }

    fn vocabulary(&self, tokens: &Tokens) -> Result<Rc<dyn Vocabulary>, Failure> {
        let made = constraints::Vocabulary::new(&tokens.bytes, &tokens.lengths, &tokens.markers)?;
        Ok(Rc::new(Trie(made)))
    }
}

struct Trie(constraints::Vocabulary);

impl Vocabulary for Trie {
    fn begin(
        &self,
        constraint: &Constraint,
        thinking: bool,
        in_thought: bool,
    ) -> Result<Box<dyn session::Constraint>, Failure> {
        Ok(Box::new(Answer(self.0.begin(constraint, thinking, in_thought)?)))
    }
}

struct Answer(constraints::Answer);

impl session::Constraint for Answer {
    fn push(&mut self, id: u32) -> Result<(), ConstraintError> {
        self.0.push(id).map_err(ConstraintError)
    }

    fn allowed(&mut self) -> Result<&[u32], ConstraintError> {
        self.0.allowed().map_err(ConstraintError)
    }

    fn forced(&mut self) -> String {
        self.0.forced()
    }
}
