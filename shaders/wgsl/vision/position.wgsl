// Adds the learned position embeddings of a patch's column and row:
//
//   h[t] = h[t] + table_x[column] + table_y[row],  t = row·columns + column
//
// h       f32 [patches, K], in place
// tables  planar [positions, K], one per axis; the image has at most as many columns and rows as its table
//
// Formula: Gemma 4 specification §9.2 and §9.5.
// Workgroup: 64 threads, one per unit of 16 elements. Grid: (⌈K/16/64⌉, patches).

#include "shared/patch_grid.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> patch_grid: PatchGrid;
var<storage, read> table_x: array<vec2<u32>>;
var<storage, read> table_y: array<vec2<u32>>;
var<storage, read_write> h: array<vec4<f32>>;

#include "shared/planes.wgsl" with P=x, DTYPE={{DTYPE}}, BUF=table_x
#include "shared/planes.wgsl" with P=y, DTYPE={{DTYPE}}, BUF=table_y

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let unit = id.x;
    let t = id.y;
    if (unit >= params.units_per_row || t >= patch_grid.columns * patch_grid.rows) {
        return;
    }
    let across = x_values(params.planes_x, t % patch_grid.columns * params.units_per_row + unit);
    let down = y_values(params.planes_y, t / patch_grid.columns * params.units_per_row + unit);
    let at = (t * params.units_per_row + unit) * 4u;
#for q in 0..4
    h[at + {{q}}u] += across[{{q}}] + down[{{q}}];
#endfor
}
