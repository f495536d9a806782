//! The text of a tool call: `call:NAME{key:value,…}` with strings between `<|"|>` tokens.

use serde_json::{Map, Number, Value};
use thiserror::Error;

use crate::tokenizer::special::QUOTE;

use super::message::ToolCall;

/// Maximum nesting of arrays and objects, to protect the stack from runaway output.
const MAX_NESTED: usize = 64;

/// Why the text of a call cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the fields are what their sentence says")]
pub enum CallError {
    /// It does not start with `call:NAME{`.
    #[error("the call does not begin with call:NAME{{")]
    Head,
    /// It ends inside a string, an array or an object.
    #[error("the call ends in the middle")]
    Unfinished,
    /// Unexpected text.
    #[error("expected {expected} at character {at} of the call")]
    Expected {
        expected: &'static str,
        /// Position in characters, counting a `<|"|>` as one.
        at: usize,
    },
    /// A value that is not a string, number, array, object, true, false or null.
    #[error("{text:?} is no value")]
    Value { text: String },
    /// Arrays and objects are nested too deeply.
    #[error("the call is nested more than {MAX_NESTED} deep")]
    Nested,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Char(char),
    /// The token `<|"|>`; the same characters spelled as text are [`Unit::Char`]s.
    Quote,
}

/// The body of a call, as it is generated between `<|tool_call>` and `<tool_call|>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCallText(Vec<Unit>);

impl ToolCallText {
    /// Appends text.
    pub fn push_text(&mut self, text: &str) {
        self.0.extend(text.chars().map(Unit::Char));
    }

    /// Appends a `<|"|>` token.
    pub fn push_quote(&mut self) {
        self.0.push(Unit::Quote);
    }

    /// Returns the body as the model wrote it.
    pub fn raw(&self) -> String {
        let mut raw = String::new();
        for unit in &self.0 {
            match unit {
                Unit::Char(character) => raw.push(*character),
                Unit::Quote => raw.push_str(QUOTE),
            }
        }
        raw
    }

    /// Parses the call. Besides Gemma's notation, JSON strings and keys are accepted, with white space anywhere,
    /// since models fall back to them. If the call was closed by its token, a string and brackets that are still open at its
    /// end are closed. Nothing else is repaired: a wrong guess would run a tool with wrong arguments.
    ///
    /// # Errors
    /// See [`CallError`].
    pub fn parse(&self, closed: bool) -> Result<ToolCall, CallError> {
        let units = if closed { self.repaired() } else { self.0.clone() };
        let mut reader = Reader { units: &units, at: 0 };
        reader.skip_space();
        if !"call:".chars().all(|c| reader.take(Unit::Char(c))) {
            return Err(CallError::Head);
        }
        let name = reader.text_until(&['{']).ok_or(CallError::Head)?;
        if name.is_empty() || !reader.take(Unit::Char('{')) {
            return Err(CallError::Head);
        }
        let arguments = reader.members(1)?;
        reader.skip_space();
        if reader.at < reader.units.len() {
            return Err(reader.expected("the end"));
        }
        Ok(ToolCall { id: None, name, arguments })
    }

    /// Returns the units with the end of an open string before the brackets and spaces at the end, and with the brackets
    /// that are missing there.
    fn repaired(&self) -> Vec<Unit> {
        let mut units = self.0.clone();
        if units.iter().filter(|unit| **unit == Unit::Quote).count() % 2 == 1 {
            let closes =
                |unit: &Unit| matches!(unit, Unit::Char(c) if c.is_whitespace() || "}]".contains(*c));
            let end = units.iter().rposition(|unit| !closes(unit)).map_or(0, |last| last + 1);
            units.insert(end, Unit::Quote);
        }
        let mut open = Vec::new();
        let mut at = 0;
        while let Some(&unit) = units.get(at) {
            at += 1;
            match unit {
                Unit::Quote => at = end_of_string(&units, at, Unit::Quote),
                Unit::Char('"') => at = end_of_string(&units, at, unit),
                Unit::Char('{') => open.push('}'),
                Unit::Char('[') => open.push(']'),
                Unit::Char(c) if open.last() == Some(&c) => drop(open.pop()),
                Unit::Char(_) => {}
            }
        }
        units.extend(open.into_iter().rev().map(Unit::Char));
        units
    }
}

/// Returns the position behind the string that `end` closes, whose text begins at `at`. JSON strings have escapes.
fn end_of_string(units: &[Unit], mut at: usize, end: Unit) -> usize {
    while let Some(&unit) = units.get(at) {
        at += 1;
        if unit == end {
            break;
        }
        at += usize::from(unit == Unit::Char('\\') && end != Unit::Quote);
    }
    at
}

/// Whether a key with this character needs no quotes.
fn is_bare(character: char) -> bool {
    !character.is_whitespace() && !":,{}[]\"<".contains(character)
}

