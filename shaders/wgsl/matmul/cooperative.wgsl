// Y[T, N] = X[T, K] · W[N, K]ᵀ for the rows of a prefill chunk, by the matrix units of the device: W planar of any
// type, decoded to halves; X halves with a factor for each row (matmul/half_rows.wgsl); sums in f32.
//
// A workgroup computes BM×BN of Y, a subgroup BM/ROWS × BN/COLUMNS of it in matrices of 16×16. It loops over K in
// steps of BK: X is copied and W is decoded, times W_FACTOR, into workgroup memory, rows of BK halves and 8 more, so
// that 8 rows of a matrix are in different banks. The words of the next step are loaded during the products of this
// one, without branches: rows beyond the last are read as the last. A branch around the loads keeps the compiler from
// starting them early (MEASUREMENTS.md). T is state.len: workgroups beyond it return at once.
//
// Where few workgroups would have long rows to multiply, K is split: the grid has a third dimension, and y the sums of each
// part, for rows/group_sum.wgsl.
//
// COLUMN_PRODUCT: Y[T, K] = X[T, N] · W[N, K], where W is stored as for the other product. N is a multiple of BK. A matrix of
// W is loaded from its tile row by row, not column by column.
//
// EXPERTS: W is one of several matrices of a mixture, as in matmul.wgsl: a workgroup takes one tile of
// experts/buckets.wgsl, at most BM pairs of one expert.
//
// Bindings: params, weights (planar, [N, K]), state, X [T, K/8] (eight halves a vec4), factors of X [T],
// Y f32 [T, splits, N]; with COLUMN_PRODUCT X [T, N/8], Y f32 [T, splits, K].
// With EXPERTS: tiles and pairs instead of the state; Y f32 [pairs, y_stride].
// Workgroup: 32·ROWS·COLUMNS, for subgroups of 32. Grid: (ceil(N / BN), ceil(T / BM) or the maximum number of tiles, splits).
// Workgroup memory: 2·(BM + BN)·(BK + 8) + 1024·ROWS·COLUMNS bytes. K is a multiple of BK.

#include "matmul/cooperative/{{DIALECT}}.wgsl"
#include "shared/row_products.wgsl"

var<storage, read> x: array<vec4<u32>>;
var<storage, read> factors: array<f32>;
var<storage, read_write> y: array<f32>;

const BM = {{BM}}u;
const BN = {{BN}}u;
const BK = {{BK}}u;
const SUBGROUPS = {{SUBGROUPS}}u;
const THREADS = {{THREADS}}u;
const EIGHTS = BK / 8u;
// Row strides in the tiles, in vec4s, and units of 16 elements in a row of the tile of W.
const STRIDE = (BK + 8u) / 4u;
#if COLUMN_PRODUCT
const UNITS = BN / 16u;
const W_STRIDE = (BN + 8u) / 4u;
const W_ROWS = BK;
const W_PARTS = 1u;
#else
const UNITS = BK / 16u;
const W_STRIDE = STRIDE;
const W_ROWS = BN / {{COLUMNS}}u;
const W_PARTS = {{COLUMNS}}u;
#endif
// Brings small weights out of the range of subnormal halves.
const W_FACTOR = {{W_FACTOR}}.0;

// The rows of X and W that a subgroup multiplies are an array of their own; columns of W are not.
const X_ROWS = BM / {{ROWS}}u;
var<workgroup> x_tile: array<array<vec4<f16>, X_ROWS * STRIDE>, {{ROWS}}>;
var<workgroup> w_tile: array<array<vec4<f16>, W_ROWS * W_STRIDE>, W_PARTS>;
// A matrix of Y for each subgroup.
var<workgroup> result: array<array<f32, 256>, SUBGROUPS>;

fn halves(pair: vec2<u32>) -> vec4<f16> {
    return vec4<f16>(vec4<f32>(unpack2x16float(pair.x), unpack2x16float(pair.y)));
}

@compute @workgroup_size({{THREADS}})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let n0 = group.x * BN;
#if EXPERTS
    let tile = tiles[group.y]; // expert, first pair, number of pairs
    let count = tile.z;
    // Not `||`: naga would take the return for one that depends on the invocation.
    if ((count == 0u) | (tile.x < params.begin) | (tile.x >= params.end)) {
        return;
    }
    let w0 = (tile.x - params.begin) * params.n;
#else
    let t0 = group.y * BM;
    if (t0 >= state.len) {
        return;
    }
    let count = state.len - t0;
    let w0 = 0u;
#endif
    let x_part = subgroup / {{COLUMNS}}u;
    let w_part = subgroup % {{COLUMNS}}u;
    let m_at = x_part * X_ROWS;
    let n_at = w_part * (BN / {{COLUMNS}}u);
    // Columns of Y, elements of a row of X, units of W between two steps.
