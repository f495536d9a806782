//! The trainer's errors as failures of the protocol.

use engine::session::EngineError;
use engine::train::examples::{FieldFault, JsonFault, Reason};
use engine::train::{Setting, TrainError};
use protocol::Failure;
use protocol::example::{ExampleProblem, FieldProblem, JsonProblem};
use protocol::failure::{self, Instability, TrainingFailure};

use crate::failure::{cancelled, of as of_engine, sense};

/// Why training cannot begin or continue. `saved` is the step of the last checkpoint, if there is one.
pub fn of(error: TrainError, saved: Option<u32>) -> Failure {
    let detail = error.to_string();
    let code = match error {
        TrainError::Setting { setting: name, value } => {
            return TrainingFailure::Setting { setting: setting(name), value }.into();
        }
        TrainError::NoTarget => return TrainingFailure::NoTarget.into(),
        TrainError::NotYet { .. } => TrainingFailure::Unsupported,
        TrainError::TooLarge { bytes, most, .. } => {
            TrainingFailure::OutOfMemory { needed: bytes, available: most }
        }
        TrainError::NoExamples => return TrainingFailure::NoExamples.into(),
        TrainError::AllMasked => return TrainingFailure::AllMasked.into(),
        TrainError::NotEncoded { .. } | TrainError::SoftTokens { .. } => TrainingFailure::MediaLost,
        TrainError::Store(error) => return super::kept::of_store(&error),
        TrainError::LearnedSlot { .. }
        | TrainError::Labels { .. }
        | TrainError::TooLong { .. }
        | TrainError::NoToken { .. } => TrainingFailure::BadExample,
        TrainError::NotFinite { step, loss, .. } => {
            let what = match loss {
                loss if loss.is_nan() => Instability::NanLoss,
                loss if loss.is_infinite() => Instability::InfiniteLoss,
                _ => Instability::Gradient,
            };
            TrainingFailure::Unstable { step, what, saved }
        }
        TrainError::Checkpoint { .. } => TrainingFailure::BadCheckpoint,
        TrainError::Cancelled => return cancelled(),
        TrainError::Adapter(_) => TrainingFailure::Failed,
        TrainError::Row(error) => return of_engine(&EngineError::Row(error), None),
        TrainError::Gpu(error) => return of_engine(&EngineError::Gpu(error), None),
    };
    Failure::new(code).detailed(detail)
}

fn setting(setting: Setting) -> failure::Setting {
    match setting {
        Setting::Rank => failure::Setting::Rank,
        Setting::Alpha => failure::Setting::Alpha,
        Setting::Targets => failure::Setting::Targets,
        Setting::Steps => failure::Setting::Steps,
        Setting::LearningRate => failure::Setting::LearningRate,
        Setting::WeightDecay => failure::Setting::WeightDecay,
        Setting::Clipping => failure::Setting::Clipping,
        Setting::Dropout => failure::Setting::Dropout,
        Setting::MaxTokens => failure::Setting::MaxTokens,
    }
}

/// Why an example cannot be used.
pub fn of_example(reason: Reason) -> ExampleProblem {
    use ExampleProblem as P;
    match reason {
        Reason::Json { column, what } => P::Json { column: column as u32, what: json(what) },
        Reason::Unknown => P::UnknownShape,
        Reason::TextAlone => P::TextOnly,
        Reason::Half { found, missing } => P::Half { found: found.to_owned(), missing: missing.to_owned() },
        Reason::Preference => P::Preference,
        Reason::SingleMessage => P::SingleMessage,
        Reason::Joined => P::Joined,
        Reason::Replaced => P::Replaced,
        Reason::Prose => P::PlainText,
        Reason::Field { field: name, what } => P::Field { field: name, what: field(what) },
        Reason::Role { role } => P::Role { role },
        Reason::EmptyCell { column } => P::EmptyCell { column },
        Reason::Quotes => P::Quotes,
        Reason::Cells { cells, columns } => P::Cells { cells: cells as u32, columns: columns as u32 },
        Reason::TooFewColumns => P::TooFewColumns,
        Reason::NoColumn { column, known } => P::NoColumn { column, columns: known },
        Reason::Video => P::Video,
        Reason::Unnamed { media } => P::NoFileName(sense(media)),
        Reason::Places { places, named } => P::Places { places: places as u32, named: named as u32 },
        Reason::Missing { name } => P::MissingFile { name },
        Reason::NoTower { media } => P::Lacks(sense(media)),
        Reason::Media(_) => P::MediaMismatch,
        Reason::NoToken { token } => P::NoToken { token: token.to_owned() },
        Reason::NoId { id, vocabulary } => P::NoId { id, vocabulary },
        Reason::Labels { ids, labels } => P::Labels { ids, labels },
        Reason::TooLong { tokens, limit } => P::TooLong { tokens, limit },
        Reason::TooLarge { bytes, limit } => P::TooLarge { bytes: bytes as u64, limit: limit as u64 },
        Reason::AllMasked => P::AllMasked,
        Reason::TooMany { limit } => P::TooMany { limit: limit as u32 },
    }
}

fn json(fault: JsonFault) -> JsonProblem {
    match fault {
        JsonFault::EarlyEnd => JsonProblem::EarlyEnd,
        JsonFault::TextAfterEnd => JsonProblem::TextAfterEnd,
        JsonFault::NoValue => JsonProblem::NoValue,
        JsonFault::NoComma => JsonProblem::NoComma,
        JsonFault::NoColon => JsonProblem::NoColon,
        JsonFault::KeyNotQuoted => JsonProblem::KeyNotQuoted,
        JsonFault::TrailingComma => JsonProblem::TrailingComma,
        JsonFault::ControlCharacter => JsonProblem::ControlCharacter,
        JsonFault::BadEscape => JsonProblem::BadEscape,
        JsonFault::BadNumber => JsonProblem::BadNumber,
        JsonFault::Other => JsonProblem::Other,
    }
}

fn field(fault: FieldFault) -> FieldProblem {
    match fault {
        FieldFault::Empty => FieldProblem::Empty,
        FieldFault::NotText => FieldProblem::NotText,
        FieldFault::NotAList => FieldProblem::NotAList,
        FieldFault::NotIntegers => FieldProblem::NotIntegers,
        FieldFault::NoFlag => FieldProblem::NoFlag,
        FieldFault::UnknownRule => FieldProblem::UnknownRule,
        FieldFault::NotOfModel => FieldProblem::NotOfModel,
        FieldFault::LeftOut => FieldProblem::LeftOut,
        FieldFault::NoFileNames => FieldProblem::NoFileNames,
        FieldFault::Malformed => FieldProblem::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unstable_step_tells_what_is_not_finite_and_what_is_kept() {
        let not_finite = |loss| TrainError::NotFinite { step: 14, loss, grad_norm: f64::INFINITY };
        let is = |loss, saved, what| {
            let code = TrainingFailure::Unstable { step: 14, what, saved };
            assert_eq!(of(not_finite(loss), saved).code, code.into());
        };
        is(f64::NAN, Some(10), Instability::NanLoss);
        is(f64::INFINITY, None, Instability::InfiniteLoss);
        is(2.5, None, Instability::Gradient);
    }

    #[test]
    fn a_setting_is_named() {
        let error = TrainError::Setting { setting: Setting::Rank, value: "65".into() };
        assert_eq!(error.to_string(), "the rank is 65, but must be between 1 and 64");
        let code = TrainingFailure::Setting { setting: failure::Setting::Rank, value: "65".into() };
        assert_eq!(of(error, None), code.into());
    }
}
