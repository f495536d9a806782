//! Tables whose cells are not where they seem to be.

use engine::train::examples::{Content, Format, Parsed, Reason, read};

/// What the rows ask and answer.
fn pairs(parsed: &Parsed) -> Vec<[String; 2]> {
    let text = |content: &Content| {
        let Content::Chat { conversation, .. } = content else { panic!("a chat") };
        let said = |at: usize| match &conversation.messages[at].content {
            engine::template::Content::Text(text) => text.trim().to_owned(),
            other => panic!("{other:?}"),
        };
        [said(0), said(1)]
    };
    parsed.rows.iter().map(|row| text(&row.content)).collect()
}

fn problems(parsed: &Parsed) -> Vec<(u32, Reason)> {
    parsed.problems.iter().map(|problem| (problem.line, problem.reason.clone())).collect()
}

fn owned(all: &[[&str; 2]]) -> Vec<[String; 2]> {
    all.iter().map(|pair| pair.map(str::to_owned)).collect()
}

#[test]
fn a_row_with_too_many_cells_is_refused() {
    for (text, columns) in [
        ("prompt,completion\nHello, how are you?,Fine\nq,a\n", 2),
        ("Frage;Antwort\nq;a\nDies; und das;b\n", 2),
        ("prompt,completion,id\nq,a,1\na, b,c,2\n", 3),
        // Row numbers without a name above.
        ("prompt\tcompletion\nq\ta\n1\tr\tb\n", 2),
        ("| prompt | completion |\n|---|---|\n| q | a |\n| x | y | z | w |\n", 3),
        ("What is 1+1?,2\nq,a\nHello, you,3\n", 2),
    ] {
        let parsed = read(text, None);
        let found = problems(&parsed);
        assert!(
            matches!(found[..], [(_, Reason::Cells { columns: it, .. })] if it == columns),
            "{text}: {found:?}"
        );
        assert!(pairs(&parsed).contains(&["q".to_owned(), "a".to_owned()]), "{text}");
    }
    let marked = read("|question|answer|\n|-|-|\n|Is a\\|b?|yes|\n|q|a|b|\n", None);
    assert_eq!(pairs(&marked), owned(&[["Is a|b?", "yes"]]));
    assert_eq!(problems(&marked), [(4, Reason::Cells { cells: 4, columns: 3 })]);
    let drawn = read("+---+---+\n| question | answer |\n+---+---+\n| q | a |\n+---+---+\n", None);
    assert_eq!((pairs(&drawn), problems(&drawn)), (owned(&[["q", "a"]]), vec![]));
    // Empty cells at the end are from spreadsheets.
    let parsed = read("prompt;completion\nq;a;;\n;;;\nr;b\n", None);
    assert_eq!((pairs(&parsed), problems(&parsed)), (owned(&[["q", "a"], ["r", "b"]]), vec![]));
}

#[test]
fn quotation_marks_that_do_not_enclose_a_cell_spoil_its_row_alone() {
    for bad in ["a,\"b", "\"a\" b,c", "\"a,b", "x,\"y\"z"] {
        let parsed = read(&format!("prompt,completion\nq,a\n{bad}\nr,b\n\"s\",\"c\"\n"), None);
        assert_eq!(pairs(&parsed), owned(&[["q", "a"], ["r", "b"], ["s", "c"]]), "{bad}");
        assert_eq!(problems(&parsed), [(3, Reason::Quotes)], "{bad}");
    }
    for (text, rows) in [
        ("prompt,completion\nHe said \"hi\",a\n", [["He said \"hi\"", "a"]]),
        ("prompt, completion\n\"q, r\", \"a, b\"\n", [["q, r", "a, b"]]),
        ("prompt,completion\n\"say \\\"hi\\\"\",a\n", [["say \"hi\"", "a"]]),
        ("prompt\tcompletion\n\"Hi,\" he said.\ta\n", [["\"Hi,\" he said.", "a"]]),
    ] {
        let parsed = read(text, None);
        assert_eq!((pairs(&parsed), problems(&parsed)), (owned(&rows), vec![]), "{text}");
    }
}

