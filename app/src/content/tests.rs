//! From text to blocks: cases by name, and what must hold for any text.

use proptest::prelude::*;

use super::{Alignment, Block, Document, Inline, Item, Shared, blocks};

fn plain(text: &str) -> Vec<Block> {
    blocks(text).iter().map(|block| Block::clone(block)).collect()
}

fn text(text: &str) -> Inline {
    Inline::Text(text.to_owned())
}

fn paragraph(content: &str) -> Block {
    Block::Paragraph(vec![text(content)])
}

fn formula(source: &str) -> Inline {
    Inline::Math { source: source.to_owned(), display: false }
}

fn code(language: &str, text: &str) -> Block {
    Block::Code { language: language.to_owned(), text: text.to_owned() }
}

#[test]
fn headings_and_rules() {
    assert_eq!(
        plain("# A\nb\n\n---\n\nC\n==="),
        [
            Block::Heading { level: 1, content: vec![text("A")] },
            paragraph("b"),
            Block::Rule,
            Block::Heading { level: 1, content: vec![text("C")] },
        ]
    );
}

#[test]
fn a_fence_without_an_end_is_code() {
    assert_eq!(plain("```rust\nfn a() {\n\n}"), [code("rust", "fn a() {\n\n}")]);
    assert_eq!(plain("```"), [code("", "")]);
    assert_eq!(plain("a\n```py\nb\n```\nc"), [paragraph("a"), code("py", "b"), paragraph("c")]);
    assert_eq!(plain("    indented\n    more"), [code("", "indented\nmore")]);
}

#[test]
fn lists_nest() {
    let item = |content: &str| Item { task: None, blocks: vec![paragraph(content)], tight: true };
    let inner = Block::List { start: None, items: vec![item("b")] };
    let outer = Item { task: None, blocks: vec![paragraph("a"), inner], tight: true };
    assert_eq!(plain("1. a\n   - b\n2. c"), [Block::List { start: Some(1), items: vec![outer, item("c")] }]);
}

#[test]
fn tasks_are_told_from_other_items() {
    for source in ["- [x] a\n- [ ] b\n- c", "- [x] a\n\n- [ ] b\n\n- c"] {
        let found = plain(source);
        let [Block::List { items, .. }] = found.as_slice() else { panic!("{found:?}") };
        let tasks: Vec<_> = items.iter().map(|item| item.task).collect();
        assert_eq!(tasks, [Some(true), Some(false), None], "{source}");
    }
}

