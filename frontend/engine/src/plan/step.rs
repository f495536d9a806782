//! One dispatch.

use std::rc::Rc;

use shaders::Source;
use shaders::selftest::Form;

use super::Value;

/// How many workgroups a step has.
#[derive(Clone)]
pub enum Grid {
    /// Always the same.
    Fixed([u32; 3]),
    /// A function of the rows of this replay (prompt tokens of a chunk).
    Rows(Rc<dyn Fn(u32) -> [u32; 3]>),
}

impl Grid {
    /// The workgroups for so many rows.
    #[must_use]
    pub fn of(&self, rows: u32) -> [u32; 3] {
        match self {
            Self::Fixed(grid) => *grid,
            Self::Rows(grid) => grid(rows),
        }
    }
}

/// Bytes that a step must read whatever its cache holds: weights, keys and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traffic {
    /// So few that they are not counted.
    #[default]
    Little,
    /// Always the same.
    Fixed(u64),
    /// Keys and values of the positions that are visible.
    Keys {
        /// Bytes of one position.
        bytes: u64,
        /// Most positions; 0 for all.
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

/// The uniform of a step, its binding 0.
#[derive(Clone)]
pub enum Params {
    /// Words that never change. Those of all steps of a plan share one buffer.
    Fixed(Rc<[u8]>),
    /// Words that the host writes again.
    Shared(Value),
}

/// One dispatch.
#[derive(Clone)]
pub struct Step {
    /// The kernel.
    pub kernel: Rc<Source>,
    /// Its binding 0.
    pub params: Params,
    /// What follows, in the order of its bindings.
    pub operands: Vec<Value>,
    /// Its workgroups.
    pub grid: Grid,
    /// What it reads.
    pub traffic: Traffic,
    /// How its kernel can be tried alone.
    pub form: Option<Form>,
}

impl Step {
    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.kernel.name
    }
}
