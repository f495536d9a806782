//! What the build refuses: a failure without a message, a message with something that its failure hasn't.

#[path = "../build/failures.rs"]
mod failures;
#[path = "../build/messages.rs"]
mod messages;

const ENUMS: &str = "enum Root { Plain, Held(Kind), Field { kind: Kind, size: u64, name: String }, Full { done: bool, at: Option<u32> } }
enum Kind { OneThing, Other }";
const TEXTS: &str = "a-plain = Plain
a-held-one-thing = One
a-held-other = Other
a-field = { $kind }: { $size } of { $name }
a-kind = { $kind ->
    [one-thing] one
    *[other] other
}
a-full = Full
a-full-at = Full at { NUMBER($at) }
";

fn generate(texts: &str, by_hand: &[&str]) -> Result<String, String> {
    let catalogue = messages::check(vec![("en".into(), texts.into())]).expect("texts");
    let sources = [ENUMS.to_owned()];
    failures::generate(&sources, &catalogue, &[("of", "Root", "a")], by_hand, &[]).map_err(|it| it.join("\n"))
}

#[test]
fn each_variant_takes_the_message_of_its_name() {
    let code = generate(TEXTS, &["a-plain"]).expect("all messages");
    for arm in [
        "Root::Plain {  } => by_hand::a_plain(),",
        "Kind::OneThing => { t().a_held_one_thing().into() }",
        "Root::Field { kind, name, size } => { let size = format::bytes(*size); t().a_field(&t().a_kind(match kind \
         { Kind::OneThing => \"one-thing\", Kind::Other => \"other\", }), &size, name) }",
        "Root::Full { at: Some(at), .. } => { t().a_full_at(u64::from(*at)) }",
        "Root::Full { .. } => { t().a_full().into() }",
    ] {
        assert!(code.contains(arm), "no {arm}: {code}");
    }
}

#[test]
fn what_is_missing_is_an_error() {
    let without = |name: &str| {
        let lines = TEXTS.lines().filter(|line| !line.starts_with(name));
        generate(&lines.collect::<Vec<_>>().join("\n"), &[]).expect_err("a message is missing")
    };
    assert_eq!(without("a-plain"), "en.ftl: `a-plain` is missing, the text of Root::Plain");
    assert!(without("a-held-other").contains("`a-held-other` is missing, the text of Kind::Other"));
    let fault = generate(&TEXTS.replace("$name", "$title"), &[]).expect_err("there is no such field");
    assert!(fault.contains("`a-field` has $title"), "{fault}");
}
