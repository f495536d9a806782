// The weights of matrix M in BUF. BLOCKS: by blocks of 32 elements, for packed products with quantised matrices; otherwise by
// units of 16.

#if BLOCKS
var<storage, read> {{BUF}}: array<vec4<u32>>;
#include "shared/blocks.wgsl" with P=w{{M}}, DTYPE={{DTYPE}}, BUF={{BUF}}
#else
var<storage, read> {{BUF}}: array<vec2<u32>>;
#include "shared/planes.wgsl" with P=w{{M}}, DTYPE={{DTYPE}}, BUF={{BUF}}
#endif
