// Statistics of the logits of a canvas, from which its entropies follow, a tile of the vocabulary at a time: the logits
// of a step never exist as a whole.
//
//   z_mv = c·tanh(a_mv/c)/T                              c = softcap (0: z = a/T), T the temperature
//   rows[m] = (max z,  Σ e^(z − max),  Σ (z − max)·e^(z − max),  v of the first largest z)
//   entropy of softmax(z_m) = log Σ − (Σ (z − max)·e^(z − max))/Σ
//
// a     f32 [M, n], raw logits of the pieces row0 .. row0 + n;  M = state.len
// rows  [M], merged with what the tiles before left there; begun anew where params.first is not 0
//
// Formulas: Gemma 4 specification §13.3; Milakov & Gimelshein, "Online normalizer calculation for softmax", 2018.
// Workgroup: 256 threads, one row. Grid: M.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> temperature: array<f32>;
var<storage, read> a: array<f32>;
var<storage, read_write> rows: array<Row>;

#include "diffusion/logit.wgsl"
#include "diffusion/row.wgsl"

const NONE = 0xffffffffu;

var<workgroup> partial: array<Row, 256>;

// Two parts of a row. Of equal largest logits the lower id is kept.
fn merged(x: Row, y: Row) -> Row {
    let top = max(x.top, y.top);
    let down = vec2<f32>(x.top - top, y.top - top);
    let share = vec2<f32>(exp_below(down.x), exp_below(down.y));
    var best = min(x.best, y.best);
    if (x.top != y.top) {
        best = select(y.best, x.best, x.top > y.top);
    }
    return Row(
        top,
        x.sum * share.x + y.sum * share.y,
        (x.weighted + x.sum * down.x) * share.x + (y.weighted + y.sum * down.y) * share.y,
        best,
    );
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let m = wid.x;
    if (m >= state.len) {
        return;
    }
    let begin = m * params.n;
    var row = Row(-1.0e30, 0.0, 0.0, NONE);
    for (var i = tid; i < params.n; i += 256u) {
        row = merged(row, Row(tempered(a[begin + i]), 1.0, 0.0, params.row0 + i));
    }
    partial[tid] = row;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half >>= 1u) {
        if (tid < half) {
            partial[tid] = merged(partial[tid], partial[tid + half]);
        }
        workgroupBarrier();
    }
    if (tid == 0u) {
        if (params.first == 0u) {
            rows[m] = merged(rows[m], partial[0]);
        } else {
            rows[m] = partial[0];
        }
    }
}
