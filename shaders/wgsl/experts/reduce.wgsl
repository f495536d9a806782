// From rows to the rank of an adapter, for pairs of a row and an expert that the router chose for it:
//
//   z[p][r] = scale·scales[r]·Σ_i x[p / pairs_per_row][offset + i]·F_e(r, i)     e: the expert of pair p
//
// with F_e(r, i) = factors[at + (e − begin)·by_expert + r·by_rank + i·by_column]. Without SCALED, scales are 1. Forward
// z = A_e·x (A row-major, by_column = 1); backward dz = s·B_eᵀ·dy (B row-major, by_rank = 1). Experts begin..end have
// factors in this buffer; pairs of others are left out. Experts are numbered as the router does: with an expert cache,
// tiles hold slots, so the expert is that of the tile's first pair.
//
// SORTED: a workgroup has a tile of pairs of the same expert (experts/buckets.wgsl). Otherwise it has one pair of a few
// rows. 32 threads share a dot product, for four pairs and eight values of r at a time.
//
// PACKED: x was rounded to int8, as matmul/pack_rows.wgsl does.
//
// Bindings: params, SORTED: tiles, pairs u32; otherwise state; choices [T, USED], x f32 (PACKED: codes and scales),
// factors f32, SCALED: scales f32 [rank], z f32 [T·USED, rank]. Workgroup: 256 threads. Grid: (tiles or T·USED, ⌈rank/8⌉).

#include "experts/choice.wgsl"
#if !SORTED
#include "shared/state.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
#if SORTED
var<storage, read> tiles: array<vec4<u32>>;
var<storage, read> pairs: array<u32>;
#else
var<storage, read> state: State;
#endif
var<storage, read> choices: array<Choice>;
#if PACKED
var<storage, read> x: array<u32>;
var<storage, read> x_scales: array<vec2<f32>>;
#else
var<storage, read> x: array<f32>;
#endif
var<storage, read> factors: array<f32>;
#if SCALED
var<storage, read> scales: array<f32>;
#endif
var<storage, read_write> z: array<f32>;

const LANES: u32 = 32u;

var<workgroup> sums: array<vec4<f32>, 256>;

fn pair_at(place: u32) -> u32 {
#if SORTED
    return pairs[place];
#else
    return place;
#endif
}

// Where the row of a pair begins in x.
fn row_of(pair: u32) -> u32 {
    return pair / params.pairs_per_row * params.stride + params.offset;
}

fn element(at: u32) -> f32 {
#if PACKED
    return f32(unpack4xI8(x[at / 4u])[at % 4u]) * x_scales[at / 16u].x;
#else
    return x[at];
#endif
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
#if SORTED
    let tile = tiles[wid.x];
    let first = tile.y;
    let count = tile.z;
    if (count == 0u) {
        return;
    }
#else
    let first = wid.x;
    let count = 1u;
    if (first >= state.len * {{USED}}u) {
        return;
    }
#endif
    let expert = choices[pair_at(first)].expert;
    if (expert < params.begin || expert >= params.end) {
        return;
    }
    let lane = tid % LANES;
    let r = wid.y * 8u + tid / LANES;
    let row = params.at + (expert - params.begin) * params.by_expert + r * params.by_rank;
    for (var q = 0u; q < count; q += 4u) {
        var sum = vec4<f32>(0.0);
        if (r < params.rank) {
#for p in 0..4
            let x{{p}} = row_of(pair_at(first + min(q + {{p}}u, count - 1u)));
#endfor
            for (var i = lane; i < params.width; i += LANES) {
                let values = vec4<f32>(element(x0 + i), element(x1 + i), element(x2 + i), element(x3 + i));
                sum += factors[row + i * params.by_column] * values;
            }
        }
        sums[tid] = sum;
        workgroupBarrier();
        for (var half = LANES / 2u; half > 0u; half >>= 1u) {
            if (lane < half) {
                sums[tid] += sums[tid + half];
            }
            workgroupBarrier();
        }
        if (lane < 4u && r < params.rank && q + lane < count) {
            var value = params.scale * sums[tid - lane][lane];
#if SCALED
            value *= scales[r];
#endif
            z[pair_at(first + q + lane) * params.rank + r] = value;
        }
        workgroupBarrier();
    }
}
