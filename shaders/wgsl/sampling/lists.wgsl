// Sorted candidate lists in workgroup memory.
//
// A candidate is a key and a token id. The key is an unsigned integer with the order of the logits; key 0 means "no
// candidate": a removed logit (infinite or NaN) or padding of a list. The better candidate has the larger key, or
// on ties the lower id. The SLOTS slots hold lists of CANDIDATES (1, 64 or 256), best first.
//
// Bitonic networks in flip form (each comparison puts the better candidate first): Batcher, "Sorting networks and
// their applications", 1968.

const LIST: u32 = {{CANDIDATES}}u;
const SLOTS: u32 = {{SLICE}}u;
const THREADS: u32 = 256u;
const NO_ID: u32 = {{NO_ID}}u;

// (key, id) of each slot.
var<workgroup> slots: array<vec2<u32>, SLOTS>;

// The key of a logit, computed from its bits, since comparisons with infinities and NaN may be optimised away. −0
// equals 0.
fn key_of(z: f32) -> u32 {
    let bits = bitcast<u32>(z);
    let magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
        return 0u;
    }
    let key = 0x80000000u + magnitude;
    return select(key, ~key, (bits >> 31u) == 1u && magnitude != 0u);
}

// The logit of a key other than 0.
fn logit_of(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}

fn better(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x > b.x || (a.x == b.x && a.y < b.y);
}

// Puts the better of two candidates first.
fn order(first: u32, second: u32) {
    let a = slots[first];
    let b = slots[second];
    if (better(b, a)) {
        slots[first] = b;
        slots[second] = a;
    }
}

// Sorts each run of LIST slots. Per stage, a thread orders two pairs that are half the slots apart.
fn sort_runs(tid: u32) {
    for (var size = 2u; size <= LIST; size *= 2u) {
        let m = tid & (size / 2u - 1u);
        let a = 2u * tid - m;
        let b = 2u * (tid - m) + size - 1u - m;
        order(a, b);
        order(a + SLOTS / 2u, b + SLOTS / 2u);
        workgroupBarrier();
        for (var stride = size / 4u; stride > 0u; stride /= 2u) {
            let c = 2u * tid - (tid & (stride - 1u));
            order(c, c + stride);
            order(c + SLOTS / 2u, c + SLOTS / 2u + stride);
            workgroupBarrier();
        }
    }
}

// Merges all lists into the first, sorted. To merge two lists, each slot keeps the better of a[i] and b[LIST−1−i]:
// these are the best LIST of both, and form a bitonic sequence.
fn fold_lists(tid: u32) {
    for (var gap = LIST; gap < SLOTS; gap *= 2u) {
        let pairs = SLOTS / (2u * gap);
        for (var i = tid; i < pairs * LIST; i += THREADS) {
            let m = i % LIST;
            let at = i / LIST * (2u * gap);
            let b = slots[at + gap + LIST - 1u - m];
            if (better(b, slots[at + m])) {
                slots[at + m] = b;
            }
        }
        workgroupBarrier();
        for (var stride = LIST / 2u; stride > 0u; stride /= 2u) {
            for (var i = tid; i < pairs * LIST / 2u; i += THREADS) {
                let m = i % max(LIST / 2u, 1u);
                let a = i / max(LIST / 2u, 1u) * (2u * gap) + 2u * m - (m & (stride - 1u));
                order(a, a + stride);
            }
            workgroupBarrier();
        }
    }
}
