//! What stands between a kept run and going on with it.

use crate::state::models::{Choice, ModelState};

/// How a kept run can go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Resumption {
    /// Its model is loaded.
    Now,
    /// Its model has to be loaded first.
    AfterLoading(Box<Choice>),
    /// Its model, named here, is not in the list.
    Missing(String),
}

/// Returns how a run of the model of this name can go on.
#[must_use]
pub fn resumption(model: &ModelState, choices: &[Choice], name: &str) -> Resumption {
    let is_it = |choice: &Choice| choice.entry.name == name;
    if model.is_ready() && model.choice().is_some_and(is_it) {
        return Resumption::Now;
    }
    match choices.iter().find(|choice| is_it(choice) && choice.entry.chats()) {
        Some(choice) => Resumption::AfterLoading(Box::new(choice.clone())),
        None => Resumption::Missing(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use protocol::said::{ModelProblem, Said};
    use protocol::{CatalogEntry, LoadTimes, RequestId};

    use super::*;

    fn choice(name: &str) -> Choice {
        Choice::server(CatalogEntry { name: name.into(), ..CatalogEntry::default() })
    }

    #[test]
    fn a_run_goes_on_with_its_own_model() {
        let (pebble, other) = (choice("pebble"), choice("gemma4:e2b"));
        let ready = |choice: &Choice| ModelState::Ready {
            loaded_by: RequestId(1),
            choice: Box::new(choice.clone()),
            details: Box::default(),
            context: 8192,
            gpu_bytes: 0,
            times: LoadTimes::default(),
        };
        let all = [other.clone(), pebble.clone()];
        let after = Resumption::AfterLoading(Box::new(pebble.clone()));
        assert_eq!(resumption(&ready(&pebble), &all, "pebble"), Resumption::Now);
        // A file of the user's is loaded without being in the server's list.
        assert_eq!(resumption(&ready(&pebble), &[], "pebble"), Resumption::Now);
        assert_eq!(resumption(&ModelState::None, &all, "pebble"), after);
        assert_eq!(resumption(&ready(&other), &all, "pebble"), after);
        assert_eq!(resumption(&ready(&other), &[], "pebble"), Resumption::Missing("pebble".into()));
        let mut broken = pebble;
        broken.entry.broken = Some(Said { code: Some(ModelProblem::NoModel), english: String::new() });
        assert_eq!(resumption(&ModelState::None, &[broken], "pebble"), Resumption::Missing("pebble".into()));
    }
}
