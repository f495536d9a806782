// Rounds rows to two terms of int8 for cooperative_int8.wgsl, in blocks of 1024 elements: v ≈ d·(128·q + r), d = max|v| / (127·128)
// of the block, -64 ≤ r < 64. The last block of a row may be shorter.
//
// WEIGHTS: `rows` rows of a planar matrix from first_row on, otherwise T = state.len rows of floats.
//
// in   weights  planar, [N, K];  or state, x  f32 [T, K]
// out  codes    q and r, four per word, [rows, 2, K/16, 4];  scales  d [rows, ⌈K/1024⌉]
//
// Workgroup: 256 threads, 64 for a block. Grid: ⌈blocks / 4⌉, in two dimensions. K is a multiple of 16.

{{PARAMS}}
var<uniform> params: Params;
#if WEIGHTS
var<storage, read> weights: array<vec2<u32>>;
#include "shared/planes.wgsl" with P=w, DTYPE={{DTYPE}}, BUF=weights
#else
#include "shared/state.wgsl"
var<storage, read> state: State;
var<storage, read> x: array<vec4<f32>>;
#endif
var<storage, read_write> codes: array<vec4<u32>>;
var<storage, read_write> scales: array<f32>;

var<workgroup> largest: array<f32, 256>;
var<workgroup> part_largest: array<f32, 32>;

// Four of q, and of r.
fn terms(scaled: vec4<f32>) -> vec2<u32> {
    let t = vec4<i32>(round(scaled));
    let q = (t + vec4<i32>(64)) >> vec4<u32>(7u);
    return vec2<u32>(pack4xI8(q), pack4xI8(t - (q << vec4<u32>(7u))));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = thread % 64u;
    let block = (group.x + group.y * grid.x) * 4u + thread / 64u;
    let row = block / params.blocks_per_row;
    let unit = (block % params.blocks_per_row) * 64u + lane;
#if WEIGHTS
    let rows = params.rows;
#else
    let rows = state.len;
#endif
    let is_inside = row < rows && unit < params.units_per_row;
    var values = array<vec4<f32>, 4>();
    if (is_inside) {
#if WEIGHTS
        values = w_values(params.planes, (params.first_row + row) * params.units_per_row + unit);
#else
        let at = 4u * (row * params.units_per_row + unit);
        values = array<vec4<f32>, 4>(x[at], x[at + 1u], x[at + 2u], x[at + 3u]);
#endif
    }
    let most4 = max(max(abs(values[0]), abs(values[1])), max(abs(values[2]), abs(values[3])));
    largest[thread] = max(max(most4.x, most4.y), max(most4.z, most4.w));
    workgroupBarrier();
    if (lane < 8u) {
        var part = largest[thread];
        for (var i = 8u; i < 64u; i += 8u) {
            part = max(part, largest[thread + i]);
        }
        part_largest[thread / 64u * 8u + lane] = part;
    }
    workgroupBarrier();
    var most = part_largest[thread / 64u * 8u];
    for (var i = 1u; i < 8u; i += 1u) {
        most = max(most, part_largest[thread / 64u * 8u + i]);
    }
    if (is_inside) {
        let inverse = select(0.0, 16256.0 / most, most > 0.0);
        let t0 = terms(values[0] * inverse);
        let t1 = terms(values[1] * inverse);
        let t2 = terms(values[2] * inverse);
        let t3 = terms(values[3] * inverse);
        let at = 2u * row * params.units_per_row + unit;
        codes[at] = vec4<u32>(t0.x, t1.x, t2.x, t3.x);
        codes[at + params.units_per_row] = vec4<u32>(t0.y, t1.y, t2.y, t3.y);
        if (lane == 0u) {
            scales[block] = most / 16256.0;
        }
    }
}
