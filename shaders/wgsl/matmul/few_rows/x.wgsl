// The rows of X: f32, or PACKED, rounded to int8, as codes and scales (matmul/pack_rows.wgsl).

#if PACKED
var<storage, read> x: array<vec4<u32>>;
#if BLOCKS
var<storage, read> x_scales: array<vec4<f32>>;
#else
var<storage, read> x_scales: array<vec2<f32>>;
#endif
#else
var<storage, read> x: array<vec4<f32>>;
#endif
