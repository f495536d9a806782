//! Key–value metadata of a GGUF file.

use std::collections::BTreeMap;

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
}

/// All metadata of a file, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata(pub BTreeMap<String, Value>);

impl Metadata {
    /// An integer of any width that fits `u32`.
    #[must_use]
    pub fn u32(&self, key: &str) -> Option<u32> {
        match self.0.get(key)? {
            Value::Unsigned(v) => u32::try_from(*v).ok(),
            Value::Signed(v) => u32::try_from(*v).ok(),
            _ => None,
        }
    }

    /// A float, or an integer read as one.
    #[must_use]
    pub fn f32(&self, key: &str) -> Option<f32> {
        match self.0.get(key)? {
            Value::Float(v) => Some(*v as f32),
            Value::Unsigned(v) => Some(*v as f32),
            Value::Signed(v) => Some(*v as f32),
            _ => None,
        }
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
