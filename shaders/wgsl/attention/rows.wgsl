// Rows of attention over a chunk: a row is a (query, head) pair. Rows run over the heads that share a kv head first, then
// over the queries. Needs params, state, visible_until (with UNTIL) and QUADS, the vec4s per head.

// A row: the index of its head in q and out, and the keys that it sees.
struct Row {
    real: bool,
    at: u32,       // first vec4
    position: u32,
    until: u32,    // one past the last visible position
}

fn row_of(index: u32, kv_head: u32) -> Row {
    let group = params.heads / params.kv_heads;
    let query = index / group;
    let real = query < state.len;
    let position = state.pos + query;
    var until = position + 1u;
#if UNTIL
    if (real) {
        until = max(until, min(visible_until[query], state.pos + state.len));
    }
#endif
    let at = (query * params.heads + kv_head * group + index % group) * QUADS;
    return Row(real, at, position, until);
}

fn sees(row: Row, key: u32) -> bool {
    let looks_from = select(row.position, state.pos, params.together != 0u);
    return row.real && key < row.until && (params.window == 0u || key + params.window > looks_from);
}

// The first key that any of these queries sees, and one past the last.
fn visible(first_query: u32, last_query: u32) -> vec2<u32> {
    var begin = 0u;
    if (params.window != 0u) {
        let looks_from = state.pos + select(first_query, 0u, params.together != 0u);
        begin = max(looks_from + 1u, params.window) - params.window;
    }
    var end = state.pos + last_query + 1u;
#if UNTIL
    for (var i = first_query; i <= last_query; i += 1u) {
        end = max(end, min(visible_until[i], state.pos + state.len));
    }
#endif
    return vec2<u32>(begin, end);
}
