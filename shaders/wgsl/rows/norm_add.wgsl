// RMS norm and residual addition over rows, in prefill.
//
//   ADD   h = (h + b·rms(branch; w1))·s                in place; b = params.branch_scale
//   PLAIN the branch without its norm: h = (h + b·branch)·s
//   NORM  x = rms(h; w2)                               of the new h if ADD is set
//   PACKED the result, x or else h, is rounded to int8 for a product of few_rows.wgsl, instead of being stored as x
//   rms(v; w) = v·(mean(v²) + eps)^-½·w
//
// h, branch, x  f32 [rows, width], rows = state.len·rows_per_position; width a multiple of 4
// vectors       f32: w1 [width] from params.branch_norm, w2 [width] from params.norm, and at params.scale_at the
//               scalar that is multiplied with params.scale to s (0xffffffff: none)
// codes, scales see matmul/pack_rows.wgsl; width is then a multiple of 16
//
// Formula: Gemma 4 specification §2 (norm weights are used as stored, not 1 + w) and §2.3 (layer_output_scale).
// With rows_per_position = layers and s = 2^-½ it also combines the per-layer embeddings (§2.2). The half-steps and
// the unnormed branch are for the audio tower (§10.3).
// Workgroup: 256 threads, one row. Grid: rows, in two dimensions.

#include "shared/state.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256
#if PACKED
#include "shared/pack_unit.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
#include "shared/vectors.wgsl"
#if ADD
var<storage, read_write> h: array<vec4<f32>>;
var<storage, read> branch: array<vec4<f32>>;
#else
var<storage, read> h: array<vec4<f32>>;
#endif
#if PACKED
var<storage, read_write> codes: array<vec4<u32>>;
var<storage, read_write> scales: array<vec2<f32>>;
#elif NORM
var<storage, read_write> x: array<vec4<f32>>;
#endif

const THREADS: u32 = 256u;
// Neighbouring vec4s that a thread takes: of one unit if it is rounded, since a thread reads only what it wrote itself.
const RUN: u32 = {{RUN}}u;

fn inverse_rms(squares: f32, tid: u32) -> f32 {
    return inverseSqrt(workgroup_sum(squares, tid) / f32(4u * params.width4) + params.eps);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let row = wid.x + wid.y * grid.x;
    if (row >= state.len * params.rows_per_position) {
        return;
    }
    let begin = row * params.width4;

    var squares = 0.0;
#if ADD
#if PLAIN
    let branch_factor = params.branch_scale;
#else
    for (var i = tid; i < params.width4; i += THREADS) {
        let b = branch[begin + i];
        squares += dot(b, b);
    }
    let branch_factor = params.branch_scale * inverse_rms(squares, tid);
#endif
    var s = params.scale;
    if (params.scale_at != 0xffffffffu) {
        s *= vectors[params.scale_at];
    }
    squares = 0.0;
    for (var first = tid * RUN; first < params.width4; first += THREADS * RUN) {
#for j in 0..RUN
        {
            let i = first + {{j}}u;
#if PLAIN
            let sum = (h[begin + i] + branch[begin + i] * branch_factor) * s;
#else
            let sum = (h[begin + i] + branch[begin + i] * branch_factor * vector4(params.branch_norm, i)) * s;
#endif
            h[begin + i] = sum;
            squares += dot(sum, sum);
        }
#endfor
    }
#else
    for (var i = tid; i < params.width4; i += THREADS) {
        let value = h[begin + i];
        squares += dot(value, value);
    }
#endif
#if NORM
    let factor = inverse_rms(squares, tid);
#endif
#if PACKED
    for (var first = tid * RUN; first < params.width4; first += THREADS * RUN) {
        var unit: array<vec4<f32>, 4>;
#for j in 0..RUN
#if NORM
        unit[{{j}}] = h[begin + first + {{j}}u] * factor * vector4(params.norm, first + {{j}}u);
#else
        unit[{{j}}] = h[begin + first + {{j}}u];
#endif
#endfor
        let packed = pack_unit(unit);
        codes[(begin + first) / 4u] = packed.codes;
        scales[(begin + first) / 4u] = packed.scale;
    }
#elif NORM
    for (var i = tid; i < params.width4; i += THREADS) {
        x[begin + i] = h[begin + i] * factor * vector4(params.norm, i);
    }
#endif
}
