// Requantises rows of floats to Q8_0 in the planar layout (shaders/src/planes.rs), for tables that would take too
// much memory as floats.
//
//   d = max |x| / 127 over 32 elements, rounded to a half;  code = round(x / d), 0 where d is 0
//
// Bindings: params, source (raw elements of the piece, at an even offset), planes (the words of the Q8_0 matrix).
// Workgroup: 64. Grid: threads / 64 workgroups over x and y. A thread makes four units, 64 elements, so that it makes
// the whole word of their two scales (see `rows_alignment` in the launcher).

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> source: array<u32>;
var<storage, read_write> planes: array<u32>;

#include "repack/word_at.wgsl"

#if DTYPE == F16
#include "shared/unpack_halves.wgsl"
#endif

// Four elements from element i of the piece on.
fn elements(i: u32) -> vec4<f32> {
#if DTYPE == F32
    let at = params.byte_offset + 4u * i;
    return bitcast<vec4<f32>>(vec4<u32>(word_at(at), word_at(at + 4u), word_at(at + 8u), word_at(at + 12u)));
#else
    let at = params.byte_offset + 2u * i;
    let a = word_at(at);
    let b = word_at(at + 4u);
#if DTYPE == F16
    return vec4<f32>(unpack_halves(a), unpack_halves(b));
#else
    return bitcast<vec4<f32>>(vec4<u32>(a << 16u, a & 0xffff0000u, b << 16u, b & 0xffff0000u));
#endif
#endif
}

// The bits of the half that is nearest to a positive number below the largest half. Packing may flush a subnormal half
// to zero: such a scale is a whole number of 2^-24.
fn half_bits(x: f32) -> u32 {
    if (x < 6.103515625e-5) {
        return u32(round(x * 16777216.0));
    }
    return pack2x16float(vec2<f32>(x, 0.0)) & 0xffffu;
}

// The number that these bits stand for.
fn half_value(bits: u32) -> f32 {
    if (bits < 0x400u) {
        return f32(bits) / 16777216.0;
    }
    return unpack2x16float(bits).x;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = ((group.x + group.y * groups.x) * 64u + lane) * 4u;
    if (first >= params.units) {
        return;
    }
    var scales = 0u;
    // Rows are whole blocks, so a piece is too.
    for (var block = first; block < min(first + 4u, params.units); block += 2u) {
        var largest = vec4<f32>(0.0);
        for (var i = 0u; i < 32u; i += 4u) {
            largest = max(largest, abs(elements(16u * block + i)));
        }
        let most = max(max(largest.x, largest.y), max(largest.z, largest.w));
        let bits = half_bits(min(most / 127.0, 65504.0));
        scales |= bits << ((block - first) * 8u);
        let d = half_value(bits);
        let inverse = select(0.0, 1.0 / d, d > 0.0);
        let lo = params.planes.x + 4u * (params.first_unit + block);
        for (var i = 0u; i < 8u; i += 1u) {
            let codes = vec4<i32>(round(clamp(elements(16u * block + 4u * i) * inverse, vec4<f32>(-127.0), vec4<f32>(127.0))));
            let bytes = vec4<u32>(codes) & vec4<u32>(0xffu);
            planes[lo + i] = bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
        }
    }
    planes[params.planes.z + ((params.first_unit + first) >> 2u)] = scales;
}
