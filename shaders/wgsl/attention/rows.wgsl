// Rows of attention over a chunk: a row is a (query, head) pair. Rows run over the heads that share the kv head first, then
// over the queries. Needs params, state, visible_until (with UNTIL) and QUADS, the vec4s per head.

// A row: the index of its head in q and out, and the keys that it sees.
struct Row {
    real: bool,
    at: u32,       // first vec4
    since: u32,    // the first visible position
    until: u32,    // one past the last visible position
}

// The first position that a query sees, and one past the last.
fn bounds(query: u32) -> vec2<u32> {
    let position = state.pos + query;
    let looks_from = select(position, state.pos, params.together != 0u);
    var since = 0u;
    if (params.window != 0u) {
        since = max(looks_from + 1u, params.window) - params.window;
    }
    var until = position + 1u;
#if UNTIL
    let ahead = visible_until[query];
    if (params.texts != 0u) {
        since = max(since, visible_until[state.len + query]);
        until = select(ahead, min(ahead, position + params.window), params.window != 0u);
    } else {
        until = max(until, min(ahead, state.pos + state.len));
    }
#endif
    return vec2<u32>(since, until);
}

fn row_of(index: u32, kv_head: u32) -> Row {
    let group = params.heads / params.kv_heads;
    let query = index / group;
    let real = query < state.len;
    let seen = bounds(min(query, state.len - 1u));
    let at = (query * params.heads + kv_head * group + index % group) * QUADS;
    return Row(real, at, seen.x, seen.y);
}

fn sees(row: Row, key: u32) -> bool {
    return row.real && key >= row.since && key < row.until;
}

// The first key that any of these queries sees, and one past the last.
fn visible(first_query: u32, last_query: u32) -> vec2<u32> {
    let begin = bounds(first_query).x;
    var end = state.pos + last_query + 1u;
#if UNTIL
    end = 0u;
    for (var i = first_query; i <= last_query; i += 1u) {
        end = max(end, bounds(i).y);
    }
#endif
    return vec2<u32>(begin, end);
}
