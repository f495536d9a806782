// Widens halves. A device may flush subnormal ones to zero when it unpacks them (WGSL, "Floating Point Evaluation"), and the
// scales of quantised types often are. With the lowest bit of its exponent set, ±m·2^-24 becomes ±(2^-14 + m·2^-24), a
// normal half.

// Two halves.
fn unpack_halves(pair: u32) -> vec2<f32> {
    let subnormal = (vec2<u32>(pair) & vec2<u32>(0x7c00u, 0x7c000000u)) == vec2<u32>(0u);
    let raised = unpack2x16float(pair | 0x04000400u) - unpack2x16float((pair & 0x80008000u) | 0x04000400u);
    return select(unpack2x16float(pair), raised, subnormal);
}

// The half in the low bits of a word.
fn unpack_half(bits: u32) -> f32 {
    return unpack_halves(bits & 0xffffu).x;
}
