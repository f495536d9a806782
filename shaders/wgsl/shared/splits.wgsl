// How one token's attention is cut along the keys: shared by the kernel that writes the partial results
// (attention/decode.wgsl) and the one that merges them (matvec/prologue/merge.wgsl).
//
// Of `keys` positions so far (the token's own included) the last `window` are visible (0: all). They are dealt to at
// most `most` splits in runs of a multiple of 64, at least `smallest`.

struct Splits {
    first: u32, // position of the first visible key
    run: u32,   // keys a split
    count: u32, // splits with work, at least 1
}

fn attention_splits(keys: u32, window: u32, smallest: u32, most: u32) -> Splits {
    var visible = keys;
    if (window != 0u) {
        visible = min(keys, window);
    }
    let even = (visible + most - 1u) / most;
    let run = max(smallest, (even + 63u) / 64u * 64u);
    return Splits(keys - visible, run, max(1u, (visible + run - 1u) / run));
}
