//! The RoPE table for `wgsl/shared/rope.wgsl`: it avoids sines and cosines of large angles on the GPU.

/// Length of the second part of the table: the low 8 bits of a position.
const LOW: u32 = 256;

/// Length of the first part of the table (`HI_ROWS`, `rope_hi_rows`), for positions below `max_pos`.
pub const fn hi_rows(max_pos: u32) -> u32 {
    max_pos.div_ceil(LOW)
}

/// Bytes of [`table`].
pub fn bytes(head_dim: u32, max_pos: u32) -> u64 {
    u64::from(hi_rows(max_pos) + LOW) * u64::from(head_dim / 2) * size_of::<[f32; 2]>() as u64
}

/// `(cos, sin)` of `256·hi·inv_freq_j` for `hi < hi_rows(max_pos)`, then of `lo·inv_freq_j` for `lo < 256`, in rows
/// of `head_dim / 2` entries. `inv_freq_j = theta^(−2j/head_dim) / factors[j]`; a factor of 1e30 leaves a pair
/// unrotated (Gemma 4 specification §2.5). Factors that are missing at the end are 1.
pub fn table(theta: f64, head_dim: u32, factors: Option<&[f32]>, max_pos: u32) -> Vec<[f32; 2]> {
    let half = head_dim / 2;
    let inv_freq: Vec<f64> = (0..half)
        .map(|j| {
            let factor = factors.and_then(|factors| factors.get(j as usize)).map_or(1.0, |&f| f64::from(f));
            theta.powf(-2.0 * f64::from(j) / f64::from(head_dim)) / factor
        })
        .collect();
    let positions = (0..hi_rows(max_pos)).map(|hi| hi * LOW).chain(0..LOW);
    positions
        .flat_map(|position| {
            inv_freq.iter().map(move |freq| {
                let (sin, cos) = (f64::from(position) * freq).sin_cos();
                [cos as f32, sin as f32]
            })
        })
        .collect()
}

/// CPU twin of `rope_cos_sin`: the cosine and sine for pair `j` at `pos`.
pub fn cos_sin(table: &[[f32; 2]], head_dim: u32, hi_rows: u32, pos: u32, j: u32) -> [f32; 2] {
    let half = head_dim / 2;
    let [cos_hi, sin_hi] = table[(pos / LOW * half + j) as usize];
    let [cos_lo, sin_lo] = table[((hi_rows + pos % LOW) * half + j) as usize];
    [cos_hi * cos_lo - sin_hi * sin_lo, sin_hi * cos_lo + cos_hi * sin_lo]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_as_exact_as_f32_at_any_position() {
        for (theta, head_dim) in [(1e4, 256), (1e6, 512), (1e4, 16)] {
            let max_pos = 131_072;
            let table = table(theta, head_dim, None, max_pos);
            let rows = hi_rows(max_pos);
            assert_eq!(table.len() as u32, (rows + 256) * head_dim / 2);
            for pos in [0, 1, 255, 256, 257, 70_001, 131_071] {
                for j in 0..head_dim / 2 {
                    let angle = f64::from(pos) * theta.powf(-2.0 * f64::from(j) / f64::from(head_dim));
                    let [cos, sin] = cos_sin(&table, head_dim, rows, pos, j);
                    assert!((f64::from(cos) - angle.cos()).abs() < 3e-7, "cos at {pos}, {j}");
                    assert!((f64::from(sin) - angle.sin()).abs() < 3e-7, "sin at {pos}, {j}");
                }
            }
        }
    }

    #[test]
    fn a_huge_factor_stops_the_rotation() {
        let table = table(1e6, 8, Some(&[1.0, 2.0, 1e30, 1e30]), 1000);
        let at = |pos, j| cos_sin(&table, 8, hi_rows(1000), pos, j);
        assert!(at(999, 2)[0] == 1.0 && at(999, 2)[1].abs() < 1e-20);
        let half_speed = 999.0 * 1e6f64.powf(-0.25) / 2.0;
        assert!((f64::from(at(999, 1)[0]) - half_speed.cos()).abs() < 3e-7);
    }
}
