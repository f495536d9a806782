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

/// A text's inlines as HTML without escapes, and a formula between dollar signs.
fn shown(content: &[Inline]) -> String {
    let of = |inline: &Inline| match inline {
        Inline::Text(text) => text.clone(),
        Inline::Code(text) => format!("<code>{text}</code>"),
        Inline::Emphasis(inner) => format!("<em>{}</em>", shown(inner)),
        Inline::Strong(inner) => format!("<b>{}</b>", shown(inner)),
        Inline::Strikethrough(inner) => format!("<s>{}</s>", shown(inner)),
        Inline::Link { content, .. } => format!("<a>{}</a>", shown(content)),
        Inline::Math { source, .. } => format!("⟨{source}⟩"),
        Inline::Mark { text, .. } => text.clone(),
        Inline::Break => "<br>".to_owned(),
    };
    content.iter().map(of).collect()
}

/// The only paragraph of a text.
fn line(source: &str) -> String {
    match plain(source).as_slice() {
        [Block::Paragraph(content)] => shown(content),
        other => panic!("{source:?}: {other:?}"),
    }
}

/// The rows of the only table of a text, its cells between bars.
fn table(source: &str) -> Vec<String> {
    let found = plain(source);
    let [Block::Table { head, rows, .. }] = found.as_slice() else { panic!("{source:?}: {found:?}") };
    let row = |row: &Vec<Vec<Inline>>| row.iter().map(|cell| shown(cell)).collect::<Vec<_>>().join(" ¦ ");
    std::iter::once(head).chain(rows).map(row).collect()
}

#[test]
fn cells_keep_their_bars() {
    for (row, expected) in [
        (r"| $|x|$ | $\frac{1}{2}$ |", r"⟨|x|⟩ ¦ ⟨\frac{1}{2}⟩"),
        (r"| $\|x\|$ | b", r"⟨|x|⟩ ¦ b"),
        (r"| \(|x|\) | $$P(A|B)$$ |", r"⟨|x|⟩ ¦ ⟨P(A|B)⟩"),
        (r"| `x \| y` | `a|b` |", "<code>x | y</code> ¦ <code>a|b</code>"),
        ("| `a || b` | or |", "<code>a || b</code> ¦ or"),
        ("| ``a ` | b`` | or |", "<code>a ` | b</code> ¦ or"),
        (r"| a | $\frac{1}{\sqrt 2}(|\uparrow\rangle)$ |", r"a ¦ ⟨\frac{1}{\sqrt 2}(|\uparrow\rangle)⟩"),
        ("| a | b | c | d |", "a ¦ b | c | d"),
        ("| $5 | $6 |", "$5 ¦ $6"),
        ("| **$5** | **$6** |", "<b>$5</b> ¦ <b>$6</b>"),
        ("| $ | $$ |", "$ ¦ $$"),
        ("| $|x|$ and $5 | `|` |", "⟨|x|⟩ and $5 ¦ <code>|</code>"),
        ("| a |", "a ¦ "),
    ] {
        assert_eq!(table(&format!("| f | v |\n|---|---|\n{row}\n"))[1], expected, "{row}");
    }
    assert_eq!(table("| a |\n|-|\n| x | y |"), ["a", "x | y"]);
    assert_eq!(table("| $|a|$ | `b|c` |\n|-|-|"), ["⟨|a|⟩ ¦ <code>b|c</code>"]);
    assert_eq!(table("|a|b|c|\n|-|:-:|-:|\n|1|`|`|3|"), ["a ¦ b ¦ c", "1 ¦ <code>|</code> ¦ 3"]);
}

#[test]
fn tables_in_other_blocks_keep_their_bars() {
    let quote = plain("> | a | b |\n> |---|---|\n> | `x|y` | $|z|$ |");
    let [Block::Quote(inner)] = quote.as_slice() else { panic!("{quote:?}") };
    let list = plain("- | a | b |\n  |---|---|\n  | `x|y` | $|z|$ |");
    let [Block::List { items, .. }] = list.as_slice() else { panic!("{list:?}") };
    for block in [&inner[0], &items[0].blocks[0]] {
        let Block::Table { rows, .. } = block else { panic!("{block:?}") };
        assert_eq!(rows[0].iter().map(|cell| shown(cell)).collect::<Vec<_>>(), ["<code>x|y</code>", "⟨|z|⟩"]);
    }
}

#[test]
fn a_row_of_delimiters_is_never_shown() {
    let source = "| a | b |\n| :-- | --: |";
    for end in source.find('\n').expect("has two lines") + 2..=source.len() {
        assert_eq!(table(&source[..end]), ["a ¦ b"], "{:?}", &source[..end]);
    }
    assert_eq!(line("| a | b |\n| - c"), "| a | b |\n| - c");
    assert_eq!(table("| a |\n|-|\n| -"), ["a", "-"]);
}

