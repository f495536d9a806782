//! Fine-tuning.

use protocol::failure::{Instability, Setting, TrainingFailure};

use super::{compared, t};

pub(super) fn sentence(failure: &TrainingFailure) -> String {
    match failure {
        TrainingFailure::Setting { setting, .. } => match setting {
            Setting::Rank => t().failure_training_rank(),
            Setting::Alpha => t().failure_training_alpha(),
            Setting::Targets => t().failure_training_targets(),
            Setting::Steps => t().failure_training_steps(),
            Setting::LearningRate => t().failure_training_learning_rate(),
            Setting::WeightDecay => t().failure_training_weight_decay(),
            Setting::Clipping => t().failure_training_clipping(),
            Setting::Dropout => t().failure_training_dropout(),
            Setting::MaxTokens => t().failure_training_max_tokens(),
        }
        .into(),
        TrainingFailure::NoTarget => t().failure_training_no_target().into(),
        TrainingFailure::Unsupported => t().failure_training_unsupported().into(),
        TrainingFailure::NoExamples => t().failure_training_no_examples().into(),
        TrainingFailure::AllMasked => t().failure_training_masked().into(),
        TrainingFailure::MediaLost => t().failure_training_media_lost().into(),
        TrainingFailure::BadExample => t().failure_training_bad_example().into(),
        TrainingFailure::Unstable { step, what, saved } => {
            let what = match what {
                Instability::NanLoss => t().failure_training_nan(),
                Instability::InfiniteLoss => t().failure_training_infinite(),
                Instability::Gradient => t().failure_training_gradient(),
            };
            let kept = match saved {
                Some(step) => t().failure_training_kept((*step).into()),
                None => t().failure_training_not_kept().into(),
            };
            t().failure_training_unstable((*step).into(), what, &kept)
        }
        TrainingFailure::BadCheckpoint => t().failure_training_checkpoint().into(),
        TrainingFailure::NothingToResume => t().failure_training_no_resume().into(),
        TrainingFailure::NothingToSave => t().failure_training_no_save().into(),
        TrainingFailure::InProgress => t().failure_training_in_progress().into(),
        TrainingFailure::InAnotherTab { name } if name.is_empty() => t().failure_training_elsewhere().into(),
        TrainingFailure::InAnotherTab { name } => t().failure_training_elsewhere_named(name),
        TrainingFailure::ForModel { model } => t().failure_training_for_model(model),
        TrainingFailure::OutOfMemory { needed, available } => {
            let (needed, available) = compared(*needed, *available);
            t().failure_training_memory(&needed, &available)
        }
        TrainingFailure::TooMuchMedia { needed, most, in_memory } => {
            let (needed, most) = compared(*needed, *most);
            if *in_memory {
                t().failure_training_media_memory(&needed, &most)
            } else {
                t().failure_training_media(&needed, &most)
            }
        }
        TrainingFailure::CheckpointTooLarge { needed, most } => {
            let (needed, most) = compared(*needed, *most);
            t().failure_training_checkpoint_size(&needed, &most)
        }
        TrainingFailure::EngineStopped => t().failure_training_stopped().into(),
        TrainingFailure::Failed => t().failure_training_failed().into(),
    }
}
