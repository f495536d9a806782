// Merges the lists begin..end of `lists_in` into the first list of workgroup memory, sorted. The first round takes
// SLOTS / LIST lists, each later one as many as fit in addition to the best so far. The four loads of a thread
// overlap.

fn gather(begin: u32, end: u32, tid: u32) {
    var next = begin;
    var filled = 0u;
    loop {
#for J in 0..4
        let slot_{{J}} = {{J}}u * THREADS + tid;
        let list_{{J}} = next + (slot_{{J}} - filled) / LIST;
        let candidate_{{J}} = lists_in[min(list_{{J}}, end - 1u) * LIST + slot_{{J}} % LIST];
#endfor
#for J in 0..4
        if (slot_{{J}} >= filled) {
            slots[slot_{{J}}] = select(vec2<u32>(0u, NO_ID), candidate_{{J}}, list_{{J}} < end);
        }
#endfor
        workgroupBarrier();
        fold_lists(tid);
        next += (SLOTS - filled) / LIST;
        if (next >= end) {
            break;
        }
        filled = LIST;
    }
}
