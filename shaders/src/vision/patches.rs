//! `wgsl/vision/patches.wgsl`: splits an image into patches.

use super::{PatchGrid, defines};
use crate::case::{Case, CaseError, Expected, args};
use crate::{Kernel, PreprocessError, Source, grid};

/// The kernel for patches of `side` pixels, a multiple of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patches {
    /// Pixels along a side.
    pub side: u32,
}

params! {
    /// The uniform at binding 0. Then: the patch grid, its pixels and X.
    pub struct Params {
        /// Factor of a value in 0..1.
        pub scale: f32,
        /// Added after scaling.
        pub shift: f32,
        /// Unused.
        pub pad: [u32; 2],
    }
}

impl Params {
    /// Values from −1 to 1, for towers.
    pub const SIGNED: Self = Self { scale: 2.0, shift: -1.0, pad: [0; 2] };
    /// Values from 0 to 1, for the encoder-free model.
    pub const UNSIGNED: Self = Self { scale: 1.0, shift: 0.0, pad: [0; 2] };
}

/// Workgroups for `patches` patches of `side` pixels.
pub const fn dispatch(side: u32, patches: u32) -> [u32; 3] {
    grid((patches * 3 * side * side).div_ceil(1024))
}

/// CPU twin. `rgb` is `[rows·side, columns·side, 3]`.
pub fn patches(side: u32, params: &Params, grid: PatchGrid, rgb: &[u8]) -> Vec<f32> {
    let (side, columns) = (side as usize, grid.columns as usize);
    let mut x = Vec::with_capacity(rgb.len());
    for patch in 0..grid.patches() as usize {
        let (row, column) = (patch / columns * side, patch % columns * side);
        for channel in 0..3 {
            for (dy, dx) in (0..side).flat_map(|dy| (0..side).map(move |dx| (dy, dx))) {
                let value = rgb[3 * ((row + dy) * columns * side + column + dx) + channel];
                x.push(f32::from(value) / 255.0 * params.scale + params.shift);
            }
        }
    }
    x
}

impl Kernel for Patches {
    fn source(&self) -> Result<Source, PreprocessError> {
        let side = self.side;
        let defines = defines().set("SIDE", side);
        Source::build::<Params>("vision/patches.wgsl", format!("vision_patches_{side}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let side = self.side;
        let picture = PatchGrid { columns: 2, rows: 3 };
        let rgb: Vec<u8> = (0..picture.patches() * 3 * side * side).map(|i| (i * 37 % 251) as u8).collect();
        let params = Params::SIGNED;
        let want = patches(side, &params, picture, &rgb);
        let args = args![uniform(&params), words(&[picture]), words(&rgb), zeros(want.len())];
        let grid = dispatch(side, picture.patches());
        Ok(Case { args, grid, expected: vec![Expected::new(3, want, 1e-5)] })
    }
}
