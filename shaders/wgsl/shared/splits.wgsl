// How the attention of one token is split over the keys, or that of several rows that share their splits. Shared by the kernel
// that writes the partial results (attention/decode.wgsl) and those that merge them (matvec/prologue/merge.wgsl,
// attention/merge.wgsl).
//
// Of `keys` positions (including the token's own) the last `window` are visible (0: all). Of `rows` rows, these are what the first
// one sees; each of the others has one more key behind them. All of them are divided into at most `max_splits` splits of at least
// `min_split_keys` keys, a multiple of 64.

struct Splits {
    first: u32, // position of the first visible key
    run: u32,   // keys per split
    count: u32, // non-empty splits, at least 1
}

fn attention_splits(keys: u32, rows: u32, window: u32, min_split_keys: u32, max_splits: u32) -> Splits {
    var visible = keys;
    if (window != 0u) {
        visible = min(keys, window);
    }
    let first = keys - visible;
    visible += rows - 1u;
    let even = (visible + max_splits - 1u) / max_splits;
    let run = max(min_split_keys, (even + 63u) / 64u * 64u);
    return Splits(first, run, max(1u, (visible + run - 1u) / run));
}
