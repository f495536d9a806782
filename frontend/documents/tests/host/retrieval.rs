//! Ten documents in six languages, and questions whose answers are known.

use std::collections::BTreeSet;

use documents::{Passage, Source, citations, pick, prompt, rank, split};

use crate::read;

/// Passages that are looked at for an answer.
const TOP: usize = 5;

struct Case {
    passages: Vec<Passage>,
    /// A question, and words that only the passage with its answer has.
    questions: Vec<(String, String)>,
}

/// About the tokens of a text: ideographs are one each, other letters four to one.
fn tokens(text: &str) -> usize {
    text.chars().map(|letter| if letter as u32 >= 0x1100 { 4 } else { 1 }).sum::<usize>().div_ceil(4)
}

fn cases() -> Vec<Case> {
    let parts = include_str!("files/retrieval.txt").split("# ").skip(1);
    let case = |part: &str| {
        let (questions, text): (Vec<_>, Vec<_>) = part.lines().partition(|line| line.starts_with("? "));
        let document = read("a.md", format!("# {}", text.join("\n\n")).as_bytes()).unwrap();
        let question = |line: &&str| {
            let (question, answer) = line[2..].split_once(" | ").unwrap();
            (question.to_owned(), answer.to_owned())
        };
        Case {
            passages: split(&document, 30, &mut tokens),
            questions: questions.iter().map(question).collect(),
        }
    };
    parts.map(case).collect()
}

/// The passages with the best scores.
fn best(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<_> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order.into_iter().take(TOP).collect()
}

/// Returns the share of questions whose answer is found, and the others.
fn recall<'a>(cases: impl Iterator<Item = (&'a [Passage], &'a Case)>) -> (f64, BTreeSet<String>) {
    let (mut found, mut all, mut missed) = (0, 0, BTreeSet::new());
    for (passages, case) in cases {
        for (question, answer) in &case.questions {
            let with = passages.iter().filter(|passage| passage.text.contains(answer.as_str())).count();
            assert_eq!(with, 1, "{answer}");
            let top = best(&rank(passages, question));
            let hit = top.iter().any(|index| passages[*index].text.contains(answer.as_str()));
            all += 1;
            found += usize::from(hit);
            if !hit {
                missed.insert(question.clone());
            }
        }
    }
    (f64::from(found as u32) / f64::from(all), missed)
}

#[test]
fn answers_are_among_the_best_passages_of_their_document() {
    let cases = cases();
    assert_eq!(cases.len(), 10);
    let (recall, missed) = recall(cases.iter().map(|case| (case.passages.as_slice(), case)));
    println!("recall at {TOP}: {recall:.3}, missed {missed:?}");
    assert!(recall >= 0.9, "{recall} {missed:?}");
}

#[test]
fn answers_are_among_the_best_passages_of_all_documents() {
    let cases = cases();
    let passages: Vec<_> = cases.iter().flat_map(|case| case.passages.clone()).collect();
    assert!(passages.len() > 100, "{}", passages.len());
    let (recall, missed) = recall(cases.iter().map(|case| (passages.as_slice(), case)));
    println!("recall at {TOP} of {}: {recall:.3}, missed {missed:?}", passages.len());
    assert!(recall >= 0.9, "{recall} {missed:?}");
}

#[test]
fn a_question_leads_to_a_place_in_the_document() {
    let cases = cases();
    let passages = &cases[0].passages;
    let (question, answer) = &cases[0].questions[0];
    let choice = pick(passages, &rank(passages, question), 150, &mut tokens);
    assert!(choice.tokens <= 150 && choice.left_out > 0, "{choice:?}");
    let source = Source { number: 3, name: "lease.md", passages, choice: &choice };
    let prompt = prompt(&[source]);
    let line = prompt.lines().position(|line| line.contains(answer.as_str())).unwrap();
    // The model would name the mark above the answer.
    let mark = prompt.lines().take(line).filter(|line| line.starts_with("[3:")).last().unwrap();
    let mark = mark.split(' ').next().unwrap();
    let found = citations(&format!("Three months' rent {mark}."), &[source]);
    let passage = passages.iter().find(|passage| passage.text.contains(answer.as_str())).unwrap();
    assert_eq!((found.len(), found[0].passage, found[0].place), (1, passage.number, passage.place));
}
