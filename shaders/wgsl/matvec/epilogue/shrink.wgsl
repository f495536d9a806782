// Epilogue: y = dot·scales[row mod rank]: z of adapters, where W is their stacked A. With KEEP, x is also written,
// so that the product with the weights needs no prologue.

var<storage, read> scales: array<f32>;
#if KEEP
var<storage, read_write> x_out: array<vec4<f32>>;

#fill staged
        if (group == 0u) {
            for (var j = tid; j < units * 4u; j += THREADS) {
                x_out[begin * 4u + j] = mem[staged(j)];
            }
        }
#endfill
#endif

#fill finish
            total *= scales[out_row % (4u * params.quads)];
#endfill
