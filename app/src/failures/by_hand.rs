//! Texts that depend on values. The build script's functions call these.

use protocol::Code;
use protocol::failure::{Failure, ModelFailure};

use super::{of, sentence, t};
use crate::format::{bytes_of, seconds as duration};

pub(super) fn failure_version(page: &u16, engine: &u16) -> String {
    if page > engine { t().failure_version_engine() } else { t().failure_version() }.into()
}

pub(super) fn failure_model_truncated(size: &u64, missing: &u64) -> String {
    t().failure_model_truncated(&bytes_of(*size, size.saturating_add(*missing)))
}

pub(super) fn failure_model_not_opened(name: &str, failure: &Failure) -> String {
    if let Code::Model(ModelFailure::Truncated { size, missing }) = failure.code {
        return t().failure_model_truncated_of(name, &bytes_of(size, size.saturating_add(missing)));
    }
    t().failure_model_not_opened(name, &sentence(failure))
}

pub(super) fn failure_media_sound_too_long(seconds: &u64, most: &u64) -> String {
    t().failure_media_sound_too_long(&duration(*seconds as f64), &duration(*most as f64))
}

pub(super) fn failure_training_in_another_tab(name: &str) -> String {
    match name {
        "" => t().failure_training_in_another_tab().into(),
        name => t().failure_training_in_another_tab_named(name),
    }
}

pub(super) fn example_bad_file(name: &str, why: &Code) -> String {
    t().example_bad_file(name, of(why).trim_end_matches(['.', '。']))
}

pub(super) fn catalog_foreign(architecture: &str) -> String {
    t().failure_model_architecture(architecture)
}
