// Product: each staged unit of x is rounded to int8 with its own scale, and integers are multiplied.

// The int8 values of x; their scales are in `mem`.
var<workgroup> bytes: array<vec4<u32>, TILE_UNITS>;

#include "shared/pack_unit.wgsl"

// Packs staged unit `u`, and replaces it with its scale.
fn pack(u: u32) {
    let packed = pack_unit(array<vec4<f32>, 4>(
        mem[u], mem[TILE_UNITS + u], mem[2u * TILE_UNITS + u], mem[3u * TILE_UNITS + u]));
    bytes[u] = packed.codes;
    mem[u] = vec4<f32>(packed.scale, 0.0, 0.0);
}

#fill product
        for (var u = tid; u < units; u += THREADS) {
            pack(u);
        }
        workgroupBarrier();
        for (var u = lane; u < units; u += LANES) {
            let x = bytes[u];
            let xsum = mem[u].xy;
            let at = begin + u;
#include "matvec/product/matrices.wgsl"
        }
#endfill
