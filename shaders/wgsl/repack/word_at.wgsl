// Reads the raw bytes of a piece. Needs source, an array<u32>.

// The word at an even byte offset.
fn word_at(at: u32) -> u32 {
    let low = source[at >> 2u];
    if ((at & 2u) == 0u) {
        return low;
    }
    return (low >> 16u) | (source[(at >> 2u) + 1u] << 16u);
}
