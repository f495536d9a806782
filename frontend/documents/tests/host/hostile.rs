//! Files that are made to break a reader.

use std::ops::ControlFlow;

use documents::{Document, Error, Limits, Options, Page};
use proptest::prelude::*;

use crate::made::{archive, docx, epub, packed, pdf, stream};
use crate::pdf::file;

const LIMITS: Limits =
    Limits { bytes: 1 << 20, unpacked: 4 << 20, text: 1 << 20, pages: 100, parts: 300_000, depth: 64 };

fn read_within(name: &str, bytes: &[u8], limits: Limits) -> Result<Document, Error> {
    let options = Options { limits, ..Options::default() };
    documents::read(name, bytes, &options, &mut |_| ControlFlow::Continue(()))
}

fn read(name: &str, bytes: &[u8]) -> Result<Document, Error> {
    read_within(name, bytes, LIMITS)
}

#[test]
fn archives_that_grow_are_refused() {
    let zeros = vec![b' '; 5 << 20];
    let expands = Err(Error::Expands { limit: LIMITS.unpacked });
    assert_eq!(read("a.docx", &archive(&[("word/document.xml", &zeros)])), expands);
    // Each is below the limit, all together are not.
    let chapter = format!("<p>a<!--{}-->", " ".repeat(1 << 20));
    assert_eq!(read("a.epub", &epub(&[chapter.as_str(); 5])), expands);
    assert_eq!(read("a.epub", &epub(&["<p>a"; 101])), Err(Error::TooManyPages { pages: 101, limit: 100 }));
    let text = format!("<p>{}", "words ".repeat(200_000));
    assert_eq!(read("a.epub", &epub(&[&text])), Err(Error::Expands { limit: LIMITS.text }));
}

#[test]
fn deep_elements_are_refused_and_entities_are_not_expanded() {
    let deep = "<w:p>".repeat(100);
    assert_eq!(read("a.docx", &docx(&deep)), Err(Error::TooDeep { limit: 64 }));
    let entity =
        "<!DOCTYPE d [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><d><w:p><w:t>x&b;y</w:t></w:p></d>";
    let document = read("a.docx", &archive(&[("word/document.xml", entity.as_bytes())])).unwrap();
    assert_eq!(document.sections[0].text, "xy");
    // HTML has no depth for this reader.
    assert!(read("a.html", "<div>".repeat(20_000).as_bytes()).is_ok());
    assert!(read("a.json", "[".repeat(100_000).as_bytes()).is_ok());
}

/// A page with a content and resources.
fn page(content: &str, resources: &str, more: &[String]) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << {resources} >> >>"),
        content.to_owned(),
    ];
    objects.extend_from_slice(more);
    pdf(&objects)
}

#[test]
fn a_page_written_by_hand_is_read() {
    let font = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";
    let bytes = page(&stream("", "BT /F 12 Tf 50 700 Td (Hello) Tj ET"), font, &[]);
    assert_eq!(read("a.pdf", &bytes).unwrap().sections[0].text, "Hello");
}

#[test]
fn streams_that_grow_are_refused() {
    let zeros = vec![b' '; 5 << 20];
    let expands = Err(Error::Expands { limit: LIMITS.unpacked });
    assert_eq!(read("a.pdf", &page(&packed("", &zeros), "", &[])), expands);
    // Small each time, but drawn often.
    let form = packed("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", &vec![b' '; 1 << 20]);
    let bytes = page(&stream("", &"/X Do ".repeat(50)), "/XObject << /X 5 0 R >>", &[form]);
    assert_eq!(read("a.pdf", &bytes), expands);
}

#[test]
fn forms_that_draw_one_another_are_refused() {
    let form = |next: usize| {
        let entries = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {next} 0 R >> >>"
        );
        stream(&entries, &"/X Do ".repeat(10))
    };
    let drawn =
        |forms: &[String]| read("a.pdf", &page(&stream("", "/X Do"), "/XObject << /X 5 0 R >>", forms));
    // A circle ends with the form that is being drawn. A chain draws its last form 10^12 times.
    assert_eq!(drawn(&[form(5)]).unwrap().pages, [Page::Blank]);
    let chain: Vec<_> = (6..18).map(form).collect();
    assert_eq!(drawn(&chain), Err(Error::Expands { limit: LIMITS.parts }));
    let deep: Vec<_> = (6..40).map(form).collect();
    assert_eq!(drawn(&deep), Err(Error::TooDeep { limit: 16 }));
}

