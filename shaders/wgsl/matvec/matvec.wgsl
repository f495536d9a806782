// Matrix–vector product of decode: y = W·x for one token, W quantised, with what comes before and after it fused.
//
//   x = prologue(…)                     [K]
//   y[row] = epilogue(Σ_k W[row,k]·x[k])
//
// Prologues (PROLOGUE):
//   0 plain   x = in
//   1 norm    x = rms(in; w2)
//   2 add     h' = (in + rms(branch; w1))·s;  h_out = h';  x = NORM2 ? rms(h'; w2) : h'
//   3 merge   x = merged partial results of attention/decode.wgsl (flash-decoding: softmax-weighted mean over splits)
//   rms(v; w) = v·(mean(v²) + eps)^-½·w; s is a scalar of `vectors`, or 1.
//   MIX: branch = rms(branch[0..K]; w3) + rms(branch[K..2K]; w4), a dense branch and that of the experts
// Epilogues (EPILOGUE):
//   0 store   y = dot
//   1 geglu   y = gelu_tanh(dot0)·dot1, from two matrices of one shape (gate, up): PAIR
//   2 ple     y = gelu_tanh(dot)·ple[row]
//   3 shrink  y = dot·scales[row mod rank]: z of adapters, W their stacked A; KEEP: x is written out for the product
//             with the weights, which then needs no prologue
//
// SEGS matrices that share x (q, k, v) are done in one dispatch: the workgroups of a segment follow those of the one
// before it.
//
// TAKES and LEAVES are about adapters: see adapters.wgsl.
//
// A workgroup of GROUPS·32 threads stages x in workgroup memory, tile by tile (TILE elements), transposed so that the
// 32 lanes of a group read 32 consecutive vec4s. GROUPS/KSPLIT groups each own ROWS rows; KSPLIT groups share theirs
// and take every KSPLIT-th run of 32 units. Lane l of a group takes unit l, l+32, … of its rows: consecutive lanes
// read consecutive words of a plane. The partial sums of a row meet once, in workgroup memory.
// No subgroup is needed: "32" is a choice of layout, not of hardware.
//
// PACKED: each staged unit is rounded to signed bytes with a scale of its own, and the products are of integers.
//
// Workgroup: GROUPS·32 threads. Grid: workgroups over x and y, as `shaders::grid` lays them out.

#include "shared/planes.wgsl" with P=w0, DTYPE={{DTYPE0}}, BUF=weights0
#if SEGS != 1 || PAIR
#include "shared/planes.wgsl" with P=w1, DTYPE={{DTYPE1}}, BUF=weights1
#endif
#if SEGS == 3
#include "shared/planes.wgsl" with P=w2, DTYPE={{DTYPE2}}, BUF=weights2
#endif
#if EPILOGUE == 1 || EPILOGUE == 2
#include "shared/gelu.wgsl"
#endif
#if TAKES != 0 || LEAVES != 0
#include "matvec/adapters.wgsl"
#endif
#if PROLOGUE == 3
#include "shared/state.wgsl"
#include "shared/splits.wgsl"
#endif

