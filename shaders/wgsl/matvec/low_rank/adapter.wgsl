// The buffer of adapters: it begins with the scales, one for each element of the rank; B, the columns of A and U are at
// offsets into it. QUADS is the rank of all adapters together, in vec4s.

const QUADS: u32 = {{QUADS}}u;

var<storage, read> adapter: array<vec4<f32>>;
