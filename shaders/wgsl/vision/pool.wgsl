// Averages the patches of each 3×3 square and norms the result:
//
//   p[n] = √width/9·Σ h[t],  over the nine patches t of square n; squares are in row-major order
//   p[n] = (p[n] − std_bias)·std_scale                     STANDARDISE
//   x[n] = p[n]·(mean(p²) + eps)^-½
//
// h        f32 [patches, width];  x  f32 [patches/9, width];  width a multiple of 4
// vectors  f32: std_bias [width], std_scale [width] at their offsets
//
// Formula: Gemma 4 specification §9.4.
// Workgroup: 256 threads, one square. Grid: patches/9, in two dimensions.

#include "shared/patch_grid.wgsl"
#include "shared/workgroup_sum.wgsl" with THREADS=256

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> patch_grid: PatchGrid;
var<storage, read> h: array<vec4<f32>>;
var<storage, read_write> x: array<vec4<f32>>;
#if STANDARDISE
#include "shared/vectors.wgsl"
#endif

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) tid: u32,
) {
    let n = wid.x + wid.y * grid.x;
    let across = patch_grid.columns / 3u;
    if (n >= across * (patch_grid.rows / 3u)) {
        return;
    }
    let first = (n / across * 3u * patch_grid.columns + n % across * 3u) * params.width4;
    let scale = sqrt(4.0 * f32(params.width4)) / 9.0;
    var squares = 0.0;
    for (var i = tid; i < params.width4; i += 256u) {
        var sum = vec4<f32>(0.0);
        for (var row = 0u; row < 3u; row += 1u) {
            let at = first + row * patch_grid.columns * params.width4 + i;
            sum += h[at] + h[at + params.width4] + h[at + 2u * params.width4];
        }
        var pooled = sum * scale;
#if STANDARDISE
        pooled = (pooled - vector4(params.std_bias, i)) * vector4(params.std_scale, i);
#endif
        x[n * params.width4 + i] = pooled;
        squares += dot(pooled, pooled);
    }
    let factor = inverseSqrt(workgroup_sum(squares, tid) / (4.0 * f32(params.width4)) + params.eps);
    // A thread reads only what it wrote itself.
    for (var i = tid; i < params.width4; i += 256u) {
        x[n * params.width4 + i] *= factor;
    }
}
