//! Words as they are compared: folded, and in scripts without spaces letters and pairs of them.

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};

use crate::letters::is_mark;

/// Calls `take` for each word of a text.
pub fn words(text: &str, take: &mut dyn FnMut(&str)) {
    let text = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let decomposition = CanonicalDecompositionBorrowed::new();
    let mut word = String::new();
    let mut before = None;
    for letter in text.chars() {
        if is_mark(letter) {
            continue;
        }
        if is_unspaced(letter) {
            finish(&mut word, take);
            let mut pair = String::from(letter);
            take(&pair);
            if let Some(before) = before {
                pair.insert(0, before);
                take(&pair);
            }
            before = Some(letter);
            continue;
        }
        before = None;
        if !letter.is_alphanumeric() {
            finish(&mut word, take);
            continue;
        }
        for letter in letter.to_lowercase() {
            fold(letter, &decomposition, &mut word);
        }
    }
    finish(&mut word, take);
}

fn finish(word: &mut String, take: &mut dyn FnMut(&str)) {
    if !word.is_empty() {
        take(stem(word));
        word.clear();
    }
}

/// Appends a letter without its marks, and without differences of spelling.
fn fold(letter: char, decomposition: &CanonicalDecompositionBorrowed<'_>, word: &mut String) {
    match letter {
        'ß' => word.push_str("ss"),
        'æ' => word.push_str("ae"),
        'œ' => word.push_str("oe"),
        'ø' => word.push('o'),
        'ł' => word.push('l'),
        'أ' | 'إ' | 'آ' | 'ٱ' => word.push('ا'),
        'ى' | 'ئ' => word.push('ي'),
        'ة' => word.push('ه'),
        'ؤ' => word.push('و'),
        _ => {
            // Two marks may be on one letter.
            let mut base = letter;
            while let Decomposed::Expansion(first, second) = decomposition.decompose(base) {
                if !is_mark(second) {
                    break;
                }
                base = first;
            }
            word.push(base);
        }
    }
}

/// Letters of scripts that are written without spaces, or with endings that stick to the word (Korean).
fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3041}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Takes off the commonest endings of English and German, and the article of Arabic.
fn stem(word: &str) -> &str {
    let letters = word.chars().count();
    if word.starts_with(|letter: char| ('\u{620}'..='\u{6ff}').contains(&letter)) {
        let articles = ["وال", "بال", "كال", "فال", "ال", "لل"];
        let short = articles.iter().find_map(|article| word.strip_prefix(article));
        return short.filter(|short| short.chars().count() > 2).unwrap_or(word);
    }
    let endings = ["ern", "em", "en", "er", "es", "e", "s", "n"];
    for ending in endings {
        if let Some(short) = word.strip_suffix(ending)
            && letters - ending.len() >= 4
        {
            return short;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, &mut |word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn accents_and_case_are_folded() {
        assert_eq!(of("Größe GRÖSSE ＡＢＣ"), ["gross", "gross", "abc"]);
        assert_eq!(of("Ệ café"), ["e", "cafe"]);
        assert_eq!(of("§ 14b, 3.5"), ["14b", "3", "5"]);
    }

    #[test]
    fn endings_are_taken_off() {
        assert_eq!(of("rents rent Kündigungen Kündigung"), ["rent", "rent", "kundigung", "kundigung"]);
        assert_eq!(of("bus see"), ["bus", "see"]);
    }

    #[test]
    fn scripts_without_spaces_have_letters_and_pairs() {
        assert_eq!(of("北码头 ok"), ["北", "码", "北码", "头", "码头", "ok"]);
        assert_eq!(of("서울에"), ["서", "울", "서울", "에", "울에"]);
    }

    #[test]
    fn arabic_is_folded() {
        assert_eq!(of("الْمِينَاء"), of("ميناء"));
        assert_eq!(of("مدرسة"), of("المدرسه"));
        assert_eq!(of("إيجار"), of("الايجار"));
    }
}
