//! How decode computes its products: which are packed, whether they are fused, and how they are divided for their shapes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shaders::matvec::{Form, Matvec, Prologue};

use super::classes::{Class, LARGE};
use crate::model::Config;
use crate::plan::Limits;
use crate::weights::TensorList;

/// Maximum total rank for which decode computes z without separate dispatches. The number of partial results grows
/// with the rank, and every workgroup of the consumer reads all.
pub const MAX_FUSED_RANK: u32 = 64;

/// How decode computes its products: which are packed, whether they are fused, and their forms.
///
/// Packed products round x to int8 and multiply integers; only those with quantised matrices can be packed. Those of a mixture
/// of experts are never fused, and all packed or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuning {
    /// Minimum number of rows of all matrices with the same x from which products are packed; `None` if none are. Products that
    /// are not fused are all packed, or none.
    pub packed: Option<u32>,
    /// Whether decode runs the plan of a few rows: the steps that fused products repeat in every workgroup (norm, merge,
    /// rounding) have dispatches of their own.
    pub unfused: bool,
    /// The form of each class of products, by its number in [`Class::forms`].
    pub forms: [u8; Class::ALL.len()],
}

impl Tuning {
    /// The numbers of the usual forms.
    const USUAL_FORMS: [u8; Class::ALL.len()] = [0; Class::ALL.len()];
    /// Fused products of floats, which every device supports.
    pub const FLOATS: Self = Self { packed: None, unfused: false, forms: Self::USUAL_FORMS };

    /// Fused products, packed from so many rows.
    pub const fn packed(least_rows: u32) -> Self {
        Self { packed: Some(least_rows), ..Self::FLOATS }
    }

    /// Products that are not fused, all packed or none.
    pub const fn unfused(packed: bool) -> Self {
        Self { packed: if packed { Some(LARGE) } else { None }, unfused: true, ..Self::FLOATS }
    }

    /// Returns the tunings to try for the one that is asked for, in the order of their rounding. The first one is in floats. If
    /// none is asked for, all are measured, and without measuring the last one that the device supports is used.
    pub fn candidates(limits: Limits, config: &Config, asked: Option<Self>) -> Vec<Self> {
        match asked {
            Some(asked) if asked.packed.is_some() => {
                vec![Self { forms: asked.forms, ..Self::FLOATS }, asked]
            }
            Some(asked) => vec![asked],
            // Software devices skip fused products, which repeat work in every workgroup.
            None if limits.software && config.can_fuse() => vec![Self::unfused(false)],
            None if limits.software || limits.portable => vec![Self::FLOATS],
            None if config.can_fuse() => vec![Self::FLOATS, Self::packed(LARGE), Self::unfused(true)],
            None => vec![Self::FLOATS, Self::packed(LARGE)],
        }
    }

    /// Returns whether decode has fused products.
    pub fn is_fused(self, config: &Config) -> bool {
        config.can_fuse() && !self.unfused
    }

    /// Returns whether all products have their usual forms.
    pub fn has_usual_forms(self) -> bool {
        self.forms == Self::USUAL_FORMS
    }

    /// Returns the same tuning with the usual forms.
    pub fn with_usual_forms(self) -> Self {
        Self { forms: Self::USUAL_FORMS, ..self }
    }

    /// Returns the form of a class; the usual one for a number of another version.
    pub fn form(self, class: Class, fused: bool) -> Form {
        let forms = class.forms(fused);
        *forms.get(usize::from(self.forms[class as usize])).unwrap_or(&forms[0])
    }

    /// Returns the same tuning with every other form of one class.
    pub fn with_others(self, class: Class, fused: bool) -> impl Iterator<Item = Self> {
        let numbers = 0..class.forms(fused).len() as u8;
        numbers.filter(move |&number| number != self.forms[class as usize]).map(move |number| {
            let mut other = self;
            other.forms[class as usize] = number;
            other
        })
    }
}

/// Returns the form of a kernel with `rows` rows in total. A few long rows are split along the columns to occupy the device,
/// and so are products after the attention merge; with many rows, several share the loaded x. On a software device there is
/// nothing to occupy, and the work repeated by each workgroup dominates.
pub fn matvec_form(limits: Limits, tuning: Tuning, kernel: &Matvec, rows: u32) -> Form {
    let form = match (Class::of(rows, kernel.k), kernel.prologue) {
        _ if limits.software && tuning.has_usual_forms() => Form::new(4, 2, 1),
        (Class::Short, Prologue::Merge) => tuning.form(Class::Long, true),
        (class, _) => tuning.form(class, true),
    };
    let is_large_enough = tuning.packed.is_some_and(|least| rows >= least);
    let can = || Matvec { form, ..kernel.clone() }.can_be_packed();
    if is_large_enough && can() { form.packed() } else { form }
}

/// Returns the products whose packed form a load measures, each shape once: storage types of the matrices with the same x,
/// columns, total rows. Empty if no product is large and quantised.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_tries_every_other_form_once() {
        for class in Class::ALL {
            for fused in [true, false] {
                let usual = Tuning::FLOATS;
                let others: Vec<_> = usual.with_others(class, fused).collect();
                let tried = others.iter().chain([&usual]).map(|tuning| tuning.form(class, fused));
                let tried: Vec<Form> = tried.collect();
                for form in class.forms(fused) {
                    assert_eq!(tried.iter().filter(|tried| *tried == form).count(), 1, "{class:?} {form:?}");
                }
                // The other classes keep theirs.
                for other in Class::ALL.into_iter().filter(|other| *other != class) {
                    assert!(others.iter().all(|it| it.form(other, fused) == usual.form(other, fused)));
                }
            }
        }
    }

    #[test]
    fn numbers_of_another_version_are_usual_forms() {
        let tuning = Tuning { forms: [9, 0, 1, 0], ..Tuning::FLOATS };
        assert_eq!(tuning.form(Class::Large, true), Tuning::FLOATS.form(Class::Large, true));
        assert_eq!(tuning.form(Class::Short, true), Form::new(2, 8, 1));
    }
}
