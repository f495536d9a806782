// A training sequence: its state and, with SPANS, the rows that attend to each other in both directions
// (`shaders::backward::attention::Span`).

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

// The first row that attends to row j.
fn since(j: u32) -> u32 {
#if SPANS
    return sequence.spans[j].since;
#else
    return j;
#endif
}

// One past the last row that row i attends to.
fn until(i: u32) -> u32 {
#if SPANS
    return min(sequence.spans[i].until, sequence.state.len);
#else
    return i + 1u;
#endif
}
