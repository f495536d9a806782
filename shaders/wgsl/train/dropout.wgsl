// Dropout on the inputs of A. Whether an element is kept depends only on the seed of the step, the projection and the
// element, so the forward pass, its recomputation and the backward pass agree. The CPU twin is
// `shaders::train::dropout::keeps`.

#include "shared/pcg3d.wgsl"

// Whether element i of row t is kept; `bound` is the dropout probability times 2³².
fn dropout_keeps(seed_lo: u32, seed_hi: u32, salt: u32, t: u32, i: u32, bound: u32) -> bool {
    return pcg3d(vec3<u32>(seed_lo ^ i, seed_hi ^ t, salt)).x >= bound;
}
