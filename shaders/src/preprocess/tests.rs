#![allow(clippy::unwrap_used)]

use super::*;

fn load(path: &str) -> Option<&'static str> {
    Some(match path {
        "main" => {
            "#include \"sub/part\" with P=w, DTYPE={{TYPE}}\n#include \"sub/part\" with P=w, DTYPE={{TYPE}}\nmain"
        }
        "sub/part" => {
            "// dropped {{NOTHING}}\n#if DTYPE == Q4_K // four bits\nfn {{P}}_nibbles\n#include \"leaf\"\n#elif DTYPE == Q8_0\nfn {{P}}_bytes\n#else\nfn {{P}}_other\n#endif"
        }
        "leaf" => "leaf {{TYPE}}",
        "leaky" => "#include \"uses_p\" with Q=1",
        "uses_p" => "{{P}}",
        "twice" => "#include \"named\" with P=a\n#include \"named\" with P=b\n#include \"named\" with P=a",
        "named" => "fn {{P}}",
        "cycle" => "text\n#include \"cycle2\"",
        "cycle2" => "#include \"cycle\"",
        "missing" => "\n#include \"nowhere\"",
        "undefined" => "\n\nlet x = {{X}};",
        "undefined_if" => "#if X == 1\n#endif",
        "open" => "#if 1\n",
        "stray" => "#endif",
        "else_else" => "#if 0\n#else\n#else\n#endif",
        "word" => "#if TYPE == 3\n#endif",
        "unknown" => "#define A 1",
        "dead" => "#if 0\n#if X\n{{X}}\n#endif\n#else\nkept\n#endif",
        "for" => {
            "#for i in 0..N\n#for j in {{i}}..2\n#if i == j\nd{{i}}\n#else\n{{i}}{{j}}\n#endif\n#endfor\n#endfor\nend"
        }
        "dead_for" => "#if 0\n#for i in 0..X\n#if 1\n#endfor\n#endif",
        "open_for" => "\n#for i in 0..2\n",
        "bad_for" => "#for i = 0..2\n#endfor",
        "long_for" => "#for i in 0..100000\n#endfor",
        "bound" => {
            "var<uniform> params: Params;\n#if A\nvar<storage, read> a: array<f32>;\n#endif\n#include \"bound2\""
        }
        "bound2" => "var<workgroup> memory: u32;\nvar<storage, read_write> out: array<f32>;",
        "skeleton" => "#include \"parts\" with P=p\n{\n#slot a\n#slot b\n#slot c\n}",
        "parts" => {
            "fn {{P}}\n#fill b\nb{{P}}\n#endfill\n#for i in 0..2\n#fill a\na{{i}}\n#endfill\n#endfor\n#if 0\n#fill c\nc\n#endfill\n#endif"
        }
        "no_slot" => "text\n#fill a\n#endfill\n#slot b",
        "late_fill" => "#slot a\n#fill a\n#endfill",
        "bad_fill" => "#fill a\n{{X}}\n#endfill\n#slot a",
        "unused_access" => "var<storage, write> a: u32;",
        _ => return None,
    })
}

fn run(path: &str, defines: &Defines) -> Result<String, PreprocessError> {
    expand(&load, path, defines).map(|expanded| expanded.text)
}

#[test]
fn includes_once_and_chooses_by_type() {
    let text = run("main", &Defines::new().set("TYPE", DType::Q4_K)).unwrap();
    assert_eq!(text, "fn w_nibbles\nleaf Q4_K\nmain\n");
    let text = run("main", &Defines::new().set("TYPE", "Q8_0")).unwrap();
    assert_eq!(text, "fn w_bytes\nmain\n");
    let text = run("main", &Defines::new().set("TYPE", 2)).unwrap();
    assert_eq!(text, "fn w_other\nmain\n");
}

#[test]
fn the_same_file_with_other_arguments_is_another_text() {
    assert_eq!(run("twice", &Defines::new()).unwrap(), "fn a\nfn b\n");
}

#[test]
fn arguments_do_not_leak_into_nested_files() {
    let error = run("leaky", &Defines::new()).unwrap_err();
    assert_eq!(error, PreprocessError::Undefined { file: "uses_p".into(), line: 1, name: "P".into() });
    assert_eq!(run("leaky", &Defines::new().set("P", "p")).unwrap(), "p\n");
}

