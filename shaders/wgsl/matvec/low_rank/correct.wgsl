// Adds the low-rank update B·z to the rows of a product: a row of the matrix whose z starts at `z_at` gets Σ_j
// B[row, j]·z[j]. The including file provides z; mostly this needs no dispatch of its own.

// The updates of a group's rows: of the first matrix, and with PAIR of the second.
struct Correction {
    one: vec4<f32>,
    two: vec4<f32>,
}

// The loads for a lane's first item, issued before the product to hide their latency.
struct First {
    b: vec4<f32>,
    z: vec4<f32>,
    u: vec4<f32>,
    scale: vec4<f32>,
}

// An item is one vec4 of a row of B. Items are ordered by vec4, then row, then matrix.
struct Item {
    b_at: u32,
    z_at: u32,  // 0xffffffff: no update
    row: u32,   // index within the group
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
#slot read_z
    }
    return first;
}

#if PAIR
const ITEMS: u32 = 2u * {{ROWS}}u * QUADS;
#else
const ITEMS: u32 = {{ROWS}}u * QUADS;
#endif

// `lane` is the index among the lanes that share the rows from `row` on; `first` holds the loads for item `lane`.
fn correct(first: First, segment: u32, row: u32, last: u32, lane: u32) -> Correction {
    var out = Correction(vec4<f32>(0.0), vec4<f32>(0.0));
    for (var i = lane; i < ITEMS * PORTIONS; i += LANES) {
        let item = item_of(i % ITEMS, segment, row, last);
        var read = first;
        if (i != lane) {
            read = read_item(item);
        }
#slot z
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

#fill begin
    let first = read_item(item_of(lane % ITEMS, segment, row, last));
#endfill

#fill correct
    let corrected = correct(first, segment, row, last, lane);
    sum += corrected.one;
#if PAIR
    sum_up += corrected.two;
#endif
#endfill
