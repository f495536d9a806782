// Adds the products of a lane's units of matrix M with every row of X to the sums.
    for (var at = lane; at < units; at += LANES) {
#include "matmul/few_rows/unit.wgsl" with M={{M}}
    }
