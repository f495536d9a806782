//! Answers that may only be what tools and a format allow.
//!
//! Grammar support comes apart from the engine ([`Platform::constraints`](crate::platform::Platform::constraints)), by request
//! of a page and never for an answer: a server would learn of that.

use std::rc::Rc;

use protocol::failure::RequestFailure;
use protocol::{Constraint, Failure, Outcome};

use crate::constraints::{Constraints, Tokens, Vocabulary};
use crate::failure::Stopped;
use crate::host::{Host, Model};
use crate::state::tasks::Task;

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
    constraint: &Constraint,
) -> Result<Option<Rc<dyn Vocabulary>>, Failure> {
    if constraint.is_none() {
        return Ok(None);
    }
    if model.denoising.is_some() {
        return Err(RequestFailure::Unconstrained.into());
    }
    known(host)?.check(constraint)?;
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
