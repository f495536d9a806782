//! From the bytes of a file to a document.

use std::ops::ControlFlow;

use crate::formats::{docx, epub, html, json, markdown, pdf, table, text};
use crate::limits::Meter;
use crate::{Document, Encoding, Error, Format, Limits, Progress};

/// How a file is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The bounds of what reading may use.
    pub limits: Limits,
    /// The encoding of plain text, if the reader chose it; otherwise it is detected.
    pub encoding: Option<Encoding>,
    /// The password of a PDF.
    pub password: Option<&'a str>,
}

/// Reads a file. `progress` is called now and then, and can cancel.
///
/// # Errors
/// If the file is empty, passes a limit, needs a password, is damaged or in no known format, or if `progress` breaks.
pub fn read(
    name: &str,
    bytes: &[u8],
    options: &Options<'_>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Document, Error> {
    let limit = options.limits.bytes;
    if bytes.is_empty() {
        return Err(Error::Empty);
    }
    if bytes.len() as u64 > limit {
        return Err(Error::TooLarge { bytes: bytes.len() as u64, limit });
    }
    let meter = &mut Meter::new(options.limits, progress);
    meter.at(0, bytes.len())?;
    let format = format_of(name, bytes).ok_or(Error::Unsupported)?;
    match format {
        Format::Pdf => return pdf::read(bytes, options.password, meter),
        Format::Docx => return docx::read(bytes, meter),
        Format::Epub => return epub::read(bytes, meter),
        Format::Text | Format::Markdown | Format::Table | Format::Json | Format::Html => {}
    }
    let (encoding, text) = text::decode(bytes, options.encoding, meter)?;
    let mut document = match format {
        Format::Markdown => markdown::read(&text, meter)?,
        Format::Table => table::read(name, &text, meter)?,
        Format::Json => json::read(&text, meter)?,
        Format::Html => html::read(&text, meter)?,
        _ => text::read(&text, meter)?,
    };
    document.encoding = Some(encoding);
    Ok(document)
}

/// Returns the format that a file is read as, by its first bytes and its name; `None` if it isn't text and no known format.
pub fn format_of(name: &str, bytes: &[u8]) -> Option<Format> {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let extension = extension.as_deref().unwrap_or_default();
    let start = &bytes[..bytes.len().min(1024)];
    let end = &bytes[bytes.len().saturating_sub(1 << 16)..];
    let has = |part: &[u8], word: &[u8]| part.windows(word.len()).any(|window| window == word);
    // A PDF may have something before its header; a text may speak of one.
    let is_pdf =
        bytes.starts_with(b"%PDF-") || has(start, b"%PDF-") && (extension == "pdf" || !text::is_text(bytes));
    if is_pdf {
        return Some(Format::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        // The names of all files are at the end.
        return match extension {
            "epub" => Some(Format::Epub),
            "docx" | "docm" | "dotx" | "dotm" => Some(Format::Docx),
            _ if has(end, b"META-INF/container.xml") => Some(Format::Epub),
            _ if has(end, b"word/document.xml") => Some(Format::Docx),
            _ => None,
        };
    }
    if !text::is_text(bytes) {
        return None;
    }
    Some(match extension {
        "md" | "markdown" | "mdown" => Format::Markdown,
        "csv" | "tsv" | "tab" => Format::Table,
        "json" => Format::Json,
        "html" | "htm" | "xhtml" => Format::Html,
        _ => Format::Text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go_on(_: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn bytes_decide_before_the_name() {
        assert_eq!(format_of("a.txt", b"%PDF-1.7\n"), Some(Format::Pdf));
        assert_eq!(format_of("a.pdf", b"just text"), Some(Format::Text));
        assert_eq!(format_of("a.pdf", b"junk\n%PDF-1.7\n"), Some(Format::Pdf));
        assert_eq!(format_of("a.md", b"It starts with %PDF-1.7"), Some(Format::Markdown));
        assert_eq!(format_of("a.csv", b"a,b"), Some(Format::Table));
        assert_eq!(format_of("main.rs", b"fn main() {}"), Some(Format::Text));
        assert_eq!(format_of("a.zip", b"PK\x03\x04\0\0"), None);
        assert_eq!(format_of("a.bin", b"\x7fELF\x02\x01\x01\0\0\0\0"), None);
    }

    #[test]
    fn limits_and_the_callback_stop_reading() {
        let options = Options { limits: Limits { bytes: 3, ..Limits::default() }, ..Options::default() };
        assert_eq!(read("a.txt", b"four", &options, &mut go_on), Err(Error::TooLarge { bytes: 4, limit: 3 }));
        assert_eq!(read("a.txt", b"", &options, &mut go_on), Err(Error::Empty));
        let mut stop = |_| ControlFlow::Break(());
        assert_eq!(read("a.txt", b"four", &Options::default(), &mut stop), Err(Error::Canceled));
    }
}
