//! Joining neighbouring symbols in the order of ranks: what all kinds of byte pair encoding share.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What two neighbours can be joined to.
pub(super) struct Join<S> {
    /// Lower ranks are joined first.
    pub rank: u32,
    /// The symbol that takes their place.
    pub joined: S,
}

/// A symbol in a linked list of indices.
struct Node<S> {
    /// `None` once it was joined to its left neighbour.
    symbol: Option<S>,
    previous: usize,
    next: usize,
}

/// No neighbour.
const END: usize = usize::MAX;

/// Joins neighbours until none can be joined: the lowest rank first, on ties the leftmost.
///
/// O(n log n): a linked list of symbols, and a heap of candidate pairs. Candidates that became stale remain in the heap and are
/// skipped when they are popped.
pub(super) fn join_all<S: Copy + Ord>(
    symbols: impl ExactSizeIterator<Item = S>,
    join: impl Fn(S, S) -> Option<Join<S>>,
) -> Vec<S> {
    let last = symbols.len().wrapping_sub(1);
    let mut nodes: Vec<Node<S>> = symbols
        .enumerate()
        .map(|(at, symbol)| Node {
            symbol: Some(symbol),
            previous: at.checked_sub(1).unwrap_or(END),
            next: if at == last { END } else { at + 1 },
        })
        .collect();
    let pair = |nodes: &[Node<S>], left: usize| {
        let node = nodes.get(left)?;
        Some((node.symbol?, nodes.get(node.next)?.symbol?))
    };
    let candidate = |nodes: &[Node<S>], left: usize| {
        let (a, b) = pair(nodes, left)?;
        join(a, b).map(|Join { rank, joined }| Reverse((rank, left, a, b, joined)))
    };
    let mut heap: BinaryHeap<_> = (0..nodes.len()).filter_map(|left| candidate(&nodes, left)).collect();
    while let Some(Reverse((_, left, a, b, joined))) = heap.pop() {
        if pair(&nodes, left) != Some((a, b)) {
            continue;
        }
        let right = nodes[left].next;
        let after = nodes[right].next;
        (nodes[left].symbol, nodes[left].next) = (Some(joined), after);
        nodes[right].symbol = None;
        if after != END {
            nodes[after].previous = left;
        }
        heap.extend(candidate(&nodes, nodes[left].previous));
        heap.extend(candidate(&nodes, left));
    }
    nodes.into_iter().filter_map(|node| node.symbol).collect()
}
