//! LoRA adapters in a decode product (`wgsl/matvec/low_rank/`): the low-rank update that it adds, and what it
//! computes for the update of the next product.

use super::{Params, Prologue};
use crate::Defines;

/// Partial sums of z that a thread loads in advance: at rank 16, those of 768 workgroups. With [`Prologue::Merge`]
/// it loads one, since more was slower (`MEASUREMENTS.md`).
const EARLY: u32 = 12;

/// Where the kernel takes z = A·x from, to add B·z to the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ZSource {
    /// No adapter: nothing is added.
    #[default]
    None,
    /// A separate dispatch, [`super::Epilogue::Shrink`], computed z.
    Dispatch,
    /// Partial sums of z follow x in its buffer, one from each workgroup that computed x. With
    /// [`super::Prologue::Plain`] and [`super::Prologue::Merge`].
    PartialSums,
    /// The product that computed the branch also computed V·c and U·h, which follow the branch in its buffer. With
    /// a [`super::Prologue::Add`] that norms its sum and adds one branch.
    Ahead,
}

/// What a product computes for the adapters on the next product, stored after y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HandoffForm {
    /// Nothing.
    #[default]
    None,
    /// A·y over the rows of each workgroup, for [`ZSource::PartialSums`]. With [`super::Epilogue::Geglu`].
    PartialSums,
    /// V·x and U·h, where h is the residual stream, for [`ZSource::Ahead`]. V is the second matrix of an
    /// [`super::Epilogue::Store`]; U has as many rows.
    Ahead {
        /// Width of the residual stream.
        stream: u32,
    },
}

impl HandoffForm {
    /// Returns whether the rows of U are a segment after the matrices.
    pub(super) const fn is_ahead(self) -> bool {
        matches!(self, Self::Ahead { .. })
    }
}

/// The low-rank part of a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LowRank {
    /// Where z comes from.
    pub z_source: ZSource,
    /// What is computed for the next product.
    pub handoff: HandoffForm,
    /// Total rank of all adapters, in vec4s.
    pub quads: u32,
}

impl LowRank {
    /// A product without adapters.
    pub const NONE: Self = Self { z_source: ZSource::None, handoff: HandoffForm::None, quads: 0 };

    /// Returns whether the adapter buffer is bound.
    pub fn is_bound(&self) -> bool {
        self.z_source != ZSource::None || self.handoff != HandoffForm::None
    }

    /// Returns the parts of the kernel's name: after the prologue, and after the epilogue.
    pub(super) fn name(&self) -> (&'static str, String) {
        let z_source = match self.z_source {
            ZSource::None => "",
            ZSource::Dispatch => "_z",
            ZSource::PartialSums => "_partial_z",
            ZSource::Ahead => "_ahead_z",
        };
        let handoff = match self.handoff {
            HandoffForm::None => String::new(),
            HandoffForm::PartialSums => "_partial_out".to_owned(),
            HandoffForm::Ahead { stream } => format!("_ahead_out{stream}"),
        };
        let rank = if self.is_bound() { format!("_a{}", 4 * self.quads) } else { String::new() };
        (z_source, handoff + &rank)
    }

    /// Defines of the template; `prologue` is the product's.
    pub(super) fn define(&self, prologue: Prologue, defines: Defines) -> Defines {
        let defines = defines
            .set("CORRECTED", self.z_source != ZSource::None)
            .set("PARTIAL_Z", self.z_source == ZSource::PartialSums)
            .set("AHEAD_Z", self.z_source == ZSource::Ahead)
            .set("STREAM_ROWS", self.handoff.is_ahead())
            .set("QUADS", self.quads)
            .set("EARLY", if prologue == Prologue::Merge { 1 } else { EARLY });
        let defines = match self.z_source {
            ZSource::None => defines,
            ZSource::Dispatch => defines.set("CORRECTION", "z"),
            ZSource::PartialSums => defines.set("CORRECTION", "partial"),
            ZSource::Ahead => defines.set("CORRECTION", "ahead"),
        };
        match self.handoff {
            HandoffForm::None => defines,
            HandoffForm::PartialSums => defines.set("HANDOFF", "handoff_partial"),
            HandoffForm::Ahead { stream } => defines.set("HANDOFF", "handoff_ahead").set("STREAM", stream),
        }
    }
}

/// Location of the low-rank update of each matrix of a product (see [`ZSource`]). All adapters are stacked along
/// the rank: z has `rank` elements per matrix, B is `[rows, rank]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Correction {
    /// Total rank of all adapters, each rounded up to a multiple of 4.
    pub rank: u32,
    /// Offsets of the matrix's part of z and of its rows of B, in elements; `None` without an update.
    pub places: [Option<(u32, u32)>; 3],
}

/// Location of what one product computes for the adapters on the next (see [`ZSource`] and [`HandoffForm`]).
/// Offsets are in elements, multiples of 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandoffPlaces {
    /// Offset of the input: in the buffer of x, or in that of the branch.
    pub input_at: u32,
    /// [`ZSource::PartialSums`]: number of workgroups that wrote partial sums, for attention the number of heads.
    /// [`ZSource::Ahead`]: length of v.
    pub input_count: u32,
    /// [`HandoffForm::PartialSums`]: offset of the output in y.
    pub output_at: u32,
    /// Offset in the adapter buffer of the columns of A, or of the rows of U.
    pub factors_at: u32,
}

impl Params {
    /// Sets the location of the low-rank update.
    pub fn with_correction(mut self, correction: &Correction) -> Self {
        for (i, place) in correction.places.iter().enumerate() {
            self.z_at[i] = place.map_or(u32::MAX, |(z, _)| z / 4);
            self.b_at[i] = place.map_or(0, |(_, b)| b / 4);
        }
        self.quads = correction.rank / 4;
        self
    }

    /// Sets the locations of what is read for this update and written for the next.
    pub fn with_handoff(mut self, z_source: ZSource, handoff_at: HandoffPlaces) -> Self {
        let HandoffPlaces { input_at, input_count, output_at, factors_at } = handoff_at;
        let input_count = if z_source == ZSource::Ahead { input_count / 4 } else { input_count };
        (self.input_at, self.input_count) = (input_at / 4, input_count);
        (self.output_at, self.factors_at) = (output_at / 4, factors_at / 4);
        self
    }
}