#[test]
fn a_cell_that_is_written_does_not_move() {
    for row in ["| `a|b` | c |", r"| $|x|$ | c |", r"| \(|x|\) | c |"] {
        for end in 3..row.len() {
            let rows = table(&format!("| f | v |\n|-|-|\n{}", &row[..end]));
            let first = rows[1].split(" ¦ ").next().expect("is a row");
            assert!(!first.is_empty() && (end < 10 || first.contains(['a', 'x'])), "{rows:?}");
            assert!(end > 7 || rows[1].ends_with(" ¦ "), "{rows:?}");
        }
    }
}

#[test]
fn emphasis_stands_beside_money() {
    for (source, expected) in [
        (
            "pay **$1.50** for a bundle, and **$2.00** later",
            "pay <b>$1.50</b> for a bundle, and <b>$2.00</b> later",
        ),
        ("**$1,000** – **$2,000**", "<b>$1,000</b> – <b>$2,000</b>"),
        ("**Total: $5** and *then $6* or `$7`", "<b>Total: $5</b> and <em>then $6</em> or <code>$7</code>"),
        ("[cost $5](https://a.b) and [cost $6](https://c.d)", "<a>cost $5</a> and <a>cost $6</a>"),
        ("$HOME is `echo` and costs $5", "$HOME is <code>echo</code> and costs $5"),
        ("**$5** for $x^2$, *$6* for **$y$**", "<b>$5</b> for ⟨x^2⟩, <em>$6</em> for <b>⟨y⟩</b>"),
        ("~~$5~~ **$4**/month, US**$3**", "<s>$5</s> <b>$4</b>/month, US**$3**"),
        (r"**\$5** and **\$6**, \\$7", r"<b>$5</b> and <b>$6</b>, \$7"),
        ("2*$3 and 5*$6 make $36", "2*$3 and 5*$6 make $36"),
        (r"`\$5 $` and `$x` $5", r"<code>\$5 $</code> and <code>$x</code> $5"),
        ("<https://a.b/$5> https://a.b/$6", "<a>https://a.b/$5</a> <a>https://a.b/$6</a>"),
        ("$`a|b`$ and $5", "⟨a|b⟩ and $5"),
        ("**€5** and **$6** and $€7$", "<b>€5</b> and <b>$6</b> and ⟨€7⟩"),
    ] {
        assert_eq!(line(source), expected, "{source}");
    }
    assert_eq!(plain("```\n**$5** and **$6**\n```"), [code("", "**$5** and **$6**")]);
    assert_eq!(
        plain("# **$5** and **$6**"),
        [Block::Heading {
            level: 1,
            content: vec![Inline::Strong(vec![text("$5")]), text(" and "), Inline::Strong(vec![text("$6")])]
        }]
    );
}