struct Params {
    planes0: vec4<u32>,
    planes1: vec4<u32>,
    planes2: vec4<u32>,
    rows: vec4<u32>,   // rows of each segment; w: grid width in workgroups
    groups: vec4<u32>, // workgroups up to and with each segment; w: offset of x in elements, a multiple of 4
    out: vec4<u32>,    // where each segment's results begin in y; w: where this layer's row begins in ple
    norm: vec4<u32>,   // where w1, w2 and s begin in `vectors` (s: 0xffffffff for 1); w: unused
    merge: vec4<u32>,  // head size, most splits, smallest run, window
    z_at: vec4<u32>,   // where each segment's part of z begins, in vec4s, or 0xffffffff; w: rank in vec4s
    b_at: vec4<u32>,   // where each segment's rows of B begin, in vec4s; w: unused
    // In vec4s. x: where what is taken begins. y: how much it is: heads of attention, workgroups, or the vec4s of v.
    // z: where what is left begins in y. w: where in `adapter` what it is made with begins.
    leavings: vec4<u32>,
    eps: f32,
    dense_norm: u32,   // where w3 begins
    experts_norm: u32, // where w4 begins
    pad0: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> x_in: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights0: array<vec2<u32>>;
#if SEGS != 1 || PAIR
@group(0) @binding(4) var<storage, read> weights1: array<vec2<u32>>;
#endif
#if SEGS == 3
@group(0) @binding(5) var<storage, read> weights2: array<vec2<u32>>;
#endif
#if PROLOGUE == 1 || PROLOGUE == 2
@group(0) @binding({{B_VECTORS}}) var<storage, read> vectors: array<f32>;
#endif
#if PROLOGUE == 2
@group(0) @binding({{B_BRANCH}}) var<storage, read> branch: array<vec4<f32>>;
@group(0) @binding({{B_H_OUT}}) var<storage, read_write> h_out: array<vec4<f32>>;
#endif
#if PROLOGUE == 3
@group(0) @binding({{B_STATE}}) var<storage, read> state: State;
#endif
#if EPILOGUE == 2
@group(0) @binding({{B_PLE}}) var<storage, read> ple: array<f32>;
#endif
#if EPILOGUE == 3
@group(0) @binding({{B_SCALES}}) var<storage, read> scales: array<f32>;
#endif
#if KEEP
@group(0) @binding({{B_X_OUT}}) var<storage, read_write> x_out: array<vec4<f32>>;
#endif

const THREADS: u32 = {{GROUPS}}u * 32u;
const UNITS: u32 = {{K}}u / 16u;
const TILE_UNITS: u32 = {{TILE}}u / 16u;
const TEAMS: u32 = {{GROUPS}}u / {{KSPLIT}}u; // teams of groups, each with rows of its own
const LANES: u32 = 32u * {{KSPLIT}}u;        // lanes that share a row

// Staged x, scratch of the reductions and partial sums, one after the other.
var<workgroup> mem: array<vec4<f32>, {{MEM}}>;
#if PACKED
// Signed bytes of the units of x; what they are worth is in `mem`.
var<workgroup> bytes: array<vec4<u32>, TILE_UNITS>;
#endif

// Where vec4 `j` of the tile goes: lanes next to one another read units next to one another.
fn staged(j: u32) -> u32 {
    return (j & 3u) * TILE_UNITS + (j >> 2u);
}

#if PROLOGUE == 1 || PROLOGUE == 2
fn vector4(offset: u32, j: u32) -> vec4<f32> {
    let i = offset + 4u * j;
    return vec4<f32>(vectors[i], vectors[i + 1u], vectors[i + 2u], vectors[i + 3u]);
}

// Sum over the workgroup; every thread gets it.
fn sum_all(value: vec4<f32>, tid: u32) -> vec4<f32> {
    mem[tid] = value;
    workgroupBarrier();
    if (tid < 16u) {
        var part = mem[tid];
        for (var i = tid + 16u; i < THREADS; i += 16u) {
            part += mem[i];
        }
        mem[tid] = part;
    }
    workgroupBarrier();
    var total = mem[0];
    for (var i = 1u; i < 16u; i += 1u) {
        total += mem[i];
    }
    workgroupBarrier();
    return total;
}
#endif

#if PROLOGUE == 3
// Weights of the splits, [heads, most]: e^(m_s − M) / Σ_s e^(m_s − M)·l_s.
var<workgroup> split_weights: array<f32, {{WEIGHTS}}>;

fn weigh(tid: u32, splits: u32) {
    let most = params.merge.y;
    let pairs = {{K}}u * most; // (m, l) pairs follow the accumulators
    for (var head = tid; head < {{K}}u / params.merge.x; head += THREADS) {
        var top = -3.0e38;
        for (var s = 0u; s < splits; s += 1u) {
            let at = pairs + (head * most + s) * 2u;
            top = max(top, x_in[at >> 2u][at & 3u]);
        }
        var total = 0.0;
        for (var s = 0u; s < splits; s += 1u) {
            let at = pairs + (head * most + s) * 2u;
            let weight = exp(x_in[at >> 2u][at & 3u] - top);
            total += weight * x_in[at >> 2u][(at & 3u) + 1u];
            split_weights[head * most + s] = weight;
        }
        for (var s = 0u; s < splits; s += 1u) {
            split_weights[head * most + s] /= total;
        }
    }
    workgroupBarrier();
}

// Stages one tile of the merged attention result.
fn stage(tile: u32, tid: u32) {
    let head_dim = params.merge.x;
    let most = params.merge.y;
    let splits = attention_splits(state.pos + 1u, params.merge.w, params.merge.z, most).count;
    if (tile == 0u) {
        weigh(tid, splits);
#if TAKES == 2
        sum_partial(tid, splits);
#endif
    }
    let begin = tile * {{TILE}}u / 4u;
    for (var j = tid; j < TILE_UNITS * 4u; j += THREADS) {
        var value = vec4<f32>(0.0);
        if (begin + j < {{K}}u / 4u) {
            let element = (begin + j) * 4u;
            let first = element / head_dim * most;
            let within = element % head_dim;
            for (var s = 0u; s < splits; s += 1u) {
                value += split_weights[first + s] * x_in[((first + s) * head_dim + within) >> 2u];
            }
        }
        mem[staged(j)] = value;
    }
}
#elif PROLOGUE == 0
fn stage(tile: u32, tid: u32) {
#if TAKES == 2
    if (tile == 0u) {
        sum_partial(tid, 1u);
    }
#endif
    let begin = tile * {{TILE}}u / 4u;
    for (var j = tid; j < TILE_UNITS * 4u; j += THREADS) {
        var value = vec4<f32>(0.0);
        if (begin + j < {{K}}u / 4u) {
            value = x_in[(params.groups.w >> 2u) + begin + j];
        }
        mem[staged(j)] = value;
    }
}
#elif PROLOGUE == 1
fn stage(tile: u32, tid: u32) {
    let base = params.groups.w >> 2u;
    var squares = 0.0;
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        let v = x_in[base + j];
        squares += dot(v, v);
    }
    let total = sum_all(vec4<f32>(squares, 0.0, 0.0, 0.0), tid).x;
    let r = inverseSqrt(total / {{K}}.0 + params.eps);
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        mem[staged(j)] = x_in[base + j] * r * vector4(params.norm.y, j);
    }
}
#else
// vec4 `j` of the branch; `r` are the factors of its two norms.
fn branch4(j: u32, r: vec2<f32>) -> vec4<f32> {
#if MIX
    return r.x * branch[j] * vector4(params.dense_norm, j)
        + r.y * branch[{{K}}u / 4u + j] * vector4(params.experts_norm, j);
#else
    return branch[j];
#endif
}

