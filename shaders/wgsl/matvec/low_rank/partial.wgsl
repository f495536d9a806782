// Correction: z = scales ⊙ Σ_p part[p], from the workgroups that made x: each left A·x over the rows that it made. Behind
// attention (MERGED) each is weighed as its split is.

#include "matvec/low_rank/adapter.wgsl"

// Sums of partial z: invocation t sums the quad t mod quads. Nothing is summed further: a row's lanes share them out.
var<workgroup> partial: array<vec4<f32>, THREADS>;

// Invocations that have something to sum, and partial results between two that one of them reads.
const SUMMING: u32 = THREADS / QUADS * QUADS;
const STEP: u32 = THREADS / QUADS;
// Partial results that an invocation reads before all else: by the time they are needed they have come.
const EARLY: u32 = {{EARLY}}u;
var<private> early: array<vec4<f32>, EARLY>;
// Lanes that share the sum of one z.
const PORTIONS: u32 = max(LANES / ITEMS, 1u);

// Partial result `p` of `count` of the invocation's quad; none beyond the last.
fn read_part(p: u32, count: u32, tid: u32) -> vec4<f32> {
    if (p >= count) {
        return vec4<f32>(0.0);
    }
    return x_in[params.input_at + p * QUADS + tid % QUADS];
}

fn read_early(tid: u32) {
    // Behind attention there are as many for each split, one split after the other; how many splits is not known yet.
#if MERGED
    let count = params.input_count * params.most_splits;
#else
    let count = params.input_count;
#endif
#for i in 0..EARLY
    early[{{i}}] = read_part(tid / QUADS + {{i}}u * STEP, count, tid);
#endfor
}

// Partial result `p` of `count`, as it counts; what lies beyond may be anything.
fn counted(value: vec4<f32>, p: u32, count: u32) -> vec4<f32> {
#if MERGED
    if (p >= count) {
        return vec4<f32>(0.0);
    }
    let heads = params.input_count;
    return split_weights[p % heads * params.most_splits + p / heads] * value;
#else
    return value;
#endif
}

// Sums the partial z that lie behind x; `splits` is how many there are of a head, where it is attention that left them.
fn sum_partial(tid: u32, splits: u32) {
    let p = tid / QUADS;
    let count = params.input_count * splits;
    var sum = vec4<f32>(0.0);
#for i in 0..EARLY
    sum += counted(early[{{i}}], p + {{i}}u * STEP, count);
#endfor
    for (var i = p + EARLY * STEP; i < count; i += STEP) {
        sum += counted(read_part(i, count, tid), i, count);
    }
    partial[tid] = sum * adapter[tid % QUADS];
}

#fill z
        var z = vec4<f32>(0.0);
        for (var j = i / ITEMS * QUADS + i % QUADS; j < SUMMING; j += PORTIONS * QUADS) {
            z += partial[j];
        }
#endfill

#include "matvec/low_rank/correct.wgsl"

#fill begin
    read_early(tid);
#endfill
