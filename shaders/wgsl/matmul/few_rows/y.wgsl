// The rows of Y: f32, or PACK_Y, rounded to int8, as codes and scales (matmul/pack_rows.wgsl).

#if PACK_Y
var<storage, read_write> y: array<vec4<u32>>;
var<storage, read_write> y_scales: array<vec2<f32>>;
#else
var<storage, read_write> y: array<f32>;
#endif
