// Low-rank update from partial sums: z = scales ⊙ Σ_p part[p]. Each workgroup that computed x wrote A·x over its
// own rows. After attention (MERGED), each part has the weight of its split.

#include "matvec/low_rank/adapter.wgsl"

// Sums of partial z: thread t sums vec4 t mod quads. The lanes of a row add up the rest themselves.
var<workgroup> partial: array<vec4<f32>, THREADS>;

// Number of threads that have something to sum, and the distance between the parts that one of them reads.
const SUMMING: u32 = THREADS / QUADS * QUADS;
const STEP: u32 = THREADS / QUADS;
// Number of parts that a thread loads in advance, to hide the latency.
const EARLY: u32 = {{EARLY}}u;
var<private> early: array<vec4<f32>, EARLY>;
// Lanes that share the sum of one element of z.
const PORTIONS: u32 = max(LANES / ITEMS, 1u);

// Part `p` of `count` of the thread's vec4; zero beyond the last.
fn read_part(p: u32, count: u32, tid: u32) -> vec4<f32> {
    if (p >= count) {
        return vec4<f32>(0.0);
    }
    return x_in[params.input_at + p * QUADS + tid % QUADS];
}

fn read_early(tid: u32) {
    // After attention there are as many parts per split, one split after the other. The number of splits is not
    // known yet.
#if MERGED
    let count = params.input_count * params.max_splits;
#else
    let count = params.input_count;
#endif
#for i in 0..EARLY
    early[{{i}}] = read_part(tid / QUADS + {{i}}u * STEP, count, tid);
#endfor
}

// Part `p` of `count` with its weight. Data beyond the last part is undefined.
fn counted(value: vec4<f32>, p: u32, count: u32) -> vec4<f32> {
#if MERGED
    if (p >= count) {
        return vec4<f32>(0.0);
    }
    let heads = params.input_count;
    return split_weights[p % heads * params.max_splits + p / heads] * value;
#else
    return value;
#endif
}

// Sums the partial z that follow x. `splits` is the number of splits of attention.
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
