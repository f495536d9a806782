// Gradient of a LoRA factor, accumulated: G(j, r) += scale·Σ_t p[t, j]·z[t, r], G(j, r) = gradients[at + j·by_j +
// r·by_r].
//
// dB = dyᵀ·z with dz's scale in `scale` (B row-major, by_r = 1); dA = dzᵀ·x (A row-major, by_j = 1). With DROPOUT,
// elements of p are dropped as in the forward pass.
//
// p  f32 [T, width];  z  f32 [T, rank];  gradients  f32, all of a layer
//
// A workgroup computes 32 columns for 8 values of r. Each of 8 lanes takes every 8th row; their sums are added in a
// fixed order, without atomics. Formula: specification §12.1, linear.
// Workgroup: 256 threads. Grid: (⌈width / 32⌉, ⌈rank / 8⌉).

#include "shared/state.wgsl"
#if DROPOUT
#include "train/dropout.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> p: array<f32>;
var<storage, read> z: array<f32>;
var<storage, read_write> gradients: array<f32>;

// [lane][r][column]
var<workgroup> sums: array<f32, 2048>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let column = tid % 32u;
    let lane = tid / 32u;
    let j = wid.x * 32u + column;
    let r0 = wid.y * 8u;
    let count = min(8u, params.rank - r0);
#for r in 0..8
    var sum_{{r}} = 0.0;
#endfor
    if (j < params.width) {
        for (var t = lane; t < state.len; t += 8u) {
            var value = p[t * params.width + j];
#if DROPOUT
            if (!dropout_keeps(state.seed_lo, state.seed_hi, params.salt, t, j, params.bound)) {
                value = 0.0;
            }
#endif
            let at = t * params.rank + r0;
#for r in 0..8
            if ({{r}}u < count) {
                sum_{{r}} += value * z[at + {{r}}u];
            }
#endfor
        }
    }
#for r in 0..8
    sums[lane * 256u + {{r}}u * 32u + column] = sum_{{r}};
#endfor
    workgroupBarrier();
    // From here on, each thread has one value: its lane is r.
    var sum = 0.0;
    for (var other = 0u; other < 8u; other += 1u) {
        sum += sums[other * 256u + tid];
    }
    if (j < params.width && lane < count) {
        gradients[params.at + j * params.by_column + (r0 + lane) * params.by_rank] += params.scale * sum;
    }
}
