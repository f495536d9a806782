// Adds the products of unit `at` of matrix M with every row of X to the sums. The unit of column c is base[c] + at, that
// of row t is row[t] + at. With PAIR, M is 0, and the sums of matrix 1 follow those of matrix 0. The including kernel
// has `params`, `x` and, PACKED, `x_scales`.
#for c in 0..COLUMNS
        let unit{{c}} = w{{M}}_load(params.planes[{{M}}], base{{c}} + at);
#endfor
#for c in COLUMNS..SUMS
        let unit{{c}} = w1_load(params.planes[1], base{{c}} + at);
#endfor
#for c in 0..COLUMNS
        let values{{c}} = w{{M}}_unpack(unit{{c}}, base{{c}} + at);
#endfor
#for c in COLUMNS..SUMS
        let values{{c}} = w1_unpack(unit{{c}}, base{{c}} + at);
#endfor
#for q in 0..4
#for t in 0..ROWS
        {
#if PACKED
            let value = vec4<f32>(unpack4xI8(x[row{{t}} + at][{{q}}])) * x_scales[row{{t}} + at].x;
#else
            let value = x[(row{{t}} + at) * 4u + {{q}}u];
#endif
#for c in 0..SUMS
            sum{{t}}[{{c}}] += dot(values{{c}}[{{q}}], value);
#endfor
        }
#endfor
#endfor
