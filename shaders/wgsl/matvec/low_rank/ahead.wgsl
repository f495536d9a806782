// Correction: x = rms(h'; w2), h' = (h + rb·b·w1)·s, so z = A·x = r·s·(U·h + rb·V·c) with U = A·diag(w2),
// V = U·diag(w1)·W, b = W·c: the product that made b has left u = U·h and v = V·c behind it, v first. With prologue/add.wgsl.

#include "matvec/low_rank/adapter.wgsl"
const PORTIONS: u32 = 1u;

#fill read_z
        first.z = branch[params.input_at + item.z_at];
        first.u = branch[params.input_at + params.input_count + item.z_at];
        first.scale = adapter[item.z_at % QUADS];
#endfill

#fill z
        let z = ahead_factors.x * (read.u + ahead_factors.y * read.z) * read.scale;
#endfill

#include "matvec/low_rank/correct.wgsl"
