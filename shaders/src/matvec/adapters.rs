//! What adapters have to do with a product: how they correct it, and what it does for those that correct the next.

/// Where z of the adapters that correct a product comes from: each dot gets + B·z. See `wgsl/matvec/adapters.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Takes {
    /// Nothing is corrected.
    #[default]
    Nothing,
    /// From a product of its own, [`super::Epilogue::Shrink`].
    Z,
    /// From partial results that lie behind x, left by the workgroups that made it. With [`super::Prologue::Plain`] and
    /// [`super::Prologue::Merge`].
    Partial,
    /// From what lies behind the branch, left by the product that made it. With a
    /// [`super::Prologue::Add`] that norms its sum and adds one branch.
    Ahead,
}

/// What a product leaves behind y for the adapters that correct the next one. See `wgsl/matvec/adapters.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Leaves {
    /// Nothing.
    #[default]
    Nothing,
    /// A·y over the rows of each workgroup. With [`super::Epilogue::Geglu`].
    Partial,
    /// V·x and U·h, where h is the stream. V is the second matrix of an [`super::Epilogue::Store`]; U has as many rows.
    Ahead {
        /// Elements of the stream.
        stream: u32,
    },
}

/// What adapters have to do with a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Adapted {
    /// How they correct it.
    pub takes: Takes,
    /// What it does for those that correct the next.
    pub leaves: Leaves,
    /// Ranks of all adapters together, in vec4s.
    pub quads: u32,
}

impl Adapted {
    /// A product that adapters have nothing to do with.
    pub const NOT: Self = Self { takes: Takes::Nothing, leaves: Leaves::Nothing, quads: 0 };

    /// Whether the buffer of adapters is bound.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.takes != Takes::Nothing || self.leaves != Leaves::Nothing
    }
}

/// Where the correction of adapters lies, for each matrix of a product: see [`Takes`]. All adapters are
/// stacked: z has `rank` elements for each corrected matrix, B `[rows, rank]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Correction {
    /// Ranks of all adapters together, each rounded up to a multiple of 4.
    pub rank: u32,
    /// Where the matrix's part of z begins and where its rows of B do, in elements; none where it is not corrected.
    pub places: [Option<(u32, u32)>; 3],
}

/// Where what one product leaves for the adapters of the next lies; see [`Takes`] and [`Leaves`]. Offsets are in elements,
/// multiples of 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leavings {
    /// Where what was left begins: in x behind it, or in the branch.
    pub taken_at: u32,
    /// [`Takes::Partial`]: workgroups that left something; those of attention, heads. [`Takes::Ahead`]: elements of v.
    pub taken: u32,
    /// [`Leaves::Partial`]: where in y it goes.
    pub left_at: u32,
    /// Where in the buffer of adapters the columns of A begin, or the rows of U.
    pub made_with: u32,
}
