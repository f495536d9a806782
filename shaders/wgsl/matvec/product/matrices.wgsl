// Multiplies step `at` of a lane's rows with `x`, for the matrix of the segment, or with PAIR for both.
#if PAIR
#include "matvec/product/rows.wgsl" with M=0, SUM=sum
#include "matvec/product/rows.wgsl" with M=1, SUM=sum_up
#elif SHARED
            if (segment == 0u) {
#include "matvec/product/rows.wgsl" with M=0, SUM=sum
            }
#if THREE
            else if (segment == 2u) {
#include "matvec/product/rows.wgsl" with M=2, SUM=sum
            }
#endif
            else {
#include "matvec/product/rows.wgsl" with M=1, SUM=sum
            }
#else
#include "matvec/product/rows.wgsl" with M=0, SUM=sum
#endif
