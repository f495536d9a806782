// From finished statistics to probabilities, a tile of the vocabulary at a time, and a sample of every row by the inverse
// of its cumulative distribution.
//
//   p_mv = e^(z_mv − max)/Σ                              z as in statistics.wgsl
//   a_mv ← scale·p_mv                                    in place: what the embeddings are summed up with
//   picks[m] = (the first v with Σ_{w ≤ v} p_mw ≥ uniform[m],  Σ p of the tiles so far)
//
// a        f32 [M, n], raw logits of the pieces row0 .. row0 + n;  M = state.len
// rows     [M], finished statistics;  uniform  f32 [M] in 0..1
// picks    [M]; begun anew where params.first is not 0. Where all p together stay below uniform[m], by rounding, the
//          likeliest id is picked.
//
// First a thread takes four neighbouring pieces of each segment of 1024, so that neighbouring threads read neighbouring
// addresses; then it sums eight of those quads, in the order of ids. n is at most 8192.
// Formulas: Gemma 4 specification §13.3. Workgroup: 256 threads, one row. Grid: M.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> temperature: array<f32>;
var<storage, read> uniform_draw: array<f32>;
var<storage, read> rows: array<Row>;
var<storage, read_write> a: array<f32>;
var<storage, read_write> picks: array<Pick>;

#include "diffusion/logit.wgsl"
#include "diffusion/row.wgsl"

struct Pick {
    id: u32,
    cumulative: f32,
}

const SEGMENTS = 8u;

// Probabilities of four neighbouring pieces.
var<workgroup> quads: array<f32, 256u * SEGMENTS>;
// Of each thread: the probabilities of its quads, then those before them in the group of 16 threads.
var<workgroup> before_thread: array<f32, 256>;
// Of each group of 16 threads: their probabilities, then all before them. The last is those of the whole tile.
var<workgroup> before_group: array<f32, 17>;
// What the tiles before left.
var<workgroup> found: u32;

// All probabilities before the quads of a thread.
fn before(tid: u32) -> f32 {
    if (tid == 256u) {
        return before_group[16];
    }
    return before_group[tid / 16u] + before_thread[tid];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let m = wid.x;
    if (m >= state.len) {
        return;
    }
    let row = rows[m];
    let begin = m * params.n;
    for (var s = 0u; s < SEGMENTS; s += 1u) {
        var sum = 0.0;
        let first = s * 1024u + tid * 4u;
        for (var i = first; i < min(first + 4u, params.n); i += 1u) {
            let p = exp_below(tempered(a[begin + i]) - row.top) / row.sum;
            sum += p;
            a[begin + i] = p * params.scale;
        }
        quads[s * 256u + tid] = sum;
    }
    storageBarrier();
    workgroupBarrier();
    var own = 0.0;
    for (var i = 0u; i < SEGMENTS; i += 1u) {
        own += quads[tid * SEGMENTS + i];
    }
    before_thread[tid] = own;
    workgroupBarrier();
    if (tid < 16u) {
        var sum = 0.0;
        for (var i = tid * 16u; i < tid * 16u + 16u; i += 1u) {
            let of_thread = before_thread[i];
            before_thread[i] = sum;
            sum += of_thread;
        }
        before_group[tid] = sum;
    }
    workgroupBarrier();
    if (tid == 0u) {
        var sum = 0.0;
        found = row.best;
        if (params.first == 0u) {
            sum = picks[m].cumulative;
            found = picks[m].id;
        }
        for (var i = 0u; i < 16u; i += 1u) {
            let of_group = before_group[i];
            before_group[i] = sum;
            sum += of_group;
        }
        before_group[16] = sum;
    }
    workgroupBarrier();
    // Nothing is picked for a probability of zero.
    let wanted = max(uniform_draw[m], 1.2e-38);
    var sum = before(tid);
    if (sum < wanted && before(tid + 1u) >= wanted) {
        // By rounding none may reach it one by one: then it is the last.
        var i = tid * SEGMENTS * 4u;
        let end = min(i + SEGMENTS * 4u, params.n);
        for (; i + 1u < end; i += 1u) {
            sum += a[begin + i] / params.scale;
            if (sum >= wanted) {
                break;
            }
        }
        found = params.row0 + i;
    }
    workgroupBarrier();
    if (tid == 0u) {
        picks[m] = Pick(found, before_group[16]);
    }
}
