// From the rank of an adapter to rows, for pairs sorted by expert:
//
//   y[p][offset + j] += scale·Σ_r z[p][r]·F_e(j, r)     e: the expert of pair p
//
// with F_e(j, r) = factors[at + (e − begin)·by_expert + j·by_column + r·by_rank]. Forward y += s·B_e·z (B row-major,
// by_rank = 1); backward dx += A_eᵀ·dz (A row-major, by_column = 1). Pairs of experts outside of begin..end are left
// out. Experts are numbered as in experts/reduce.wgsl.
//
// A workgroup has 64 columns of a tile (experts/buckets.wgsl), eight pairs at a time, so that a factor is read once for
// them.
//
// Bindings: params, tiles, pairs u32, choices [T, USED], z f32 [T·USED, rank], factors f32, y f32 [T·USED, stride].
// Workgroup: 64 threads. Grid: (⌈width/64⌉, tiles).

#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> tiles: array<vec4<u32>>;
var<storage, read> pairs: array<u32>;
var<storage, read> choices: array<Choice>;
var<storage, read> z: array<f32>;
var<storage, read> factors: array<f32>;
var<storage, read_write> y: array<f32>;

// z of eight pairs.
var<workgroup> rows: array<f32, 8u * {{MAX_RANK}}u>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let tile = tiles[wid.y];
    let first = tile.y;
    let count = tile.z;
    if (count == 0u) {
        return;
    }
    let expert = choices[pairs[first]].expert;
    if (expert < params.begin || expert >= params.end) {
        return;
    }
    let rank = params.rank;
    let j = wid.x * 64u + tid;
    let column = params.at + (expert - params.begin) * params.by_expert + j * params.by_column;
    for (var q = 0u; q < count; q += 8u) {
        let some = min(8u, count - q);
        for (var i = tid; i < 8u * rank; i += 64u) {
            var value = 0.0;
            if (i < some * rank) {
                value = z[pairs[first + q + i / rank] * rank + i % rank];
            }
            rows[i] = value;
        }
        workgroupBarrier();
        if (j < params.width) {
#for p in 0..8
            var sum{{p}} = 0.0;
#endfor
            for (var r = 0u; r < rank; r += 1u) {
                let factor = factors[column + r * params.by_rank];
#for p in 0..8
                sum{{p}} += factor * rows[{{p}}u * rank + r];
#endfor
            }
#for p in 0..8
            if ({{p}}u < some) {
                y[pairs[first + q + {{p}}u] * params.stride + params.offset + j] += params.scale * sum{{p}};
            }
#endfor
        }
        workgroupBarrier();
    }
}
