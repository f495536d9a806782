//! The trainer's errors in words for a person.

use engine::session::EngineError;
use engine::train::TrainError;
use protocol::{Cause, Failure};

use crate::failure;

/// Why training cannot begin or go on. `saved` is the step of the last checkpoint, where there is one.
pub fn of(error: TrainError, saved: Option<u32>) -> Failure {
    let invalid = |message: String| Failure::new(Cause::Invalid, message);
    let said = error.to_string();
    match error {
        TrainError::Setting { name, value, expected } => {
            invalid(format!("{} is {value}; it must be {expected}.", capital(name)))
        }
        TrainError::NoTarget => {
            invalid("This model has none of the parts that were chosen to get an adapter.".to_owned())
        }
        TrainError::NotYet { what } => {
            Failure::new(Cause::Unsupported, format!("gemtab cannot train a model with {what} yet."))
        }
        TrainError::NoExamples => invalid("There is nothing to learn: no example can be used.".to_owned()),
        TrainError::AllMasked => {
            invalid("Nothing of these examples is learned: the model says nothing in them.".to_owned())
        }
        TrainError::NotEncoded { .. } | TrainError::SoftTokens { .. } => {
            let words = "What the model saw and heard in these examples is not in this browser any more. Start the \
                         training again.";
            Failure::new(Cause::Storage, words)
        }
        TrainError::Store(error) => super::kept::of_store(&error),
        TrainError::LearnedSlot { .. }
        | TrainError::Labels { .. }
        | TrainError::TooLong { .. }
        | TrainError::NoToken { .. } => invalid(format!("An example cannot be used: {said}.")),
        TrainError::NotFinite { step, .. } => {
            let kept = match saved {
                Some(saved) => format!("What was learned up to step {saved} is kept."),
                None => "Nothing was kept yet.".to_owned(),
            };
            let words = format!(
                "The loss became infinite or no number at step {step}, so the training was stopped. {kept} Try a \
                 smaller learning rate, a longer warm-up, or clipping."
            );
            Failure::new(Cause::Training, words)
        }
        TrainError::Checkpoint { reason } => {
            invalid(format!("The checkpoint cannot be used: {}.", reason.trim_end_matches('.')))
        }
        TrainError::Cancelled => failure::cancelled(),
        TrainError::Adapter(_) => Failure::new(Cause::Internal, format!("Training failed: {said}.")),
        TrainError::Row(error) => failure::of(&EngineError::Row(error), None),
        TrainError::Gpu(error) => failure::of(&EngineError::Gpu(error), None),
    }
}

fn capital(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_that_is_no_number_says_what_is_kept_and_what_to_change() {
        let error = TrainError::NotFinite { step: 14, loss: f64::NAN, grad_norm: f64::INFINITY };
        let failure = of(error, Some(10));
        assert_eq!(failure.cause, Cause::Training);
        assert_eq!(
            failure.message,
            "The loss became infinite or no number at step 14, so the training was stopped. What was learned up to \
             step 10 is kept. Try a smaller learning rate, a longer warm-up, or clipping."
        );
        let first = TrainError::NotFinite { step: 1, loss: f64::NAN, grad_norm: 0.0 };
        assert!(of(first, None).message.contains("Nothing was kept yet."));
    }

    #[test]
    fn a_setting_is_named() {
        let error =
            TrainError::Setting { name: "the rank", value: "65".into(), expected: "between 1 and 64" };
        assert_eq!(of(error, None).message, "The rank is 65; it must be between 1 and 64.");
    }
}
