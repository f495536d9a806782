// Adds the products of unit `at` of matrix M with every row of X to the sums. The unit of column c is base[c] + at, that
// of row t is row[t] + at. With PAIR, M is 0, and the sums of matrix 1 follow those of matrix 0. The including kernel
// has `params`, `x` and, PACKED, `x_scales`.
#for c in 0..COLUMNS
        let unit{{c}} = w{{M}}_load(params.planes[{{M}}], base{{c}} + at);
#endfor
#for c in COLUMNS..SUMS
        let unit{{c}} = w1_load(params.planes[1], base{{c}} + at);
#endfor
#if PACKED && !UNPACK_X
#for c in 0..COLUMNS
        let codes{{c}} = w{{M}}_unit_codes(unit{{c}}, base{{c}} + at);
        let scale{{c}} = w{{M}}_unit_scale(unit{{c}}, base{{c}} + at);
#endfor
#for c in COLUMNS..SUMS
        let codes{{c}} = w1_unit_codes(unit{{c}}, base{{c}} + at);
        let scale{{c}} = w1_unit_scale(unit{{c}}, base{{c}} + at);
#endfor
#for t in 0..ROWS
        {
            let q = x[row{{t}} + at];
            let d = x_scales[row{{t}} + at];
#for c in 0..SUMS
            let dot{{c}} = dot4I8Packed(codes{{c}}.x, q.x) + dot4I8Packed(codes{{c}}.y, q.y)
                + dot4I8Packed(codes{{c}}.z, q.z) + dot4I8Packed(codes{{c}}.w, q.w);
            sum{{t}}[{{c}}] += scale{{c}}.x * d.x * f32(dot{{c}}) - scale{{c}}.y * d.y;
#endfor
        }
#endfor
#else
#for c in 0..COLUMNS
        let values{{c}} = w{{M}}_unpack(unit{{c}}, base{{c}} + at);
#endfor
#for c in COLUMNS..SUMS
        let values{{c}} = w1_unpack(unit{{c}}, base{{c}} + at);
#endfor
#for q in 0..4
#for t in 0..ROWS
        {
#if UNPACK_X
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
#endif
