// Drafts tokens by n-gram look-up: finds the last tokens of the sequence earlier in it, and takes what followed.
//
//   m(p) = the number of tokens up to position p that equal the last ones, at most LONGEST
//   p    = the position with the largest m(p) ≥ SHORTEST, the latest of several;  none: nothing is drafted
//   tokens[1 + j] = the token at p + 1 + j; behind the end, what follows p again
//
// in   history     u32, token number n of the sequence at n; state.history_len tokens
//      state.len   rows of the step: len − 1 tokens are drafted
// out  tokens      u32 [len]; tokens[0] is the last token already. Without a match the last token is repeated.
//
// After Saxena, "Prompt Lookup Decoding", 2023. Workgroup: 256 threads. Grid: 1.

#include "shared/state.wgsl"

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> state: State;
var<storage, read> history: array<u32>;
var<storage, read_write> tokens: array<u32>;

const THREADS: u32 = 256u;
const LONGEST: u32 = {{LONGEST}}u;

// The length of a match in the upper 5 bits, one more than its position in the others.
var<workgroup> best: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) tid: u32) {
    let count = min(state.history_len, arrayLength(&history));
    var last: array<u32, LONGEST>;
    for (var i = 0u; i < LONGEST; i += 1u) {
        last[i] = history[max(count, i + 1u) - i - 1u];
    }
    var mine = 0u;
    for (var p = tid; p + 1u < count; p += THREADS) {
        var same = 0u;
        while (same < LONGEST && same <= p && history[p - same] == last[same]) {
            same += 1u;
        }
        if (same >= params.shortest) {
            mine = max(mine, (same << 27u) + p + 1u);
        }
    }
    if (tid == 0u) {
        atomicStore(&best, 0u);
    }
    workgroupBarrier();
    if (mine > 0u) {
        atomicMax(&best, mine);
    }
    workgroupBarrier();
    let next = atomicLoad(&best) & 0x7ffffffu;
    for (var j = tid; j + 1u < state.len; j += THREADS) {
        var id = last[0];
        if (next > 0u) {
            id = history[next + j % (count - next)];
        }
        tokens[1u + j] = id;
    }
}
