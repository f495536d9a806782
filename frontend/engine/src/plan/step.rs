//! One dispatch.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use shaders::{Kernel, PreprocessError, Source};

use super::Value;

/// The grid of a step.
#[derive(Clone)]
pub enum Grid {
    /// Always the same.
    Fixed([u32; 3]),
    /// A function of the number of rows (prompt tokens of a chunk).
    Rows(Rc<dyn Fn(u32) -> [u32; 3]>),
}

impl Grid {
    /// Returns the workgroups for `rows` rows.
    pub fn of(&self, rows: u32) -> [u32; 3] {
        match self {
            Self::Fixed(grid) => *grid,
            Self::Rows(grid) => grid(rows),
        }
    }
}

/// What a step takes for a row: bytes or multiply-adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Amount {
    /// Negligible.
    #[default]
    Little,
    /// Always the same.
    Fixed(u64),
    /// In proportion to the visible positions.
    Visible {
        /// For each visible position.
        each: u64,
        /// Maximum number of positions; 0: unlimited.
        window: u32,
    },
}

impl Amount {
    /// Returns the amount for a row at `position`.
    pub fn at(self, position: u32) -> u64 {
        match self {
            Self::Little => 0,
            Self::Fixed(amount) => amount,
            Self::Visible { each, window } => {
                let visible = position + 1;
                each * u64::from(if window == 0 { visible } else { visible.min(window) })
            }
        }
    }
}

/// The parameters of a step, its binding 0.
#[derive(Clone)]
pub enum Params {
    /// Constant. The parameters of all steps of a plan share one buffer.
    Fixed(Rc<[u8]>),
    /// Rewritten by the host.
    Shared(Value),
}

impl Params {
    /// Returns these parameters.
    pub fn fixed<P: bytemuck::Pod>(params: &P) -> Self {
        Self::Fixed(bytemuck::bytes_of(params).into())
    }
}

/// A kernel with a self-test, and its text, by which it is known.
#[derive(Clone)]
pub struct Tested {
    /// The kernel.
    pub kernel: Rc<dyn Kernel>,
    /// Its text.
    pub source: Rc<Source>,
}

impl Tested {
    /// Returns a kernel with its text.
    ///
    /// # Errors
    /// When the template cannot be expanded.
    pub fn new(kernel: impl Kernel) -> Result<Self, PreprocessError> {
        Ok(Self { source: Rc::new(kernel.source()?), kernel: Rc::new(kernel) })
    }

    /// Returns these kernels, each text once.
    pub fn distinct(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut seen = HashSet::new();
        all.into_iter().filter(|tested| seen.insert(tested.text())).collect()
    }

    /// Returns the kernels of all of these.
    pub fn kernels(all: &[Self]) -> Vec<Rc<dyn Kernel>> {
        all.iter().map(|tested| Rc::clone(&tested.kernel)).collect()
    }

    /// Its text.
    pub fn text(&self) -> Arc<str> {
        Arc::clone(&self.source.wgsl)
    }

    /// It as a `K`, if it is one.
    pub fn downcast_ref<K: Kernel>(&self) -> Option<&K> {
        self.kernel.downcast_ref()
    }
}

/// One dispatch.
#[derive(Clone)]
pub struct Step {
    /// The text of the kernel.
    pub source: Rc<Source>,
    /// The kernel; `None` if it has no self-test.
    pub kernel: Option<Rc<dyn Kernel>>,
    /// Binding 0.
    pub params: Params,
    /// The following bindings, in order.
    pub operands: Vec<Value>,
    /// The grid.
    pub grid: Grid,
    /// Memory traffic in bytes, ignoring hardware caches: weights, keys and values.
    pub traffic: Amount,
    /// Multiply-adds.
    pub multiply_adds: Amount,
}

impl Step {
    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Multiply-adds of a dispatch for `rows` rows, the last of them at `position`. Zero if the grid is empty.
    pub fn work(&self, rows: u32, position: u32) -> f64 {
        if self.multiply_adds == Amount::Little || self.grid.of(rows).contains(&0) {
            return 0.0;
        }
        f64::from(rows) * self.multiply_adds.at(position) as f64
    }
}
