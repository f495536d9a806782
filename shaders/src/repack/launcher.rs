//! Launcher of `wgsl/repack/repack.wgsl`.

use crate::case::{Case, CaseError, Expected, args, values};
use crate::planes::{PieceError, UNIT, lo_words};
use crate::quant::{Grid, quantize, repack};
use crate::{DType, Defines, Kernel, PlanarLayout, Planes, PreprocessError, Source, grid};

/// The kernel for one storage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repack(pub DType);

params! {
    /// The uniform at binding 0. Binding 1 is the raw bytes (padded to whole words), binding 2 the planar matrix.
    #[derive(Eq)]
    pub struct Params {
        /// Word offsets of the planes in the destination.
        pub planes: Planes,
        /// Number of the piece's first unit.
        pub first_unit: u32,
        /// Units of the piece.
        pub units: u32,
        /// Offset of the piece in the source, in bytes; even.
        pub byte_offset: u32,
        /// Unused.
        pub pad: u32,
    }
}

/// The first row of a piece must be a multiple of this, so that no two pieces write the same word: 1, or 2 or 4 for types
/// with a scale for each 32 elements if the scales of a row are no whole number of words.
pub const fn rows_alignment(dtype: DType, k: u32) -> u32 {
    let (units, mut alignment) = (k / UNIT, 1);
    while !(units * alignment).is_multiple_of(dtype.units_per_word()) {
        alignment *= 2;
    }
    alignment
}

impl Params {
    /// Parameters for a piece that becomes rows `row..row + rows` of the matrix.
    ///
    /// # Errors
    /// [`PieceError`] when the piece is not aligned or ends after the matrix.
    pub fn new(layout: &PlanarLayout, row: u32, rows: u32, byte_offset: u32) -> Result<Self, PieceError> {
        let alignment = rows_alignment(layout.dtype, layout.k);
        if !row.is_multiple_of(alignment) || !byte_offset.is_multiple_of(2) {
            return Err(PieceError::Alignment { row, byte_offset, alignment });
        }
        let end = u64::from(row) + u64::from(rows);
        if end > u64::from(layout.n) {
            return Err(PieceError::Range { row, end, rows: layout.n });
        }
        Ok(Self {
            planes: layout.planes,
            first_unit: row * layout.units_per_row,
            units: rows * layout.units_per_row,
            byte_offset,
            pad: 0,
        })
    }
}

/// Workgroups for a piece.
pub const fn dispatch(dtype: DType, params: &Params) -> [u32; 3] {
    let invocations = if dtype.is_float() {
        params.units * lo_words(dtype)
    } else {
        params.units.div_ceil(dtype.units_per_word())
    };
    grid(invocations.div_ceil(64))
}

impl Kernel for Repack {
    fn source(&self) -> Result<Source, PreprocessError> {
        let Self(dtype) = *self;
        let mut defines = Defines::new()
            .set("DTYPE", dtype)
            .set("LO_WORDS", lo_words(dtype))
            .set("BLOCK_BYTES", dtype.block_bytes())
            .set("UNITS_PER_BLOCK", dtype.block_elements() as u32 / UNIT)
            .set("UNITS", dtype.units_per_word());
        if let Some(grid) = Grid::of(dtype) {
            let words: Vec<String> = grid.bitmap.iter().map(|word| format!("{word}u")).collect();
            defines = defines
                .set("GRID", words.join(", "))
                .set("GRID_WORDS", words.len())
                .set("GRID_LEN", grid.len())
                .set("GRID_OF_EIGHT", grid.width() == 8);
        }
        Source::build::<Params>("repack/repack.wgsl", format!("repack_{dtype}"), &defines)
    }

    fn case(&self) -> Result<Case, CaseError> {
        let Self(dtype) = *self;
        let (k, rows) = (512, 8);
        let mut bytes = quantize(dtype, &values(dtype, k, rows, 42))?;
        let words = repack(dtype, k.into(), rows.into(), &bytes)?;
        let layout = PlanarLayout::new(dtype, k.into(), rows.into())?;
        let params = Params::new(&layout, 0, rows, 0)?;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let source = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let args = args![uniform(&params), Words(source), zeros(words.len())];
        let grid = dispatch(dtype, &params);
        Ok(Case { args, grid, expected: vec![Expected::words(2, &words)] })
    }
}
