// Samples a token from the candidates of each row and updates the state: the last kernel of a step.
//
//   w_i = e^((z_i − z_0)/temperature) over the best k candidates, best first      (k = top_k; off: all of them)
//   top-p: keep the shortest prefix with Σ w_i ≥ top_p·W                          (W = Σ over the k; off: full softmax)
//   min-p: keep w_i ≥ min_p·w_0
//   sample: the first i with w_0 + … + w_i > u·(mass of the kept candidates)
//   temperature 0, top_k 1 or CANDIDATES 1: the best candidate, the lowest id among equals.
//   without candidates (all logits were removed): NO_ID in `sampled`, which ends the answer.
//
// With top_k off and CANDIDATES 256, top-p is exact as long as its prefix has at most 256 tokens; a longer prefix
// is truncated and renormalised.
//
// u is 24 bits of a counter-based hash, pcg3d(seed_lo, seed_hi, step): state.step must not repeat under one seed.
//
// in   lists_in (key, id) [rows, params.lists, CANDIDATES];  sums (max, Σ) [rows, slices] (CANDIDATES 256)
// out  tokens[0] = id: the input of the next step;  sampled[step mod out_len] = id, sampled[out_len] = step + 1
//      history[history_len mod its length] = id;  history_len += 1;  step += 1;  pos += 1;  hidden_row = row
//
// A step of several rows verifies drafted tokens: tokens[1..len] are inputs of this step that were guessed. Rows are
// sampled in order, up to the first one that gives another token than was drafted behind it. So the result is what
// decoding one token at a time gives, whatever was drafted. A step that ended early has no rows.
//
// Order: temperature, top-k, softmax, top-p, renormalise, min-p, sample.
// Workgroup: 256 threads. Grid: 1.

#include "shared/state.wgsl"
#if !GREEDY
#include "shared/pcg3d.wgsl"
#endif
#include "sampling/lists.wgsl"
#include "sampling/gather.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read_write> state: State;
var<storage, read_write> history: array<u32>;
var<storage, read_write> tokens: array<u32>;
var<storage, read_write> sampled: array<u32>;
var<storage, read> lists_in: array<vec2<u32>>;
#if ANY_SETTINGS
var<storage, read> sums: array<vec2<f32>>;
#endif

// Number of rows of the step.
var<workgroup> rows: u32;
// Whether the draft behind the current row is the token that the row gave.
var<workgroup> accepted: bool;

#if !GREEDY
var<workgroup> cumulative: array<f32, 2u * THREADS>;
var<workgroup> kept: atomic<u32>;
var<workgroup> chosen: atomic<u32>;

fn uniform_draw(seed: vec2<u32>, step: u32) -> f32 {
    return f32(pcg3d(vec3<u32>(seed, step)).x >> 8u) * 0x1p-24;
}

fn weight_of(z: f32, best: f32) -> f32 {
    return exp(max((z - best) * params.temperature_inverse, -100.0));
}

// Inclusive prefix sums of one value per thread; returns their offset in `cumulative`.
fn accumulate(value: f32, tid: u32) -> u32 {
    var base = 0u;
    cumulative[tid] = value;
    workgroupBarrier();
    for (var stride = 1u; stride < THREADS; stride *= 2u) {
        var sum = cumulative[base + tid];
        if (tid >= stride) {
            sum += cumulative[base + tid - stride];
        }
        base = THREADS - base;
        cumulative[base + tid] = sum;
        workgroupBarrier();
    }
    return base;
}

// The rank of the candidate of row `row` that is sampled with the random number `u`.
fn draw(u: f32, row: u32, tid: u32) -> u32 {
    let best = logit_of(max(slots[0].x, 1u));
    var limit = LIST;
    if (params.top_k != 0u) {
        limit = min(params.top_k, LIST);
    }

    var total = 0.0;
#if ANY_SETTINGS
    if (params.top_k == 0u) {
        var part = 0.0;
        for (var i = tid; i < params.slices; i += THREADS) {
            let sum = sums[row * params.slices + i];
            if (sum.y > 0.0) {
                part += sum.y * weight_of(sum.x, best);
            }
        }
        let base = accumulate(part, tid);
        total = cumulative[base + THREADS - 1u];
        workgroupBarrier();
    }
#endif

    var weight = 0.0;
    let key = slots[min(tid, LIST - 1u)].x;
    if (tid < limit && key != 0u) {
        weight = weight_of(logit_of(key), best);
    }
    if (tid == 0u) {
        atomicStore(&kept, limit);
        atomicStore(&chosen, limit);
    }
    let base = accumulate(weight, tid);
    let mine = cumulative[base + tid];
    if (params.top_k != 0u) {
        total = cumulative[base + THREADS - 1u];
    }
    if (tid < limit) {
        if (params.top_p < 1.0 && mine >= params.top_p * total) {
            atomicMin(&kept, tid + 1u);
        }
        if (tid > 0u && (weight == 0.0 || weight < params.min_p)) {
            atomicMin(&kept, tid);
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&kept);
    if (tid < count && mine > u * cumulative[base + count - 1u]) {
        atomicMin(&chosen, tid);
    }
    workgroupBarrier();
    return min(atomicLoad(&chosen), count - 1u);
}
#endif

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) tid: u32) {
    // All threads read the state before one of them writes it.
#if !GREEDY
    let seed = vec2<u32>(state.seed_lo, state.seed_hi);
    let first_step = state.step;
#endif
    if (tid == 0u) {
        rows = state.len;
    }
    storageBarrier();
    let count = workgroupUniformLoad(&rows);
    for (var row = 0u; row < count; row += 1u) {
        gather(row * params.lists, (row + 1u) * params.lists, tid);
        var rank = 0u;
#if !GREEDY
        if (params.temperature_inverse > 0.0 && params.top_k != 1u) {
            rank = draw(uniform_draw(seed, first_step + row), row, tid);
        }
#endif
        if (tid == 0u) {
            let nothing = slots[rank].x == 0u;
            // The next step may have been submitted already, so its input must be a valid token.
            let id = select(min(slots[rank].y, params.vocab - 1u), 0u, nothing);
            tokens[0] = id;
            sampled[state.step % params.out_len] = select(id, NO_ID, nothing);
            history[state.history_len % arrayLength(&history)] = id;
            state.history_len += 1u;
            state.step += 1u;
            sampled[params.out_len] = state.step;
            state.pos += 1u;
            state.hidden_row = row;
            let next = row + 1u;
            accepted = next < count && tokens[next] == id;
        }
        if (!workgroupUniformLoad(&accepted)) {
            break;
        }
    }
}
