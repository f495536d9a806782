//! PDFs of several producers, made from known texts by `files/make.py`.

use std::path::PathBuf;

use documents::{Error, Options, Page};

use crate::{read, text};

/// Each has its text in a file beside it.
const FILES: [&str; 20] = [
    "cairo-plain",
    "damaged-xref",
    "fpdf-arabic",
    "fpdf-hebrew",
    "office",
    "qpdf-aes256",
    "qpdf-objstm",
    "rl-cid-japanese",
    "rl-columns",
    "rl-encrypted-open",
    "rl-form",
    "rl-ocr",
    "rl-rotated",
    "rl-shuffled",
    "rl-table",
    "rl-three",
    "tex-type1",
    "weasy-arabic",
    "weasy-columns",
    "weasy-table",
];

pub fn file(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/host/files").join(name)
}

/// Words of a text. Ideographs are words of their own, as a line may end between any two.
fn words(text: &str) -> Vec<String> {
    let text = text.replace("-\n", "");
    let is_wide = |letter: char| ('\u{3000}'..='\u{9fff}').contains(&letter);
    let spaced: String = text
        .chars()
        .flat_map(|letter| if is_wide(letter) { vec![' ', letter, ' '] } else { vec![letter] })
        .collect();
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// The words to be inserted, deleted or replaced, per word of the truth.
fn word_error_rate(truth: &str, found: &str) -> f64 {
    let (truth, found) = (words(truth), words(found));
    let mut row: Vec<_> = (0..=found.len()).collect();
    for (index, word) in truth.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (at, other) in found.iter().enumerate() {
            let cost = (diagonal + usize::from(word != other)).min(row[at] + 1).min(row[at + 1] + 1);
            diagonal = std::mem::replace(&mut row[at + 1], cost);
        }
    }
    row[found.len()] as f64 / truth.len() as f64
}

#[test]
fn text_layers_are_read_in_order() {
    for name in FILES {
        let truth = std::fs::read_to_string(path(&format!("{name}.txt"))).unwrap();
        let document = read("a.pdf", &file(&format!("{name}.pdf"))).unwrap();
        let rate = word_error_rate(&truth, &text(&document));
        assert!(rate <= 0.05, "{name}: {rate}\n{}", text(&document));
        assert_eq!(document.pages[0], Page::Text, "{name}");
    }
}

#[test]
fn words_are_compared() {
    assert_eq!(word_error_rate("a b c d", "a b c d"), 0.0);
    assert_eq!(word_error_rate("a b c d", "a x c"), 0.5);
    assert_eq!(word_error_rate("北の", "北 の"), 0.0);
}

#[test]
fn headings_come_from_the_size_of_letters() {
    let document = read("a.pdf", &file("office.pdf")).unwrap();
    let headings: Vec<_> = document.sections.iter().map(|section| section.headings.join(" > ")).collect();
    assert_eq!(headings[..3], ["Harbour notes", "Harbour notes > Part 1", "Harbour notes > Part 2"]);
}

#[test]
fn pages_without_text_are_told_apart() {
    let scanned = read("a.pdf", &file("rl-scanned.pdf")).unwrap();
    assert_eq!(scanned.scanned_pages().collect::<Vec<_>>(), [1]);
    assert!(!scanned.has_text());
    assert_eq!(read("a.pdf", &file("rl-form.pdf")).unwrap().pages, [Page::Text, Page::Blank]);
}

#[test]
fn a_locked_file_needs_its_password() {
    let bytes = file("rl-encrypted-locked.pdf");
    assert_eq!(read("a.pdf", &bytes), Err(Error::Encrypted));
    let with = |password| {
        let options = Options { password: Some(password), ..Options::default() };
        documents::read("a.pdf", &bytes, &options, &mut |_| std::ops::ControlFlow::Continue(()))
    };
    assert_eq!(with("wrong"), Err(Error::Encrypted));
    assert!(text(&with("secret").unwrap()).starts_with("The harbour of Larnvik"));
}
