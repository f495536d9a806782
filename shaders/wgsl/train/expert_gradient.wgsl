// Gradient of the LoRA factors of a mixture's experts, accumulated:
//
//   G_e(j, r) += scale·Σ_p v_p·rows[p / pairs_per_row][offset + j]·z[p][r]     over the pairs p of expert e
//
// with G_e(j, r) = gradients[at + (e − begin)·by_expert + j·by_column + r·by_rank]. v_p is the weight that the router gave the
// pair with WEIGHTED, otherwise 1. dB_e = Σ dyᵀ·z with dz's scale in `scale`; dA_e = Σ dzᵀ·x.
//
// A workgroup computes 32 columns for 8 values of r of one expert, whose pairs are sorted (experts/buckets.wgsl): its
// threads look through all `params.tiles` tiles for where they begin and how many there are. Each of 8 lanes takes every 8th pair; their
// sums are added in a fixed order, without atomics, so that a step is reproducible.
//
// Bindings: params, tiles, pairs u32, WEIGHTED: choices [T, USED], rows f32, z f32 [T·USED, rank], gradients f32, all of
// a layer. Formula: specification §12.1, linear. Workgroup: 256 threads. Grid: (⌈width/32⌉, ⌈rank/8⌉, experts).

#if WEIGHTED
#include "experts/choice.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> tiles: array<vec4<u32>>;
var<storage, read> pairs: array<u32>;
#if WEIGHTED
var<storage, read> choices: array<Choice>;
#endif
var<storage, read> rows: array<f32>;
var<storage, read> z: array<f32>;
var<storage, read_write> gradients: array<f32>;

var<workgroup> found_first: atomic<u32>;
var<workgroup> found_count: atomic<u32>;
// Where the expert's pairs begin, and their number.
var<workgroup> found: vec2<u32>;
// [lane][r][column]
var<workgroup> sums: array<f32, 2048>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let expert = params.begin + wid.z;
    if (tid == 0u) {
        atomicStore(&found_first, 0xffffffffu);
        atomicStore(&found_count, 0u);
    }
    workgroupBarrier();
    for (var i = tid; i < params.tiles; i += 256u) {
        let tile = tiles[i];
        if (tile.z > 0u && tile.x == expert) {
            atomicMin(&found_first, tile.y);
            atomicAdd(&found_count, tile.z);
        }
    }
    workgroupBarrier();
    if (tid == 0u) {
        found = vec2<u32>(atomicLoad(&found_first), atomicLoad(&found_count));
    }
    let own = workgroupUniformLoad(&found);
    if (own.y == 0u) {
        return;
    }
    let column = tid % 32u;
    let lane = tid / 32u;
    let j = wid.x * 32u + column;
    let r0 = wid.y * 8u;
    let count = min(8u, params.rank - r0);
#for r in 0..8
    var sum_{{r}} = 0.0;
#endfor
    if (j < params.width) {
        for (var i = lane; i < own.y; i += 8u) {
            let pair = pairs[own.x + i];
            var value = rows[pair / params.pairs_per_row * params.stride + params.offset + j];
#if WEIGHTED
            value *= choices[pair].weight;
#endif
            let at = pair * params.rank + r0;
#for r in 0..8
            if ({{r}}u < count) {
                sum_{{r}} += value * z[at + {{r}}u];
            }
#endfor
        }
    }
#for r in 0..8
    sums[lane * 256u + {{r}}u * 32u + column] = sum_{{r}};
#endfor
    workgroupBarrier();
    // From here on, each thread has one value: its lane is r.
    var sum = 0.0;
    for (var other = 0u; other < 8u; other += 1u) {
        sum += sums[other * 256u + tid];
    }
    if (j < params.width && lane < count) {
        let to = params.at + (expert - params.begin) * params.by_expert;
        gradients[to + j * params.by_column + (r0 + lane) * params.by_rank] += params.scale * sum;
    }
}
