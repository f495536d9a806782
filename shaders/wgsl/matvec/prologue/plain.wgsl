// Prologue: x is the input.

fn stage(tile: u32, tid: u32, group: u32) {
#if PARTIAL_Z
    if (tile == 0u) {
        sum_partial(tid, 1u);
    }
#endif
    let begin = tile * {{TILE}}u / 4u;
    for (var j = tid; j < TILE_UNITS * 4u; j += THREADS) {
        var value = vec4<f32>(0.0);
        if (begin + j < {{K}}u / 4u) {
            value = x_in[(params.x_offset >> 2u) + begin + j];
        }
        mem[staged(j)] = value;
    }
}
