// Left behind y for the product behind it, which corrects with low_rank/ahead.wgsl: the rows of V are the last matrix, those
// of U times the stream follow it as one segment more.

#include "matvec/low_rank/adapter.wgsl"
var<storage, read> stream: array<vec4<f32>>;
const STREAM_QUADS: u32 = {{STREAM}}u / 4u;

// The lane's share of the dot of row `row` of U with the stream.
fn of_stream(row: u32, lane: u32) -> f32 {
    let base = params.factors_at + row * STREAM_QUADS;
    var sum = 0.0;
    // The number of rounds is known, so that their reads can be under way at the same time.
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
