// Rounds rows to int8: x ≈ d·q, d = max|x| / 127 over 16 elements for few_rows.wgsl, over 32 for packed.wgsl (BLOCKS).
//
// in   x       f32 [T, K], T = state.len
// out  codes   q, four per word, [T, K/16, 4];  scales  (d, d·Σq) [T, K/16]; those of a block have the same d
//
// Workgroup: 64 threads, a unit or a block each. Grid: ⌈T·K / 16 / 64⌉ or ⌈T·K / 32 / 64⌉ over x and y.

#include "shared/state.wgsl"
#include "shared/pack_unit.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> x: array<vec4<f32>>;
var<storage, read_write> codes: array<vec4<u32>>;
var<storage, read_write> scales: array<vec2<f32>>;

fn unit_of_x(unit: u32) -> array<vec4<f32>, 4> {
    return array<vec4<f32>, 4>(x[4u * unit], x[4u * unit + 1u], x[4u * unit + 2u], x[4u * unit + 3u]);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) size: vec3<u32>) {
    let at = id.y * size.x * 64u + id.x;
#if BLOCKS
    let unit = 2u * at;
#else
    let unit = at;
#endif
    if (unit >= state.len * params.units_per_row) {
        return;
    }
    let first = unit_of_x(unit);
#if BLOCKS
    let second = unit_of_x(unit + 1u);
    let most = max(most_of(first), most_of(second));
    let packed = pack_within(first, most);
    let next = pack_within(second, most);
    codes[unit + 1u] = next.codes;
    scales[unit + 1u] = next.scale;
#else
    let packed = pack_unit(first);
#endif
    codes[unit] = packed.codes;
    scales[unit] = packed.scale;
}
