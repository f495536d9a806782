// Adds the products of block or unit `at` of matrix M with every row of X to the sums.
#if BLOCKS
#include "matmul/few_rows/block.wgsl" with M={{M}}
#else
#include "matmul/few_rows/unit.wgsl" with M={{M}}
#endif
