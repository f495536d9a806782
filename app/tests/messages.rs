//! What the build refuses: a language that has not exactly the messages of English, with the same variables.

#[path = "../build/messages.rs"]
mod messages;

use messages::{check, files, generate};

const ENGLISH: &str = "hello = Hello\nfound = { $count ->\n    [one] One file in { $place }\n    *[other] { $count } files in { $place }\n}\n";
const GERMAN: &str = "found = { $count } Dateien in { $place }\nhello = Hallo\n";

fn faults(english: &str, german: &str) -> String {
    let files = vec![("de".to_owned(), german.to_owned()), ("en".to_owned(), english.to_owned())];
    check(files).map(|_| String::new()).unwrap_or_else(|faults| faults.join("\n"))
}

#[test]
fn each_message_becomes_a_function_with_the_arguments_that_any_language_needs() {
    let files = vec![("de".to_owned(), GERMAN.to_owned()), ("en".to_owned(), ENGLISH.to_owned())];
    let code = generate(&check(files).expect("the same messages"));
    assert!(code.contains("pub fn hello(self) -> &'static str"), "{code}");
    // A number in English is one in German too.
    assert!(code.contains("pub fn found(self, count: u64, place: &str) -> String"), "{code}");
    assert!(code.find("\"Hello\"") < code.find("\"Hallo\""), "English comes first: {code}");
}

#[test]
fn a_file_of_a_language_has_its_patterns_in_the_order_of_english() {
    let languages = vec![("de".to_owned(), GERMAN.to_owned()), ("en".to_owned(), ENGLISH.to_owned())];
    let written = files(&check(languages).expect("the same messages"));
    let [(en, _), (de, german)] = written.as_slice() else { panic!("{written:?}") };
    assert_eq!((en.as_str(), de.as_str()), ("en", "de"));
    assert_eq!(german, "Hallo\u{1e}\u{1} Dateien in \u{2}");
}

#[test]
fn languages_have_the_same_messages() {
    assert_eq!(faults(ENGLISH, GERMAN), "");
    assert_eq!(faults(ENGLISH, "hello = Hallo\n"), "de.ftl: `found` is missing");
    assert_eq!(faults(ENGLISH, &format!("{GERMAN}bye = Tschüs\n")), "de.ftl: there is no `bye` in en.ftl");
    assert_eq!(faults(ENGLISH, &format!("{GERMAN}hello = Hallo\n")), "de.ftl has `hello` twice");
    assert_eq!(check(vec![("de".into(), GERMAN.into())]).expect_err("no English"), ["en.ftl is missing"]);
}

#[test]
fn messages_have_the_same_variables() {
    let fault = faults(ENGLISH, "hello = Hallo\nfound = { $count } Dateien\n");
    assert!(
        fault.contains("`found` has the variables {\"count\"} instead of {\"count\", \"place\"}"),
        "{fault}"
    );
    let fault = faults("hello = Hello\n", "hello = Hallo { $name }\n");
    assert!(fault.contains("`hello` has the variables"), "{fault}");
}

#[test]
fn what_the_page_does_not_read_is_refused() {
    assert!(faults("hello = Hello\nhello world\n", "hello = Hallo\n").contains("en.ftl, line 2"));
    assert!(faults("a = { b }\nb = B\n", "a = A\nb = B\n").contains("`a`: only text"));
    assert!(faults("a = A\n    .title = B\n", "a = A\n").contains("no attributes"));
}
