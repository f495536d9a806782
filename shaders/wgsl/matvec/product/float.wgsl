// Product: the floats of a unit of x times those of W.

#fill product
        for (var u = lane; u < units; u += LANES) {
            let x = array<vec4<f32>, 4>(
                mem[u], mem[TILE_UNITS + u], mem[2u * TILE_UNITS + u], mem[3u * TILE_UNITS + u]);
            let xs4 = x[0] + x[1] + x[2] + x[3];
            let xsum = xs4.x + xs4.y + xs4.z + xs4.w;
            let at = begin + u;
#include "matvec/product/matrices.wgsl"
        }
#endfill
