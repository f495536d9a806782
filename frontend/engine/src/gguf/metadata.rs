//! Key–value metadata of a GGUF file.

use std::collections::BTreeMap;
use std::fmt;

/// An array of strings, stored as one text and the end offsets of its strings, which saves memory: there are half a
/// million merges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringArray {
    text: String,
    ends: Vec<u32>,
}

impl StringArray {
    /// An empty array with room for `count` strings.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        Self { text: String::new(), ends: Vec::with_capacity(count) }
    }

    /// Appends a string.
    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.ends.push(self.text.len() as u32);
    }

    /// Number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        Some(&self.text[start..end])
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i).unwrap_or_default())
    }
}

impl<'a> FromIterator<&'a str> for StringArray {
    fn from_iter<I: IntoIterator<Item = &'a str>>(pieces: I) -> Self {
        let mut array = Self::default();
        for piece in pieces {
            array.push(piece);
        }
        array
    }
}

/// A metadata value. Integers are widened, since readers accept any width for an integer key.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// u8, u16, u32, u64.
    Unsigned(u64),
    /// i8, i16, i32, i64.
    Signed(i64),
    /// f32, f64.
    Float(f64),
    /// bool.
    Bool(bool),
    /// string.
    String(String),
    /// Array of any integer type.
    Integers(Vec<i64>),
    /// Array of f32 or f64.
    Floats(Vec<f32>),
    /// Array of bool.
    Bools(Vec<bool>),
    /// Array of strings.
    Strings(StringArray),
    /// A value that was skipped, as no reader takes its kind: what it is.
    Skipped(&'static str),
}

/// The number that all of these are; `None` if they differ, or if there are none.
fn uniform<T: Copy + PartialEq>(values: &[T]) -> Option<T> {
    let (first, rest) = values.split_first()?;
    rest.iter().all(|value| value == first).then_some(*first)
}

impl Value {
    /// A number: a scalar, or an array that repeats one number, as some converters write for each layer.
    fn number(&self) -> Option<Self> {
        match self {
            Self::Unsigned(_) | Self::Signed(_) | Self::Float(_) => Some(self.clone()),
            Self::Integers(values) => uniform(values).map(Self::Signed),
            Self::Floats(values) => uniform(values).map(|value| Self::Float(value.into())),
            _ => None,
        }
    }

    fn u32(&self) -> Option<u32> {
        match self.number()? {
            Self::Unsigned(value) => u32::try_from(value).ok(),
            Self::Signed(value) => u32::try_from(value).ok(),
            Self::Float(value) => Some(value as u32).filter(|&whole| f64::from(whole) == value),
            _ => None,
        }
    }

    fn f32(&self) -> Option<f32> {
        match self.number()? {
            Self::Float(value) => Some(value as f32),
            Self::Unsigned(value) => Some(value as f32),
            Self::Signed(value) => Some(value as f32),
            _ => None,
        }
    }
}

/// What it is, in a few words: the number, or the kind.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Signed(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::String(text) => write!(f, "the text {:?}", text.chars().take(60).collect::<String>()),
            Self::Integers(values) => write!(f, "an array of {} integers", values.len()),
            Self::Floats(values) => write!(f, "an array of {} floats", values.len()),
            Self::Bools(values) => write!(f, "an array of {} truth values", values.len()),
            Self::Strings(texts) => write!(f, "an array of {} strings", texts.len()),
            Self::Skipped(what) => f.write_str(what),
        }
    }
}

/// A value that is not of the type that its key has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file says {key} = {found}, but {expected}")]
pub struct WrongType {
    /// The key.
    pub key: String,
    /// What it has.
    pub found: String,
    /// What it should have.
    pub expected: &'static str,
}

/// All metadata of a file, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata(pub BTreeMap<String, Value>);

impl Metadata {
    /// An integer of any width that fits `u32`. An array that repeats one number is that number.
    #[must_use]
    pub fn u32(&self, key: &str) -> Option<u32> {
        self.0.get(key)?.u32()
    }

    /// A float, or an integer read as one. An array that repeats one number is that number.
    #[must_use]
    pub fn f32(&self, key: &str) -> Option<f32> {
        self.0.get(key)?.f32()
    }

    /// As [`Self::u32`]; `None` only if there is no such key.
    ///
    /// # Errors
    /// When the key has anything else.
    pub fn try_u32(&self, key: &str) -> Result<Option<u32>, WrongType> {
        self.typed(key, Value::u32, "it must be one whole number from 0 to 4294967295")
    }

    /// As [`Self::f32`]; `None` only if there is no such key.
    ///
    /// # Errors
    /// When the key has anything else.
    pub fn try_f32(&self, key: &str) -> Result<Option<f32>, WrongType> {
        self.typed(key, Value::f32, "it must be one number")
    }

    fn typed<T>(
        &self,
        key: &str,
        read: impl Fn(&Value) -> Option<T>,
        expected: &'static str,
    ) -> Result<Option<T>, WrongType> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let wrong = || WrongType { key: key.to_owned(), found: value.to_string(), expected };
        read(value).map(Some).ok_or_else(wrong)
    }

    /// A bool, or 0 or 1; `None` only if there is no such key.
    ///
    /// # Errors
    /// When the key has anything else.
    pub fn try_bool(&self, key: &str) -> Result<Option<bool>, WrongType> {
        let read = |value: &Value| match value {
            Value::Bool(it) => Some(*it),
            other => other.u32().filter(|&it| it <= 1).map(|it| it == 1),
        };
        self.typed(key, read, "it must be true or false")
    }

    /// A bool.
    #[must_use]
    pub fn bool(&self, key: &str) -> Option<bool> {
        match self.0.get(key)? {
            Value::Bool(v) => Some(*v),
            _ => None,
        }
    }

    /// A string.
    #[must_use]
    pub fn str(&self, key: &str) -> Option<&str> {
        match self.0.get(key)? {
            Value::String(v) => Some(v),
            _ => None,
        }
    }

    /// An array of strings.
    #[must_use]
    pub fn strings(&self, key: &str) -> Option<&StringArray> {
        match self.0.get(key)? {
            Value::Strings(v) => Some(v),
            _ => None,
        }
    }

    /// An array of integers, or of bools read as 0 and 1.
    #[must_use]
    pub fn integers(&self, key: &str) -> Option<Vec<i64>> {
        match self.0.get(key)? {
            Value::Integers(v) => Some(v.clone()),
            Value::Bools(v) => Some(v.iter().map(|&b| i64::from(b)).collect()),
            _ => None,
        }
    }
}
