// Epilogue: y = gelu_tanh(dot0)·dot1, for two matrices of the same shape (gate, up): PAIR.

#include "shared/gelu.wgsl"

#fill begin
    var sum_up = vec4<f32>(0.0);
#endfill

#fill partial_sums
    mem[THREADS + tid] = sum_up;
#endfill

#fill fold
    fold_lanes(THREADS + tid, lane);
#endfill

#fill finish
            let total_up = sum_of_lanes(THREADS + first, component);
            total = gelu_tanh(total) * total_up;
#endfill
