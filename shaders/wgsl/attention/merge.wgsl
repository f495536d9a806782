// Merges the partial results of attention/decode.wgsl, with CHUNK those of attention/block.wgsl and attention/cooperative.wgsl.
//
//   out = Σ_s e^(m_s − M)·acc_s / Σ_s e^(m_s − M)·l_s,  M = max m_s,  over the splits s of the row
//
// in   part  f32 [T, heads·max_splits·(HD + 2)]: acc [heads, max_splits, HD], then (m, l) [heads, max_splits, 2]; CHUNK: as
//            attention/split.wgsl says. With one split there is nothing to merge
// out  out   f32 [T, heads, HD], T = state.len; PACKED: rounded to int8, as matmul/pack_rows.wgsl does
//
// Formula: Dao et al., "Flash-Decoding". Workgroup: 64 threads, MERGED elements of one head of one row. Grid: (heads,
// rows, HD / MERGED).

#include "shared/state.wgsl"
#if CHUNK
#include "attention/split.wgsl"
#else
#include "shared/splits.wgsl"
#endif
#if PACKED
#include "shared/pack_unit.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> part: array<f32>;
#if PACKED
var<storage, read_write> codes: array<vec4<u32>>;
var<storage, read_write> scales: array<vec2<f32>>;
#else
var<storage, read_write> out: array<f32>;
#endif

const HD: u32 = {{HD}}u;
const MERGED: u32 = {{MERGED}}u;
const THREADS: u32 = 64u;

// (m, l) of each split, then its weight.
var<workgroup> pairs: array<vec2<f32>, {{MAX_SPLITS}}u>;
var<workgroup> weights: array<f32, {{MAX_SPLITS}}u>;
#if PACKED
var<workgroup> merged: array<f32, MERGED>;
#endif

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let head = wid.x;
    let row = wid.y;
    if (row >= state.len) {
        return;
    }
#if CHUNK
    let splits = chunk_splits();
    if (splits == 1u) {
        return;
    }
    let accs = acc_at(row * params.heads + head, splits, 0u);
    let pairs_at = pair_at(row * params.heads + head, splits, 0u);
#else
    let block = max(params.block_rows, 1u);
    let first_row = row / block * block;
    let rows = min(block, state.len - first_row);
    let keys = state.pos + first_row + 1u;
    let splits = attention_splits(keys, rows, params.window, params.min_split_keys, params.max_splits).count;
    let first = row * params.heads * params.max_splits * (HD + 2u);
    let accs = first + head * params.max_splits * HD;
    let pairs_at = first + params.heads * params.max_splits * HD + head * params.max_splits * 2u;
#endif
    for (var s = tid; s < splits; s += THREADS) {
        pairs[s] = vec2<f32>(part[pairs_at + 2u * s], part[pairs_at + 2u * s + 1u]);
    }
    workgroupBarrier();
    var top = -3.0e38;
    for (var s = 0u; s < splits; s += 1u) {
        top = max(top, pairs[s].x);
    }
    for (var s = tid; s < splits; s += THREADS) {
        // Clamped: the maximum is −3e38 where the row sees no key of the split.
        weights[s] = exp(max(pairs[s].x - top, -100.0));
    }
    workgroupBarrier();
    let i = wid.z * MERGED + tid;
    if (tid < MERGED) {
        var total = 0.0;
        var value = 0.0;
        for (var s = 0u; s < splits; s += 1u) {
            total += weights[s] * pairs[s].y;
            value += weights[s] * part[accs + s * HD + i];
        }
#if PACKED
        merged[tid] = value / total;
#else
        out[(row * params.heads + head) * HD + i] = value / total;
#endif
    }
#if PACKED
    workgroupBarrier();
    if (tid < MERGED / 16u) {
        var unit: array<vec4<f32>, 4>;
#for q in 0..4
        let at{{q}} = 16u * tid + 4u * {{q}}u;
        unit[{{q}}] = vec4<f32>(merged[at{{q}}], merged[at{{q}} + 1u], merged[at{{q}} + 2u], merged[at{{q}} + 3u]);
#endfor
        let packed = pack_unit(unit);
        let at = (row * params.heads + head) * (HD / 16u) + wid.z * (MERGED / 16u) + tid;
        codes[at] = packed.codes;
        scales[at] = packed.scale;
    }
#endif
}
