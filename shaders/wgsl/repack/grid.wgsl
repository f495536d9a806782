// The codes of types with a grid (shaders/src/quant/grids.rs). A code is a level, and in the bit above it a sign; with IQ1, that
// bit says whether its eight elements are an eighth less or more.
//
// GRID is the bitmap of the numbers that the entries are, GRID_WORDS its words, GRID_LEN its entries. GRID_OF_EIGHT: an
// entry has eight elements of two bits, each of three levels, otherwise four elements of four bits, each of eight levels.

const BITMAP = array<u32, {{GRID_WORDS}}>({{GRID}});

var<workgroup> entries: array<u32, {{GRID_LEN}}>;

// Every lane writes the entries of some words.
fn fill_grid(lane: u32) {
    var bitmap = BITMAP;
    var next = 0u;
    for (var w = 0u; w < {{GRID_WORDS}}u; w += 1u) {
        var bits = bitmap[w];
        let count = countOneBits(bits);
        if (w % 64u == lane) {
            for (var k = 0u; k < count; k += 1u) {
                var number = 32u * w + firstTrailingBit(bits);
                bits &= bits - 1u;
                var entry = 0u;
#if GRID_OF_EIGHT
                for (var e = 0u; e < 8u; e += 1u) {
                    entry |= (number % 3u) << (2u * e);
                    number /= 3u;
                }
#else
                for (var e = 0u; e < 4u; e += 1u) {
                    entry |= (number & 7u) << (4u * e);
                    number >>= 3u;
                }
#endif
                entries[next + k] = entry;
            }
        }
        next += count;
    }
}

// The signs of unit j, of 16 elements one bit each.
fn signs(block: u32, j: u32) -> u32 {
#if DTYPE == IQ3_S
    return half_at(block + 74u + 2u * j);
#elif DTYPE == IQ2_S
    return half_at(block + 34u + 2u * j);
#elif DTYPE == IQ1_S
    return select(0u, 0xffffu, (half_at(block + 34u + 2u * (j >> 1u)) & 0x8000u) != 0u);
#elif DTYPE == IQ1_M
    let bits = byte_at(block + 32u + j);
    return select(0u, 0xffu, (bits & 8u) != 0u) | select(0u, 0xff00u, (bits & 0x80u) != 0u);
#else
    // Seven bits of eight elements. The eighth makes their number even.
#if DTYPE == IQ3_XXS
    let bits = word_at(block + 66u + 4u * (j >> 1u)) >> (14u * (j & 1u));
    let seven = vec2<u32>(bits & 127u, (bits >> 7u) & 127u);
#elif DTYPE == IQ2_XXS
    let bits = word_at(block + 6u + 8u * (j >> 1u)) >> (14u * (j & 1u));
    let seven = vec2<u32>(bits & 127u, (bits >> 7u) & 127u);
#else
    let bits = word_at(block + 2u + 4u * j);
    let seven = vec2<u32>((bits >> 9u) & 127u, bits >> 25u);
#endif
    let eight = seven | ((countOneBits(seven) & vec2<u32>(1u)) << vec2<u32>(7u));
    return eight.x | (eight.y << 8u);
#endif
}

#if GRID_OF_EIGHT

// The indices of the two entries of unit j.
fn indices(block: u32, j: u32) -> vec2<u32> {
#if DTYPE == IQ2_XXS
    let at = block + 2u + 8u * (j >> 1u) + 2u * (j & 1u);
    return vec2<u32>(byte_at(at), byte_at(at + 1u));
#elif DTYPE == IQ2_XS
    let bits = word_at(block + 2u + 4u * j);
    return vec2<u32>(bits & 511u, (bits >> 16u) & 511u);
#elif DTYPE == IQ2_S
    let high = byte_at(block + 66u + (j >> 1u)) >> (4u * (j & 1u));
    let at = block + 2u + 2u * j;
    return vec2<u32>(byte_at(at) | ((high & 3u) << 8u), byte_at(at + 1u) | ((high & 12u) << 6u));
#elif DTYPE == IQ1_S
    let high = half_at(block + 34u + 2u * (j >> 1u)) >> (6u * (j & 1u));
    let at = block + 2u + 2u * j;
    return vec2<u32>(byte_at(at) | ((high & 7u) << 8u), byte_at(at + 1u) | ((high & 56u) << 5u));
#else
    let high = byte_at(block + 32u + j);
    let at = block + 2u * j;
    return vec2<u32>(byte_at(at) | ((high & 7u) << 8u), byte_at(at + 1u) | ((high & 112u) << 4u));
#endif
}

fn grid_codes(block: u32, j: u32) -> vec4<u32> {
    let i = indices(block, j);
    let pair = vec2<u32>(entries[i.x], entries[i.y]);
    let levels = vec4<u32>(spread_pairs(pair.x), spread_pairs(pair.x >> 8u), spread_pairs(pair.y), spread_pairs(pair.y >> 8u));
    let sign_bits = vec4<u32>(signs(block, j)) >> vec4<u32>(0u, 4u, 8u, 12u);
    return levels | (spread_bits(sign_bits) << vec4<u32>(2u));
}

#else

// The indices of the four entries of unit j.
fn indices(block: u32, j: u32) -> vec4<u32> {
    let low = (vec4<u32>(word_at(block + 2u + 4u * j)) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
#if DTYPE == IQ3_S
    let high = vec4<u32>(byte_at(block + 66u + (j >> 1u)) >> (4u * (j & 1u)));
    return low | (((high >> vec4<u32>(0u, 1u, 2u, 3u)) & vec4<u32>(1u)) << vec4<u32>(8u));
#else
    return low;
#endif
}

fn grid_codes(block: u32, j: u32) -> vec4<u32> {
    let i = indices(block, j);
    let n = vec4<u32>(entries[i.x], entries[i.y], entries[i.z], entries[i.w]);
    // Four bits each over four bytes.
    let levels = (n & vec4<u32>(0xfu)) | ((n & vec4<u32>(0xf0u)) << vec4<u32>(4u))
        | ((n & vec4<u32>(0xf00u)) << vec4<u32>(8u)) | ((n & vec4<u32>(0xf000u)) << vec4<u32>(12u));
    let sign_bits = vec4<u32>(signs(block, j)) >> vec4<u32>(0u, 4u, 8u, 12u);
    return levels | (spread_bits(sign_bits) << vec4<u32>(3u));
}

#endif

// The scale of unit j: an odd number, in units that `d` has.
fn scale(block: u32, j: u32) -> u32 {
#if DTYPE == IQ3_S
    let n = (byte_at(block + 106u + (j >> 2u)) >> (4u * ((j >> 1u) & 1u))) & 15u;
#elif DTYPE == IQ3_XXS
    let n = byte_at(block + 69u + 4u * (j >> 1u)) >> 4u;
#elif DTYPE == IQ2_XXS
    let n = byte_at(block + 9u + 8u * (j >> 1u)) >> 4u;
#elif DTYPE == IQ2_XS
    let n = (byte_at(block + 66u + (j >> 1u)) >> (4u * (j & 1u))) & 15u;
#elif DTYPE == IQ2_S
    let n = (byte_at(block + 74u + (j >> 1u)) >> (4u * (j & 1u))) & 15u;
#elif DTYPE == IQ1_S
    let n = (half_at(block + 34u + 2u * (j >> 1u)) >> 12u) & 7u;
#else
    let n = (half_at(block + 48u + 2u * (j >> 2u)) >> (3u * (j & 3u))) & 7u;
#endif
    return 2u * n + 1u;
}
