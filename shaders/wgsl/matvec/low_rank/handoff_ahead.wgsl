// Output for the next product, which uses low_rank/ahead.wgsl, stored after y: the rows of V are the last matrix;
// the rows of U times the residual stream are an additional segment.

#include "matvec/low_rank/adapter.wgsl"
var<storage, read> stream: array<vec4<f32>>;
const STREAM_QUADS: u32 = {{STREAM}}u / 4u;

// The lane's part of the dot product of row `row` of U with the stream.
fn of_stream(row: u32, lane: u32) -> f32 {
    let base = params.factors_at + row * STREAM_QUADS;
    var sum = 0.0;
    // The loop count is a constant, so that the loads can overlap.
    for (var i = 0u; i < STREAM_QUADS / LANES; i += 1u) {
        let j = lane + i * LANES;
        sum += dot(adapter[base + j], stream[j]);
    }
    let rest = lane + STREAM_QUADS / LANES * LANES;
    if (rest < STREAM_QUADS) {
        sum += dot(adapter[base + rest], stream[rest]);
    }
    return sum;
}

#fill stream_rows
#for r in 0..ROWS
        sum[{{r}}] = of_stream(min(row + {{r}}u, last), lane);
#endfor
#endfill