#[test]
fn errors_carry_file_and_line() {
    let none = Defines::new();
    let place = |path: &str, defines: &Defines| run(path, defines).unwrap_err().to_string();
    assert_eq!(place("cycle", &none), "cycle2:1: cycle includes itself");
    assert_eq!(place("missing", &none), "missing:2: no shader file nowhere");
    assert_eq!(place("undefined", &none), "undefined:3: X is not defined");
    assert_eq!(place("undefined_if", &none), "undefined_if:1: X is not defined");
    assert_eq!(place("open", &none), "open:1: #if without #endif");
    assert_eq!(place("stray", &none), "stray:1: no #if is open here");
    assert_eq!(place("else_else", &none), "else_else:3: #else was the last branch");
    assert_eq!(place("unknown", &none), "unknown:1: unknown directive");
    assert_eq!(place("word", &Defines::new().set("TYPE", "abc")), "word:1: TYPE is abc, not a number");
    assert_eq!(
        place("main", &Defines::new().set("F16", 1)),
        "main:0: the name F16 is taken by a storage type"
    );
}

#[test]
fn dead_text_is_not_read() {
    assert_eq!(run("dead", &Defines::new()).unwrap(), "kept\n");
}

#[test]
fn conditions_follow_the_usual_precedence() {
    let arguments = Defines::new();
    let defines = Defines::new().set("A", 1).set("B", "0").set("YES", true).set("ALIAS", "A").set("U", "4u");
    let scope = Scope { arguments: &arguments, defines: &defines };
    let place = Place { file: "x", line: 1 };
    let value = |text: &str| expression::evaluate(place, &scope, text);
    assert_eq!(value("U"), Ok(4));
    for yes in [
        "A",
        "!B",
        "A == 1",
        "A != B",
        "YES && ALIAS == A",
        "B || A && !B",
        "(B || A) && !(A && B)",
        "defined(A) && !defined(C)",
        "!defined(C) || C == 2",
        "!(defined(C) && C == 2)",
        "U == 4u",
        "!B == A",
    ] {
        assert_eq!(value(yes), Ok(1), "{yes}");
    }
    for no in ["B", "!A", "A == B", "B && A || B", "defined(C)"] {
        assert_eq!(value(no), Ok(0), "{no}");
    }
    for wrong in ["", "A ==", "(A", "A)", "A + B", "A B", "C", "defined(", "1x", "A & B"] {
        assert!(value(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn for_repeats_its_lines() {
    assert_eq!(run("for", &Defines::new().set("N", 2)).unwrap(), "d0\n01\nd1\nend\n");
    assert_eq!(run("for", &Defines::new().set("N", 0)).unwrap(), "end\n");
    assert_eq!(run("dead_for", &Defines::new()).unwrap(), "");
    let place = |path: &str| run(path, &Defines::new()).unwrap_err().to_string();
    assert_eq!(place("open_for"), "open_for:2: #for or #fill without its end");
    assert_eq!(place("bad_for"), "bad_for:1: expected #for NAME in A..B");
    assert_eq!(place("long_for"), "long_for:1: a #for of more than 1024 rounds");
}

#[test]
fn bindings_are_numbered_in_their_order() {
    for a in [true, false] {
        let Expanded { text, bindings } = expand(&load, "bound", &Defines::new().set("A", a)).unwrap();
        let mut expected = vec![("params", Access::Uniform), ("a", Access::Read), ("out", Access::ReadWrite)];
        if !a {
            expected.remove(1);
        }
        let listed: Vec<_> = bindings.iter().map(|b| (b.name.as_str(), b.access)).collect();
        assert_eq!(listed, expected);
        let last = bindings.len() - 1;
        let out = format!("@group(0) @binding({last}) var<storage, read_write> out: array<f32>;\n");
        assert!(text.starts_with("@group(0) @binding(0) var<uniform> params: Params;\n"), "{text}");
        assert!(text.ends_with(&format!("\nvar<workgroup> memory: u32;\n{out}")), "{text}");
    }
    let error = run("unused_access", &Defines::new()).unwrap_err();
    assert_eq!(error.to_string(), "unused_access:1: expected read or read_write");
}

#[test]
fn slots_take_what_files_before_them_filled_in() {
    assert_eq!(run("skeleton", &Defines::new()).unwrap(), "fn p\n{\na0\na1\nbp\n}\n");
    let place = |path: &str| run(path, &Defines::new()).unwrap_err().to_string();
    assert_eq!(place("no_slot"), "no_slot:2: no slot of this name follows");
    assert_eq!(place("late_fill"), "late_fill:2: no slot of this name follows");
    assert_eq!(place("bad_fill"), "bad_fill:2: X is not defined");
}

#[test]
fn conditions_name_what_they_compare() {
    for (file, text) in FILES {
        for line in text.lines().filter(|line| line.starts_with("#if") || line.starts_with("#elif")) {
            let condition = line.split("//").next().unwrap();
            let mut words = condition.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            assert!(!words.any(|word| word.starts_with(|c: char| c.is_ascii_digit())), "{file}: {line}");
        }
    }
}
