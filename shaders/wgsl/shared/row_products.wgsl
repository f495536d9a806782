// The first bindings of a product over rows: params, the planar weights, and which rows there are. These are the rows of
// the state; with EXPERTS those of tiles of pairs, as experts/buckets.wgsl sorts them: expert, first pair, number of pairs.

#if !EXPERTS
#include "shared/state.wgsl"
#endif

{{PARAMS}}
var<uniform> params: Params;
var<storage, read> weights: array<vec2<u32>>;
#if EXPERTS
var<storage, read> tiles: array<vec4<u32>>;
var<storage, read> pairs: array<u32>;
#else
var<storage, read> state: State;
#endif

#include "shared/planes.wgsl" with P=w, DTYPE={{DTYPE}}, BUF=weights
