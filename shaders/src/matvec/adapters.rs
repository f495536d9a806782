//! What adapters have to do with a product: how they correct it, and what it does for those that correct the next.
//! `wgsl/matvec/low_rank/`.

use super::{Params, Prologue};
use crate::Defines;

/// Partial results for adapters that an invocation reads at once: at rank 16 those of 768 workgroups. Behind attention it
/// reads one, since more was slower (`MEASUREMENTS.md`).
const EARLY: u32 = 12;

/// Where z of the adapters that correct a product comes from: each dot gets + B·z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ZSource {
    /// Nothing is corrected.
    #[default]
    None,
    /// From a product of its own, [`super::Epilogue::Shrink`].
    Dispatch,
    /// From partial results that lie behind x, left by the workgroups that made it. With [`super::Prologue::Plain`] and
    /// [`super::Prologue::Merge`].
    PartialSums,
    /// From what lies behind the branch, left by the product that made it. With a
    /// [`super::Prologue::Add`] that norms its sum and adds one branch.
    Ahead,
}

/// What a product leaves behind y for the adapters that correct the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HandoffForm {
    /// Nothing.
    #[default]
    None,
    /// A·y over the rows of each workgroup. With [`super::Epilogue::Geglu`].
    PartialSums,
    /// V·x and U·h, where h is the stream. V is the second matrix of an [`super::Epilogue::Store`]; U has as many rows.
    Ahead {
        /// Elements of the stream.
        stream: u32,
    },
}

impl HandoffForm {
    /// Whether a segment follows the matrices.
    pub(super) const fn is_ahead(self) -> bool {
        matches!(self, Self::Ahead { .. })
    }
}

/// What adapters have to do with a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Adapted {
    /// How they correct it.
    pub z_source: ZSource,
    /// What it does for those that correct the next.
    pub handoff: HandoffForm,
    /// Ranks of all adapters together, in vec4s.
    pub quads: u32,
}

impl Adapted {
    /// A product that adapters have nothing to do with.
    pub const NOT: Self = Self { z_source: ZSource::None, handoff: HandoffForm::None, quads: 0 };

    /// Whether the buffer of adapters is bound.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.z_source != ZSource::None || self.handoff != HandoffForm::None
    }

    /// Its parts of a kernel's name: behind the prologue, and behind the epilogue.
    pub(super) fn name(&self) -> (&'static str, String) {
        let z_source = match self.z_source {
            ZSource::None => "",
            ZSource::Dispatch => "_z",
            ZSource::PartialSums => "_partial",
            ZSource::Ahead => "_ahead",
        };
        let handoff = match self.handoff {
            HandoffForm::None => String::new(),
            HandoffForm::PartialSums => "_for_partial".to_owned(),
            HandoffForm::Ahead { stream } => format!("_for_ahead{stream}"),
        };
        let rank = if self.is_bound() { format!("_a{}", 4 * self.quads) } else { String::new() };
        (z_source, handoff + &rank)
    }

    /// What its texts are expanded with, behind a prologue.
    pub(super) fn define(&self, prologue: Prologue, defines: Defines) -> Defines {
        let defines = defines
            .set("CORRECTED", self.z_source != ZSource::None)
            .set("PARTIAL_Z", self.z_source == ZSource::PartialSums)
            .set("AHEAD_Z", self.z_source == ZSource::Ahead)
            .set("HANDS_ON", self.handoff != HandoffForm::None)
            .set("OF_STREAM", self.handoff.is_ahead())
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

/// Where the correction of adapters lies, for each matrix of a product: see [`ZSource`]. All adapters are
/// stacked: z has `rank` elements for each corrected matrix, B `[rows, rank]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Correction {
    /// Ranks of all adapters together, each rounded up to a multiple of 4.
    pub rank: u32,
    /// Where the matrix's part of z begins and where its rows of B do, in elements; none where it is not corrected.
    pub places: [Option<(u32, u32)>; 3],
}

/// Where what one product leaves for the adapters of the next lies; see [`ZSource`] and [`HandoffForm`]. Offsets are in
/// elements, multiples of 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandoffPlaces {
    /// Where what was left begins: in x behind it, or in the branch.
    pub input_at: u32,
    /// [`ZSource::PartialSums`]: workgroups that left something; those of attention, heads. [`ZSource::Ahead`]: elements of v.
    pub input_count: u32,
    /// [`HandoffForm::PartialSums`]: where in y it goes.
    pub output_at: u32,
    /// Where in the buffer of adapters the columns of A begin, or the rows of U.
    pub factors_at: u32,
}

impl Params {
    /// Sets where the correction of adapters lies.
    #[must_use]
    pub fn with_correction(mut self, correction: &Correction) -> Self {
        for (i, place) in correction.places.iter().enumerate() {
            self.z_at[i] = place.map_or(u32::MAX, |(z, _)| z / 4);
            self.b_at[i] = place.map_or(0, |(_, b)| b / 4);
        }
        self.quads = correction.rank / 4;
        self
    }

    /// Sets where what is handed in and on lies.
    #[must_use]
    pub fn with_handoff(mut self, z_source: ZSource, handoff_at: HandoffPlaces) -> Self {
        let HandoffPlaces { input_at, input_count, output_at, factors_at } = handoff_at;
        let input_count = if z_source == ZSource::Ahead { input_count / 4 } else { input_count };
        (self.input_at, self.input_count) = (input_at / 4, input_count);
        (self.output_at, self.factors_at) = (output_at / 4, factors_at / 4);
        self
    }
}
