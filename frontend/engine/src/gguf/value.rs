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
        ValueType::Bool => Value::Bool(bool_of(reader.array::<1>(WHAT).await?[0], key)?),
        ValueType::String => Value::String(reader.str(WHAT, limits::STRING_BYTES).await?.to_owned()),
        ValueType::Array => read_array(reader, key, elements).await?,
    })
}

const STRING: &str = "a string of a metadata array";

async fn read_array(reader: &mut Reader<'_>, key: &str, elements: &mut u64) -> Result<Value, GgufError> {
    let kind = ValueType::parse(reader.u32("the type of a metadata array").await?, key)?;
    if kind == ValueType::Array {
        return Err(GgufError::NestedArray { key: key.to_owned() });
    }
    let left = limits::ARRAY_ELEMENTS - *elements;
    let count = reader.count("the length of a metadata array", left, kind.least_bytes() as u64).await?;
    *elements += count as u64;
    Ok(match kind {
        ValueType::U8 => integers(reader, count, u8::from_le_bytes).await?,
        ValueType::I8 => integers(reader, count, i8::from_le_bytes).await?,
        ValueType::U16 => integers(reader, count, u16::from_le_bytes).await?,
        ValueType::I16 => integers(reader, count, i16::from_le_bytes).await?,
        ValueType::U32 => integers(reader, count, u32::from_le_bytes).await?,
        ValueType::I32 => integers(reader, count, i32::from_le_bytes).await?,
        ValueType::I64 => integers(reader, count, i64::from_le_bytes).await?,
        ValueType::U64 => {
            let signed = |value| {
                i64::try_from(value).map_err(|_| GgufError::IntegerTooLarge { key: key.to_owned(), value })
            };
            Value::Integers(collect(reader, count, |bytes| signed(u64::from_le_bytes(bytes))).await?)
        }
        ValueType::F32 => Value::Floats(collect(reader, count, |bytes| Ok(f32::from_le_bytes(bytes))).await?),
        ValueType::F64 => {
            Value::Floats(collect(reader, count, |bytes| Ok(f64::from_le_bytes(bytes) as f32)).await?)
        }
        ValueType::Bool => Value::Bools(collect(reader, count, |[byte]| bool_of(byte, key)).await?),
        ValueType::String => {
            let mut strings = StringArray::with_capacity(count);
            while strings.len() < count {
                match reader.str_at_hand(STRING, limits::STRING_BYTES)? {
                    Some(text) => strings.push(text),
                    None => strings.push(reader.str(STRING, limits::STRING_BYTES).await?),
                }
            }
            Value::Strings(strings)
        }
        ValueType::Array => return Err(GgufError::NestedArray { key: key.to_owned() }),
    })
}

async fn integers<const N: usize, T: Into<i64>>(
    reader: &mut Reader<'_>,
    count: usize,
    decode: impl Fn([u8; N]) -> T,
) -> Result<Value, GgufError> {
    Ok(Value::Integers(collect(reader, count, |bytes| Ok(decode(bytes).into())).await?))
}

/// `count` elements of `N` bytes. The count was checked, so memory for all of them is allocated at once.
async fn collect<const N: usize, T>(
    reader: &mut Reader<'_>,
    count: usize,
    decode: impl Fn([u8; N]) -> Result<T, GgufError>,
) -> Result<Vec<T>, GgufError> {
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        for bytes in reader.elements(count - values.len(), "an element of a metadata array").await? {
            values.push(decode(*bytes)?);
        }
    }
    Ok(values)
}

fn bool_of(byte: u8, key: &str) -> Result<bool, GgufError> {
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        value => Err(GgufError::BadBool { key: key.to_owned(), value }),
    }
}
