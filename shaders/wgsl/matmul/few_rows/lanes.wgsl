// Where lanes that share rows of W leave their sums. The including kernel has PASS, THREADS and LANES.

var<workgroup> partial: array<vec4<f32>, PASS * THREADS>;

#include "shared/lane_sums.wgsl" with MEM=partial
