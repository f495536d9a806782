// Adds the dot products of step `at` of the rows of matrix M to SUM.
#for r in 0..ROWS
                {{SUM}}[{{r}}] += w{{M}}_{{DOT}}(params.planes[{{M}}], base{{r}} + at, x, xsum);
#endfor
