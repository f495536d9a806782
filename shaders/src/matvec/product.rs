//! How x is multiplied, and how the work is divided: `wgsl/matvec/product/`.

use crate::Defines;

/// How the work is divided. Every form gives the same result up to rounding: that of f32, and with `packed` also
/// that of x to eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Rows per group of lanes: 1, 2 or 4.
    pub rows: u32,
    /// Groups of lanes per workgroup: 1, 2, 4 or 8.
    pub groups: u32,
    /// Lanes of a group: 32, or 16, which leaves fewer of them idle where rows are short.
    pub lanes: u32,
    /// Groups that share rows and split the columns (split-K): a divisor of `groups`.
    pub ksplit: u32,
    /// Whether x is rounded to int8, with a scale for each 16 elements, and multiplied as integers. Only for
    /// quantised matrices.
    pub packed: bool,
}

impl Form {
    /// Returns a form with float products.
    pub const fn new(rows: u32, groups: u32, ksplit: u32) -> Self {
        Self { rows, groups, lanes: 32, ksplit, packed: false }
    }

    /// Returns the same form with another number of lanes in a group.
    pub const fn with_lanes(self, lanes: u32) -> Self {
        Self { lanes, ..self }
    }

    /// Returns the same form with packed products.
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
    pub const fn threads(self) -> u32 {
        self.groups * self.lanes
    }

    /// Rows of a matrix that a workgroup multiplies.
    pub const fn rows_per_workgroup(self) -> u32 {
        self.groups / self.ksplit * self.rows
    }

    /// Returns the form as it stands in the names of kernels.
    pub fn name(self) -> String {
        let Self { rows, groups, lanes, ksplit, packed } = self;
        let lanes = if lanes == 32 { String::new() } else { format!("l{lanes}") };
        format!("r{rows}g{groups}{lanes}s{ksplit}{}", if packed { "p" } else { "" })
    }

    /// Sets the defines of lanes and their steps: `blocks` of 32 elements, or units of 16.
    fn define_lanes(self, defines: Defines, blocks: bool) -> Defines {
        defines
            .set("GROUPS", self.groups)
            .set("KSPLIT", self.ksplit)
            .set("THREADS", self.threads())
            .set("BLOCKS", blocks)
            .set("STEP_UNITS", if blocks { 2 } else { 1 })
    }

    /// Sets the defines of `wgsl/matmul/few_rows/`. `floats`: the matrices hold floats, so that packed rows are unpacked
    /// again.
    pub(crate) fn define_few_rows(self, defines: Defines, floats: bool) -> Defines {
        self.define_lanes(defines, self.packed && !floats)
            .set("COLUMNS", self.rows)
            .set("PACKED", self.packed)
    }

    /// Sets the defines of the template.
    pub(super) fn define(self, defines: Defines) -> Defines {
        self.define_lanes(defines, self.packed)
            .set("ROWS", self.rows)
            .set("PRODUCT", if self.packed { "packed" } else { "float" })
            .set("DOT", if self.packed { "dot_packed" } else { "dot" })
    }
}

/// Returns the form for the product with the stacked A of adapters: few rows, so as many lanes per row as can be used.
pub fn shrink_form(k: u32) -> Form {
    let ksplit = (k / (16 * 32 * 3)).next_power_of_two().clamp(1, 8);
    Form::new(1, ksplit.max(4), ksplit)
}
