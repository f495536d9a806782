//! The classes of decode products whose forms are tried on the device.
//!
//! Which form of a product is the fastest depends on how many lanes a device has, and on how it reads memory. The products of
//! a token fall into four classes, and each class has a few forms to try. All of them give the same result up to rounding.

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

    /// Returns all of them, those that read the most bytes first. `fused`: as with [`Self::forms`].
    pub const fn by_bytes_read(fused: bool) -> [Self; 4] {
        match fused {
            // Gate and up are large ones then.
            true => [Self::Large, Self::Long, Self::Short, Self::Gated],
            false => [Self::Gated, Self::Long, Self::Large, Self::Short],
        }
    }

    /// Returns the class of a product with `rows` rows in total, of `k` columns each.
    pub const fn of(rows: u32, k: u32) -> Self {
        match (rows, k) {
            (LARGE.., _) => Self::Large,
            (_, LONG..) => Self::Long,
            _ => Self::Short,
        }
    }

    /// Returns the forms to try, the usual one first; `shaders/MEASUREMENTS.md` has their times. `fused`: of products that are
    /// fused with what precedes them, which each workgroup repeats.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_tried() {
        for fused in [true, false] {
            assert!(Class::ALL.iter().all(|class| Class::by_bytes_read(fused).contains(class)));
        }
    }

    #[test]
    fn products_of_published_models_fall_into_their_classes() {
        assert_eq!(Class::of(262_144, 1536), Class::Large);
        assert_eq!(Class::of(1536, 12_288), Class::Long);
        assert_eq!(Class::of(2560, 1536), Class::Short);
    }
}
