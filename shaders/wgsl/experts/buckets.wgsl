// Sorts the choices of a chunk by expert, and splits the pairs of each expert into tiles for matmul/matmul.wgsl.
//
// A pair is a row and one of its choices: number row·USED + place. `pairs` holds the pair numbers sorted by expert,
// ascending within an expert. `tiles` holds (expert, first, count, 0): `count` ≤ BM entries of `pairs`, starting at
// `first`. Empty tiles follow, since the grid is for the worst case.
//
// With an expert cache, these are slots instead of experts, and pairs whose expert is not in the cache are left out.
//
// A workgroup handles one expert. It counts all pairs to find the start of its own, then each thread places the
// pairs from a contiguous range.
//
// Bindings: params, state, choices [T, USED], pairs u32 [T·USED], tiles [capacity]; T = state.len.
// Workgroup: 256. Grid: (EXPERTS, 1, 1).

#include "shared/state.wgsl"
#include "experts/choice.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> choices: array<Choice>;
var<storage, read_write> pairs: array<u32>;
var<storage, read_write> tiles: array<vec4<u32>>;

const THREADS = 256u;
const BM = {{BM}}u;

var<workgroup> counts: array<atomic<u32>, {{EXPERTS}}>;
var<workgroup> own_counts: array<u32, THREADS>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let expert = wid.x;
    for (var e = tid; e < {{EXPERTS}}u; e += THREADS) {
        atomicStore(&counts[e], 0u);
    }
    workgroupBarrier();
    let all = state.len * {{USED}}u;
    let share = (all + THREADS - 1u) / THREADS;
    let begin = min(tid * share, all);
    let end = min(begin + share, all);
    var own = 0u;
    for (var p = begin; p < end; p += 1u) {
        let e = choices[p].expert;
        if (e < {{EXPERTS}}u) {
            atomicAdd(&counts[e], 1u);
        }
        own += u32(e == expert);
    }
    own_counts[tid] = own;
    workgroupBarrier();

    var first = 0u;
    var tile = 0u;
    for (var e = 0u; e < expert; e += 1u) {
        let count = atomicLoad(&counts[e]);
        first += count;
        tile += (count + BM - 1u) / BM;
    }
    let count = atomicLoad(&counts[expert]);
    let mine = (count + BM - 1u) / BM;

    var at = first;
    for (var i = 0u; i < tid; i += 1u) {
        at += own_counts[i];
    }
    for (var p = begin; p < end; p += 1u) {
        if (choices[p].expert == expert) {
            pairs[at] = p;
            at += 1u;
        }
    }
    for (var i = tid; i < mine; i += THREADS) {
        tiles[tile + i] = vec4<u32>(expert, first + i * BM, min(BM, count - i * BM), 0u);
    }
    if (expert == {{EXPERTS}}u - 1u) {
        for (var i = tile + mine + tid; i < params.capacity; i += THREADS) {
            tiles[i] = vec4<u32>(0u);
        }
    }
}
