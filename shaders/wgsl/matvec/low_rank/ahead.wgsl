// Low-rank update with a z computed ahead. x = rms(h'; w2) with h' = (h + rb·b·w1)·s, so z = A·x = r·s·(U·h +
// rb·V·c), where U = A·diag(w2), V = U·diag(w1)·W and b = W·c. The product that computed b also stored u = U·h and
// v = V·c after it, v first. For prologue/add.wgsl.

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
