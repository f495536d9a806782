//! Bounds of numbers.

use serde_json::{Map, Number, Value};

use crate::error::{GrammarError, Refusal};
use crate::schema::Shape;

/// Integers that JSON numbers hold exactly.
pub(crate) const LARGEST: f64 = 9_007_199_254_740_992.0;
/// More digits behind the point are none that a person has written.
const MOST_DIGITS: usize = 17;

/// A bound of decimal numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub value: f64,
    /// Whether the value itself is outside.
    pub excluded: bool,
}

/// Returns the number of a keyword.
fn number(
    keywords: &Map<String, Value>,
    keyword: &'static str,
    path: &str,
) -> Result<Option<f64>, GrammarError> {
    let Some(value) = keywords.get(keyword) else { return Ok(None) };
    let number = value.as_number().and_then(Number::as_f64).filter(|number| number.abs() < LARGEST);
    number.map(Some).ok_or_else(|| GrammarError::at(path, Refusal::Value { keyword }))
}

/// Returns the keyword that says an upper bound.
fn upper(keywords: &Map<String, Value>) -> &'static str {
    if keywords.contains_key("maximum") { "maximum" } else { "exclusiveMaximum" }
}

pub(crate) fn integers(keywords: &Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
    let bound = |keyword, step: i64, round: fn(f64) -> f64| {
        let number = number(keywords, keyword, path)?;
        let whole = |number: f64| round(number) as i64 + if number.fract() == 0.0 { step } else { 0 };
        Ok(number.map(whole))
    };
    let least = bound("minimum", 0, f64::ceil)?.max(bound("exclusiveMinimum", 1, f64::ceil)?);
    let most = [bound("maximum", 0, f64::floor)?, bound("exclusiveMaximum", -1, f64::floor)?];
    let most = most.into_iter().flatten().min();
    if least.zip(most).is_some_and(|(least, most)| least > most) {
        return Err(GrammarError::at(path, Refusal::Value { keyword: upper(keywords) }));
    }
    // There is no −0 in a range.
    match (least, most) {
        (None, None) => Ok(Shape::Integer { least, most }),
        _ if least.is_some_and(|least| least >= 0) || most.is_some_and(|most| most < 0) => {
            Ok(Shape::Integer { least, most })
        }
        _ => Ok(Shape::OneOf(vec![
            Shape::Integer { least, most: Some(-1) },
            Shape::Integer { least: Some(0), most },
        ])),
    }
}

pub(crate) fn decimals(keywords: &Map<String, Value>, path: &str) -> Result<Shape, GrammarError> {
    let bound = |keyword, excluded| {
        let Some(value) = number(keywords, keyword, path)? else { return Ok(None) };
        // llguidance compares digits.
        if value.to_string().split('.').nth(1).is_some_and(|digits| digits.len() > MOST_DIGITS) {
            return Err(GrammarError::at(path, Refusal::Value { keyword }));
        }
        Ok(Some(Bound { value, excluded }))
    };
    let stricter = |included: Option<Bound>, excluded: Option<Bound>, is_outside: fn(f64, f64) -> bool| {
        let both = included.zip(excluded);
        match both {
            Some((included, excluded)) if is_outside(excluded.value, included.value) => Some(included),
            _ => excluded.or(included),
        }
    };
    let least = stricter(bound("minimum", false)?, bound("exclusiveMinimum", true)?, |out, than| out < than);
    let most = stricter(bound("maximum", false)?, bound("exclusiveMaximum", true)?, |out, than| out > than);
    if let Some((least, most)) = least.zip(most) {
        let touches = least.value == most.value && (least.excluded || most.excluded);
        if least.value > most.value || touches {
            return Err(GrammarError::at(path, Refusal::Value { keyword: upper(keywords) }));
        }
        // It takes the whole number itself for one of the range then.
        let is_whole = |bound: Bound| bound.excluded && bound.value.fract() == 0.0;
        if is_whole(least) && least.value >= 0.0 && most.value < least.value + 1.0 {
            return Err(GrammarError::at(path, Refusal::Value { keyword: "exclusiveMinimum" }));
        }
        if is_whole(most) && most.value <= 0.0 && least.value > most.value - 1.0 {
            return Err(GrammarError::at(path, Refusal::Value { keyword: "exclusiveMaximum" }));
        }
    }
    Ok(Shape::Number { least, most })
}
