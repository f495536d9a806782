//! Numbers, plural categories and times as the browser's `Intl` writes them.

use std::cell::RefCell;

use js_sys::{Array, Function, Intl, Object, Reflect};
use wasm_bindgen::JsValue;

use super::Language;

thread_local! {
    /// Making a format takes longer than using it: those of the language, by digits.
    static NUMBERS: RefCell<Vec<(Language, usize, Function)>> = const { RefCell::new(Vec::new()) };
    static PLURALS: RefCell<Option<(Language, Intl::PluralRules)>> = const { RefCell::new(None) };
}

/// A language with the digits that its texts have.
fn locale(language: Language) -> String {
    format!("{}-u-nu-latn", language.tag())
}

fn locales(language: Language) -> Array {
    Array::of1(&locale(language).into())
}

fn options(pairs: &[(&str, JsValue)]) -> Object {
    let options = Object::new();
    for (name, value) in pairs {
        // A new object takes every value.
        Reflect::set(&options, &(*name).into(), value).ok();
    }
    options
}

/// Returns a number with exactly so many digits behind the decimal mark.
pub fn number(language: Language, value: f64, digits: usize) -> String {
    NUMBERS.with_borrow_mut(|known| {
        let at = known.iter().position(|it| (it.0, it.1) == (language, digits)).unwrap_or_else(|| {
            let digits_value = JsValue::from(digits as u32);
            let options = options(&[
                ("minimumFractionDigits", digits_value.clone()),
                ("maximumFractionDigits", digits_value),
            ]);
            known.push((language, digits, Intl::NumberFormat::new(&locales(language), &options).format()));
            known.len() - 1
        });
        let text = known[at].2.call1(&JsValue::UNDEFINED, &value.into());
        text.ok().and_then(|text| text.as_string()).unwrap_or_default()
    })
}

/// Returns the plural category of a count.
pub fn plural(language: Language, value: u64) -> String {
    PLURALS.with_borrow_mut(|known| {
        if known.as_ref().is_none_or(|(of, _)| *of != language) {
            *known = Some((language, Intl::PluralRules::new(&locales(language), &Object::new())));
        }
        known.as_ref().map(|(_, rules)| String::from(rules.select(value as f64))).unwrap_or_default()
    })
}

/// Returns a moment, in milliseconds since 1970, to the minute.
pub fn date_time(language: Language, milliseconds: f64) -> String {
    let options = options(&[("dateStyle", "medium".into()), ("timeStyle", "short".into())]);
    String::from(js_sys::Date::new(&milliseconds.into()).to_locale_string(&locale(language), &options))
}
