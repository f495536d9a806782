// Reads the raw bytes of a piece. Needs source, an array<u32>.

// The word at a byte offset.
fn word_at(at: u32) -> u32 {
    let low = source[at >> 2u];
    let shift = (at & 3u) * 8u;
    if (shift == 0u) {
        return low;
    }
    return (low >> shift) | (source[(at >> 2u) + 1u] << (32u - shift));
}