#[test]
fn fonts_with_huge_tables_are_refused() {
    let drawn = |font: &str, more: &[String]| {
        let fonts = format!("/Font << /F << /Type /Font {font} >> >>");
        read("a.pdf", &page(&stream("", "BT /F 12 Tf <0001> Tj ET"), &fonts, more))
    };
    let composite = |entries: &str, more: &[String]| {
        let descendant = format!("<< /Subtype /CIDFontType2 /BaseFont /A {entries} >>");
        drawn(&format!("/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [{descendant}]"), more)
    };
    let expands = Err(Error::Expands { limit: LIMITS.unpacked });
    assert!(composite("/W [0 65535 500 1 [600 700]] /W2 [0 9 1 2 3 4 [5 6 7]]", &[]).is_ok());
    assert_eq!(composite("/W [0 4294967295 500]", &[]), expands);
    assert_eq!(composite("/W2 [0 4294967295 1 2 3]", &[]), expands);
    assert_eq!(composite(&format!("/W [{}]", "0 65535 500 ".repeat(100)), &[]), expands);
    let shared = format!("[{}]", "5 ".repeat(10_000));
    assert_eq!(composite(&format!("/W [{}]", "0 5 0 R ".repeat(100)), &[shared]), expands);
    assert_eq!(drawn("/Subtype /Type1 /FirstChar 4294967295 /LastChar 4294967295 /Widths [5]", &[]), expands);
    let map = stream("", &"/UniGB-UTF16-H usecmap ".repeat(100));
    assert_eq!(drawn("/Subtype /Type0 /Encoding /Identity-H /ToUnicode 5 0 R", &[map]), expands);
}

#[test]
fn loops_and_nests_of_objects_end() {
    let tree = |kids: &str| {
        pdf(&["<< /Type /Catalog /Pages 2 0 R >>".into(), format!("<< /Type /Pages /Kids [{kids}] >>")])
    };
    for kids in ["2 0 R", "<< /Type /Pages /Kids [2 0 R] >>", &"[".repeat(50_000)] {
        // Whatever comes of it.
        read("a.pdf", &tree(kids)).ok();
    }
    assert_eq!(read("a.pdf", &tree(&"<</A ".repeat(50_000))), Err(Error::TooDeep { limit: 64 }));
    let many = "<< /Type /Page >> ".repeat(101);
    assert_eq!(read("a.pdf", &tree(&many)), Err(Error::TooManyPages { pages: 101, limit: 100 }));
    let nested = format!("BT {} ET", "[".repeat(50_000));
    read("a.pdf", &page(&stream("", &nested), "", &[])).ok();
}

#[test]
fn every_call_of_the_callback_can_cancel() {
    let word = docx(&"<w:p><w:t>a</w:t></w:p>".repeat(3000));
    for (name, bytes) in
        [("a.pdf", file("rl-columns.pdf")), ("a.docx", word), ("a.md", b"# a\n".repeat(9000))]
    {
        let mut calls = 0;
        documents::read(name, &bytes, &Options::default(), &mut |_| {
            calls += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(calls > 2, "{name}: {calls}");
        for stop in 1..=calls {
            let mut call = 0;
            let result = documents::read(name, &bytes, &Options::default(), &mut |_| {
                call += 1;
                if call == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!((result, call), (Err(Error::Canceled), stop), "{name}");
        }
    }
}

/// One change of a file.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Cut(usize, usize),
    Repeat(usize, usize),
    Swap(usize, usize, usize),
    Number(usize, u32),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<usize>;
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (place(), 1_usize..400).prop_map(|(at, length)| Change::Cut(at, length)),
        (place(), 1_usize..400).prop_map(|(at, length)| Change::Repeat(at, length)),
        (place(), place(), 1_usize..60).prop_map(|(from, to, length)| Change::Swap(from, to, length)),
        (place(), any::<u32>()).prop_map(|(at, number)| Change::Number(at, number)),
    ]
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        let place = |at: &usize| at % bytes.len();
        let range = |at: &usize, length: usize| place(at)..(place(at) + length).min(bytes.len());
        match change {
            Change::Set(at, byte) => {
                let at = place(at);
                bytes[at] = *byte;
            }
            Change::Cut(at, length) => drop(bytes.drain(range(at, *length))),
            Change::Repeat(at, length) => {
                let part = bytes[range(at, *length)].to_vec();
                let at = place(at);
                bytes.splice(at..at, part);
            }
            Change::Swap(from, to, length) => {
                let part = bytes[range(from, *length)].to_vec();
                let to = range(to, part.len());
                bytes.splice(to, part);
            }
            // The next number in the text becomes another one.
            Change::Number(at, number) => {
                let at = place(at);
                if let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|start| start + at) {
                    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    bytes.splice(start..start + length, number.to_string().into_bytes());
                }
            }
        }
    }
    bytes
}

