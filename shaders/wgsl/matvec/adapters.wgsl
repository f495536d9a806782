// Corrections of adapters in a product: what a row gets of them, and what a dispatch leaves for the product behind it, so
// that z = A·x of most products needs no dispatch of its own.
//
// A row of the matrix whose z begins at `z_at` gets Σ_j B[row, j]·z[j]. Where z comes from (TAKES):
//   1 z        from a buffer, made by a product of its own (epilogue 3)
//   2 partial  z = scales ⊙ Σ_p part[p], from the workgroups that made x: each left A·x over the rows that it made.
//              Behind attention (PROLOGUE 3) each is weighed as its split is
//   3 ahead    x = rms(h'; w2), h' = (h + rb·b·w1)·s, so z = A·x = r·s·(U·h + rb·V·c) with U = A·diag(w2),
//              V = U·diag(w1)·W, b = W·c: the product that made b has left u = U·h and v = V·c behind it, v first
// What is left behind y for the next product (LEAVES):
//   1 ahead    rows of V are the last matrix; those of U·stream follow it as one segment more
//   2 partial  A·y over the rows of the workgroup: the columns of A are in `adapter`, [row, quads]
//
// QUADS is the rank of all adapters together, in vec4s. `adapter` begins with the scales, one for each element of the rank; B, the columns of A and U are at offsets into it.

const QUADS: u32 = {{QUADS}}u;

@group(0) @binding({{B_ADAPTER}}) var<storage, read> adapter: array<vec4<f32>>;
#if TAKES == 1
@group(0) @binding({{B_Z}}) var<storage, read> z_in: array<vec4<f32>>;
#endif
#if LEAVES == 1
@group(0) @binding({{B_STREAM}}) var<storage, read> stream: array<vec4<f32>>;
const STREAM_QUADS: u32 = {{STREAM}}u / 4u;
#endif

#if TAKES == 2
// Sums of partial z: invocation t sums the quad t mod quads. Nothing is summed further: a row's lanes share them out.
var<workgroup> partial: array<vec4<f32>, THREADS>;

// Invocations that have something to sum, and partial results between two that one of them reads.
const SUMMING: u32 = THREADS / QUADS * QUADS;
const STEP: u32 = THREADS / QUADS;
// Partial results that an invocation reads before all else: by the time they are needed they have come.
const EARLY: u32 = {{EARLY}}u;
var<private> early: array<vec4<f32>, EARLY>;

// Partial result `p` of `count` of the invocation's quad; none beyond the last.
fn read_part(p: u32, count: u32, tid: u32) -> vec4<f32> {
    if (p >= count) {
        return vec4<f32>(0.0);
    }
    return x_in[params.leavings.x + p * QUADS + tid % QUADS];
}

fn read_early(tid: u32) {
    // Behind attention there are as many for each split, one split after the other; how many splits is not known yet.
#if PROLOGUE == 3
    let count = params.leavings.y * params.merge.y;
#else
    let count = params.leavings.y;
#endif
#for i in 0..EARLY
    early[{{i}}] = read_part(tid / QUADS + {{i}}u * STEP, count, tid);
#endfor
}

// Partial result `p` of `count`, as it counts; what lies beyond may be anything.
fn counted(value: vec4<f32>, p: u32, count: u32) -> vec4<f32> {
#if PROLOGUE == 3
    if (p >= count) {
        return vec4<f32>(0.0);
    }
    let heads = params.leavings.y;
    return split_weights[p % heads * params.merge.y + p / heads] * value;
#else
    return value;
#endif
}

// Sums the partial z that lie behind x; `splits` is how many there are of a head, where it is attention that left them.
fn sum_partial(tid: u32, splits: u32) {
    let p = tid / QUADS;
    let count = params.leavings.y * splits;
    var sum = vec4<f32>(0.0);
#for i in 0..EARLY
    sum += counted(early[{{i}}], p + {{i}}u * STEP, count);
#endfor
    for (var i = p + EARLY * STEP; i < count; i += STEP) {
        sum += counted(read_part(i, count, tid), i, count);
    }
    partial[tid] = sum * adapter[tid % QUADS];
}
#endif

#if TAKES != 0
// Corrections of the rows of a group of lanes: of the first matrix, and with PAIR of the second.
struct Correction {
    one: vec4<f32>,
    two: vec4<f32>,
}

// What a lane reads for its first item, before the product: by the time it is needed it has come.
struct First {
    b: vec4<f32>,
    z: vec4<f32>,
    u: vec4<f32>,
    scale: vec4<f32>,
}

// An item is a quad of a row's B: quads first, then rows, then matrices.
struct Item {
    b_at: u32,
    z_at: u32,  // 0xffffffff: the matrix is not corrected
    row: u32,   // among those of the group
    is_two: bool,
}

