//! Expressions in `#if` and `#for`: recursive descent, evaluated while parsing.

use super::{Place, PreprocessError, Scope};
use crate::DType;
use crate::forms::Scales;

/// Maximum length of a chain of names that stand for names.
const MAX_ALIASES: usize = 8;

/// Returns the value of an expression. A condition is true if it is not zero.
pub(super) fn evaluate(place: Place<'_>, scope: &Scope<'_>, text: &str) -> Result<i64, PreprocessError> {
    let tokens = tokenize(place, text)?;
    let mut parser = Parser { place, scope, tokens: &tokens };
    let value = parser.or(true)?;
    if parser.tokens.is_empty() {
        Ok(value)
    } else {
        Err(place.syntax("unexpected text after the expression"))
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token<'a> {
    Name(&'a str),
    Number(i64),
    Symbol(&'static str),
}

const SYMBOLS: [&str; 7] = ["==", "!=", "&&", "||", "!", "(", ")"];

fn tokenize<'a>(place: Place<'_>, text: &'a str) -> Result<Vec<Token<'a>>, PreprocessError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if word > 0 {
            let (word, _) = rest.split_at(word);
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                let digits = word.strip_suffix('u').unwrap_or(word);
                let number = digits.parse().map_err(|_| place.syntax("not a number"))?;
                tokens.push(Token::Number(number));
            } else {
                tokens.push(Token::Name(word));
            }
            word.len()
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            let symbol = symbol.ok_or_else(|| place.syntax("unexpected character in the expression"))?;
            tokens.push(Token::Symbol(symbol));
            symbol.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// `live` is false in operands that cannot affect the result, so that `defined(A) && A == 1` is valid without `A`.
struct Parser<'a> {
    place: Place<'a>,
    scope: &'a Scope<'a>,
    tokens: &'a [Token<'a>],
}

impl Parser<'_> {
    fn take(&mut self, symbol: &str) -> bool {
        if let [Token::Symbol(first), rest @ ..] = self.tokens
            && *first == symbol
        {
            self.tokens = rest;
            return true;
        }
        false
    }

    fn expect(&mut self, symbol: &str, what: &'static str) -> Result<(), PreprocessError> {
        if self.take(symbol) { Ok(()) } else { Err(self.place.syntax(what)) }
    }

    fn or(&mut self, live: bool) -> Result<i64, PreprocessError> {
        let mut value = self.and(live)?;
        while self.take("||") {
            let right = self.and(live && value == 0)?;
            value = i64::from(value != 0 || right != 0);
        }
        Ok(value)
    }

    fn and(&mut self, live: bool) -> Result<i64, PreprocessError> {
        let mut value = self.equality(live)?;
        while self.take("&&") {
            let right = self.equality(live && value != 0)?;
            value = i64::from(value != 0 && right != 0);
        }
        Ok(value)
    }

    fn equality(&mut self, live: bool) -> Result<i64, PreprocessError> {
        let left = self.unary(live)?;
        if self.take("==") {
            Ok(i64::from(left == self.unary(live)?))
        } else if self.take("!=") {
            Ok(i64::from(left != self.unary(live)?))
        } else {
            Ok(left)
        }
    }

    fn unary(&mut self, live: bool) -> Result<i64, PreprocessError> {
        if self.take("!") {
            return Ok(i64::from(self.unary(live)? == 0));
        }
        if self.take("(") {
            let value = self.or(live)?;
            self.expect(")", "a ( without its )")?;
            return Ok(value);
        }
        match self.tokens {
            [
                Token::Name("defined"),
                Token::Symbol("("),
                Token::Name(name),
                Token::Symbol(")"),
                rest @ ..,
            ] => {
                self.tokens = rest;
                Ok(i64::from(self.scope.get(name).is_some()))
            }
            [Token::Name(property), Token::Symbol("("), Token::Name(name), Token::Symbol(")"), rest @ ..] => {
                self.tokens = rest;
                if live { self.property(property, name) } else { Ok(0) }
            }
            [Token::Name(name), rest @ ..] => {
                self.tokens = rest;
                if live { self.number(name) } else { Ok(0) }
            }
            [Token::Number(number), rest @ ..] => {
                self.tokens = rest;
                Ok(*number)
            }
            _ => Err(self.place.syntax("expected a name, a number or (")),
        }
    }

    /// A property of the storage type that a name stands for.
    fn property(&self, property: &str, name: &str) -> Result<i64, PreprocessError> {
        let dtype = u32::try_from(self.number(name)?).ok().and_then(DType::from_ggml);
        let value = dtype.and_then(|dtype| dtype.property(property));
        value.ok_or_else(|| self.place.syntax("not a property of a storage type"))
    }

    /// Returns the number that a name stands for, directly or through other names.
    fn number(&self, name: &str) -> Result<i64, PreprocessError> {
        let mut current = name;
        for _ in 0..MAX_ALIASES {
            if let Some(dtype) = DType::ALL.iter().find(|dtype| dtype.name() == current) {
                return Ok(i64::from(dtype.ggml_id()));
            }
            let bits = || current.strip_prefix("BITS_").and_then(|bits| bits.parse().ok());
            if let Some(number) = Scales::named(current).or_else(bits) {
                return Ok(number);
            }
            let Some(value) = self.scope.get(current) else {
                if current == name {
                    return Err(self.place.undefined(name));
                }
                break;
            };
            match value {
                "true" => return Ok(1),
                "false" => return Ok(0),
                _ => {}
            }
            if let Ok(number) = value.strip_suffix('u').unwrap_or(value).parse() {
                return Ok(number);
            }
            current = value;
        }
        let (file, name, value) = (self.place.file.to_owned(), name.to_owned(), current.to_owned());
        Err(PreprocessError::NotANumber { file, line: self.place.line, name, value })
    }
}
