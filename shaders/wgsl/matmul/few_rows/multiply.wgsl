// Adds the products of a lane's blocks or units of matrix M with every row of X to the sums.
    for (var at = lane; at < steps; at += LANES) {
#include "matmul/few_rows/step.wgsl" with M={{M}}
    }
