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
// A thread has neighbouring pieces, so that sums run in the order of ids. Formulas: Gemma 4 specification §13.3.
// Workgroup: 256 threads, one row. Grid: M.

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

// Of each thread: the sum of its probabilities, then what comes before them. The last is the whole tile's.
var<workgroup> sums: array<f32, 257>;
// What the tiles before left.
var<workgroup> found: u32;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let m = wid.x;
    if (m >= state.len) {
        return;
    }
    let row = rows[m];
    let each = (params.n + 255u) / 256u;
    let first = m * params.n + min(tid * each, params.n);
    let end = m * params.n + min((tid + 1u) * each, params.n);
    var sum = 0.0;
    for (var i = first; i < end; i += 1u) {
        let p = exp_below(tempered(a[i]) - row.top) / row.sum;
        sum += p;
        a[i] = p;
    }
    sums[tid] = sum;
    workgroupBarrier();
    if (tid == 0u) {
        var before = 0.0;
        found = row.best;
        if (params.first == 0u) {
            before = picks[m].cumulative;
            found = picks[m].id;
        }
        for (var i = 0u; i < 256u; i += 1u) {
            let next = before + sums[i];
            sums[i] = before;
            before = next;
        }
        sums[256] = before;
    }
    workgroupBarrier();
    // Nothing is picked for a probability of zero.
    let wanted = max(uniform_draw[m], 1.2e-38);
    var before = sums[tid];
    if (before < wanted && sums[tid + 1u] >= wanted) {
        // By rounding none may reach it one by one: then it is the last.
        var i = first;
        for (; i + 1u < end; i += 1u) {
            before += a[i];
            if (before >= wanted) {
                break;
            }
        }
        found = params.row0 + i - m * params.n;
    }
    workgroupBarrier();
    if (tid == 0u) {
        picks[m] = Pick(found, sums[256]);
    }
    for (var i = first; i < end; i += 1u) {
        a[i] *= params.scale;
    }
}
