//! A drafter for speculative decoding (specification §14): a small decoder without keys and values of its own, which
//! reads the KV cache and the hidden state of its target model and drafts the next tokens.
//!
//! | file | content |
//! |---|---|
//! | [`config`] | its configuration, checked against the target's |
//! | [`ordered`] | its ordered head |
//! | [`spec`] | its tensors |
//! | [`plan`] | the plan that drafts tokens |
//! | [`load`] | its weights on the device |

mod config;
mod load;
mod ordered;
mod plan;
mod spec;

pub use config::DrafterError;
pub use load::Drafter;
pub use plan::{DraftParts, draft, step};
pub use spec::DrafterSpec;
