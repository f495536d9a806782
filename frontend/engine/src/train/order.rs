//! The order of examples.

use crate::split_mix::{mix, shuffled};

/// Returns the indices of the examples for step `step` (from 0): `batch` of `count`. Every example is used once per epoch,
/// in a new order. The result depends only on the arguments, so a training that resumes from a checkpoint uses the
/// same examples.
pub fn order(seed: u64, count: usize, batch: usize, step: u32) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    let first = step as u64 * batch as u64;
    let mut latest: Option<(u64, Vec<usize>)> = None;
    (first..first + batch as u64)
        .map(|position| {
            let (round, place) = (position / count as u64, (position % count as u64) as usize);
            match &latest {
                Some((of, order)) if *of == round => order[place],
                _ => {
                    let key = mix(seed ^ mix(round));
                    let order = shuffled(count, |last| mix(key ^ last));
                    let index = order[place];
                    latest = Some((round, order));
                    index
                }
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_has_every_example_once_a_round() {
        let all: Vec<usize> = (0..7).flat_map(|step| order(5, 7, 3, step)).collect();
        for round in all.chunks(7) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
        }
        assert_ne!(all[..7], all[7..14]);
        assert_ne!(order(5, 7, 7, 0), order(6, 7, 7, 0));
        assert!(order(5, 0, 3, 0).is_empty());
    }
}
