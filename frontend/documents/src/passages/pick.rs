//! What of a document fits.

use super::Passage;

/// Passages of a document for the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Indices of the passages, in the order of the document.
    pub passages: Vec<usize>,
    /// Passages that are left out.
    pub left_out: usize,
    /// The tokens that they take, with the line that names them.
    pub tokens: usize,
}

/// Takes all passages if they fit `budget` tokens, and otherwise the ones with the best scores that do. A passage without
/// a word of the question is taken only if there is room after all others, from the start of the document.
pub fn pick(
    passages: &[Passage],
    scores: &[f64],
    budget: usize,
    count: &mut dyn FnMut(&str) -> usize,
) -> Choice {
    let score = |index: &usize| scores.get(*index).copied().unwrap_or(0.0);
    let mut order: Vec<_> = (0..passages.len()).collect();
    // A stable sort: equals stay in the order of the document.
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut choice = Choice::default();
    for index in order {
        let passage = &passages[index];
        // The number of the document isn't known here; it is short.
        let tokens = passage.tokens + count(&crate::answer::label(1, passage)) + 2;
        if choice.tokens.saturating_add(tokens) <= budget {
            choice.tokens += tokens;
            choice.passages.push(index);
        }
    }
    choice.passages.sort_unstable();
    choice.left_out = passages.len() - choice.passages.len();
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn passages(count: u32) -> Vec<Passage> {
        let passage = |number| Passage {
            number,
            headings: Vec::new(),
            place: Place::Page(number),
            text: "x y".into(),
            tokens: 2,
        };
        (1..=count).map(passage).collect()
    }

    #[test]
    fn the_best_are_taken_in_the_order_of_the_document() {
        // A passage takes 2 tokens, its label "[1:1] page 1" 3, the lines around 2.
        let choice = pick(&passages(4), &[0.0, 2.0, 0.0, 3.0], 21, &mut words);
        assert_eq!(choice, Choice { passages: vec![0, 1, 3], left_out: 1, tokens: 21 });
        let all = pick(&passages(4), &[0.0; 4], 100, &mut words);
        assert_eq!((all.passages, all.left_out), (vec![0, 1, 2, 3], 0));
        assert!(pick(&passages(2), &[1.0, 1.0], 3, &mut words).passages.is_empty());
    }
}
