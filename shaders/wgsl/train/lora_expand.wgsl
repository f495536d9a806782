// From the rank of an adapter to rows: y[t, j] += scale·Σ_r z[t, r]·F(j, r), F(j, r) = factors[at + j·by_j +
// r·by_r].
//
// Forward y += s·B·z (B row-major, by_r = 1); backward dx += Aᵀ·dz (A row-major, by_j = 1). With DROPOUT, nothing
// is added if the forward pass dropped x[t, j].
//
// z  f32 [T, rank], rank at most 64;  y  f32 [T, width];  factors  f32, all of a layer
//
// Formula: specification §12.1, linear. Workgroup: 64 columns of 8 rows. Grid: (⌈width / 64⌉, ⌈T / 8⌉).

#include "shared/state.wgsl"
#if DROPOUT
#include "train/dropout.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> z: array<f32>;
var<storage, read> factors: array<f32>;
var<storage, read_write> y: array<f32>;

var<workgroup> rows: array<f32, 512>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let t0 = wid.y * 8u;
    if (t0 >= state.len) {
        return;
    }
    let count = min(8u, state.len - t0);
    for (var i = tid; i < 8u * params.rank; i += 64u) {
        var value = 0.0;
        if (i < count * params.rank) {
            value = z[t0 * params.rank + i];
        }
        rows[i] = value;
    }
    workgroupBarrier();
    let j = wid.x * 64u + tid;
    if (j >= params.width) {
        return;
    }
#for t in 0..8
    var sum_{{t}} = 0.0;
#endfor
    for (var r = 0u; r < params.rank; r += 1u) {
        let factor = factors[params.at + j * params.by_column + r * params.by_rank];
#for t in 0..8
        sum_{{t}} += factor * rows[{{t}}u * params.rank + r];
#endfor
    }
#for t in 0..8
    if ({{t}}u < count) {
#if DROPOUT
        if (dropout_keeps(state.seed_lo, state.seed_hi, params.salt, t0 + {{t}}u, j, params.bound)) {
            y[(t0 + {{t}}u) * params.width + j] += params.scale * sum_{{t}};
        }
#else
        y[(t0 + {{t}}u) * params.width + j] += params.scale * sum_{{t}};
#endif
    }
#endfor
}
