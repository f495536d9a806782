//! The interface between launchers and the engine: a shader's text and its bindings.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::case::{Case, CaseError};
use crate::params::{self, Field, WgslStruct};
use crate::preprocess::{Defines, Expanded, PreprocessError, preprocess};
use crate::state::State;

/// How a kernel accesses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
}

/// A buffer binding of a kernel. The index in [`Source::bindings`] is the `@binding` number; all bindings are in
/// `@group(0)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Name of the variable.
    pub name: String,
    /// How the kernel uses it.
    pub access: Access,
}

/// The parameter struct of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Its fields, in order.
    pub fields: &'static [Field],
    /// Size of the struct in bytes.
    pub bytes: usize,
}

/// The source of one pipeline: WGSL with the entry point `main`, and its bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Label of the pipeline. Pipelines are cached by text, not by name.
    pub name: String,
    /// The preprocessed text.
    pub wgsl: Arc<str>,
    /// The bindings, in order.
    pub bindings: Arc<[Binding]>,
    /// The parameters: binding 0.
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

/// A permutation of a kernel: everything that its text depends on. Its launcher has the parameters and the grid of a dispatch.
pub trait Kernel: Any {
    /// Returns the shader.
    fn source(&self) -> Result<Source, PreprocessError>;

    /// Small inputs, and the output of the CPU twin: the self-test.
    ///
    /// # Errors
    /// When its matrices would have a shape that the type cannot have.
    fn case(&self) -> Result<Case, CaseError>;

    /// Returns whether it multiplies rows that are rounded to int8, or rounds rows for such a product.
    fn is_packed(&self) -> bool {
        false
    }
}

impl dyn Kernel {
    /// It as a `K`, if it is one.
    pub fn downcast_ref<K: Kernel>(&self) -> Option<&K> {
        (self as &dyn Any).downcast_ref()
    }
}

/// A cached expansion: text and bindings.
type Shared = (Arc<str>, Arc<[Binding]>);

/// Expands a template, with a cache: a plan asks for the same few permutations hundreds of times, and texts are
/// long.
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

/// Converts a one-dimensional number of workgroups to an `[x, y, 1]` grid, as WebGPU allows 65 535 per dimension.
/// The kernel computes `workgroup_id.x + workgroup_id.y * num_workgroups.x` and returns if that is not below
/// `count`.
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
