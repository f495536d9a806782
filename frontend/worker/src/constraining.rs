//! Answers that may only be what tools and a format allow.
//!
//! What knows grammars comes apart from the engine ([`Platform::constraints`](crate::platform::Platform::constraints)), by request
//! of a page and never for an answer: a server would learn of that.

use std::rc::Rc;

use engine::session;
use engine::tokenizer::Tokenizer;
use protocol::failure::RequestFailure;
use protocol::{Constraint, Failure, GenerateOptions, Outcome};

use crate::failure::Stopped;
use crate::host::{Host, Model};
use crate::state::tasks::Task;

/// What knows grammars.
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
    fn of(tokenizer: &Tokenizer) -> Self {
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

/// Answers [`protocol::Request::PrepareConstraint`].
pub async fn prepare(host: Rc<Host>, constraint: Constraint, task: Task) -> Result<Outcome, Failure> {
    let known = host.constraints.borrow().clone();
    let constraints = match known {
        Some(known) => known,
        None => {
            let fetching = async { host.platform.constraints().await.map_err(Stopped) };
            let fetched = task.cancel.guard(fetching).await.map_err(|Stopped(failure)| failure)?;
            host.constraints.replace(Some(Rc::clone(&fetched)));
            fetched
        }
    };
    constraints.check(&constraint)?;
    let model = host.model.borrow().clone();
    // An answer that is under way would stand still meanwhile.
    if let Some(model) = model.filter(|model| model.denoising.is_none() && host.tasks.holder().is_none()) {
        vocabulary(&host, &model)?;
    }
    Ok(Outcome::ConstraintReady)
}

/// Returns what makes the constraint of an answer; `None` if it has none.
///
/// # Errors
/// As [`Constraints::check`]; [`RequestFailure::Unconstrained`] if the model's answers can't be constrained, and
/// [`RequestFailure::NoConstraints`] if nothing was prepared.
pub fn of_answer(
    host: &Host,
    model: &Model,
    asked: &GenerateOptions,
) -> Result<Option<Rc<dyn Vocabulary>>, Failure> {
    if asked.constraint.is_none() {
        return Ok(None);
    }
    if model.denoising.is_some() {
        return Err(RequestFailure::Unconstrained.into());
    }
    known(host)?.check(&asked.constraint)?;
    vocabulary(host, model).map(Some)
}

fn known(host: &Host) -> Result<Rc<dyn Constraints>, Failure> {
    host.constraints.borrow().clone().ok_or_else(|| RequestFailure::NoConstraints.into())
}

/// The tokens of the model, made at most once.
fn vocabulary(host: &Host, model: &Model) -> Result<Rc<dyn Vocabulary>, Failure> {
    if let Some(made) = &*model.vocabulary.borrow() {
        return Ok(Rc::clone(made));
    }
    let made = known(host)?.vocabulary(&Tokens::of(&model.tokenizer))?;
    model.vocabulary.replace(Some(Rc::clone(&made)));
    Ok(made)
}
