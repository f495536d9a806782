//! Unpacking the streams of a PDF within limits.
//!
//! The library unpacks without a limit. So each stream is unpacked here first, and the result thrown away: streams of
//! pages, forms and fonts when they are needed, by the filters that the library sees, and everything in the file before
//! the library opens it, by what the bytes look like.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;

use crate::Error;
use crate::limits::Meter;

/// Filters that a stream may have.
const MOST_FILTERS: usize = 8;

/// The end of the dictionary that a stream belongs to, in bytes: enough to tell a stream of objects.
const DICTIONARY: usize = 1024;

/// Returns the bytes of a stream. Fails if they are more than may be unpacked.
pub fn check<'a>(stream: &Stream<'a>, meter: &mut Meter<'_>) -> Result<Cow<'a, [u8]>, Error> {
    let filters = stream.filters();
    if filters.len() > MOST_FILTERS {
        return Err(Error::TooDeep { limit: MOST_FILTERS as u32 });
    }
    let mut data = stream.raw_data();
    for filter in filters {
        let limit = meter.unpackable();
        let unpacked = match filter {
            Filter::FlateDecode => inflate(&data, limit),
            Filter::LzwDecode => lzw(&data, limit),
            Filter::RunLengthDecode => run_length(&data, limit),
            Filter::Ascii85Decode => Ok(ascii_85(&data)),
            Filter::AsciiHexDecode => Ok(ascii_hex(&data)),
            // `raw_data` has decrypted it.
            Filter::Crypt => continue,
            // The library doesn't decode pictures.
            _ => break,
        };
        // What is left of the limit is no limit to show.
        data = unpacked.map_err(|_| Error::Expands { limit: meter.limits().unpacked })?.into();
        meter.unpacked(data.len() as u64)?;
    }
    Ok(data)
}

/// Fails if anything in a file unpacks to more bytes than the limit: the library reads the tables of objects and the
/// streams with objects in them when it opens the file. In an encrypted file, only what isn't encrypted can be checked.
pub fn check_file(file: &[u8], meter: &mut Meter<'_>) -> Result<(), Error> {
    let limit = meter.limits().unpacked;
    let (mut at, mut objects) = (0, 0);
    while let Some(found) = find(&file[at..], b"stream") {
        let keyword = at + found;
        at = keyword + b"stream".len();
        meter.parts(1)?;
        if file[..keyword].ends_with(b"end") {
            objects = at;
            continue;
        }
        meter.depth(deepest(&file[objects..keyword]))?;
        objects = at;
        let dictionary = &file[keyword.saturating_sub(DICTIONARY)..keyword];
        let has_objects = find(dictionary, b"/ObjStm").is_some();
        let data = file[at..].strip_prefix(b"\r").unwrap_or(&file[at..]);
        let mut data = Cow::Borrowed(data.strip_prefix(b"\n").unwrap_or(data));
        let mut length = 0;
        for _ in 0..MOST_FILTERS {
            if !is_zlib(&data) {
                data = unwrapped(data, meter)?;
            }
            // The library inflates what has no header, too. Anything else ends after a few bytes.
            let inflated = inflate(&data, limit)?;
            if inflated.is_empty() {
                break;
            }
            if has_objects {
                meter.depth(deepest(&inflated))?;
            }
            length += inflated.len();
            data = inflated.into();
        }
        meter.parts(length as u64 / 1024)?;
    }
    meter.depth(deepest(&file[objects..]))
}

/// The most dictionaries in one another. The library's time for them is quadratic.
fn deepest(objects: &[u8]) -> u32 {
    let (mut depth, mut most) = (0_u32, 0);
    let mut rest = objects;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'<' | b'>' | b'e')) {
        rest = &rest[at..];
        let length = match rest {
            [b'<', b'<', ..] => {
                depth += 1;
                most = most.max(depth);
                2
            }
            [b'>', b'>', ..] => {
                depth = depth.saturating_sub(1);
                2
            }
            _ if rest.starts_with(b"endobj") => {
                depth = 0;
                6
            }
            _ => 1,
        };
        rest = &rest[length..];
    }
    most
}

/// Returns what is below an ASCII encoding, if the bytes look like one.
fn unwrapped<'a>(data: Cow<'a, [u8]>, meter: &mut Meter<'_>) -> Result<Cow<'a, [u8]>, Error> {
    let start = &data[..data.len().min(64)];
    if start.is_empty() || !start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        return Ok(data);
    }
    let end = find(&data, b"endstream").unwrap_or(data.len());
    // A file may have the word very often, and each time what follows is searched.
    meter.parts(end as u64 / 64)?;
    let start = &data[..end.min(64)];
    let is_hex =
        start.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace() || *byte == b'>');
    Ok(if is_hex { ascii_hex(&data[..end]).into() } else { ascii_85(&data[..end]).into() })
}

