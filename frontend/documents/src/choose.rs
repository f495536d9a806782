//! What of the documents of a conversation the model gets with a question.

use std::collections::BTreeSet;

use crate::{
    Asked, Choice, Document, Given, Passage, Place, Share, Source, Unit, estimate, pick, prompt, rank, split,
};

/// The tokens of a passage.
const PASSAGE: usize = 250;

/// A document that is being chosen from.
struct Candidate<'a> {
    asked: &'a Asked<Document>,
    /// The passages that the model doesn't have.
    passages: Vec<Passage>,
    choice: Choice,
    /// Whether the choice is made.
    is_done: bool,
}

/// Chooses what of some documents the model gets with a question, in at most `budget` tokens as [`estimate`] counts them.
///
/// Documents that fit are given whole. Of the others, half of the budget at most goes to the passages that have words of the question;
/// of one without any, to its beginning. Of a document that the model knows in part, only such passages are added.
#[must_use]
pub fn choose(question: &str, documents: &[Asked<Document>], budget: usize) -> Given {
    let count = &mut estimate as &mut dyn FnMut(&str) -> usize;
    let mut candidates: Vec<_> = documents.iter().map(|asked| Candidate::new(asked, count)).collect();
    let whole: Vec<_> = candidates.iter().map(|it| pick(&it.passages, &[], usize::MAX, count)).collect();
    let total: usize = whole.iter().map(|choice| choice.tokens).sum();
    let share = if total <= budget { budget } else { budget / documents.len().max(1) };
    let mut rest = budget;
    for (it, whole) in candidates.iter_mut().zip(whole) {
        if it.asked.known.is_none() && whole.tokens <= share {
            rest -= whole.tokens;
            (it.choice, it.is_done) = (whole, true);
        }
    }
    choose_fitting(&mut candidates, question, rest.min(budget / 2), count);

    let sources: Vec<_> = candidates
        .iter()
        .filter(|it| !it.choice.passages.is_empty())
        .map(|it| Source {
            number: it.asked.number,
            name: &it.asked.name,
            passages: &it.passages,
            choice: &it.choice,
        })
        .collect();
    let text = prompt(&sources);
    let tokens = u32::try_from(estimate(&text)).unwrap_or(u32::MAX);
    let shares = candidates.iter().filter_map(Candidate::share).collect();
    Given { text, tokens, shares }
}

