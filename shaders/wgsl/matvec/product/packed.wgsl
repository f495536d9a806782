// Product: each staged unit of x is rounded to int8 with its own scale, and integers are multiplied, a block of two units at a
// time.

const TILE_BLOCKS: u32 = TILE_UNITS / 2u;

// The int8 values of x: the first units of all blocks, then the second ones. The scales of a block are in `mem`.
var<workgroup> bytes: array<vec4<u32>, TILE_UNITS>;

#include "shared/pack_unit.wgsl"

// Packs the staged unit at `u`, and returns its scale.
fn pack(u: u32) -> vec2<f32> {
    let packed = pack_unit(array<vec4<f32>, 4>(
        mem[u], mem[TILE_UNITS + u], mem[2u * TILE_UNITS + u], mem[3u * TILE_UNITS + u]));
    bytes[u] = packed.codes;
    return packed.scale;
}

#fill product
        let blocks = units / 2u;
        for (var b = tid; b < blocks; b += THREADS) {
            let first = pack(b);
            mem[b] = vec4<f32>(first, pack(TILE_BLOCKS + b));
        }
        workgroupBarrier();
        for (var b = lane; b < blocks; b += LANES) {
            let x = array<vec4<u32>, 2>(bytes[b], bytes[TILE_BLOCKS + b]);
            let xsum = mem[b];
            let at = begin / 2u + b;
#include "matvec/product/matrices.wgsl"
        }
#endfill
