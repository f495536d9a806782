//! The forms of the decode products: how they are divided for their shapes, which are packed, and whether they are fused.

use std::collections::BTreeSet;

use shaders::matvec::{Form, Matvec, Prologue};

use super::tuned_forms::{Class, Forms, LARGE};
use crate::model::Config;
use crate::plan::Limits;
use crate::weights::TensorList;

/// Maximum total rank for which decode computes z without separate dispatches. The number of partial results grows
/// with the rank, and every workgroup of the consumer reads all.
pub const MAX_FUSED_RANK: u32 = 64;
/// Which products of decode are packed: x is rounded to int8, and integers are multiplied. Only quantised matrices
/// have this form. Those of a mixture of experts are never fused, and all packed or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Products {
    /// Whichever choice is measured to be the fastest when the model is loaded.
    #[default]
    Measured,
    /// None: all use floats.
    Floats,
    /// Those with at least this many rows, if the device supports them. With 0, all.
    Packed {
        /// Minimum number of rows of all matrices with the same x.
        least_rows: u32,
    },
    /// All or none, by the plan of a few rows: what fused products repeat in every workgroup (norm, merge, rounding) has
    /// dispatches of its own.
    Unfused {
        /// Whether they are packed, if the device supports it.
        packed: bool,
    },
}

/// The form of a kernel with `rows` rows in total: the usual one of its class, or one that is faster on this device. A few
/// long rows are split along the columns to occupy the device, and so are products after the attention merge; with
/// many rows, several share the loaded x. On a software device there is nothing to occupy, and the work repeated by
/// each workgroup dominates.
#[must_use]
pub fn matvec_form(limits: Limits, choices: Choices, kernel: &Matvec, rows: u32) -> Form {
    let form = match (Class::of(rows, kernel.k), kernel.prologue) {
        _ if limits.software && choices.forms == Forms::USUAL => Form::new(4, 2, 1),
        (Class::Short, Prologue::Merge) => choices.forms.form(Class::Long, true),
        (class, _) => choices.forms.form(class, true),
    };
    let is_meant = choices.packed.is_some_and(|least| rows >= least);
    let can = || Matvec { form, ..kernel.clone() }.can_be_packed();
    if is_meant && can() { form.packed() } else { form }
}

/// The chosen forms for a device, by measuring or by request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Minimum number of rows of packed decode products; `None` if none are packed. Products that are not fused are all
    /// packed, or none.
    pub packed: Option<u32>,
    /// Whether decode runs the plan of a few rows.
    pub unfused: bool,
    /// The forms of its products.
    pub forms: Forms,
}

impl Choices {
    const fn unfused(packed: bool) -> Self {
        Self { packed: if packed { Some(LARGE) } else { None }, unfused: true, forms: Forms::USUAL }
    }

    /// The choices for `products`, in the order of their rounding: first one with floats, which every device supports.
    /// Without measuring, the last one that the device supports is meant. A software device has no time for what
    /// workgroups repeat.
    #[must_use]
    pub fn candidates(limits: Limits, config: &Config, products: Products) -> Vec<Self> {
        let floats = Self::default();
        let packed = |least_rows| Self { packed: Some(least_rows), ..floats };
        let is_fused = floats.is_fused(config);
        match products {
            Products::Measured if limits.software && is_fused => vec![Self::unfused(false)],
            Products::Measured if limits.software || limits.portable => vec![floats],
            Products::Measured if is_fused => vec![floats, packed(LARGE), Self::unfused(true)],
            Products::Measured => vec![floats, packed(LARGE)],
            Products::Floats => vec![floats],
            Products::Packed { least_rows } => vec![floats, packed(least_rows)],
            Products::Unfused { packed: false } => vec![Self::unfused(false)],
            Products::Unfused { packed: true } => vec![floats, Self::unfused(true)],
        }
    }

    /// Whether decode has fused products.
    #[must_use]
    pub fn is_fused(self, config: &Config) -> bool {
        config.can_fuse() && !self.unfused
    }

    /// The products of these choices.
    #[must_use]
    pub fn products(self) -> Products {
        match self.packed {
            packed if self.unfused => Products::Unfused { packed: packed.is_some() },
            None => Products::Floats,
            Some(least_rows) => Products::Packed { least_rows },
        }
    }
}

/// The products that [`Products::Measured`] times, each shape once: storage types of the matrices with the same x,
/// columns, total rows. Empty if no product is large and quantised.
#[must_use]
pub fn large_products(tensors: &TensorList, layers: usize) -> Vec<String> {
    const OF_LAYER: [&[&str]; 6] = [
        &["attn_q", "attn_k", "attn_v"],
        &["attn_output"],
        &["ffn_gate", "ffn_up"],
        &["ffn_down"],
        &["inp_gate"],
        &["proj"],
    ];
    let head = if tensors.matrix("output").is_some() { "output" } else { "token_embd" };
    let of_layers = (0..layers).flat_map(|i| OF_LAYER.map(|parts| (format!("blk.{i}."), parts)));
    let alone: [(String, &[&str]); 2] =
        [(String::new(), &[head]), (String::new(), &["per_layer_model_proj"])];
    let mut found = BTreeSet::new();
    for (prefix, parts) in of_layers.chain(alone) {
        let matrices: Vec<_> =
            parts.iter().filter_map(|part| tensors.matrix(&format!("{prefix}{part}"))).collect();
        let rows: u64 = matrices.iter().map(|matrix| matrix.n).sum();
        if rows >= LARGE.into() && matrices.iter().all(|matrix| !matrix.dtype.is_float()) {
            let types: Vec<_> = matrices.iter().map(|matrix| matrix.dtype.name()).collect();
            found.insert(format!("{} {}x{rows}", types.join("+"), matrices[0].k));
        }
    }
    found.into_iter().collect()
}
