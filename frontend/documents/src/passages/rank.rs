//! The order of passages for a question, by BM25.

use std::collections::HashMap;

use super::Passage;
use super::words::words;

/// How much another occurrence of a word counts, and how much the length of a passage: the usual values.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// Returns a score for each passage; 0 if it has no word of the question.
pub fn rank(passages: &[Passage], question: &str) -> Vec<f64> {
    let mut asked = HashMap::new();
    words(question, &mut |word| {
        let next = asked.len();
        asked.entry(word.to_owned()).or_insert(next);
    });
    let mut lengths = Vec::with_capacity(passages.len());
    // How often each passage has each word of the question.
    let mut counts: Vec<HashMap<usize, f64>> = Vec::with_capacity(passages.len());
    for passage in passages {
        let mut length = 0_usize;
        let mut found = HashMap::new();
        let mut take = |word: &str| {
            length += 1;
            if let Some(word) = asked.get(word) {
                *found.entry(*word).or_insert(0.0) += 1.0;
            }
        };
        for heading in &passage.headings {
            words(heading, &mut take);
        }
        words(&passage.text, &mut take);
        lengths.push(length as f64);
        counts.push(found);
    }
    let total = passages.len() as f64;
    let mean = lengths.iter().sum::<f64>() / total.max(1.0);
    let mut having = vec![0.0; asked.len()];
    for word in counts.iter().flat_map(HashMap::keys) {
        having[*word] += 1.0;
    }
    let weights: Vec<f64> =
        having.iter().map(|having| (1.0 + (total - having + 0.5) / (having + 0.5)).ln()).collect();
    let score = |(found, length): (&HashMap<usize, f64>, &f64)| {
        let slope = SATURATION * (1.0 - LENGTH + LENGTH * length / mean.max(1.0));
        found.iter().map(|(word, count)| weights[*word] * count * (SATURATION + 1.0) / (count + slope)).sum()
    };
    counts.iter().zip(&lengths).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    fn passage(text: &str) -> Passage {
        Passage { number: 1, headings: Vec::new(), place: Place::Page(1), text: text.into(), tokens: 1 }
    }

    #[test]
    fn rare_words_count_more_than_common_ones() {
        let passages = [passage("the boat and the sea"), passage("the the the the"), passage("a heron")];
        let scores = rank(&passages, "the boat");
        assert!(scores[0] > scores[1] && scores[1] > 0.0, "{scores:?}");
        assert_eq!(scores[2], 0.0);
    }

    #[test]
    fn headings_count() {
        let below = Passage { headings: vec!["Notice period".into()], ..passage("Three months.") };
        let scores = rank(&[passage("Four weeks."), below], "notice period");
        assert!(scores[1] > scores[0]);
        assert!(rank(&[], "a").is_empty());
    }
}
