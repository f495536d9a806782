//! Plans: the computation, described without a device.
//!
//! A [`Plan`] is a list of [`Step`]s, one per dispatch: a kernel, its parameters, the [`Value`]s that it binds, its
//! grid, its memory traffic and its multiply-adds. Plan functions are pure: they take a configuration, tensors, limits
//! and choices. Memory, kernels to compile, traffic per token and the work of a chunk follow from a plan.
//! [`crate::gpu`] compiles, allocates and binds it to a [`crate::gpu::Program`].
//!
//! | file | content |
//! |---|---|
//! | [`value`] | values and their purpose |
//! | [`step`] | one dispatch: grid, parameters, traffic, work |
//! | [`limits`] | device properties that a plan depends on |
//! | [`memory`] | which values share a buffer |

mod limits;
mod memory;
mod step;
mod value;

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use shaders::{Access, Kernel, LayoutError, PreprocessError, Source};

pub use limits::Limits;
pub use memory::{Layout, ParamsArena, Schedule, Slot, rounded, take_smallest};
pub use step::{Amount, Grid, Params, Step, Tested};
pub use value::{Origin, Value};

/// Why a plan could not be built: an inconsistent model, or an internal error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum PlanError {
    /// An error in a shader template.
    #[error(transparent)]
    Template(#[from] PreprocessError),
    /// A kernel has a different number of bindings than the step has values.
    #[error("kernel {kernel} binds {expected} buffers, {given} were given")]
    Bindings {
        kernel: String,
        expected: usize,
        /// Number of values, including parameters.
        given: usize,
    },
    /// A tensor that the configuration requires is not in the list.
    #[error("there is no {name}")]
    Missing { name: String },
    /// Plans that don't fit together: a bug of the engine.
    #[error("internal error: no {what}")]
    Internal { what: String },
    /// An operation of a layer that the plan has no place for.
    #[error("this plan cannot compute {operation}")]
    Unknown { operation: String },
    /// A matrix that the plan adds to those of the file has no layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// A list of dispatches.
#[derive(Clone, Default)]
pub struct Plan {
    steps: Vec<Step>,
    expert_steps: Vec<Range<usize>>,
}

impl Plan {
    /// Appends a dispatch of `kernel`: `params` is binding 0, `operands` are the following bindings.
    ///
    /// # Errors
    /// [`PlanError::Template`] when the kernel's template cannot be expanded, [`PlanError::Bindings`] when it has another
    /// number of bindings.
    pub fn push<P: bytemuck::Pod>(
        &mut self,
        kernel: impl Kernel,
        params: &P,
        operands: &[&Value],
        grid: Grid,
    ) -> Result<(), PlanError> {
        self.push_kernel(kernel, Params::fixed(params), operands, grid)
    }

    /// Same as [`Self::push`], with a grid that depends on the number of rows.
    ///
    /// # Errors
    /// Same as [`Self::push`].
    pub fn push_rows<P: bytemuck::Pod>(
        &mut self,
        kernel: impl Kernel,
        params: &P,
        operands: &[&Value],
        grid: impl Fn(u32) -> [u32; 3] + 'static,
    ) -> Result<(), PlanError> {
        self.push(kernel, params, operands, Grid::Rows(Rc::new(grid)))
    }

    /// Same as [`Self::push`], with parameters that the host rewrites later.
    ///
    /// # Errors
    /// Same as [`Self::push`].
    pub fn push_shared(
        &mut self,
        kernel: impl Kernel,
        params: &Value,
        operands: &[&Value],
        grid: Grid,
    ) -> Result<(), PlanError> {
        self.push_kernel(kernel, Params::Shared(params.clone()), operands, grid)
    }

    fn push_kernel(
        &mut self,
        kernel: impl Kernel,
        params: Params,
        operands: &[&Value],
        grid: Grid,
    ) -> Result<(), PlanError> {
        self.push_source(&kernel.source()?, params, operands, grid)?;
        if let Some(step) = self.steps.last_mut() {
            step.kernel = Some(Rc::new(kernel));
        }
        Ok(())
    }

    /// Same as [`Self::push`], for a kernel without a self-test.
    ///
    /// # Errors
    /// Same as [`Self::push`].
    pub fn push_source(
        &mut self,
        source: &Source,
        params: Params,
        operands: &[&Value],
        grid: Grid,
    ) -> Result<(), PlanError> {
        let given = operands.len() + 1;
        if source.bindings.len() != given {
            let (kernel, expected) = (source.name.clone(), source.bindings.len());
            return Err(PlanError::Bindings { kernel, expected, given });
        }
        // Texts are long, and most steps share one.
        let same = self.steps.iter().rev().find(|step| *step.source == *source);
        let source = same.map_or_else(|| Rc::new(source.clone()), |step| Rc::clone(&step.source));
        self.steps.push(Step {
            source,
            kernel: None,
            params,
            operands: operands.iter().map(|&value| value.clone()).collect(),
            grid,
            traffic: Amount::default(),
            multiply_adds: Amount::default(),
        });
        Ok(())
    }

    /// Sets the traffic of the last step.
    pub fn reading(&mut self, traffic: Amount) {
        if let Some(step) = self.steps.last_mut() {
            step.traffic = traffic;
        }
    }

    /// Sets the multiply-adds of the last step.
    pub fn computing(&mut self, multiply_adds: Amount) {
        if let Some(step) = self.steps.last_mut() {
            step.multiply_adds = multiply_adds;
        }
    }

    /// Marks the steps from index `first` on: they read the experts of a layer from the expert cache. The host runs them
    /// when the experts are there, and several times if there are too many for the cache.
    pub fn mark_experts(&mut self, first: usize) {
        self.expert_steps.push(first..self.steps.len());
    }

    /// Returns the marked ranges of steps, one for each layer with cached experts.
    pub fn expert_steps(&self) -> &[Range<usize>] {
        &self.expert_steps
    }

    /// Appends a step.
    pub fn append(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Appends the steps of another plan.
    pub fn extend(&mut self, other: &Self) {
        let before = self.steps.len();
        let marked = other.expert_steps.iter().map(|range| range.start + before..range.end + before);
        self.expert_steps.extend(marked);
        self.steps.extend(other.steps.iter().cloned());
    }

    /// Returns the steps in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the number of dispatches.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the texts of its kernels, each once, in order of first use.
    pub fn sources(&self) -> Vec<&Rc<Source>> {
        let mut seen = HashSet::new();
        self.steps.iter().map(|step| &step.source).filter(|source| seen.insert(&*source.wgsl)).collect()
    }

    /// Returns the values that its steps bind, each once, in order of first use.
    pub fn values(&self) -> Vec<&Value> {
        let mut seen = HashSet::new();
        self.steps.iter().flat_map(Step::values).filter(|value| seen.insert(*value)).collect()
    }

    /// Returns the kernels with a self-test, in order.
    pub fn tested(&self) -> impl Iterator<Item = Tested> {
        let tested =
            |step: &Step| Some(Tested { kernel: step.kernel.clone()?, source: Rc::clone(&step.source) });
        self.steps.iter().filter_map(tested)
    }

    /// Names of the kernels without a self-test.
    pub fn untested(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter(|step| step.kernel.is_none()).map(Step::name)
    }

    /// Names of the kernels, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(Step::name)
    }

    /// Bytes read by one run for one row at `position`.
    pub fn bytes_read(&self, position: u32) -> u64 {
        self.steps.iter().map(|step| step.traffic.at(position)).sum()
    }

    /// Multiply-adds of one run for `rows` rows, the last of them at `position`.
    pub fn work(&self, rows: u32, position: u32) -> f64 {
        self.steps.iter().map(|step| step.work(rows, position)).sum()
    }
}

impl Step {
    /// Returns the bound values, including the parameters if they are a value.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let shared = match &self.params {
            Params::Shared(value) => Some(value),
            Params::Fixed(_) => None,
        };
        shared.into_iter().chain(&self.operands)
    }

    /// Each operand, and whether the kernel may write it.
    pub fn operands(&self) -> impl Iterator<Item = (&Value, bool)> {
        let bindings = self.source.bindings.iter().skip(1);
        self.operands.iter().zip(bindings).map(|(value, to)| (value, to.access == Access::ReadWrite))
    }
}
