//! `wgsl/experts/locate.wgsl`: finds the chosen experts in the expert cache.

use super::{Choice, Mixture};
use crate::{PreprocessError, Source};

/// The slot of an expert that is not in the cache.
pub const NONE: u32 = u32::MAX;
/// Maximum number of rows of a step that ends if an expert is missing.
pub const MAX_ROWS: u32 = 8;

params! {
    /// The uniform at binding 0.
    #[derive(Default, Eq)]
    pub struct Params {
        /// The layer.
        pub layer: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}

/// Words of the record in front of the number of uses: the layer that missed plus 1, and the experts of a few rows.
#[must_use]
pub const fn record_header(mixture: Mixture) -> u32 {
    1 + MAX_ROWS * mixture.used
}

/// The shader, for up to [`MAX_ROWS`] rows, whose step ends if an expert is missing, or for any number of rows.
/// Bindings: params, state, slots, choices, located; for a few rows, record.
///
/// # Errors
/// When the template cannot be expanded.
pub fn source(mixture: Mixture, few_rows: bool) -> Result<Source, PreprocessError> {
    let suffix = if few_rows { "_few" } else { "" };
    let name = format!("experts_locate_{}{suffix}", mixture.name());
    let defines = mixture.defines().set("FEW_ROWS", few_rows).set("MAX_ROWS", MAX_ROWS);
    Source::build::<Params>("experts/locate.wgsl", name, &defines)
}

/// Workgroups for `rows` rows.
#[must_use]
pub const fn dispatch(mixture: Mixture, few_rows: bool, rows: u32) -> [u32; 3] {
    [if few_rows { 1 } else { (rows * mixture.used).div_ceil(64) }, 1, 1]
}

/// CPU twin: the choices with slots instead of experts. `slots` are those of the layer.
#[must_use]
pub fn locate(slots: &[u32], choices: &[Choice]) -> Vec<Choice> {
    choices.iter().map(|choice| Choice { expert: slots[choice.expert as usize], ..*choice }).collect()
}
