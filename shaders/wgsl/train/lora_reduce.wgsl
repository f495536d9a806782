// From rows to the rank of an adapter: z[t, r] = scale·Σ_i x[t, i]·F(r, i), with F(r, i) = factors[at + r·by_r +
// i·by_i].
//
// Forward z = A·x (A row-major, by_i = 1); backward dz = s·Bᵀ·dy (B row-major, by_r = 1). With DROPOUT, elements of
// x are dropped (train/dropout.wgsl), and scale includes 1/(1 − p).
//
// x  f32 [T, width];  z  f32 [T, rank];  factors  f32, all of a layer
//
// Four rows per workgroup; 32 threads share a dot product, and eight values of r are computed at a time.
// Formula: specification §12.1, linear. Workgroup: 256 threads. Grid: (⌈T / 4⌉).

#include "shared/state.wgsl"
#if DROPOUT
#include "train/dropout.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> x: array<f32>;
var<storage, read> factors: array<f32>;
var<storage, read_write> z: array<f32>;

const LANES: u32 = 32u;

var<workgroup> sums: array<vec4<f32>, 256>;

fn element(t: u32, i: u32) -> f32 {
    if (t >= state.len) {
        return 0.0;
    }
#if DROPOUT
    if (!dropout_keeps(state.seed_lo, state.seed_hi, params.salt, t, i, params.bound)) {
        return 0.0;
    }
#endif
    return x[t * params.width + i];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let t0 = wid.x * 4u;
    if (t0 >= state.len) {
        return;
    }
    let lane = tid % LANES;
    for (var r0 = 0u; r0 < params.rank; r0 += 8u) {
        let r = r0 + tid / LANES;
        var sum = vec4<f32>(0.0);
        if (r < params.rank) {
            let row = params.at + r * params.by_rank;
            for (var i = lane; i < params.width; i += LANES) {
                let values = vec4<f32>(element(t0, i), element(t0 + 1u, i), element(t0 + 2u, i), element(t0 + 3u, i));
                sum += factors[row + i * params.by_column] * values;
            }
        }
        sums[tid] = sum;
        workgroupBarrier();
        for (var half = LANES / 2u; half > 0u; half >>= 1u) {
            if (lane < half) {
                sums[tid] += sums[tid + half];
            }
            workgroupBarrier();
        }
        if (lane < 4u && r < params.rank && t0 + lane < state.len) {
            z[(t0 + lane) * params.rank + r] = params.scale * sums[tid - lane][lane];
        }
        workgroupBarrier();
    }
}