fn stage(tile: u32, tid: u32, first: bool) {
    let base = params.groups.w >> 2u;
    var factors = vec2<f32>(1.0); // of the norms of a mixed branch
#if MIX
    var squares = vec4<f32>(0.0);
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        let dense = branch[j];
        let experts = branch[{{K}}u / 4u + j];
        squares += vec4<f32>(dot(dense, dense), dot(experts, experts), 0.0, 0.0);
    }
    factors = inverseSqrt(sum_all(squares, tid).xy / {{K}}.0 + params.eps);
#endif
    var sums = vec4<f32>(0.0); // Σb², Σh², Σh·b·w, Σ(b·w)²: one reduction for both norms
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        let h = x_in[base + j];
        let b = branch4(j, factors);
        let bw = b * vector4(params.norm.x, j);
        sums += vec4<f32>(dot(b, b), dot(h, h), dot(h, bw), dot(bw, bw));
    }
    sums = sum_all(sums, tid);
    let rb = inverseSqrt(sums.x / {{K}}.0 + params.eps);
    var s = 1.0;
    if (params.norm.z != 0xffffffffu) {
        s = vectors[params.norm.z];
    }
    // mean(h'²) with h' = (h + rb·b·w)·s
    let square = max(0.0, (sums.y + 2.0 * rb * sums.z + rb * rb * sums.w) * s * s / {{K}}.0);
    let r = inverseSqrt(square + params.eps);
#if TAKES == 3
    ahead_factors = vec2<f32>(r * s, rb);
