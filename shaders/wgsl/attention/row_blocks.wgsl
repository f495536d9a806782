// Blocks of rows, which share workgroups of attention/decode.wgsl and the splits of their keys. The last block may have fewer rows.

// Rows of a block, at most `most`, or 1 with fewer splits than `params.rows_shared_from`: one for all blocks of a dispatch.
fn rows_per_block(most: u32) -> u32 {
    if (most <= 1u) {
        return 1u;
    }
    let keys = state.pos + state.len;
    let splits = attention_splits(keys, 1u, params.window, params.min_split_keys, params.max_splits).count;
    return select(1u, most, splits >= params.rows_shared_from);
}
