// Local attention of the audio tower: each position attends to itself and the KEYS − 1 positions before it, with a
// relative position term.
//
//   s[j] = cap·tanh(q'·(k_scale·k[t − j] + r[j]) / cap)   j < KEYS, position of t − j not below 0
//   out  = Σ_j softmax(s)[j]·v[t − j],                    q' = q_scale·scale ⊙ q
//
// q, k, v, out  f32 [rows, heads·HEAD], rows = state.len; row t is position state.pos + t
// relative      f32 [KEYS, heads·HEAD]: r, the projected encodings of the distances
// vectors       f32: scale [HEAD] from params.scale, the same for all heads
// past          f32 [2, slots, heads·HEAD]: keys, then values; position p is in slot p mod slots. Positions before this
//               step are read, those of this step are written; slots ≥ rows of a step + KEYS − 1.
//
// Formula: Gemma 4 specification §10.3.
// Workgroup: KEYS × 16 threads, one head of one row. Grid: (heads, rows).

#include "shared/state.wgsl"
#include "shared/tanh.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> vectors: array<f32>;
var<storage, read> q: array<f32>;
var<storage, read> k: array<f32>;
var<storage, read> v: array<f32>;
var<storage, read> relative: array<f32>;
var<storage, read_write> past: array<f32>;
var<storage, read_write> out: array<f32>;

const HEAD: u32 = {{HEAD}}u;
const KEYS: u32 = {{KEYS}}u;
const THREADS: u32 = KEYS * 16u;

var<workgroup> partial: array<f32, THREADS>;
var<workgroup> scores: array<f32, KEYS>;

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let t = wid.y;
    if (t >= state.len) {
        return;
    }
    let width = params.heads * HEAD;
    let head = wid.x * HEAD;
    let position = state.pos + t;
    let visible = min(position + 1u, KEYS);

    let j = tid / 16u;
    var sum = 0.0;
    if (j < visible) {
        for (var e = tid % 16u; e < HEAD; e += 16u) {
            var key: f32;
            if (j <= t) {
                key = k[(t - j) * width + head + e];
            } else {
                key = past[(position - j) % params.slots * width + head + e];
            }
            let query = q[t * width + head + e] * vectors[params.scale + e] * params.q_scale;
            sum += query * (params.k_scale * key + relative[j * width + head + e]);
        }
    }
    partial[tid] = sum;
    workgroupBarrier();
    if (tid < visible) {
        var score = 0.0;
        for (var i = 0u; i < 16u; i += 1u) {
            score += partial[tid * 16u + i];
        }
        scores[tid] = params.cap * tanh_exp(score / params.cap);
    }
    workgroupBarrier();

    var most = scores[0];
    for (var i = 1u; i < visible; i += 1u) {
        most = max(most, scores[i]);
    }
    var total = 0.0;
    for (var i = 0u; i < visible; i += 1u) {
        total += exp(scores[i] - most);
    }
    let values = params.slots * width;
    for (var e = tid; e < HEAD; e += THREADS) {
        var result = 0.0;
        for (var i = 0u; i < visible; i += 1u) {
            var value: f32;
            if (i <= t) {
                value = v[(t - i) * width + head + e];
            } else {
                value = past[values + (position - i) % params.slots * width + head + e];
            }
            result += exp(scores[i] - most) * value;
        }
        out[t * width + head + e] = result / total;
        let slot = position % params.slots * width + head + e;
        past[slot] = k[t * width + head + e];
        past[values + slot] = v[t * width + head + e];
    }
}
