// A sequence in training: its state and, with SPANS, which rows see one another beyond the causal order. A row of a picture
// that is seen whole has the picture's first row and the one past its last; any other row t has (t, t + 1).

#include "shared/state.wgsl"

#if SPANS
{{SPAN}}
#endif

struct Sequence {
    state: State,
#if SPANS
    spans: array<Span>,
#endif
}

// The first row that sees row j.
fn since(j: u32) -> u32 {
#if SPANS
    return sequence.spans[j].since;
#else
    return j;
#endif
}

// The first row that row i does not see.
fn until(i: u32) -> u32 {
#if SPANS
    return min(sequence.spans[i].until, sequence.state.len);
#else
    return i + 1u;
#endif
}