#endif
    for (var j = tid; j < {{K}}u / 4u; j += THREADS) {
        let h = (x_in[base + j] + rb * branch4(j, factors) * vector4(params.norm.x, j)) * s;
        if (first) {
            h_out[j] = h;
        }
#if NORM2
        mem[staged(j)] = h * r * vector4(params.norm.y, j);
#else
        mem[staged(j)] = h;
#endif
    }
}
#endif

#if PACKED
// Rounds staged unit `u` to signed bytes q, x ≈ d·q with d = max|x| / 127, and puts (d, d·Σq) in its place.
fn pack(u: u32) {
    let x = array<vec4<f32>, 4>(
        mem[u], mem[TILE_UNITS + u], mem[2u * TILE_UNITS + u], mem[3u * TILE_UNITS + u]);
    let most4 = max(max(abs(x[0]), abs(x[1])), max(abs(x[2]), abs(x[3])));
    let most = max(max(most4.x, most4.y), max(most4.z, most4.w));
    let inverse = select(0.0, 127.0 / most, most > 0.0);
    let q = vec4<u32>(
        pack4xI8(vec4<i32>(round(x[0] * inverse))), pack4xI8(vec4<i32>(round(x[1] * inverse))),
        pack4xI8(vec4<i32>(round(x[2] * inverse))), pack4xI8(vec4<i32>(round(x[3] * inverse))));
    let ones = 0x01010101u;
    let sum = dot4I8Packed(q.x, ones) + dot4I8Packed(q.y, ones) + dot4I8Packed(q.z, ones) + dot4I8Packed(q.w, ones);
    bytes[u] = q;
    let d = most / 127.0;
    mem[u] = vec4<f32>(d, d * f32(sum), 0.0, 0.0);
}
#endif

