// Merges the partial results of attention/decode.wgsl for several rows (FINISHED there).
//
//   out = Σ_s e^(m_s − M)·acc_s / Σ_s e^(m_s − M)·l_s,  M = max m_s,  over the splits s of the row
//
// in   part  f32 [T, heads·max_splits·(HD + 2)]: acc [heads, max_splits, HD], then (m, l) [heads, max_splits, 2]
// out  out   f32 [T, heads, HD], T = state.len; PACKED: rounded to int8, as matmul/pack_rows.wgsl does
//
// Formula: Dao et al., "Flash-Decoding". Workgroup: 64 threads, one head of one row. Grid: (heads, rows).

#include "shared/state.wgsl"
#include "shared/splits.wgsl"
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

#if PACKED
var<workgroup> merged: array<f32, HD>;
#endif

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let head = wid.x;
    let row = wid.y;
    if (row >= state.len) {
        return;
    }
    let keys = state.pos + row + 1u;
    let splits = attention_splits(keys, params.window, params.min_split_keys, params.max_splits).count;
    let first = row * params.heads * params.max_splits * (HD + 2u);
    let accs = first + head * params.max_splits * HD;
    let pairs = first + params.heads * params.max_splits * HD + head * params.max_splits * 2u;
    var top = -3.0e38;
    for (var s = 0u; s < splits; s += 1u) {
        top = max(top, part[pairs + 2u * s]);
    }
    var total = 0.0;
    for (var s = 0u; s < splits; s += 1u) {
        total += exp(part[pairs + 2u * s] - top) * part[pairs + 2u * s + 1u];
    }
    for (var i = tid; i < HD; i += 64u) {
        var value = 0.0;
        for (var s = 0u; s < splits; s += 1u) {
            value += exp(part[pairs + 2u * s] - top) * part[accs + s * HD + i];
        }
#if PACKED
        merged[i] = value / total;
#else
        out[(row * params.heads + head) * HD + i] = value / total;
#endif
    }
#if PACKED
    workgroupBarrier();
    if (tid < HD / 16u) {
        var unit: array<vec4<f32>, 4>;
#for q in 0..4
        let at{{q}} = 16u * tid + 4u * {{q}}u;
        unit[{{q}}] = vec4<f32>(merged[at{{q}}], merged[at{{q}} + 1u], merged[at{{q}} + 2u], merged[at{{q}} + 3u]);
#endfor
        let packed = pack_unit(unit);
        let at = (row * params.heads + head) * (HD / 16u) + tid;
        codes[at] = packed.codes;
        scales[at] = packed.scale;
    }
#endif
}
