// How the keys of a chunk are split where its rows alone would leave a large device idle: a short turn behind a long conversation.
// Shared by the kernels that write the partial results (attention/block.wgsl, attention/cooperative.wgsl) and the one that merges
// them (attention/merge.wgsl). Needs params and state.
//
// The partial results, f32 [T, heads, splits, HD + 2]: acc [T, heads, splits, HD], then (m, l) [T, heads, splits, 2].

// Rows that count as a workgroup. Kernels may have fewer or more.
const SPLIT_ROWS: u32 = 32u;
// Most splits, and the keys from which on there is another one.
const SPLIT_MOST: u32 = {{SPLIT_MOST}}u;
const SPLIT_KEYS: u32 = {{SPLIT_KEYS}}u;

// Splits of every row of the chunk; 1: there are no partial results.
fn chunk_splits() -> u32 {
    let blocks = (state.len * (params.heads / params.kv_heads) + SPLIT_ROWS - 1u) / SPLIT_ROWS * params.kv_heads;
    var keys = state.pos + state.len;
    if (params.window != 0u) {
        keys = min(keys, params.window + state.len);
    }
    return clamp(params.workgroups / blocks, 1u, min((keys + SPLIT_KEYS - 1u) / SPLIT_KEYS, SPLIT_MOST));
}

// The keys of a split, of those from x to y, in whole tiles. There may be none.
fn keys_of_split(keys: vec2<u32>, splits: u32, split: u32, tile: u32) -> vec2<u32> {
    let even = (keys.y - keys.x + splits - 1u) / splits;
    let run = (even + tile - 1u) / tile * tile;
    let begin = min(keys.x + split * run, keys.y);
    return vec2<u32>(begin, min(begin + run, keys.y));
}

// The first float of the accumulators of a split. `row` is query · heads + head.
fn acc_at(row: u32, splits: u32, split: u32) -> u32 {
    return (row * splits + split) * {{HD}}u;
}

// Their maximum; the sum follows it.
fn pair_at(row: u32, splits: u32, split: u32) -> u32 {
    return state.len * params.heads * splits * {{HD}}u + (row * splits + split) * 2u;
}
