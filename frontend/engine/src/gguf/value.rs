//! Metadata values.

use super::metadata::{StringArray, Value};
use super::reader::Reader;
use super::{GgufError, limits};

/// Types of metadata values, by their number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
}

impl ValueType {
    const ALL: [Self; 13] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::Bool,
        Self::String,
        Self::Array,
        Self::U64,
        Self::I64,
        Self::F64,
    ];

    fn parse(number: u32, key: &str) -> Result<Self, GgufError> {
        Self::ALL
            .into_iter()
            .find(|kind| *kind as u32 == number)
            .ok_or_else(|| GgufError::UnknownValueType { key: key.to_owned(), value_type: number })
    }

    /// Minimum size of a value in bytes.
    fn least_bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::String | Self::U64 | Self::I64 | Self::F64 => 8,
            Self::Array => 12,
        }
    }
}

/// Reads the value of `key`. `elements` counts array elements of the whole header.
pub(super) async fn read_value(
    reader: &mut Reader<'_>,
    key: &str,
    elements: &mut u64,
) -> Result<Value, GgufError> {
    const WHAT: &str = "a metadata value";
    let kind = ValueType::parse(reader.u32("the type of a metadata value").await?, key)?;
    Ok(match kind {
        ValueType::U8 => Value::Unsigned(u8::from_le_bytes(reader.array(WHAT).await?).into()),
        ValueType::U16 => Value::Unsigned(u16::from_le_bytes(reader.array(WHAT).await?).into()),
        ValueType::U32 => Value::Unsigned(u32::from_le_bytes(reader.array(WHAT).await?).into()),
        ValueType::U64 => Value::Unsigned(u64::from_le_bytes(reader.array(WHAT).await?)),
        ValueType::I8 => Value::Signed(i8::from_le_bytes(reader.array(WHAT).await?).into()),
        ValueType::I16 => Value::Signed(i16::from_le_bytes(reader.array(WHAT).await?).into()),
        ValueType::I32 => Value::Signed(i32::from_le_bytes(reader.array(WHAT).await?).into()),
        ValueType::I64 => Value::Signed(i64::from_le_bytes(reader.array(WHAT).await?)),
        ValueType::F32 => Value::Float(f32::from_le_bytes(reader.array(WHAT).await?).into()),
        ValueType::F64 => Value::Float(f64::from_le_bytes(reader.array(WHAT).await?)),
        ValueType::Bool => match reader.array(WHAT).await? {
            [byte @ (0 | 1)] => Value::Bool(byte == 1),
            _ => Value::Skipped("a truth value that is neither 0 nor 1"),
        },
        ValueType::String => match std::str::from_utf8(reader.string(WHAT, limits::STRING_BYTES).await?) {
            Ok(text) => Value::String(text.to_owned()),
            Err(_) => Value::Skipped("a text that is not UTF-8"),
        },
        ValueType::Array => read_array(reader, key, elements).await?,
    })
}

const STRING: &str = "a string of a metadata array";

async fn read_array(reader: &mut Reader<'_>, key: &str, elements: &mut u64) -> Result<Value, GgufError> {
    let Some((kind, count)) = begin_array(reader, key, elements).await? else {
        return Ok(Value::Skipped("an empty array of an unknown type"));
    };
    Ok(match kind {
        ValueType::U8 => integers(reader, count, u8::from_le_bytes).await?,
        ValueType::I8 => integers(reader, count, i8::from_le_bytes).await?,
        ValueType::U16 => integers(reader, count, u16::from_le_bytes).await?,
        ValueType::I16 => integers(reader, count, i16::from_le_bytes).await?,
        ValueType::U32 => integers(reader, count, u32::from_le_bytes).await?,
        ValueType::I32 => integers(reader, count, i32::from_le_bytes).await?,
        ValueType::I64 => integers(reader, count, i64::from_le_bytes).await?,
        ValueType::U64 => {
            let values = collect(reader, count, u64::from_le_bytes).await?;
            let signed = values.into_iter().map(|value| i64::try_from(value).ok()).collect();
            Option::map_or(signed, Value::Skipped("an array with numbers of 2^63 or more"), Value::Integers)
        }
        ValueType::F32 => Value::Floats(collect(reader, count, f32::from_le_bytes).await?),
        ValueType::F64 => {
            Value::Floats(collect(reader, count, |bytes| f64::from_le_bytes(bytes) as f32).await?)
        }
        ValueType::Bool => match collect(reader, count, u8::from_le_bytes).await? {
            bytes if bytes.iter().all(|byte| *byte <= 1) => {
                Value::Bools(bytes.into_iter().map(|byte| byte == 1).collect())
            }
            _ => Value::Skipped("an array with truth values that are neither 0 nor 1"),
        },
        ValueType::String => read_strings(reader, count).await?,
        ValueType::Array => {
            skip_arrays(reader, key, count, elements).await?;
            Value::Skipped("an array of arrays")
        }
    })
}