struct Reader<'a> {
    units: &'a [Unit],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<Unit> {
        self.units.get(self.at).copied()
    }

    fn next(&mut self) -> Result<Unit, CallError> {
        let unit = self.peek().ok_or(CallError::Unfinished)?;
        self.at += 1;
        Ok(unit)
    }

    fn take(&mut self, unit: Unit) -> bool {
        let taken = self.peek() == Some(unit);
        self.at += usize::from(taken);
        taken
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(Unit::Char(c)) if c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn expected(&self, expected: &'static str) -> CallError {
        if self.at < self.units.len() {
            CallError::Expected { expected, at: self.at }
        } else {
            CallError::Unfinished
        }
    }

    /// Trimmed text up to one of `ends`, which is not consumed; `None` if another special character comes first.
    fn text_until(&mut self, ends: &[char]) -> Option<String> {
        let mut text = String::new();
        while let Unit::Char(character) = self.peek()? {
            if ends.contains(&character) {
                return Some(text.trim().to_owned());
            }
            text.push(character);
            self.at += 1;
        }
        None
    }

    /// Returns the members after the opening brace, and the closing brace.
    fn members(&mut self, depth: usize) -> Result<Map<String, Value>, CallError> {
        let mut members = Map::new();
        self.skip_space();
        if self.take(Unit::Char('}')) {
            return Ok(members);
        }
        loop {
            let key = self.key()?;
            self.skip_space();
            if !self.take(Unit::Char(':')) {
                return Err(self.expected("a colon"));
            }
            let value = self.value(depth)?;
            members.insert(key, value);
            self.skip_space();
            if self.take(Unit::Char('}')) {
                return Ok(members);
            }
            if !self.take(Unit::Char(',')) {
                return Err(self.expected("a comma or a closing brace"));
            }
        }
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<Value>, CallError> {
        let mut elements = Vec::new();
        self.skip_space();
        if self.take(Unit::Char(']')) {
            return Ok(elements);
        }
        loop {
            elements.push(self.value(depth)?);
            self.skip_space();
            if self.take(Unit::Char(']')) {
                return Ok(elements);
            }
            if !self.take(Unit::Char(',')) {
                return Err(self.expected("a comma or a closing bracket"));
            }
        }
    }

    fn key(&mut self) -> Result<String, CallError> {
        self.skip_space();
        if let Some(key) = self.string()? {
            return Ok(key);
        }
        let mut key = String::new();
        while let Some(Unit::Char(character)) = self.peek()
            && is_bare(character)
        {
            key.push(character);
            self.at += 1;
        }
        if key.is_empty() { Err(self.expected("a key")) } else { Ok(key) }
    }

    fn value(&mut self, depth: usize) -> Result<Value, CallError> {
        self.skip_space();
        if let Some(text) = self.string()? {
            return Ok(Value::String(text));
        }
        let opens = [Unit::Char('{'), Unit::Char('[')].into_iter().find(|&unit| self.take(unit));
        match opens {
            Some(_) if depth >= MAX_NESTED => Err(CallError::Nested),
            Some(Unit::Char('{')) => self.members(depth + 1).map(Value::Object),
            Some(_) => self.elements(depth + 1).map(Value::Array),
            None => self.literal(),
        }
    }

    /// Returns a string in either notation; `None` if there is no string here.
    fn string(&mut self) -> Result<Option<String>, CallError> {
        if self.take(Unit::Quote) {
            let mut text = String::new();
            while let Unit::Char(character) = self.next()? {
                text.push(character);
            }
            return Ok(Some(text));
        }
        let start = self.at;
        if !self.take(Unit::Char('"')) {
            return Ok(None);
        }
        let mut json = String::from('"');
        loop {
            match self.next()? {
                Unit::Char('\\') => match self.next()? {
                    Unit::Char(escaped) => json.extend(['\\', escaped]),
                    Unit::Quote => {
                        return Err(CallError::Expected { expected: "an escape", at: self.at - 1 });
                    }
                },
                Unit::Char('"') => break,
                // JSON forbids raw control characters in strings, but models write line breaks.
                Unit::Char(control) if control < ' ' => {
                    json.push_str(&format!("\\u{:04x}", u32::from(control)))
                }
                Unit::Char(character) => json.push(character),
                Unit::Quote => json.push_str(&QUOTE.replace('"', "\\\"")),
            }
        }
        json.push('"');
        match serde_json::from_str(&json) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(CallError::Expected { expected: "a string with valid escapes", at: start }),
        }
    }

    fn literal(&mut self) -> Result<Value, CallError> {
        let text =
            self.text_until(&[',', '}', ']']).ok_or_else(|| self.expected("a comma or a closing brace"))?;
        match text.as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            _ => match serde_json::from_str::<Number>(&text) {
                Ok(number) => Ok(Value::Number(number)),
                Err(_) => Err(CallError::Value { text }),
            },
        }
    }
}