fn is_zlib(data: &[u8]) -> bool {
    matches!(data, [method, flags, ..] if method & 0x8f == 0x08 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

/// Inflates to no more bytes than the limit. Damaged data gives what came before the damage.
fn inflate(data: &[u8], limit: u64) -> Result<Vec<u8>, Error> {
    if is_zlib(data) {
        all_of(ZlibDecoder::new(data), limit)
    } else {
        all_of(DeflateDecoder::new(data), limit)
    }
}

fn all_of(reader: impl Read, limit: u64) -> Result<Vec<u8>, Error> {
    let mut unpacked = Vec::new();
    // Damage ends the data; the library decides whether the rest is enough.
    reader.take(limit.saturating_add(1)).read_to_end(&mut unpacked).ok();
    if unpacked.len() as u64 > limit { Err(Error::Expands { limit }) } else { Ok(unpacked) }
}

fn lzw(data: &[u8], limit: u64) -> Result<Vec<u8>, Error> {
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let mut unpacked = Vec::new();
    let (mut rest, mut buffer) = (data, [0; 8192]);
    loop {
        let result = decoder.decode_bytes(rest, &mut buffer);
        rest = &rest[result.consumed_in..];
        unpacked.extend_from_slice(&buffer[..result.consumed_out]);
        if unpacked.len() as u64 > limit {
            return Err(Error::Expands { limit });
        }
        let is_done = !matches!(result.status, Ok(weezl::LzwStatus::Ok));
        if is_done || result.consumed_in == 0 && result.consumed_out == 0 {
            return Ok(unpacked);
        }
    }
}

fn run_length(data: &[u8], limit: u64) -> Result<Vec<u8>, Error> {
    let mut unpacked = Vec::new();
    let mut rest = data;
    while let [length, after @ ..] = rest {
        match usize::from(*length) {
            128 => break,
            length if length < 128 => {
                let (run, after) = after.split_at((length + 1).min(after.len()));
                unpacked.extend_from_slice(run);
                rest = after;
            }
            length => {
                let [byte, after @ ..] = after else { break };
                unpacked.resize(unpacked.len() + 257 - length, *byte);
                rest = after;
            }
        }
        if unpacked.len() as u64 > limit {
            return Err(Error::Expands { limit });
        }
    }
    Ok(unpacked)
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits =
        data.iter().take_while(|byte| **byte != b'>').filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<_> = digits.collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair.get(1).copied().unwrap_or(0)) as u8).collect()
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let data = data.strip_prefix(b"<~").unwrap_or(data);
    let mut bytes = Vec::new();
    let mut group = Vec::with_capacity(5);
    for byte in data.iter().take_while(|byte| **byte != b'~') {
        match byte {
            b'z' if group.is_empty() => bytes.extend([0; 4]),
            b'!'..=b'u' => group.push(byte - b'!'),
            _ => {}
        }
        if group.len() == 5 {
            bytes.extend(value(&group).to_be_bytes());
            group.clear();
        }
    }
    if group.len() > 1 {
        let count = group.len() - 1;
        group.resize(5, 84);
        bytes.extend(&value(&group).to_be_bytes()[..count]);
    }
    bytes
}

fn value(group: &[u8]) -> u32 {
    group.iter().fold(0_u32, |value, digit| value.wrapping_mul(85).wrapping_add(u32::from(*digit)))
}

fn find(data: &[u8], needle: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += data[at..].iter().position(|byte| *byte == needle[0])?;
        if data[at..].starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::ops::ControlFlow;

    use super::*;
    use crate::Limits;

    fn deflated(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn check_bytes(file: &[u8]) -> Result<(), Error> {
        let mut callback = |_| ControlFlow::Continue(());
        let limits = Limits { unpacked: 1 << 20, ..Limits::default() };
        check_file(file, &mut Meter::new(limits, &mut callback))
    }

    #[test]
    fn encodings_are_undone() {
        assert_eq!(ascii_hex(b"48 65 6C6c 6F7>"), b"Hello\x70");
        assert_eq!(ascii_85(b"<~87cURD]i,\"Ebo80~>"), b"Hello World!");
        assert_eq!(ascii_85(b"z"), [0; 4]);
        assert_eq!(run_length(b"\x01ab\xfec\x80x", 100), Ok(b"abccc".to_vec()));
        assert_eq!(inflate(&deflated(b"text"), 4), Ok(b"text".to_vec()));
        assert_eq!(inflate(&deflated(b"text"), 3), Err(Error::Expands { limit: 3 }));
        let packed = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
            .encode(&[7; 9000])
            .unwrap();
        assert_eq!(lzw(&packed, 9000), Ok(vec![7; 9000]));
        assert_eq!(lzw(&packed, 8999), Err(Error::Expands { limit: 8999 }));
    }

    #[test]
    fn dictionaries_are_counted_to_their_deepest() {
        assert_eq!(deepest(b"<< /A << /B <41> >> /C << >> >> endobj << >>"), 2);
        assert_eq!(deepest(&b"<</A ".repeat(300)), 300);
        let deep = b"<</A ".repeat(300);
        let stream = [b"<</Type/ObjStm>> stream\n".as_slice(), &deflated(&deep)].concat();
        for file in [deep, stream] {
            assert_eq!(check_bytes(&file), Err(Error::TooDeep { limit: 256 }));
        }
    }

    #[test]
    fn what_is_searched_again_and_again_counts() {
        let mut callback = |_| ControlFlow::Continue(());
        let limits = Limits { parts: 100_000, ..Limits::default() };
        let file = b"stream ".repeat(10_000);
        let result = check_file(&file, &mut Meter::new(limits, &mut callback));
        assert_eq!(result, Err(Error::Expands { limit: 100_000 }));
    }

    #[test]
    fn bombs_are_found_below_several_filters() {
        let bomb = deflated(&vec![0; 2 << 20]);
        let hex: String = bomb.iter().map(|byte| format!("{byte:02x}")).collect();
        let bare = bomb[2..].to_vec();
        for packed in [bomb.clone(), bare, deflated(&bomb), format!("{hex}>").into_bytes()] {
            let file = [b"1 0 obj <<>> stream\r\n".as_slice(), &packed, b"\nendstream endobj"].concat();
            assert_eq!(check_bytes(&file), Err(Error::Expands { limit: 1 << 20 }));
        }
        let file = [b"1 0 obj <<>> stream\n".as_slice(), &deflated(b"small"), b"\nendstream endobj"].concat();
        assert_eq!(check_bytes(&file), Ok(()));
    }
}
