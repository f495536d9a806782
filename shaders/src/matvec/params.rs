//! The parameters of a product.

use crate::Planes;

params! {
    /// The uniform of `wgsl/matvec/matvec.wgsl`. A place in a buffer is in elements where nothing else is said.
    #[derive(Default)]
    pub struct Params {
        /// Planes of each matrix.
        pub planes: [Planes; 3],
        /// Rows of each segment.
        pub rows: [u32; 3],
        /// Width of the grid in workgroups.
        pub grid_width: u32,
        /// Workgroups up to and with each segment.
        pub groups: [u32; 3],
        /// Where x begins in its buffer; a multiple of 4.
        pub x_offset: u32,
        /// Where the results of each segment begin in y.
        pub out: [u32; 3],
        /// Where this layer begins in the per-layer inputs.
        pub ple: u32,
        /// Where each matrix's part of z begins, in vec4s, or `u32::MAX`; see [`super::Correction`].
        pub z_at: [u32; 3],
        /// The rank of all adapters together, in vec4s.
        pub quads: u32,
        /// Where each matrix's rows of B begin, in vec4s.
        pub b_at: [u32; 3],
        /// ε of every norm.
        pub eps: f32,
        /// Weights of the norms of a mixed branch (w3, w4): the dense part's, the experts'.
        pub mix: [u32; 2],
        /// Weights of the branch's norm (w1), in `vectors`; see [`super::Norms`].
        pub branch_norm: u32,
        /// Weights of the norm that makes x (w2).
        pub input_norm: u32,
        /// The scalar s; `u32::MAX` for 1.
        pub scale_at: u32,
        /// Elements of a head; see [`super::Merge`].
        pub head_dim: u32,
        /// Most splits.
        pub most_splits: u32,
        /// Smallest run of keys.
        pub smallest_run: u32,
        /// Visible keys; 0 for all.
        pub window: u32,
        /// Where what is input_count begins, in vec4s; see [`super::HandoffPlaces`].
        pub input_at: u32,
        /// How much it is: heads of attention, workgroups, or the vec4s of v.
        pub input_count: u32,
        /// Where what is left begins in y, in vec4s.
        pub output_at: u32,
        /// Where in the buffer of adapters what it is made with begins, in vec4s.
        pub factors_at: u32,
        /// Unused.
        pub pad: [u32; 3],
    }
}
