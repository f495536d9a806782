// Adds the products of block `at` of matrix M with every row of X, rounded to int8, to the sums. The block of column c is
// base[c] + at, that of row t is row[t] + at. With PAIR, M is 0, and the sums of matrix 1 follow those of matrix 0. The
// including kernel has `params`, `x` and `x_scales`.
#for c in 0..COLUMNS
        let block{{c}} = w{{M}}_load_block(params.planes[{{M}}], base{{c}} + at);
#endfor
#for c in COLUMNS..SUMS
        let block{{c}} = w1_load_block(params.planes[1], base{{c}} + at);
#endfor
#for c in 0..COLUMNS
        let codes{{c}} = w{{M}}_block_codes(block{{c}});
        let scales{{c}} = w{{M}}_block_scales(block{{c}}, base{{c}} + at);
#endfor
#for c in COLUMNS..SUMS
        let codes{{c}} = w1_block_codes(block{{c}});
        let scales{{c}} = w1_block_scales(block{{c}}, base{{c}} + at);
#endfor
#for t in 0..ROWS
        {
            let q = array<vec4<u32>, 2>(x[2u * (row{{t}} + at)], x[2u * (row{{t}} + at) + 1u]);
            let d = x_scales[row{{t}} + at];
#for c in 0..COLUMNS
            sum{{t}}[{{c}}] += w{{M}}_block_dot(codes{{c}}, scales{{c}}, q, d);
#endfor
#for c in COLUMNS..SUMS
            sum{{t}}[{{c}}] += w1_block_dot(codes{{c}}, scales{{c}}, q, d);
#endfor
        }
#endfor
