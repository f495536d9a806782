// Epilogue: y = gelu_tanh(dot)·ple[row].

#include "shared/gelu.wgsl"
var<storage, read> ple: array<f32>;

#fill finish
            total = gelu_tanh(total) * ple[params.ple + out_row];
#endfill
