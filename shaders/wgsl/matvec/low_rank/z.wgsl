// Low-rank update with z from a buffer: a separate product computed it (epilogue/shrink.wgsl).

#include "matvec/low_rank/adapter.wgsl"
var<storage, read> z_in: array<vec4<f32>>;
const PORTIONS: u32 = 1u;

#fill read_z
        first.z = z_in[item.z_at];
#endfill

#fill z
        let z = read.z;
#endfill

#include "matvec/low_rank/correct.wgsl"