/// Reads the type and the length of an array; `None` if it is empty and the type unknown.
async fn begin_array(
    reader: &mut Reader<'_>,
    key: &str,
    elements: &mut u64,
) -> Result<Option<(ValueType, usize)>, GgufError> {
    const WHAT: &str = "the length of a metadata array";
    let kind = match ValueType::parse(reader.u32("the type of a metadata array").await?, key) {
        Ok(kind) => kind,
        Err(_) if reader.u64(WHAT).await? == 0 => return Ok(None),
        Err(error) => return Err(error),
    };
    let left = limits::ARRAY_ELEMENTS - *elements;
    let count = reader.count(WHAT, left, kind.least_bytes() as u64).await?;
    *elements += count as u64;
    Ok(Some((kind, count)))
}

async fn read_strings(reader: &mut Reader<'_>, count: usize) -> Result<Value, GgufError> {
    let mut strings = StringArray::with_capacity(count);
    let mut is_text = true;
    let mut put = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => strings.push(text),
        Err(_) => is_text = false,
    };
    for _ in 0..count {
        match reader.string_at_hand(limits::STRING_BYTES) {
            Some(bytes) => put(bytes),
            None => put(reader.string(STRING, limits::STRING_BYTES).await?),
        }
    }
    Ok(if is_text { Value::Strings(strings) } else { Value::Skipped("an array with text that is not UTF-8") })
}

/// Skips `count` arrays, and those that they hold.
async fn skip_arrays(
    reader: &mut Reader<'_>,
    key: &str,
    count: usize,
    elements: &mut u64,
) -> Result<(), GgufError> {
    // How many are left at each level.
    let mut levels = vec![count];
    while let Some(left) = levels.last_mut() {
        if *left == 0 {
            levels.pop();
            continue;
        }
        *left -= 1;
        let Some((kind, count)) = begin_array(reader, key, elements).await? else { continue };
        match kind {
            ValueType::Array if levels.len() == limits::NESTING => {
                return Err(GgufError::NestedArray { key: key.to_owned() });
            }
            ValueType::Array => levels.push(count),
            ValueType::String => {
                for _ in 0..count {
                    reader.string(STRING, limits::STRING_BYTES).await?;
                }
            }
            _ => reader.skip(count * kind.least_bytes(), "an element of a metadata array").await?,
        }
    }
    Ok(())
}

async fn integers<const N: usize, T: Into<i64>>(
    reader: &mut Reader<'_>,
    count: usize,
    decode: impl Fn([u8; N]) -> T,
) -> Result<Value, GgufError> {
    Ok(Value::Integers(collect(reader, count, |bytes| decode(bytes).into()).await?))
}

/// `count` elements of `N` bytes. The count was checked, so memory for all of them is allocated at once.
async fn collect<const N: usize, T>(
    reader: &mut Reader<'_>,
    count: usize,
    decode: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, GgufError> {
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        for bytes in reader.elements(count - values.len(), "an element of a metadata array").await? {
            values.push(decode(*bytes));
        }
    }
    Ok(values)
}