#[test]
fn emphasis_stands_beside_cjk_punctuation() {
    for (source, expected) in [
        ("含**「重点」**内容", "含<b>「重点」</b>内容"),
        ("**注意。**后文", "<b>注意。</b>后文"),
        ("前文**（测试）**后文", "前文<b>（测试）</b>后文"),
        ("**데이터(data)**를 본다", "<b>데이터(data)</b>를 본다"),
        ("**\"공개 문서\"**는 원칙입니다.", "<b>\"공개 문서\"</b>는 원칙입니다."),
        ("**「A」**なので**「B」**", "<b>「A」</b>なので<b>「B」</b>"),
        ("这是*“斜体”*字", "这是<em>“斜体”</em>字"),
        ("这是~~“删除”~~字", "这是<s>“删除”</s>字"),
        ("他说：**“你好”**，然后**走了**。", "他说：<b>“你好”</b>，然后<b>走了</b>。"),
        ("**[链接](https://a.b)**的", "<b><a>链接</a></b>的"),
        ("变量**`x`**是", "变量<b><code>x</code></b>是"),
        ("**ﾃｽﾄ｡**ﾃｽﾄ", "<b>ﾃｽﾄ｡</b>ﾃｽﾄ"),
        ("カッコに注意**(太字)**に", "カッコに注意<b>(太字)</b>に"),
        (
            "**_「重」_**的 字**_(a)_**字 *__「b」__*的",
            "<b><em>「重」</em></b>的 字<b><em>(a)</em></b>字 <em><b>「b」</b></em>的",
        ),
        ("~~**「a」**~~字***「b」***字", "<s><b>「a」</b></s>字<em><b>「b」</b></em>字"),
        ("**葛\u{e0100}(a)**城", "<b>葛\u{e0100}(a)</b>城"),
        ("**“A”\u{fe01}**b", "<b>“A”\u{fe01}</b>b"),
        ("`**「`**「a」**b", "<code>**「</code><b>「a」</b>b"),
        // As before.
        ("大约3~5天，价格100~200元", "大约3~5天，价格100~200元"),
        ("Das **„Wort“**ist", "Das **„Wort“**ist"),
        ("a__「b」__c，snake_case_名", "a__「b」__c，snake_case_名"),
        ("**a 「b **c", "**a 「b **c"),
        (r"\*「a」\*字", "*「a」*字"),
    ] {
        assert_eq!(line(source), expected, "{source}");
    }
    assert_eq!(table("|甲|乙|\n|-|-|\n|**「甲」**|乙**（丙）**丁|")[1], "<b>「甲」</b> ¦ 乙<b>（丙）</b>丁");
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
fn formulas_in_quotations() {
    for source in ["> so \\[\n> x\n> \\]", "> so $$\n> x\n> $$"] {
        let found = plain(source);
        let [Block::Quote(inner)] = found.as_slice() else { panic!("{found:?}") };
        let math = Inline::Math { source: "x".to_owned(), display: true };
        assert_eq!(inner[..], [Block::Paragraph(vec![text("so "), math])]);
    }
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

/// Delimiters of all kinds, with letters beside them. Nothing of it hides text, as the address of a link does.
const MIXTURE: &[&str] = &[
    "a",
    "b ",
    " c",
    "5",
    "$",
    "$5",
    "$$",
    "**",
    "*",
    "_",
    "~~",
    "`",
    "|",
    "| ",
    " | ",
    "\\",
    "\\|",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "{",
    "}",
    "\\frac",
    "「",
    "」",
    "。",
    "字",
    "한",
    "(",
    ")",
    "\"",
    "\n",
    "\n\n",
    "\n| ",
    "\n|-|-|\n",
    "\n|:-",
    "\n- ",
    "\n> ",
    "| f | v |\n|-|-|\n",
    "# ",
    "\n$$\n",
    "]:",
    "[",
];

fn drawn(blocks: &[Block]) -> String {
    let row = |row: &Vec<Vec<Inline>>| row.iter().map(|cell| shown(cell)).collect::<String>();
    let of = |block: &Block| match block {
        Block::Heading { content, .. } | Block::Paragraph(content) => shown(content),
        Block::Code { language, text } => format!("{language}{text}"),
        Block::Quote(inner) => drawn(inner),
        Block::List { items, .. } => items.iter().map(|item| drawn(&item.blocks)).collect(),
        Block::Table { head, rows, .. } => std::iter::once(head).chain(rows).map(row).collect(),
        Block::Rule => String::new(),
        Block::Math(text) | Block::Verbatim(text) => text.clone(),
    };
    blocks.iter().map(of).collect()
}

/// The letters of a text, without the marks of [`shown`].
fn letters(text: &str) -> String {
    let marks = ["<code>", "</code>", "<em>", "</em>", "<b>", "</b>", "<br>", "<s>", "</s>", "<a>", "</a>"];
    let text = marks.iter().fold(text.to_owned(), |text, mark| text.replace(mark, ""));
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// The blocks that more lines don't change: all but the last one, which may be a table, or the rows of one in a paragraph, that
/// turns into a part of the paragraph right before it, or of a list's last one.
fn decided(blocks: &[Shared]) -> &[Shared] {
    let is =
        |at: usize, what: fn(&Block) -> bool| blocks.iter().rev().nth(at).is_some_and(|block| what(block));
    let rows = |block: &Block| {
        matches!(block, Block::Paragraph(words)
            if matches!(words.first(), Some(Inline::Text(text)) if text.starts_with('|')))
    };
    let table = |block: &Block| matches!(block, Block::Table { .. });
    let joins = is(0, table) && is(1, |block| matches!(block, Block::Paragraph(_) | Block::List { .. }))
        || is(0, rows) && is(1, |block| matches!(block, Block::List { .. }));
    &blocks[..blocks.len().saturating_sub(if joins { 2 } else { 1 })]
}

fn assert_decided(text: &str) {
    let whole = blocks(text);
    for (end, _) in text.match_indices('\n') {
        let before = blocks(&text[..=end]);
        let settled = decided(&before);
        assert!(whole.starts_with(settled), "{:?} of {text:?}", &text[..=end]);
    }
}

#[test]
fn a_table_that_became_part_of_a_list_was_not_decided() {
    assert_decided("- |-|-|\n||-|-|\n    |-|-|\n**");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let mut document = Document::default();
        prop_assert_eq!(document.update(&text), blocks(&text));
    }

    #[test]
    fn nothing_that_was_written_vanishes(
        pieces in proptest::collection::vec(proptest::sample::select(MIXTURE), 0..24),
    ) {
        let text = pieces.concat();
        // What follows a fence's language is not shown.
        prop_assume!(!text.contains("```") && !text.contains("~~~"));
        for (end, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let text = &text[..end];
            let drawn = drawn(&plain(text));
            prop_assert_eq!(letters(&drawn), letters(text), "{:?}", text);
            prop_assert!(!drawn.contains(|c| ('\u{fdd0}'..='\u{fdef}').contains(&c)), "{:?}", drawn);
        }
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
        assert_decided(&text);
    }
}

/// A text whose reading takes 10¹⁰ steps and more when each delimiter has the rest of the text searched.
fn assert_read_in_one_pass(piece: &str, end: &str) {
    let source = piece.repeat((1 << 18) / piece.len()) + end;
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
    assert_read_in_one_pass("$x ", "");
    assert_read_in_one_pass("`` $x `", "$");
    assert_read_in_one_pass("**$5** 字**「", "");
    assert_read_in_one_pass("|`", "\n|-|-|\n");
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