/// Takes the passages of all documents whose choice isn't made that fit the question best.
fn choose_fitting(
    candidates: &mut [Candidate<'_>],
    question: &str,
    budget: usize,
    count: &mut dyn FnMut(&str) -> usize,
) {
    let mut pool = Vec::new();
    let mut owners = Vec::new();
    for (owner, it) in candidates.iter().enumerate().filter(|(_, it)| !it.is_done) {
        pool.extend(it.passages.iter().cloned());
        owners.extend((0..it.passages.len()).map(|index| (owner, index)));
    }
    let scores = rank(&pool, question);
    let matching: BTreeSet<_> =
        owners.iter().zip(&scores).filter(|(_, score)| **score > 0.0).map(|((owner, _), _)| *owner).collect();
    let fits = |at: usize| {
        let owner = owners[at].0;
        scores[at] > 0.0 || !matching.contains(&owner) && candidates[owner].asked.known.is_none()
    };
    let taken: Vec<_> = (0..pool.len()).filter(|at| fits(*at)).collect();
    let passages: Vec<_> = taken.iter().map(|at| pool[*at].clone()).collect();
    let scores: Vec<_> = taken.iter().map(|at| scores[*at]).collect();
    for index in pick(&passages, &scores, budget, count).passages {
        let (owner, index) = owners[taken[index]];
        candidates[owner].choice.passages.push(index);
    }
}

impl<'a> Candidate<'a> {
    fn new(asked: &'a Asked<Document>, count: &mut dyn FnMut(&str) -> usize) -> Self {
        let mut passages = split(&asked.document, PASSAGE, count);
        if let Some(known) = &asked.known {
            passages.retain(|passage| !known.contains(&passage.number));
        }
        Self { asked, passages, choice: Choice::default(), is_done: false }
    }

    /// What is given of the document; `None` if it is known and nothing is added.
    fn share(&self) -> Option<Share> {
        let chosen: Vec<_> =
            self.choice.passages.iter().filter_map(|index| self.passages.get(*index)).collect();
        if chosen.is_empty() && self.asked.known.is_some() {
            return None;
        }
        let known = self.asked.known.as_ref().map_or(0, Vec::len);
        let parts = |passages: &mut dyn Iterator<Item = &Passage>| {
            let parts: BTreeSet<_> = passages.map(|passage| part(passage.place)).collect();
            parts.len()
        };
        let (mut given, mut of) = (parts(&mut chosen.iter().copied()), parts(&mut self.passages.iter()));
        let mut unit = match self.passages.first().map(|passage| passage.place) {
            Some(Place::Page(_)) => Unit::Pages,
            Some(Place::Chapter(_)) => Unit::Chapters,
            _ => Unit::Passages,
        };
        // If a page is given in part, or more of it is known, the number of pages says nothing.
        let is_part = chosen.len() < self.passages.len();
        if unit == Unit::Passages || known > 0 || is_part && given == of {
            (unit, given, of) = (Unit::Passages, chosen.len(), self.passages.len() + known);
        }
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Some(Share {
            document: self.asked.number,
            passages: chosen.iter().map(|passage| (passage.number, passage.place)).collect(),
            unit,
            given: number(given),
            of: number(of),
        })
    }
}

/// The page or chapter of a place; another place is its own.
fn part(place: Place) -> (u32, u32) {
    match place {
        Place::Page(number) | Place::Chapter(number) => (number, number),
        Place::Lines(span) | Place::Rows(span) | Place::Paragraphs(span) => (span.first, span.last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Page, Section};

    /// A document of pages, each with a word of its own.
    fn pages(words: &[&str]) -> Document {
        let section = |(number, word): (u32, &&str)| Section {
            headings: Vec::new(),
            place: Place::Page(number),
            text: format!("{word} {}", "filler ".repeat(60)),
        };
        Document {
            format: Format::Pdf,
            title: None,
            sections: (1..).zip(words).map(section).collect(),
            pages: vec![Page::Text; words.len()],
            encoding: None,
        }
    }

    fn asked(number: u32, words: &[&str], known: Option<Vec<u32>>) -> Asked<Document> {
        Asked { number, name: format!("{number}.pdf"), document: pages(words), known }
    }

    fn numbers(given: &Given, document: u32) -> Vec<u32> {
        let share = given.shares.iter().find(|share| share.document == document);
        share.map(|share| share.passages.iter().map(|(number, _)| *number).collect()).unwrap_or_default()
    }

    #[test]
    fn what_fits_is_given_whole() {
        let given = choose("zebra?", &[asked(1, &["lion", "zebra"], None)], 1000);
        assert_eq!(numbers(&given, 1), [1, 2]);
        assert_eq!((given.shares[0].given, given.shares[0].of), (2, 2));
        assert!(given.text.contains("[1:2] page 2\nzebra"), "{}", given.text);
        assert!(given.tokens as usize <= 1000);
    }

    #[test]
    fn of_a_long_document_the_fitting_pages_are_given() {
        let words: Vec<_> = ["lion", "zebra", "ape", "cow", "goat", "zebra"].repeat(3);
        let given = choose("Where is the zebra?", &[asked(1, &words, None)], 600);
        assert_eq!(numbers(&given, 1), [2, 6, 8, 12]);
        assert_eq!((given.shares[0].unit, given.shares[0].given, given.shares[0].of), (Unit::Pages, 4, 18));
        assert!(given.text.contains("(1 passage left out)"), "{}", given.text);
        // Without a word in common, the beginning.
        let given = choose("Summarize.", &[asked(1, &words, None)], 600);
        assert_eq!(numbers(&given, 1), [1, 2, 3, 4]);
    }

    #[test]
    fn short_documents_are_whole_beside_long_ones() {
        let words: Vec<_> = ["lion", "zebra", "ape"].repeat(10);
        let given = choose("zebra", &[asked(1, &words, None), asked(2, &["cow"], None)], 600);
        assert_eq!(numbers(&given, 2), [1]);
        assert!(numbers(&given, 1).iter().all(|number| number % 3 == 2), "{given:?}");
        assert!(given.tokens <= 600, "{}", given.tokens);
    }

    #[test]
    fn what_the_model_has_is_not_given_again() {
        let words: Vec<_> = ["lion", "zebra", "ape"].repeat(10);
        let given = choose("zebra", &[asked(1, &words, Some(vec![2, 5]))], 400);
        assert!(!numbers(&given, 1).is_empty());
        assert!(numbers(&given, 1).iter().all(|number| number % 3 == 2 && *number > 5), "{given:?}");
        assert_eq!((given.shares[0].unit, given.shares[0].of), (Unit::Passages, 30));
        let nothing = choose("Thanks.", &[asked(1, &words, Some(vec![2, 5]))], 400);
        assert_eq!(nothing, Given::default());
    }
}
