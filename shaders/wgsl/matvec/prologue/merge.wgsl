// Prologue: x is merged from the partial results of attention/decode.wgsl (flash decoding: the softmax-weighted
// mean over the splits).

#include "shared/state.wgsl"
#include "shared/splits.wgsl"
var<storage, read> state: State;

// Weights of the splits, [heads, max_splits]: e^(m_s − M) / Σ_s e^(m_s − M)·l_s.
var<workgroup> split_weights: array<f32, {{WEIGHTS}}>;

fn weigh(tid: u32, splits: u32) {
    let max_splits = params.max_splits;
    let pairs = {{K}}u * max_splits; // (m, l) pairs follow the accumulators
    for (var head = tid; head < {{K}}u / params.head_dim; head += THREADS) {
        var top = -3.0e38;
        for (var s = 0u; s < splits; s += 1u) {
            let at = pairs + (head * max_splits + s) * 2u;
            top = max(top, x_in[at >> 2u][at & 3u]);
        }
        var total = 0.0;
        for (var s = 0u; s < splits; s += 1u) {
            let at = pairs + (head * max_splits + s) * 2u;
            let weight = exp(x_in[at >> 2u][at & 3u] - top);
            total += weight * x_in[at >> 2u][(at & 3u) + 1u];
            split_weights[head * max_splits + s] = weight;
        }
        for (var s = 0u; s < splits; s += 1u) {
            split_weights[head * max_splits + s] /= total;
        }
    }
    workgroupBarrier();
}

fn stage(tile: u32, tid: u32, group: u32) {
    let head_dim = params.head_dim;
    let max_splits = params.max_splits;
    let splits = attention_splits(state.pos + 1u, 1u, params.window, params.min_split_keys, max_splits).count;
    if (tile == 0u) {
        weigh(tid, splits);
#if PARTIAL_Z
        sum_partial(tid, splits);
#endif
    }
    let begin = tile * {{TILE}}u / 4u;
    for (var j = tid; j < TILE_UNITS * 4u; j += THREADS) {
        var value = vec4<f32>(0.0);
        if (begin + j < {{K}}u / 4u) {
            let element = (begin + j) * 4u;
            let first = element / head_dim * max_splits;
            let within = element % head_dim;
            for (var s = 0u; s < splits; s += 1u) {
                value += split_weights[first + s] * x_in[((first + s) * head_dim + within) >> 2u];
            }
        }
        mem[staged(j)] = value;
    }
}
