// Rounds rows to int8, 16 elements at a time, for few_rows.wgsl: x ≈ d·q, d = max|x| / 127.
//
// in   x       f32 [T, K], T = state.len
// out  codes   q, four per word, [T, K/16, 4];  scales  (d, d·Σq) [T, K/16]
//
// Workgroup: 64 threads, a unit each. Grid: ⌈T·K / 16 / 64⌉.

#include "shared/state.wgsl"
#include "shared/pack_unit.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> codes: array<vec4<u32>>;
var<storage, read_write> scales: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let unit = id.x;
    if (unit >= state.len * params.units_per_row) {
        return;
    }
    let packed = pack_unit(array<vec4<f32>, 4>(
        x[4u * unit], x[4u * unit + 1u], x[4u * unit + 2u], x[4u * unit + 3u]));
    codes[unit] = packed.codes;
    scales[unit] = packed.scale;
}
