//! Functions that several CPU twins use.

/// `gelu_tanh(x) = ½x(1 + tanh(√(2/π)·(x + 0.044715x³)))` (Gemma 4 specification §2.3).
pub fn gelu_tanh(x: f64) -> f64 {
    0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())
}

/// RMS norm: `v·(mean(v²) + eps)^-½·w`, without the factor `w` if it is `None`.
pub fn rms(v: &[f64], w: Option<&[f32]>, eps: f64) -> Vec<f64> {
    let mean = v.iter().map(|x| x * x).sum::<f64>() / v.len() as f64;
    let factor = (mean + eps).sqrt().recip();
    let weight = |i: usize| w.map_or(1.0, |w| f64::from(w[i]));
    v.iter().enumerate().map(|(i, x)| x * factor * weight(i)).collect()
}

/// PCG3D, a hash of three words: Jarzynski & Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020.
pub const fn pcg3d(words: [u32; 3]) -> [u32; 3] {
    const fn lcg(x: u32) -> u32 {
        x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    }
    let [mut x, mut y, mut z] = [lcg(words[0]), lcg(words[1]), lcg(words[2])];
    x = x.wrapping_add(y.wrapping_mul(z));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    (x, y, z) = (x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16));
    x = x.wrapping_add(y.wrapping_mul(z));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    [x, y, z]
}

/// Elements rounded to int8 (`wgsl/shared/pack_unit.wgsl`): d = max|x| / 127 and integers q with x ≈ d·q.
pub fn pack_unit(x: &[f32]) -> (f32, Vec<i8>) {
    let most = x.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
    let inverse = if most > 0.0 { 127.0 / most } else { 0.0 };
    (most / 127.0, x.iter().map(|&v| (v * inverse).round_ties_even() as i8).collect())
}

/// Rows rounded to int8: codes, four a word, and for each unit its scale and its scale times the sum of its codes.
pub fn pack_rows(x: &[f32]) -> (Vec<u32>, Vec<f32>) {
    let (mut codes, mut scales) = (Vec::new(), Vec::new());
    for unit in x.chunks_exact(16) {
        let (d, q) = pack_unit(unit);
        let word =
            |four: &[i8]| u32::from_le_bytes([four[0] as u8, four[1] as u8, four[2] as u8, four[3] as u8]);
        codes.extend(q.chunks_exact(4).map(word));
        scales.extend([d, d * q.iter().map(|&q| f32::from(q)).sum::<f32>()]);
    }
    (codes, scales)
}

/// x rounded to int8: each 16 elements as `d·q` ([`pack_unit`]).
pub fn rounded_to_bytes(x: &[f64]) -> Vec<f64> {
    let unit = |unit: &[f64]| -> Vec<f64> {
        let unit: Vec<f32> = unit.iter().map(|&v| v as f32).collect();
        let (d, q) = pack_unit(&unit);
        q.into_iter().map(|q| f64::from(d) * f64::from(q)).collect()
    };
    x.chunks(16).flat_map(unit).collect()
}
