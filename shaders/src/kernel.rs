//! What a launcher hands to the engine: a shader text and the kinds of its bindings.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::params::{self, Field, WgslStruct};
use crate::preprocess::{Defines, Expanded, PreprocessError, preprocess};
use crate::state::State;

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
}

/// A buffer of a kernel. The index in [`Source::bindings`] is the `@binding` number; all are in `@group(0)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// The name of the variable.
    pub name: String,
    /// How the kernel uses it.
    pub access: Access,
}

/// The struct that a kernel takes as its uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Its fields, in order.
    pub fields: &'static [Field],
    /// Bytes of the whole.
    pub bytes: usize,
}

/// One pipeline: WGSL whose entry point is `main`, and what it binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The label of its pipeline, which is kept by text.
    pub name: String,
    /// The preprocessed text.
    pub wgsl: Arc<str>,
    /// What the text binds, in order.
    pub bindings: Arc<[Binding]>,
    /// Its parameters, what it binds first.
    pub params: Params,
}

impl Source {
    /// Preprocesses the file at `path` (relative to `wgsl/`), in which `{{PARAMS}}` stands for the struct
    /// `Params`, and `{{STATE}}` (in `shared/state.wgsl`) for [`State`].
    ///
    /// # Errors
    /// What [`preprocess`] returns.
    pub fn build<P: WgslStruct>(
        path: &str,
        name: impl Into<String>,
        defines: &Defines,
    ) -> Result<Self, PreprocessError> {
        let (wgsl, bindings) = expanded(path, defines.clone().set("PARAMS", params::wgsl::<P>("Params")))?;
        let params = Params { fields: P::FIELDS, bytes: size_of::<P>() };
        Ok(Self { name: name.into(), wgsl, bindings, params })
    }
}

/// What is kept of an expanded template.
type Shared = (Arc<str>, Arc<[Binding]>);

/// A permutation, expanded. A plan asks for the same few hundreds of times, and texts are long: each is made once.
fn expanded(path: &str, defines: Defines) -> Result<Shared, PreprocessError> {
    thread_local! {
        static ALL: RefCell<HashMap<(String, Defines), Shared>> = RefCell::default();
    }
    let key = (path.to_owned(), defines);
    if let Some(known) = ALL.with_borrow(|all| all.get(&key).cloned()) {
        return Ok(known);
    }
    let Expanded { text, bindings } =
        preprocess(path, &key.1.clone().set("STATE", params::wgsl::<State>("State")))?;
    let made: Shared = (text.into(), bindings.into());
    ALL.with_borrow_mut(|all| all.insert(key, made.clone()));
    Ok(made)
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
