//! The forms of decode products that are found by trying them on the device.
//!
//! Which form of a product is the fastest depends on how many lanes a device has, and on how it reads memory. The products of
//! a token fall into four classes, and each class has a few forms to try. All of them give the same result up to rounding.

use serde::{Deserialize, Serialize};
use shaders::matvec::Form;

/// Rows from which a product is large. Only such are packed: for smaller ones, packing x in every workgroup costs more than
/// it saves.
pub const LARGE: u32 = 8192;
/// Columns from which a row is long.
const LONG: u32 = 4096;

/// Products whose form is chosen together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// At least [`LARGE`] rows: the head, and where they are fused gate and up.
    Large,
    /// Fewer rows, which are long: down; and the product behind the attention merge.
    Long,
    /// Fewer and short rows.
    Short,
    /// Gate and up whose results are rounded for down, 16 in a workgroup. Fused products have none.
    Gated,
}

impl Class {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Large, Self::Long, Self::Short, Self::Gated];

    /// All of them, those that read the most bytes first. `fused`: as with [`Self::forms`].
    #[must_use]
    pub const fn by_bytes_read(fused: bool) -> [Self; 4] {
        match fused {
            // Gate and up are large ones then.
            true => [Self::Large, Self::Long, Self::Short, Self::Gated],
            false => [Self::Gated, Self::Long, Self::Large, Self::Short],
        }
    }

    /// The class of a product with `rows` rows in total, of `k` columns each.
    #[must_use]
    pub const fn of(rows: u32, k: u32) -> Self {
        match (rows, k) {
            (LARGE.., _) => Self::Large,
            (_, LONG..) => Self::Long,
            _ => Self::Short,
        }
    }

    /// The forms to try, the usual one first; `shaders/MEASUREMENTS.md` has their times. `fused`: of products that are fused
    /// with what precedes them, which each workgroup repeats.
    #[must_use]
    pub const fn forms(self, fused: bool) -> &'static [Form] {
        const fn form(rows: u32, groups: u32, ksplit: u32) -> Form {
            Form::new(rows, groups, ksplit)
        }
        match (self, fused) {
            (Self::Large, true) => const { &[form(4, 4, 1), form(2, 8, 1), form(4, 2, 1)] },
            (Self::Long, true) => const { &[form(1, 8, 2), form(2, 8, 2), form(4, 2, 1)] },
            (Self::Short, true) => const { &[form(1, 8, 1), form(2, 8, 1), form(4, 2, 1)] },
            (Self::Large, false) => {
                const { &[form(4, 4, 1), form(2, 8, 1), form(2, 1, 1), form(4, 2, 1).with_lanes(16)] }
            }
            (Self::Long, false) => const { &[form(2, 4, 2), form(1, 8, 2), form(2, 1, 1)] },
            (Self::Short, false) => const { &[form(2, 4, 1), form(1, 4, 1), form(2, 2, 1).with_lanes(16)] },
            (Self::Gated, _) => const { &[form(2, 8, 1), form(2, 8, 1).with_lanes(16)] },
        }
    }
}

/// The form of each class, by its number in [`Class::forms`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forms([u8; Class::ALL.len()]);

impl Forms {
    /// The usual forms.
    pub const USUAL: Self = Self([0; Class::ALL.len()]);

    /// The form of a class.
    #[must_use]
    pub fn form(self, class: Class, fused: bool) -> Form {
        let forms = class.forms(fused);
        // A number of another version means the usual form.
        *forms.get(usize::from(self.0[class as usize])).unwrap_or(&forms[0])
    }

    /// These with another form of one class, for every other form it has.
    pub fn others(self, class: Class, fused: bool) -> impl Iterator<Item = Self> {
        let others =
            (0..class.forms(fused).len() as u8).filter(move |&number| number != self.0[class as usize]);
        others.map(move |number| {
            let mut forms = self;
            forms.0[class as usize] = number;
            forms
        })
    }
}

/// Which forms decode products get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormChoice {
    /// The usual ones.
    #[default]
    Usual,
    /// Those that are found to be the fastest when the model is loaded, if the products are measured too.
    Measured,
    /// Those that an earlier load has found.
    Known(Forms),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_tries_every_other_form_once() {
        for class in Class::ALL {
            for fused in [true, false] {
                let usual = Forms::default();
                let mut tried: Vec<Form> =
                    usual.others(class, fused).map(|forms| forms.form(class, fused)).collect();
                tried.push(usual.form(class, fused));
                for form in class.forms(fused) {
                    assert_eq!(tried.iter().filter(|tried| *tried == form).count(), 1, "{class:?} {form:?}");
                }
                // The other classes keep theirs.
                for (forms, other) in
                    usual.others(class, fused).zip(Class::ALL.into_iter().filter(|it| *it != class))
                {
                    assert_eq!(forms.form(other, fused), usual.form(other, fused));
                }
            }
        }
    }

    #[test]
    fn every_class_is_tried() {
        for fused in [true, false] {
            assert!(Class::ALL.iter().all(|class| Class::by_bytes_read(fused).contains(class)));
        }
    }

    #[test]
    fn numbers_of_another_version_are_usual_forms() {
        let forms: Forms = serde_json::from_str("[9,0,1,0]").expect("numbers");
        assert_eq!(forms.form(Class::Large, true), Forms::default().form(Class::Large, true));
        assert_eq!(forms.form(Class::Short, true), Form::new(2, 8, 1));
    }

    #[test]
    fn products_of_published_models_fall_into_their_classes() {
        assert_eq!(Class::of(262_144, 1536), Class::Large);
        assert_eq!(Class::of(1536, 12_288), Class::Long);
        assert_eq!(Class::of(2560, 1536), Class::Short);
    }
}