#[test]
fn an_outer_task_keeps_its_mark() {
    let found = plain("- [x] a\n  - [ ] b\n  - c");
    let [Block::List { items, .. }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(items[0].task, Some(true));
}

#[test]
fn tables_keep_their_alignment() {
    let found = plain("|a|b|c|\n|-|:-:|-:|\n|1|`|`|3|");
    let [Block::Table { alignments, head, rows }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(alignments, &[Alignment::Natural, Alignment::Center, Alignment::Right]);
    assert_eq!(head[0], [text("a")]);
    assert_eq!(rows.len(), 1);
}

#[test]
fn quotes_hold_blocks() {
    assert_eq!(
        plain("> a\n>\n> - b"),
        [Block::Quote(vec![
            paragraph("a"),
            Block::List {
                start: None,
                items: vec![Item { task: None, blocks: vec![paragraph("b")], tight: true }]
            }
        ])]
    );
}

#[test]
fn links_are_safe_and_pictures_are_links() {
    let link = |href: &str, shown: &str| Inline::Link { href: href.to_owned(), content: vec![text(shown)] };
    assert_eq!(plain("[a](https://b)"), [Block::Paragraph(vec![link("https://b", "a")])]);
    assert_eq!(plain("![a](https://b)"), [Block::Paragraph(vec![link("https://b", "a")])]);
    assert_eq!(plain("<https://b>"), [Block::Paragraph(vec![link("https://b", "https://b")])]);
    assert_eq!(plain("[a](javascript:b)"), [paragraph("a")]);
    assert_eq!(plain("![a](data:image/png;base64,b)"), [paragraph("a")]);
    assert_eq!(
        plain("[![a](https://b)](https://c)"),
        [Block::Paragraph(vec![link("https://c", "a")])],
        "no link within a link"
    );
    assert_eq!(
        plain("see https://a.b/c_d_e, or"),
        [Block::Paragraph(vec![text("see "), link("https://a.b/c_d_e", "https://a.b/c_d_e"), text(", or")])]
    );
}

#[test]
fn references_are_text() {
    let link = |href: &str| Inline::Link { href: href.to_owned(), content: vec![text(href)] };
    assert_eq!(
        plain("see [a][1]\n\n[1]: https://b.c\n[^2]: d"),
        [
            paragraph("see [a][1]"),
            Block::Paragraph(vec![text("[1]: "), link("https://b.c"), text("\n[^2]: d")])
        ]
    );
    assert_eq!(
        plain("`[a]:` $[b]:c$\n\n    [d]: e"),
        [
            Block::Paragraph(vec![Inline::Code("[a]:".to_owned()), text(" "), formula("[b]:c")]),
            code("", "[d]: e"),
        ]
    );
}

#[test]
fn html_is_text() {
    assert_eq!(
        plain("<div onclick=\"x\">\nhi\n</div>"),
        [Block::Verbatim("<div onclick=\"x\">\nhi\n</div>".to_owned())]
    );
    assert_eq!(plain("a <b>c</b>"), [paragraph("a <b>c</b>")]);
    assert_eq!(plain("a<br/>b"), [Block::Paragraph(vec![text("a"), Inline::Break, text("b")])]);
}

#[test]
fn formulas_in_a_line() {
    for source in ["let $x_1$ be", r"let \(x_1\) be", r"let \( x_1 \) be"] {
        assert_eq!(
            plain(source),
            [Block::Paragraph(vec![text("let "), formula("x_1"), text(" be")])],
            "{source}"
        );
    }
    assert_eq!(
        plain(r"\(a*b\) and \(c*d\)"),
        [Block::Paragraph(vec![formula("a*b"), text(" and "), formula("c*d")])],
        "no emphasis across formulas"
    );
    assert_eq!(plain(r"\(x\)2"), [Block::Paragraph(vec![formula("x"), text("2")])]);
    assert_eq!(plain(r"`\(x\)`"), [Block::Paragraph(vec![Inline::Code(r"\(x\)".to_owned())])]);
    assert_eq!(plain(r"\\(x\\)"), [paragraph(r"\(x\)")]);
}

#[test]
fn formulas_in_a_table_may_have_bars() {
    let found = plain("|a|\n|-|\n|\\(|x|\\)|");
    let [Block::Table { rows, .. }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(rows[0][0], [formula("\\vert x\\vert")]);
}

#[test]
fn amounts_of_money_are_no_formulas() {
    for source in [
        "from $5 and $10",
        "$5-$10",
        "US$5 or US$6",
        "It is $5 million, or 3$ each",
        "between $1,000 a month and 20$ a day",
        "$20/month vs. 30$",
        "a $ b $ c",
    ] {
        assert_eq!(plain(source), [paragraph(source)]);
    }
    assert_eq!(
        plain("$5-$10 for $x$"),
        [Block::Paragraph(vec![text("$5-$10 for "), formula("x")])],
        "a formula after an amount"
    );
    assert_eq!(plain("$2ab$"), [Block::Paragraph(vec![formula("2ab")])]);
    assert_eq!(plain("$2 x$"), [Block::Paragraph(vec![formula("2 x")])]);
    assert_eq!(plain(r"$3 \text{ metres}$"), [Block::Paragraph(vec![formula(r"3 \text{ metres}")])]);
}

#[test]
fn formulas_on_their_own_lines() {
    let math = |source: &str| Block::Math(source.to_owned());
    assert_eq!(plain("$$x$$"), [math("x")]);
    assert_eq!(plain("$$\nx\n$$"), [math("x")]);
    assert_eq!(plain("\\[\nx\n\\]"), [math("x")]);
    assert_eq!(plain("\\[ x \\]."), [math("x.")]);
    assert_eq!(
        plain("a\n$$\nb\n= c\n- d\n+ e\n$$\nf"),
        [paragraph("a"), math("b\n= c\n- d\n+ e"), paragraph("f")],
        "no list and no heading within"
    );
    assert_eq!(plain("$$\na\n=\nb\n$$"), [math("a\n=\nb")]);
    assert_eq!(plain("$$\na\n$$ where"), [math("a"), paragraph("where")]);
    assert_eq!(
        plain("\\begin{align}\na &= b \\\\\n&= c\n\\end{align}"),
        [math("\\begin{align}\na &= b \\\\\n&= c\n\\end{align}")]
    );
    assert_eq!(
        plain("- a\n\n  \\[\n  x\n  \\]"),
        [Block::List {
            start: None,
            items: vec![Item { task: None, blocks: vec![paragraph("a"), math("x")], tight: false }]
        }]
    );
    assert_eq!(plain("```\n$$\nx\n$$\n```"), [code("", "$$\nx\n$$")]);
}

#[test]
fn a_formula_without_an_end_is_shown_as_written() {
    assert_eq!(plain("a\n$$\nb\n+ c"), [paragraph("a"), Block::Verbatim("$$\nb\n+ c".to_owned())]);
    assert_eq!(
        plain("$$\nb\n\nc"),
        [Block::Verbatim("$$\nb".to_owned()), paragraph("c")],
        "a blank line ends it"
    );
    assert_eq!(plain("let $x be"), [paragraph("let $x be")]);
    assert_eq!(plain(r"let \(x be"), [paragraph("let (x be")]);
}

#[test]
fn deep_nesting_is_shown_as_written() {
    let depth = |block: &Block| {
        let (mut depth, mut block) = (0, block);
        while let Block::Quote(inner) = block {
            depth += 1;
            block = &inner[0];
        }
        depth
    };
    assert!(depth(&plain(&format!("{} a", ">".repeat(2000)))[0]) < 30);
    plain(&"- ".repeat(3000));
    plain(&"*a ".repeat(3000));
    plain(&"[".repeat(5000));
    plain(&format!("{}a{}", "**".repeat(900), "**".repeat(900)));
}

#[test]
fn a_text_that_grows_is_parsed_from_its_last_block() {
    let text = "# A\n\nb\n\n```\nc\n```\n\nd";
    let mut document = Document::default();
    let before = document.update(&text[..text.len() - 1]);
    let after = document.update(text);
    assert!(before.iter().zip(&after).take(2).all(|(a, b)| std::ptr::eq::<Block>(&**a, &**b)));
    assert_eq!(document.update("other"), blocks("other"));
}

/// Pieces that Markdown gives a meaning.
const PIECES: &[&str] = &[
    "a",
    "word ",
    " ",
    "\n",
    "\n\n",
    "    ",
    "\t",
    "# ",
    "## ",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
    "```",
    "```rust\n",
    "~~~",
    "---",
    "===",
    "***",
    "**",
    "*",
    "_",
    "`",
    "|",
    "|-|-|\n",
    "a|b\n",
    "[",
    "](",
    ")",
    "<div>\n",
    "</div>",
    "<!--",
    "<br>",
    "$",
    "$$",
    "$$\n",
    "\\(",
    "\\)",
    "\\[",
    "\\]\n",
    "\\begin{align}\n",
    "\\end{align}",
    "[x]: y\n",
    "\"",
    "'",
    "- [ ] ",
    "\r\n",
    "é",
];

fn any_markdown() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn all_but_last(blocks: &[Shared]) -> &[Shared] {
    blocks.split_last().map_or(&[], |(_, rest)| rest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let mut document = Document::default();
        prop_assert_eq!(document.update(&text), blocks(&text));
    }

    #[test]
    fn growing_gives_what_parsing_at_once_gives(text in any_markdown(), step in 1_usize..7) {
        let mut document = Document::default();
        let ends = text.char_indices().map(|(at, _)| at).step_by(step).chain([text.len()]);
        for end in ends {
            let grown = document.update(&text[..end]);
            prop_assert_eq!(&grown, &blocks(&text[..end]), "{:?}", &text[..end]);
        }
    }

    #[test]
    fn whole_lines_decide_all_blocks_but_the_last(text in any_markdown()) {
        let whole = blocks(&text);
        for (end, _) in text.match_indices('\n') {
            let before = blocks(&text[..=end]);
            let settled = all_but_last(&before);
            prop_assert!(whole.len() >= settled.len(), "{:?} of {:?}", &text[..=end], text);
            prop_assert_eq!(settled, &whole[..settled.len()], "{:?} of {:?}", &text[..=end], text);
        }
    }
}

/// A text whose reading takes 10¹¹ steps and more when each delimiter has the rest of the text searched.
fn assert_read_in_one_pass(piece: &str, end: &str) {
    let source = piece.repeat((1 << 20) / piece.len()) + end;
    assert!(!blocks(&source).is_empty(), "{piece:?}");
}

#[test]
fn delimiters_without_an_end_are_read_in_one_pass() {
    assert_read_in_one_pass("\\(", "");
    assert_read_in_one_pass("\\(", "\n\n\\)");
    assert_read_in_one_pass("\\( $ ", "\\)");
    assert_read_in_one_pass("`a` \\( ", "");
    assert_read_in_one_pass("$$a$$ b\n", "");
    assert_read_in_one_pass("$$a$$\n", "");
}

#[test]
fn a_table_too_large_to_be_drawn_is_shown_as_it_is_written() {
    let table = |columns: usize| {
        let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(columns));
        format!("{}{}{}", row("a"), row("-"), row("b"))
    };
    assert!(matches!(plain(&table(2_000)).as_slice(), [Block::Table { .. }]));
    let source = table(3_000);
    assert_eq!(plain(&source), [Block::Verbatim(source.trim_end().to_owned())]);
}
