//! DOCX and EPUB.

use documents::{Error, Format, Place, Section, Span};

use crate::made::{archive, docx, epub};
use crate::read;

#[test]
fn a_word_document_has_headings_lists_tables_and_notes() {
    let body = r#"<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Harbour</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">Ice &amp; </w:t></w:r><w:r><w:t>snow</w:t><w:tab/><w:t>A&#228;</w:t></w:r>
        <w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
        <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>an item</w:t></w:r></w:p>
        <w:p><w:pPr><w:pStyle w:val="Own"/></w:pPr><w:r><w:t>Boats</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Alma</w:t></w:r></w:p><w:p><w:r><w:t>old</w:t></w:r></w:p></w:tc>
        <w:tc><w:p><w:r><w:t>1931</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
        <w:p><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:r><w:t>box</w:t></w:r></mc:Choice>
        <mc:Fallback><w:r><w:t>box</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"#;
    let document = read("a.docx", &docx(body)).unwrap();
    assert_eq!((document.format, document.title.as_deref()), (Format::Docx, Some("A & B")));
    let section = |headings: &[&str], first, last, text: &str| Section {
        headings: headings.iter().map(|heading| (*heading).to_owned()).collect(),
        place: Place::Paragraphs(Span { first, last }),
        text: text.into(),
    };
    let expected = [
        section(&["Harbour"], 1, 3, "Harbour\nIce & snow Aä\n- an item"),
        section(&["Harbour", "Boats"], 4, 7, "Boats\nAlma old | 1931\nbox\nA note."),
    ];
    assert_eq!(document.sections, expected);
}

#[test]
fn a_book_has_chapters_in_the_order_of_its_spine() {
    let first = "<html><head><title/></head><body><h1>Ice</h1><p>The f&#246;rde freezes.</p></body></html>";
    let document = read("a.epub", &epub(&[first, "<p>Spring&nbsp;comes.</p>"])).unwrap();
    assert_eq!((document.format, document.title.as_deref()), (Format::Epub, Some("The book")));
    let places: Vec<_> = document.sections.iter().map(|section| section.place).collect();
    assert_eq!(places, [Place::Chapter(1), Place::Chapter(2)]);
    assert_eq!(document.sections[0].text, "Ice\nThe förde freezes.");
    assert_eq!(document.sections[1].text, "Spring comes.");
}

#[test]
fn the_content_of_an_archive_decides() {
    let word = docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
    assert_eq!(documents::format_of("unnamed", &word), Some(Format::Docx));
    assert_eq!(documents::format_of("unnamed", &epub(&["<p>a"])), Some(Format::Epub));
    assert_eq!(read("a.docx", &archive(&[("x", b"y")])), Err(Error::Damaged { format: Format::Docx }));
    assert_eq!(read("a.zip", &archive(&[("x", b"y")])), Err(Error::Unsupported));
}