/// Reads a changed file; any result will do, within the limits.
fn check(name: &str, bytes: &[u8], changes: &[Change]) -> Result<(), TestCaseError> {
    if let Ok(document) = read(name, &changed(bytes, changes)) {
        let length: usize = document.sections.iter().map(|section| section.text.len()).sum();
        prop_assert!(length as u64 <= LIMITS.text * 2);
        prop_assert!(document.pages.len() <= LIMITS.pages as usize);
        let mut count = |text: &str| text.len().div_ceil(4);
        let passages = documents::split(&document, 100, &mut count);
        prop_assert!(passages.iter().all(|passage| passage.tokens <= 100));
    }
    Ok(())
}

/// Files without packed parts, of which a change reaches the reader.
fn plain_files() -> Vec<(&'static str, Vec<u8>)> {
    let font = "/Font << /F << /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 5 0 R /DescendantFonts \
        [<< /Subtype /CIDFontType2 /BaseFont /A /W [0 [500 600] 3 9 700] /DW 1000 /FontDescriptor << >> >>] >> >>";
    let map = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange \
        2 beginbfrange <0000> <00FF> <0041> <0100> <0102> [<0041> <00420043> <D835DC00>] endbfrange endcmap end";
    let content = "q 1 0 0 1 10 10 cm BT /F 12 Tf 14 TL 50 700 Td [<00010002> -250 <0100>] TJ T* (\\000\\001) ' ET Q /X Do";
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Matrix [1 0 0 1 5 5]",
        "BT /F 9 Tf <0003> Tj ET",
    );
    vec![
        (
            "a.pdf",
            page(&stream("", content), &format!("{font} /XObject << /X 6 0 R >>"), &[stream("", map), form]),
        ),
        ("a.pdf", file("damaged-xref.pdf")),
        (
            "a.html",
            b"<title>t</title><h1>a</h1><table><tr><td>b<script>c</script><pre>d\n e</pre>&amp;&#x41;"
                .to_vec(),
        ),
        ("a.csv", b"a;b;c\n1;\"2\n3\";4\n5;6;7\n".to_vec()),
        ("a.md", b"# a\n\n```\n# b\n```\nc\n===\n- d\n".to_vec()),
        ("a.txt", "\u{feff}grüße\n".encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_files_break_nothing(file in 0_usize..6, changes in prop::collection::vec(change(), 1..8)) {
        let (name, bytes) = plain_files().swap_remove(file);
        check(name, &bytes, &changes)?;
    }

    #[test]
    fn changed_xml_breaks_nothing(changes in prop::collection::vec(change(), 1..6), is_book in any::<bool>()) {
        let body = r#"<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>a&#65;</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"#;
        let chapter = "<html><head><title/></head><body><h1>a</h1><p>b&amp;c</p></body></html>";
        if is_book {
            let chapter = changed(chapter.as_bytes(), &changes);
            check("a.epub", &epub(&[&String::from_utf8_lossy(&chapter)]), &[])?;
            check("a.epub", &epub(&["<p>a"]), &changes)?;
        } else {
            let body = changed(body.as_bytes(), &changes);
            check("a.docx", &docx(&String::from_utf8_lossy(&body)), &[])?;
            check("a.docx", &docx("<w:p/>"), &changes)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn changed_pdfs_of_real_producers_break_nothing(
        name in prop::sample::select(vec![
            "fpdf-arabic", "office", "qpdf-objstm", "rl-cid-japanese", "rl-encrypted-open", "tex-type1", "weasy-table",
        ]),
        changes in prop::collection::vec(change(), 1..8),
    ) {
        check("a.pdf", &file(&format!("{name}.pdf")), &changes)?;
    }
}
