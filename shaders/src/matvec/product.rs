//! How x is multiplied, and how the work is cut: `wgsl/matvec/product/`.

use crate::Defines;

/// How the work is cut. Any form gives the same result up to rounding, which is that of f32, and where it is packed that
/// of x to eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Rows a group of 32 lanes owns: 1, 2 or 4.
    pub rows: u32,
    /// Groups of 32 lanes in a workgroup: 1, 2, 4 or 8.
    pub groups: u32,
    /// Groups that share their rows and split the columns: a divisor of `groups`.
    pub ksplit: u32,
    /// Whether x is rounded to signed bytes, 16 elements with a scale of their own, and products are of integers. For
    /// quantised matrices only.
    pub packed: bool,
}

impl Form {
    /// A form that multiplies floats.
    #[must_use]
    pub const fn new(rows: u32, groups: u32, ksplit: u32) -> Self {
        Self { rows, groups, ksplit, packed: false }
    }

    /// The same with packed products.
    #[must_use]
    pub const fn packed(self) -> Self {
        Self { packed: true, ..self }
    }
}

impl Default for Form {
    fn default() -> Self {
        Self::new(2, 4, 1)
    }
}

impl Form {
    /// Threads of a workgroup.
    pub(super) const fn threads(self) -> u32 {
        self.groups * 32
    }

    /// What its text is expanded with.
    pub(super) fn define(self, defines: Defines) -> Defines {
        defines
            .set("ROWS", self.rows)
            .set("GROUPS", self.groups)
            .set("KSPLIT", self.ksplit)
            .set("THREADS", self.threads())
            .set("PRODUCT", if self.packed { "packed" } else { "float" })
            .set("DOT", if self.packed { "dot_packed" } else { "dot" })
    }
}

/// How the product with the stacked A of adapters is cut: few rows, so as many lanes to a row as have something to do.
#[must_use]
pub fn shrink_form(k: u32) -> Form {
    let ksplit = (k / (16 * 32 * 3)).next_power_of_two().clamp(1, 8);
    Form::new(1, ksplit.max(4), ksplit)
}
