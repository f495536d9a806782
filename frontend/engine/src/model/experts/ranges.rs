//! Ranges of experts that are in one buffer of each of their matrices.

use crate::weights::{Matrix, Part};

/// A range of experts, and its buffers.
pub struct Range<'a, const N: usize> {
    /// First expert.
    pub begin: u32,
    /// One past the last expert.
    pub end: u32,
    /// For each matrix, the part and its first expert.
    pub parts: [(&'a Part, u32); N],
}

/// Splits the experts of some matrices, given with their rows per expert, wherever a part of one of them ends.
pub fn ranges<'a, const N: usize>(matrices: [(&'a Matrix, u32); N]) -> Vec<Range<'a, N>> {
    let starts = |(matrix, stride): (&'a Matrix, u32)| matrix.parts.iter().map(move |p| p.row0 / stride);
    let mut cuts: Vec<u32> = matrices.into_iter().flat_map(starts).collect();
    cuts.extend(matrices.first().map(|(matrix, stride)| matrix.n / stride));
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2)
        .map(|cut| Range {
            begin: cut[0],
            end: cut[1],
            parts: matrices.map(|(matrix, stride)| {
                let part = matrix.parts.iter().rfind(|part| part.row0 <= cut[0] * stride);
                let part = part.unwrap_or_else(|| matrix.whole());
                (part, part.row0 / stride)
            }),
        })
        .collect()
}
