//! How x is multiplied, and how the work is divided: `wgsl/matvec/product/`.

use crate::Defines;

/// How the work is divided. Every form gives the same result up to rounding: that of f32, and with `packed` also
/// that of x to eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Rows per group of 32 lanes: 1, 2 or 4.
    pub rows: u32,
    /// Groups of 32 lanes per workgroup: 1, 2, 4 or 8.
    pub groups: u32,
    /// Groups that share rows and split the columns (split-K): a divisor of `groups`.
    pub ksplit: u32,
    /// Whether x is rounded to int8, with a scale for each 16 elements, and multiplied as integers. Only for
    /// quantised matrices.
    pub packed: bool,
}

impl Form {
    /// A form with float products.
    #[must_use]
    pub const fn new(rows: u32, groups: u32, ksplit: u32) -> Self {
        Self { rows, groups, ksplit, packed: false }
    }

    /// The same form with packed products.
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
    /// Threads per workgroup.
    pub(super) const fn threads(self) -> u32 {
        self.groups * 32
    }

    /// Sets the defines of the template.
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

/// The form for the product with the stacked A of adapters: few rows, so as many lanes per row as can be used.
#[must_use]
pub fn shrink_form(k: u32) -> Form {
    let ksplit = (k / (16 * 32 * 3)).next_power_of_two().clamp(1, 8);
    Form::new(1, ksplit.max(4), ksplit)
}