@compute @workgroup_size({{THREADS}})
fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_index) tid: u32) {
    let group = wid.y * params.rows.w + wid.x;
    if (group >= params.groups.z) {
        return;
    }
    var segment = 0u;
    var start = group;
#if SEGS != 1
    if (group >= params.groups.x) {
        segment = 1u;
        start = group - params.groups.x;
    }
#endif
#if SEGS == 3 || (SEGS != 1 && LEAVES == 1)
    if (group >= params.groups.y) {
        segment = 2u;
        start = group - params.groups.y;
    }
#endif
    let rows = params.rows[segment];
    let lane = tid % LANES;
    let team = tid / LANES;
    let row = (start * TEAMS + team) * {{ROWS}}u;
    let last = rows - 1u;
    // Rows past the end repeat the last one; their sums are dropped.
    let base0 = min(row, last) * UNITS;
#if ROWS != 1
    let base1 = min(row + 1u, last) * UNITS;
#endif
#if ROWS == 4
    let base2 = min(row + 2u, last) * UNITS;
    let base3 = min(row + 3u, last) * UNITS;
#endif
    var sum = vec4<f32>(0.0);
#if PAIR
    var sum_up = vec4<f32>(0.0);
#endif
#if TAKES != 0
    let first = read_item(item_of(lane % ITEMS, segment, row, last));
#endif
#if TAKES == 2
    read_early(tid);
#endif
#if LEAVES == 2
    let column = read_column(start * ROWS_MADE, rows, tid);
#endif

#if LEAVES == 1
    if (segment == 2u) {
        sum.x = of_stream(min(row, last), lane);
#if ROWS != 1
        sum.y = of_stream(min(row + 1u, last), lane);
#endif
#if ROWS == 4
        sum.z = of_stream(min(row + 2u, last), lane);
        sum.w = of_stream(min(row + 3u, last), lane);
#endif
    } else {
#endif
    for (var tile = 0u; tile * TILE_UNITS < UNITS; tile += 1u) {
#if PROLOGUE == 2
        stage(tile, tid, group == 0u);
#else
        stage(tile, tid);
#endif
        workgroupBarrier();
        let begin = tile * TILE_UNITS;
        let units = min(TILE_UNITS, UNITS - begin);
#if KEEP
        if (group == 0u) {
            for (var j = tid; j < units * 4u; j += THREADS) {
                x_out[begin * 4u + j] = mem[staged(j)];
            }
        }
#endif
#if PACKED
        for (var u = tid; u < units; u += THREADS) {
            pack(u);
        }
        workgroupBarrier();
        for (var u = lane; u < units; u += LANES) {
            let x = bytes[u];
            let xsum = mem[u].xy;
            let at = begin + u;
#else
        for (var u = lane; u < units; u += LANES) {
            let x = array<vec4<f32>, 4>(
                mem[u], mem[TILE_UNITS + u], mem[2u * TILE_UNITS + u], mem[3u * TILE_UNITS + u]);
            let xs4 = x[0] + x[1] + x[2] + x[3];
            let xsum = xs4.x + xs4.y + xs4.z + xs4.w;
            let at = begin + u;
#endif
#if SEGS != 1
            if (segment == 0u) {
#endif
                sum.x += w0_{{DOT}}(params.planes0, base0 + at, x, xsum);
#if ROWS != 1
                sum.y += w0_{{DOT}}(params.planes0, base1 + at, x, xsum);
#endif
#if ROWS == 4
                sum.z += w0_{{DOT}}(params.planes0, base2 + at, x, xsum);
                sum.w += w0_{{DOT}}(params.planes0, base3 + at, x, xsum);
#endif
#if PAIR
                sum_up.x += w1_{{DOT}}(params.planes1, base0 + at, x, xsum);
#if ROWS != 1
                sum_up.y += w1_{{DOT}}(params.planes1, base1 + at, x, xsum);
#endif
#if ROWS == 4
                sum_up.z += w1_{{DOT}}(params.planes1, base2 + at, x, xsum);
                sum_up.w += w1_{{DOT}}(params.planes1, base3 + at, x, xsum);
#endif
#endif
#if SEGS != 1
            }
#if SEGS == 3
            else if (segment == 2u) {
                sum.x += w2_{{DOT}}(params.planes2, base0 + at, x, xsum);
#if ROWS != 1
                sum.y += w2_{{DOT}}(params.planes2, base1 + at, x, xsum);
#endif
#if ROWS == 4
                sum.z += w2_{{DOT}}(params.planes2, base2 + at, x, xsum);
                sum.w += w2_{{DOT}}(params.planes2, base3 + at, x, xsum);
#endif
            }
#endif
            else {
                sum.x += w1_{{DOT}}(params.planes1, base0 + at, x, xsum);
#if ROWS != 1
                sum.y += w1_{{DOT}}(params.planes1, base1 + at, x, xsum);
#endif
#if ROWS == 4
                sum.z += w1_{{DOT}}(params.planes1, base2 + at, x, xsum);
                sum.w += w1_{{DOT}}(params.planes1, base3 + at, x, xsum);
#endif
            }
#endif
        }
        workgroupBarrier();
    }

#if LEAVES == 1
    }
#endif

#if TAKES != 0
    let corrected = correct(first, segment, row, last, lane);
    sum += corrected.one;
#if PAIR
    sum_up += corrected.two;
#endif
#endif

    // Partial sums: a vec4 a lane, a component a row; with PAIR those of `up` follow. Whole vectors are written, for a
    // write of one component may touch its neighbours.
    mem[tid] = sum;
#if PAIR
    mem[THREADS + tid] = sum_up;
#endif
    workgroupBarrier();
    if (tid < TEAMS * {{ROWS}}u) {
        let out_row = start * TEAMS * {{ROWS}}u + tid;
        if (out_row < rows) {
            let first = tid / {{ROWS}}u * LANES;
            let component = tid % {{ROWS}}u;
            var total = 0.0;
            for (var i = 0u; i < LANES; i += 1u) {
                total += mem[first + i][component];
            }
#if PAIR
            var total_up = 0.0;
            for (var i = 0u; i < LANES; i += 1u) {
                total_up += mem[THREADS + first + i][component];
            }
            total = gelu_tanh(total) * total_up;
#endif
#if EPILOGUE == 2
            total = gelu_tanh(total) * ple[params.out.w + out_row];
#endif
#if EPILOGUE == 3
            total *= scales[out_row % (4u * params.z_at.w)];
#endif
            y[params.out[segment] + out_row] = total;
#if LEAVES == 2
            made[tid] = total;
#endif
        }
    }
#if LEAVES == 2
    workgroupBarrier();
    leave_partial(column, start, start * ROWS_MADE, rows, tid);
#endif
}
