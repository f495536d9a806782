//! One dispatch.

use std::rc::Rc;

use shaders::Source;
use shaders::selftest::Form;

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
    /// The workgroups for `rows` rows.
    #[must_use]
    pub fn of(&self, rows: u32) -> [u32; 3] {
        match self {
            Self::Fixed(grid) => *grid,
            Self::Rows(grid) => grid(rows),
        }
    }
}

/// Memory traffic of a step, ignoring hardware caches: weights, keys and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traffic {
    /// Negligible.
    #[default]
    Little,
    /// Always the same.
    Fixed(u64),
    /// Keys and values of the visible positions.
    Keys {
        /// Bytes per position.
        bytes: u64,
        /// Maximum number of positions; 0: unlimited.
        window: u32,
    },
}

impl Traffic {
    /// Bytes for a token at `position`.
    #[must_use]
    pub fn bytes(self, position: u32) -> u64 {
        match self {
            Self::Little => 0,
            Self::Fixed(bytes) => bytes,
            Self::Keys { bytes, window } => {
                let visible = position + 1;
                bytes * u64::from(if window == 0 { visible } else { visible.min(window) })
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

/// One dispatch.
#[derive(Clone)]
pub struct Step {
    /// The kernel.
    pub kernel: Rc<Source>,
    /// Binding 0.
    pub params: Params,
    /// The following bindings, in order.
    pub operands: Vec<Value>,
    /// The grid.
    pub grid: Grid,
    /// The memory traffic.
    pub traffic: Traffic,
    /// The self-test of its kernel.
    pub form: Option<Form>,
}

impl Step {
    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.kernel.name
    }
}
