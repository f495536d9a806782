//! Parameters of the matrix–vector product.

use crate::Planes;

params! {
    /// The uniform of `wgsl/matvec/matvec.wgsl`. Offsets are in elements unless stated otherwise.
    #[derive(Default)]
    pub struct Params {
        /// Planes of each matrix.
        pub planes: [Planes; 3],
        /// Rows of each segment.
        pub rows: [u32; 3],
        /// Grid width in workgroups.
        pub grid_width: u32,
        /// Running total of workgroups, per segment.
        pub groups: [u32; 3],
        /// Offset of x in its buffer; a multiple of 4.
        pub x_offset: u32,
        /// Offset of each segment's results in y.
        pub out: [u32; 3],
        /// Offset of this layer's row in the per-layer inputs.
        pub ple: u32,
        /// Offset of each matrix's part of z, in vec4s; `u32::MAX` without an update. See [`super::Correction`].
        pub z_at: [u32; 3],
        /// Total rank of all adapters, in vec4s.
        pub quads: u32,
        /// Offset of each matrix's rows of B, in vec4s.
        pub b_at: [u32; 3],
        /// ε of every norm.
        pub eps: f32,
        /// Offset of the branch norm's weights (w1) in `vectors`; see [`super::Norms`].
        pub branch_norm: u32,
        /// Offset of the input norm's weights (w2).
        pub input_norm: u32,
        /// Offset of the scalar s; `u32::MAX` for s = 1.
        pub scale_at: u32,
        /// Elements per head; see [`super::Merge`].
        pub head_dim: u32,
        /// Maximum number of splits.
        pub max_splits: u32,
        /// Minimum number of keys per split.
        pub min_split_keys: u32,
        /// Attention window in keys; 0: unlimited.
        pub window: u32,
        /// [`super::HandoffPlaces::input_at`], in vec4s.
        pub input_at: u32,
        /// [`super::HandoffPlaces::input_count`]: heads, workgroups, or vec4s of v.
        pub input_count: u32,
        /// [`super::HandoffPlaces::output_at`], in vec4s.
        pub output_at: u32,
        /// [`super::HandoffPlaces::factors_at`], in vec4s.
        pub factors_at: u32,
        /// Unused.
        pub pad: u32,
    }
}
