// Rounds the results of a workgroup to int8: RESULTS = 16 columns of a row are a unit. The including kernel has Y as codes and
// scales.

#include "shared/pack_unit.wgsl"

// Where the result of a column waits, in row `t` of the pass: behind what the sums of its team read, so that none is overwritten.
fn result_place(t: u32, column: u32) -> u32 {
    return t * THREADS + column / COLUMNS * LANES + FOLDED_LANES + column % COLUMNS;
}

// Stores the results of row `t` of the pass as unit `unit` of Y.
fn pack_results(t: u32, unit: u32) {
    var results: array<vec4<f32>, 4>;
#for q in 0..4
    results[{{q}}] = vec4<f32>(
        partial[result_place(t, 4u * {{q}}u)].x, partial[result_place(t, 4u * {{q}}u + 1u)].x,
        partial[result_place(t, 4u * {{q}}u + 2u)].x, partial[result_place(t, 4u * {{q}}u + 3u)].x);
#endfor
    let packed = pack_unit(results);
    y[unit] = packed.codes;
    y_scales[unit] = packed.scale;
}