fn item_of(i: u32, segment: u32, row: u32, last: u32) -> Item {
    let q = i % QUADS;
    let r = i / QUADS;
#if PAIR
    let matrix = r / {{ROWS}}u;
#else
    let matrix = segment;
#endif
    let within = r % {{ROWS}}u;
    var z_at = params.z_at[matrix];
    if (z_at != 0xffffffffu) {
        z_at += q;
    }
    let b_at = params.b_at[matrix] + min(row + within, last) * QUADS + q;
    return Item(b_at, z_at, within, r >= {{ROWS}}u);
}

fn read_item(item: Item) -> First {
    var first = First(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
    if (item.z_at != 0xffffffffu) {
        first.b = adapter[item.b_at];
#if TAKES == 1
        first.z = z_in[item.z_at];
#elif TAKES == 3
        first.z = branch[params.leavings.x + item.z_at];
        first.u = branch[params.leavings.x + params.leavings.y + item.z_at];
        first.scale = adapter[item.z_at % QUADS];
#endif
    }
    return first;
}

#if PAIR
const ITEMS: u32 = 2u * {{ROWS}}u * QUADS;
#else
const ITEMS: u32 = {{ROWS}}u * QUADS;
#endif
#if TAKES == 2
// Lanes that share the sum of one z.
const PORTIONS: u32 = max(LANES / ITEMS, 1u);
#else
const PORTIONS: u32 = 1u;
#endif

// Lane `lane` of those that share the rows from `row` on; `first` is what it read for item `lane`.
fn correct(first: First, segment: u32, row: u32, last: u32, lane: u32) -> Correction {
    var out = Correction(vec4<f32>(0.0), vec4<f32>(0.0));
    for (var i = lane; i < ITEMS * PORTIONS; i += LANES) {
        let item = item_of(i % ITEMS, segment, row, last);
        var read = first;
        if (i != lane) {
            read = read_item(item);
        }
#if TAKES == 1
        let z = read.z;
#elif TAKES == 2
        var z = vec4<f32>(0.0);
        for (var j = i / ITEMS * QUADS + i % QUADS; j < SUMMING; j += PORTIONS * QUADS) {
            z += partial[j];
        }
#else
        let z = ahead_factors.x * (read.u + ahead_factors.y * read.z) * read.scale;
#endif
        let value = select(dot(read.b, z), 0.0, item.z_at == 0xffffffffu);
        let values = select(vec4<f32>(0.0), vec4<f32>(value), vec4<u32>(item.row) == vec4<u32>(0u, 1u, 2u, 3u));
        if (item.is_two) {
            out.two += values;
        } else {
            out.one += values;
        }
    }
    return out;
}
#endif

#if TAKES == 3
var<private> ahead_factors: vec2<f32>; // r·s and rb
#endif

#if LEAVES == 1
// The lane's share of the dot of row `row` of U with the stream.
fn of_stream(row: u32, lane: u32) -> f32 {
    let base = params.leavings.w + row * STREAM_QUADS;
    var sum = 0.0;
    // The number of rounds is known, so that their reads can be under way at the same time.
    for (var i = 0u; i < STREAM_QUADS / LANES; i += 1u) {
        let j = lane + i * LANES;
        sum += dot(adapter[base + j], stream[j]);
    }
    let rest = lane + STREAM_QUADS / LANES * LANES;
    if (rest < STREAM_QUADS) {
        sum += dot(adapter[base + rest], stream[rest]);
    }
    return sum;
}
#endif

#if LEAVES == 2
const ROWS_MADE: u32 = TEAMS * {{ROWS}}u;

// What the workgroup made, by row.
var<workgroup> made: array<f32, ROWS_MADE>;

// The quad of the columns of A that invocation `tid` multiplies first: of the row tid / quads of the workgroup.
fn read_column(first: u32, rows: u32, tid: u32) -> vec4<f32> {
    if (tid / QUADS >= min(ROWS_MADE, rows - first)) {
        return vec4<f32>(0.0);
    }
    return adapter[params.leavings.w + first * QUADS + tid];
}

// Leaves the workgroup's part of A·y; `first` is its first row, `column` what was read before. Uses `mem`.
fn leave_partial(column: vec4<f32>, group: u32, first: u32, rows: u32, tid: u32) {
    let step = THREADS / QUADS;
    let count = min(ROWS_MADE, rows - first);
    var sum = vec4<f32>(0.0);
    if (tid < step * QUADS) {
        for (var i = tid / QUADS; i < count; i += step) {
            var a = column;
            if (i * QUADS > tid) {
                a = adapter[params.leavings.w + (first + i) * QUADS + tid % QUADS];
            }
            sum += made[i] * a;
        }
    }
    mem[tid] = sum;
    workgroupBarrier();
    if (tid < QUADS) {
        var total = vec4<f32>(0.0);
        for (var i = 0u; i < min(step, count); i += 1u) {
            total += mem[i * QUADS + tid];
        }
        let at = 4u * (params.leavings.z + group * QUADS + tid);
        y[at] = total.x;
        y[at + 1u] = total.y;
        y[at + 2u] = total.z;
        y[at + 3u] = total.w;
    }
}
#endif
