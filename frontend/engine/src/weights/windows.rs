//! How a file is read: ranges in file order, each with the tensor pieces in it.

use std::ops::Range;

use super::{MatrixSpec, TensorList};

/// Bytes per read. Large enough that the overhead of requests and submits is small, and small enough for progress
/// reports and memory limits.
pub const WINDOW_BYTES: u64 = 8 << 20;

/// Maximum gap between two pieces that is read along instead of issuing another request.
const GAP_BYTES: u64 = 64 << 10;

/// The content of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Rows of a matrix, by its index in the tensor list.
    Rows {
        /// Index of the matrix.
        matrix: usize,
        /// First row.
        row0: u64,
        /// Rows.
        rows: u64,
    },
    /// A vector, by its index in the tensor list.
    Vector {
        /// Index of the vector.
        vector: usize,
    },
}

/// A byte range of one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Range in the file.
    pub range: Range<u64>,
    /// Its content.
    pub what: What,
}

/// A range of the file that is read at once. It starts at a multiple of four bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Range in the file.
    pub range: Range<u64>,
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// Divides the required tensors into windows. `boundary` returns the row alignment of a matrix's pieces (except the
/// last), and the rows at which its parts start.
pub fn windows(
    list: &TensorList,
    skip: impl Fn(&MatrixSpec) -> bool,
    boundary: impl Fn(usize) -> (u64, u64),
) -> Vec<Window> {
    let mut pieces = Vec::new();
    for (index, matrix) in list.matrices.iter().enumerate() {
        if skip(matrix) {
            continue;
        }
        let row_bytes = matrix.row_bytes().max(1);
        let (step, part_rows) = boundary(index);
        let most = ((WINDOW_BYTES / row_bytes) / step * step).max(step);
        let mut row = 0;
        while row < matrix.n {
            let part_end = (row / part_rows + 1) * part_rows;
            let rows = most.min(matrix.n - row).min(part_end - row);
            let start = matrix.range.start + row * row_bytes;
            pieces.push(Piece {
                range: start..start + rows * row_bytes,
                what: What::Rows { matrix: index, row0: row, rows },
            });
            row += rows;
        }
    }
    for (index, vector) in list.vectors.iter().enumerate() {
        pieces.push(Piece { range: vector.range.clone(), what: What::Vector { vector: index } });
    }
    pieces.sort_by_key(|piece| piece.range.start);

    let mut windows: Vec<Window> = Vec::new();
    for piece in pieces {
        match windows.last_mut() {
            Some(last)
                if piece.range.start <= last.range.end + GAP_BYTES
                    && piece.range.end - last.range.start <= WINDOW_BYTES =>
            {
                last.range.end = last.range.end.max(piece.range.end);
                last.pieces.push(piece);
            }
            _ => windows
                .push(Window { range: piece.range.start / 4 * 4..piece.range.end, pieces: vec![piece] }),
        }
    }
    windows
}

/// Ranges of the file that contain every tensor of the list, in order. Each window is within one of them.
#[must_use]
pub fn ranges(list: &TensorList) -> Vec<Range<u64>> {
    let matrices = list.matrices.iter().map(|matrix| &matrix.range);
    let mut all: Vec<_> = matrices.chain(list.vectors.iter().map(|vector| &vector.range)).cloned().collect();
    all.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in all {
        match joined.last_mut() {
            Some(last) if range.start <= last.end + GAP_BYTES => last.end = last.end.max(range.end),
            _ => joined.push(range.start / 4 * 4..range.end),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::VectorSpec;
    use shaders::DType;

    fn list() -> TensorList {
        TensorList {
            matrices: vec![
                // Rows of 210 bytes: windows do not start at words.
                MatrixSpec {
                    name: "a".into(),
                    dtype: DType::Q6_K,
                    k: 256,
                    n: 100_000,
                    range: 32..21_000_032,
                    cut: Some(1024),
                },
                MatrixSpec {
                    name: "b".into(),
                    dtype: DType::F16,
                    k: 64,
                    n: 3,
                    range: 21_000_064..21_000_448,
                    cut: None,
                },
            ],
            vectors: vec![VectorSpec {
                name: "v".into(),
                dtype: DType::F32,
                len: 8,
                range: 21_000_448..21_000_480,
                on_host: false,
                factor: 1.0,
            }],
        }
    }

    #[test]
    fn every_byte_is_read_once_and_pieces_keep_to_their_steps() {
        let windows = windows(&list(), |_| false, |i| if i == 0 { (8, 60_000) } else { (1, 10) });
        let mut next = [0u64; 2];
        let mut vectors = 0;
        for window in &windows {
            assert_eq!(window.range.start % 4, 0);
            assert!(window.range.end - window.range.start <= WINDOW_BYTES + 4);
            for piece in &window.pieces {
                assert!(window.range.start <= piece.range.start && piece.range.end <= window.range.end);
                match piece.what {
                    What::Rows { matrix, row0, rows } => {
                        assert_eq!(row0, next[matrix]);
                        next[matrix] += rows;
                        if matrix == 0 {
                            assert_eq!(row0 % 8, 0);
                            assert_eq!(row0 / 60_000, (row0 + rows - 1) / 60_000);
                        }
                    }
                    What::Vector { .. } => vectors += 1,
                }
            }
        }
        assert_eq!((next, vectors), ([100_000, 3], 1));
    }

    #[test]
    fn ranges_have_every_window_and_join_what_lies_close() {
        let mut list = list();
        assert!(ranges(&list).iter().eq([&(32..21_000_480)]));
        list.vectors[0].range = 30_000_002..30_000_034;
        let ranges = ranges(&list);
        assert_eq!(ranges, [32..21_000_448, 30_000_000..30_000_034]);
        for window in windows(&list, |_| false, |_| (8, 60_000)) {
            let within =
                |range: &&Range<u64>| range.start <= window.range.start && window.range.end <= range.end;
            assert!(ranges.iter().any(|range| within(&range)), "{window:?}");
        }
    }

    #[test]
    fn skipped_matrices_are_not_read() {
        let windows = windows(&list(), |m| m.name == "a", |_| (1, 100));
        assert_eq!(windows.len(), 1);
        assert_eq!(windows[0].range, 21_000_064..21_000_480);
    }
}
