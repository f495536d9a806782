// y = x, to measure memory bandwidth: no product can read its weights faster than this kernel copies.
//
// Each thread copies every (grid·256)-th vec4, so that neighbouring threads always read neighbouring words.
//
// Bindings: x and y, `count` vec4s.
// Workgroup: 256 threads. Grid: any number of workgroups in x.

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> x: array<vec4<u32>>;
var<storage, read_write> y: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) grid: vec3<u32>) {
    for (var i = id.x; i < params.count; i += grid.x * 256u) {
        y[i] = x[i];
    }
}
