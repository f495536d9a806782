// The adapter buffer. It starts with the scales, one per element of the rank. B, the columns of A, and U follow at
// offsets. QUADS is the total rank of all adapters in vec4s.

const QUADS: u32 = {{QUADS}}u;

var<storage, read> adapter: array<vec4<f32>>;
