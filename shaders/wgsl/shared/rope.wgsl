// Rotary position embedding (RoPE): the cosine and sine of pos·inv_freq_j, without trigonometric functions of large
// angles.
//
// Angle addition: pos = 256·hi + lo. The table holds (cos, sin) of both parts, computed in f64 on the CPU
// (`shaders::rope::table`): first HI_ROWS rows for hi, then 256 rows for lo, each with HALF entries, one per pair.
// Pairs are (j, j + HALF), in NeoX order: x'_j = x_j cos − x_{j+HALF} sin, x'_{j+HALF} = x_{j+HALF} cos + x_j sin.
//
// Arguments: TABLE, a storage buffer array<vec2<f32>>; HALF, half the head size; HI_ROWS, an expression of type u32.

fn rope_cos_sin(pos: u32, j: u32) -> vec2<f32> {
    let a = {{TABLE}}[(pos >> 8u) * {{HALF}}u + j];
    let b = {{TABLE}}[({{HI_ROWS}} + (pos & 255u)) * {{HALF}}u + j];
    return vec2<f32>(a.x * b.x - a.y * b.y, a.y * b.x + a.x * b.y);
}
