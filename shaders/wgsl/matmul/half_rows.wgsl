// Rounds rows to halves for cooperative.wgsl: x ≈ half·factor, where the factor is a power of two that brings the
// largest element of the row to 2^10..2^11. So no element overflows, and only elements below 2^-24 of the largest
// are rounded to fewer than 11 bits.
//
// in   x        f32 [rows, K], rows = state.len·rows_per_position
// out  halves   two per word, [rows, K/2];  factors  f32 [rows]
//
// Workgroup: 256 threads, a row. Grid: rows, in two dimensions. K is a multiple of 8.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> halves: array<vec2<u32>>;
var<storage, read_write> factors: array<f32>;

var<workgroup> largest: array<f32, 256>;
var<workgroup> part_largest: array<f32, 16>;

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
    var most = vec4<f32>(0.0);
    for (var i = tid; i < params.width4; i += 256u) {
        most = max(most, abs(x[row * params.width4 + i]));
    }
    largest[tid] = max(max(most.x, most.y), max(most.z, most.w));
    workgroupBarrier();
    if (tid < 16u) {
        var part = largest[tid];
        for (var i = tid + 16u; i < 256u; i += 16u) {
            part = max(part, largest[i]);
        }
        part_largest[tid] = part;
    }
    workgroupBarrier();
    var of_row = part_largest[0];
    for (var i = 1u; i < 16u; i += 1u) {
        of_row = max(of_row, part_largest[i]);
    }
    // The exponent e of the largest element, biased; the factor is 2^(e − 10), the one to divide by it 2^(10 − e).
    let e = clamp(bitcast<u32>(of_row) >> 23u, 20u, 250u);
    let factor = bitcast<f32>((e - 10u) << 23u);
    let inverse = bitcast<f32>((264u - e) << 23u);
    for (var i = tid; i < params.width4; i += 256u) {
        let value = x[row * params.width4 + i] * inverse;
        halves[row * params.width4 + i] = vec2<u32>(pack2x16float(value.xy), pack2x16float(value.zw));
    }
    if (tid == 0u) {
        factors[row] = factor;
    }
}
