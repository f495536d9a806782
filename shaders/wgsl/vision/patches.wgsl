// Splits an image into square patches, one per row of X:
//
//   X[t][c·SIDE² + y·SIDE + x] = rgb(c, column·SIDE + x, row·SIDE + y)/255·scale + shift,  t = row·columns + column
//
// The channel is the slowest dimension, as in the patch embedding of a GGUF file (a convolution kernel).
//
// pixels  u8 [rows·SIDE, columns·SIDE, 3], four to a word
// X       f32 [patches, 3·SIDE²]
//
// Formula: Gemma 4 specification §9.2; SIDE 16 with 2x − 1 for the towers, §9.5 with SIDE 48 for the encoder-free
// model. Workgroup: 256 threads, four elements each. Grid: ⌈patches·3·SIDE²/1024⌉, in two dimensions.

#include "shared/patch_grid.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> patch_grid: PatchGrid;
var<storage, read> pixels: array<u32>;
var<storage, read_write> x: array<vec4<f32>>;

const SIDE: u32 = {{SIDE}}u;
const QUADS: u32 = 3u * SIDE * SIDE / 4u; // vec4s per patch

fn byte_at(at: u32) -> f32 {
    return f32((pixels[at >> 2u] >> (8u * (at & 3u))) & 255u);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let index = (wid.x + wid.y * grid.x) * 256u + tid;
    let patch_index = index / QUADS;
    if (patch_index >= patch_grid.columns * patch_grid.rows) {
        return;
    }
    let i = 4u * (index % QUADS);
    let channel = i / (SIDE * SIDE);
    let row = patch_index / patch_grid.columns * SIDE + i / SIDE % SIDE;
    let column = patch_index % patch_grid.columns * SIDE + i % SIDE;
    let at = 3u * (row * patch_grid.columns * SIDE + column) + channel;
    let bytes = vec4<f32>(byte_at(at), byte_at(at + 3u), byte_at(at + 6u), byte_at(at + 9u));
    x[index] = bytes / 255.0 * params.scale + params.shift;
}