#if COLUMN_PRODUCT
    let width = params.units_per_row * 16u;
    let depth = params.n;
    let w_step = BK * params.units_per_row;
#else
    let width = params.n;
    let depth = params.units_per_row * 16u;
    let w_step = UNITS;
#endif
    let steps = depth / BK;
    let first = steps * group.z / grid.z;
    let end = steps * (group.z + 1u) / grid.z;

    // Where this thread reads in the first step.
#for i in 0..X_LOADS
    let x_row{{i}} = min((thread + {{i}}u * THREADS) / EIGHTS, count - 1u);
#if EXPERTS
    let x{{i}}_at = (pairs[tile.y + x_row{{i}}] / params.pairs_per_row) * (depth / 8u) + thread % EIGHTS;
#else
    let x{{i}}_at = (t0 + x_row{{i}}) * (depth / 8u) + thread % EIGHTS;
#endif
#endfor
#for i in 0..W_LOADS
#if COLUMN_PRODUCT
    let w_row{{i}} = (thread + {{i}}u * THREADS) / UNITS;
    let w{{i}}_at = w_row{{i}} * params.units_per_row + min(n0 / 16u + thread % UNITS, params.units_per_row - 1u);
#else
    let w_row{{i}} = min(n0 + (thread + {{i}}u * THREADS) / UNITS, params.n - 1u);
    let w{{i}}_at = (w0 + w_row{{i}}) * params.units_per_row + thread % UNITS;
#endif
#endfor

#for i in 0..M_TILES
#for j in 0..N_TILES
    var y{{i}}_{{j}}: YMatrix;
#endfor
#endfor
#for i in 0..X_LOADS
    var next_x{{i}} = x[x{{i}}_at + first * EIGHTS];
#endfor
#for i in 0..W_LOADS
    var next_w{{i}} = w_load(params.planes, w{{i}}_at + first * w_step);
#endfor

    for (var s = first; s < end; s += 1u) {
#for i in 0..X_LOADS
        {
            let row = (thread + {{i}}u * THREADS) / EIGHTS;
            let at = row % X_ROWS * STRIDE + (thread % EIGHTS) * 2u;
            x_tile[row / X_ROWS][at] = halves(next_x{{i}}.xy);
            x_tile[row / X_ROWS][at + 1u] = halves(next_x{{i}}.zw);
        }
#endfor
#for i in 0..W_LOADS
        {
            let value = w_unpack(next_w{{i}}, w{{i}}_at + s * w_step);
            let row = (thread + {{i}}u * THREADS) / UNITS;
            let at = row % W_ROWS * W_STRIDE + (thread % UNITS) * 4u;
#for q in 0..4
            w_tile[row / W_ROWS][at + {{q}}u] = vec4<f16>(W_FACTOR * value[{{q}}]);
#endfor
        }
#endfor
        workgroupBarrier();

        let next = min(s + 1u, end - 1u);
#for i in 0..X_LOADS
        next_x{{i}} = x[x{{i}}_at + next * EIGHTS];
#endfor
#for i in 0..W_LOADS
        next_w{{i}} = w_load(params.planes, w{{i}}_at + next * w_step);
#endfor
#for k in 0..DEPTHS
        {
#for j in 0..N_TILES
#if COLUMN_PRODUCT
            let w_matrix{{j}} = load_w{{j}}_{{k}}(n_at);
#else
            let w_matrix{{j}} = load_w{{j}}_{{k}}(w_part);
#endif
#endfor
#for i in 0..M_TILES
            let x_matrix{{i}} = load_x{{i}}_{{k}}(x_part);
#for j in 0..N_TILES
            y{{i}}_{{j}} = multiply_add(x_matrix{{i}}, w_matrix{{j}}, y{{i}}_{{j}});
#endfor
#endfor
        }
#endfor
        workgroupBarrier();
    }

    let column = lane % 16u;
#for i in 0..M_TILES
#for j in 0..N_TILES
    store_y(y{{i}}_{{j}}, subgroup);
    workgroupBarrier();
    for (var row = lane / 16u; row < 16u; row += 2u) {
        let m = m_at + {{i}}u * 16u + row;
        let n = n0 + n_at + {{j}}u * 16u + column;
        if (m < count && n < width) {
            let value = result[subgroup][row * 16u + column] * (1.0 / W_FACTOR);
#if EXPERTS
            let pair = pairs[tile.y + m];
            y[pair * params.y_stride + params.y_at + n] = value * factors[pair / params.pairs_per_row];
#else
            y[((t0 + m) * grid.z + group.z) * width + n] = value * factors[t0 + m];
#endif
        }
    }
    workgroupBarrier();
#endfor
#endfor
}