#[test]
fn names_may_come_again_and_chats_are_lists() {
    let joined = read("prompt,completion\nq,a\nprompt,completion\nr,b\n", None);
    assert_eq!(pairs(&joined), owned(&[["q", "a"], ["r", "b"]]));
    // A word that is the name of a chat elsewhere.
    let words = read("hello,hallo\nchat,Plauderei\nitems,Dinge\n", None);
    assert_eq!(pairs(&words), owned(&[["chat", "Plauderei"], ["items", "Dinge"]]));
    let cells = "id,messages\n1,\"[{\"\"role\"\":\"\"user\"\",\"\"content\"\":\"\"q\"\"},{\"\"role\"\":\"\"assistant\"\",\"\"content\"\":\"\"a\"\"}]\"\n";
    assert_eq!(pairs(&read(cells, None)), owned(&[["q", "a"]]));
}

#[test]
fn json_may_stand_below_a_line_of_something_else() {
    let row = "{\"prompt\": \"q\", \"completion\": \"a\"}";
    for text in [
        format!("# my data\n{row}\n{row}\n"),
        format!("data, set\n\n{row}\n{row}"),
        format!("// x\n{row}\n{row}"),
    ] {
        let parsed = read(&text, None);
        assert_eq!(
            (parsed.format, pairs(&parsed)),
            (Format::Json, owned(&[["q", "a"], ["q", "a"]])),
            "{text}"
        );
        assert!(matches!(problems(&parsed)[..], [(1, Reason::Json { .. })]), "{text}");
    }
    let records = read(&format!("\u{1e}{row}\n\u{1e}{row}\n"), None);
    assert_eq!((pairs(&records), problems(&records)), (owned(&[["q", "a"], ["q", "a"]]), vec![]));
    assert_eq!(Format::of("prompt,completion\n{a},b\n"), Format::Table);
}

#[test]
fn columns_without_known_names_are_the_first_two_with_texts() {
    for (text, rows) in [
        ("id,frage,antwort\n1,q,a\n", [["q", "a"]]),
        ("Nr;Frage;Quelle\n7;q;a\n", [["q", "a"]]),
        (",Frage,Antwort\n0,q,a\n", [["q", "a"]]),
        ("Frage,source,Antwort\nq,x,a\n", [["q", "a"]]),
        ("7,q,4\n", [["q", "4"]]),
        ("id,Frage\nq,a\n", [["q", "a"]]),
        ("en,de,fr\nq,a,x\n", [["q", "a"]]),
        // Texts have commas, and more of them than tabs or semicolons.
        (
            "Frage\tAntwort\nHello, you, there?\tFine, thanks, you?\n",
            [["Hello, you, there?", "Fine, thanks, you?"]],
        ),
        ("1,5;2,5\n", [["1,5", "2,5"]]),
    ] {
        let parsed = read(text, None);
        assert_eq!((pairs(&parsed), problems(&parsed)), (owned(&rows), vec![]), "{text}");
    }
}

#[test]
fn tables_say_what_rows_of_json_say() {
    for text in
        ["chosen,rejected\na,b\n", "prompt,chosen,rejected\nq,a,b\n", "q;response_rejected;x\n1;2;3\n"]
    {
        let parsed = read(text, None);
        assert_eq!((parsed.rows.len(), problems(&parsed)), (0, vec![(1, Reason::Preference)]), "{text}");
        assert!(parsed.chosen.is_some() && !parsed.columns.is_empty(), "they can be chosen");
    }
    let Some(columns) = read("prompt,chosen,rejected\nq,a,b\n", None).chosen else { panic!("columns") };
    assert_eq!(pairs(&read("prompt,chosen,rejected\nq,a,b\n", Some(&columns))), owned(&[["q", "a"]]));
    for text in [
        "question,choices,answer\nq,\"['x', 'y']\",1\n",
        "question,A,B,C,D,answer\nq,w,x,y,z,B\n",
        "prompt,completion,history\nq,a,\"[['h', 'i']]\"\n",
    ] {
        assert!(matches!(problems(&read(text, None))[..], [(2, Reason::Field { .. })]), "{text}");
    }
    let history = read("prompt,completion,history\nq,a,\"[[\"\"h\"\",\"\"i\"\"]]\"\nr,b,\n", None);
    assert_eq!(pairs(&history), owned(&[["h", "i"], ["r", "b"]]));
}
