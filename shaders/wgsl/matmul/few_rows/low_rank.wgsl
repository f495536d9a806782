// The low-rank update of LoRA adapters: Σ_j B[n, j]·scales[j]·z[t, j] for row t and column n of matrix `m`. z[T] is X
// times the stacked A of all corrected matrices. The ranks of all adapters are stacked along j.

var<storage, read> z: array<vec4<f32>>;
#include "matvec/low_rank/adapter.wgsl"

fn update(m: u32, t: u32, n: u32) -> f32 {
    let z_at = params.z_at[m];
    if (z_at == 0xffffffffu) {
        return 0.0;
    }
    var total = 0.0;
    for (var q = 0u; q < QUADS; q += 1u) {
        let factors = adapter[params.b_at[m] + n * QUADS + q];
        total += dot(factors, adapter[q] * z[t * params.z_stride + z_at + q]);
    }
    return total;
}
