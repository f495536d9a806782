//! The language of a text, as far as a voice has to know it.

/// Words that are frequent in one of these languages and in none of the others, or in few.
const FREQUENT: [(&str, &str); 10] = [
    ("en", "the and is are you that this with for have not it of to was what can"),
    ("de", "der die das und ist nicht ein eine sie ich mit für auf dem den von zu wird sind"),
    ("fr", "le les des et est une vous pas que pour dans qui avec sur du ce sont"),
    ("es", "el los las y es una que por para con no del como está son pero"),
    ("it", "il gli di e è che per una con non sono della del anche questo"),
    ("pt", "o os as e é uma que não para com do da em são mais você"),
    ("nl", "de het een en is niet van dat ik je met voor zijn op wordt ook"),
    ("pl", "i w nie na się jest to że z do jak od przez ale"),
    ("sv", "och är det att en ett inte jag som på för med av den"),
    ("tr", "ve bir bu için ile değil çok ne da olarak daha"),
];

/// Returns the primary tag of the language of a text; `None` if there is too little of it, or none is likely.
#[must_use]
pub fn language_of(text: &str) -> Option<&'static str> {
    if let Some(tag) = of_script(text) {
        return Some(tag);
    }
    let text = text.to_lowercase();
    let words: Vec<_> = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let count = |frequent: &str| {
        let is_frequent = |word: &&&str| frequent.split(' ').any(|it| it == **word);
        words.iter().filter(is_frequent).count()
    };
    let mut counts = FREQUENT.map(|(tag, frequent)| (count(frequent), tag));
    counts.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    let ((best, tag), (second, _)) = (counts[0], counts[1]);
    (best > second).then_some(tag)
}

/// The language of most letters, where their script is that of one language, or mostly so.
fn of_script(text: &str) -> Option<&'static str> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for letter in text.chars().filter(|c| c.is_alphabetic()) {
        let tag = match letter {
            '\u{370}'..='\u{3ff}' => "el",
            '\u{400}'..='\u{52f}' => "ru",
            '\u{590}'..='\u{5ff}' => "he",
            '\u{600}'..='\u{6ff}' => "ar",
            '\u{900}'..='\u{97f}' => "hi",
            '\u{e00}'..='\u{e7f}' => "th",
            '\u{3040}'..='\u{30ff}' => "ja",
            '\u{4e00}'..='\u{9fff}' => "zh",
            '\u{ac00}'..='\u{d7af}' => "ko",
            _ => "",
        };
        match found.iter_mut().find(|(known, _)| *known == tag) {
            Some((_, count)) => *count += 1,
            None => found.push((tag, 1)),
        }
    }
    let &(tag, _) = found.iter().max_by_key(|(_, count)| *count)?;
    // Japanese is written with Chinese characters, too.
    let tag = if tag == "zh" && found.iter().any(|(tag, _)| *tag == "ja") { "ja" } else { tag };
    (!tag.is_empty()).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::language_of;

    #[test]
    fn a_sentence_tells_its_language() {
        for (text, expected) in [
            ("A red circle is to the left of a small blue square.", Some("en")),
            ("Der Kreis ist etwa doppelt so breit und liegt auf dem Tisch.", Some("de")),
            ("Le cercle est dans le carré, et vous ne le voyez pas.", Some("fr")),
            ("El círculo es rojo y está por encima de los cuadrados.", Some("es")),
            ("Круг красный.", Some("ru")),
            ("円は赤いです。", Some("ja")),
            ("圆圈是红色的。", Some("zh")),
            ("42", None),
            ("Berlin", None),
            ("", None),
        ] {
            assert_eq!(language_of(text), expected, "{text}");
        }
    }
}
