//! What a launcher hands to the engine: a shader text and the kinds of its bindings.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::preprocess::{Defines, PreprocessError, preprocess};

/// How a kernel uses a buffer. The index in [`Source::bindings`] is the `@binding` number; all are in `@group(0)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
}

/// One pipeline: WGSL whose entry point is `main`, and what it binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Unique for each permutation: the cache key and the label of the pipeline.
    pub name: String,
    /// The preprocessed text, without `enable` lines: the engine adds those that the platform asks for.
    pub wgsl: Arc<str>,
    /// Kinds of the bindings, in order.
    pub bindings: Vec<Binding>,
    /// Whether the text uses subgroup operations.
    pub subgroups: bool,
    /// Whether the text uses the `f16` type.
    pub f16: bool,
}

impl Source {
    /// Preprocesses the file at `path` (relative to `wgsl/`).
    ///
    /// # Errors
    /// What [`preprocess`] returns.
    pub fn build(
        path: &str,
        name: impl Into<String>,
        defines: &Defines,
        bindings: Vec<Binding>,
    ) -> Result<Self, PreprocessError> {
        Ok(Self { name: name.into(), wgsl: text(path, defines)?, bindings, subgroups: false, f16: false })
    }

    /// Marks a text that uses subgroup operations (or not).
    #[must_use]
    pub fn with_subgroups(mut self, subgroups: bool) -> Self {
        self.subgroups = subgroups;
        self
    }
}

/// The text of a permutation. A plan asks for the same few hundreds of times, and texts are long: each is made once.
fn text(path: &str, defines: &Defines) -> Result<Arc<str>, PreprocessError> {
    thread_local! {
        static TEXTS: RefCell<HashMap<(String, Defines), Arc<str>>> = RefCell::default();
    }
    let key = (path.to_owned(), defines.clone());
    if let Some(text) = TEXTS.with_borrow(|texts| texts.get(&key).cloned()) {
        return Ok(text);
    }
    let text: Arc<str> = preprocess(path, defines)?.into();
    TEXTS.with_borrow_mut(|texts| texts.insert(key, Arc::clone(&text)));
    Ok(text)
}

/// Workgroups for `count` one-dimensional workgroups as an `[x, y, 1]` grid: WebGPU allows 65 535 in each dimension.
/// The kernel takes `workgroup_id.x + workgroup_id.y * num_workgroups.x` and leaves when that is not below `count`.
pub const fn grid(count: u32) -> [u32; 3] {
    const MAX: u32 = 65_535;
    if count <= MAX {
        return [count, 1, 1];
    }
    let rows = count.div_ceil(MAX);
    [count.div_ceil(rows), rows, 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_cover_the_count_within_the_limit() {
        for count in [0, 1, 65_535, 65_536, 131_071, 1 << 24, 1 << 30] {
            let [x, y, z] = grid(count);
            assert!(x <= 65_535 && y <= 65_535 && z == 1);
            assert!(u64::from(x) * u64::from(y) >= u64::from(count));
            assert!(u64::from(x) * u64::from(y) < u64::from(count) + u64::from(y.max(1)));
        }
    }
}
