// Epilogue: y = gelu_tanh(dot0)·dot1, for two matrices of the same shape (gate, up): PAIR.

#include "shared/gelu.wgsl"

#fill begin
    var sum_up = vec4<f32>(0.0);
#endfill

#fill partial_sums
    mem[THREADS + tid] = sum_up;
#endfill

#fill finish
            var total_up = 0.0;
            for (var i = 0u; i < LANES; i += 1u) {
                total_up += mem[THREADS + first + i][component];
            }
            total = gelu_tanh(total) * total_up;
#endfill
