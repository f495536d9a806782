//! Files made for tests: archives, and PDFs written by hand.

use std::io::Write;

use rawzip::{CompressionMethod, ZipArchiveWriter};

/// An archive of files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, content) in files {
        let builder = archive.new_file(*name).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = builder.start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::best());
        let mut writer = config.wrap(encoder);
        writer.write_all(content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// A Word document with a body.
pub fn docx(body: &str) -> Vec<u8> {
    let document =
        format!("<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>");
    let styles = r#"<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
        <w:style w:styleId="Own"><w:name w:val="Own"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>"#;
    let core =
        r#"<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>A &amp; B</dc:title></cp:coreProperties>"#;
    let footnotes = r#"<w:footnotes xmlns:w="w"><w:footnote w:type="separator"><w:p><w:r><w:t>no</w:t></w:r></w:p></w:footnote>
        <w:footnote w:id="1"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;
    archive(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", document.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("word/footnotes.xml", footnotes.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
    ])
}

/// A book of chapters.
pub fn epub(chapters: &[&str]) -> Vec<u8> {
    let item = |number: usize| format!("<item id=\"c{number}\" href=\"text/ch%20{number}.xhtml\"/>");
    let reference = |number: usize| format!("<itemref idref=\"c{number}\"/>");
    let items: String = (0..chapters.len()).map(item).collect();
    let spine: String = (0..chapters.len()).map(reference).collect();
    let package = format!(
        "<package><metadata><dc:title>The book</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    );
    let container = "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>";
    let names: Vec<_> = (0..chapters.len()).map(|number| format!("OEBPS/text/ch {number}.xhtml")).collect();
    let mut files: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("OEBPS/book.opf", package.as_bytes()),
    ];
    files.extend(names.iter().zip(chapters).map(|(name, chapter)| (name.as_str(), chapter.as_bytes())));
    archive(&files)
}

/// A PDF of objects numbered from 1, the first of which is the catalogue. Readers find them without a table.
pub fn pdf(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    for (number, object) in (1..).zip(objects) {
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    bytes.extend(b"trailer << /Root 1 0 R >>\n%%EOF");
    bytes
}

/// A stream with entries in its dictionary.
pub fn stream(entries: &str, content: &str) -> String {
    format!("<< {entries} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// Bytes as a stream that unpacks to `data` through two filters.
pub fn packed(entries: &str, data: &[u8]) -> String {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    let hex: String = encoder.finish().unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
    stream(&format!("{entries} /Filter [/ASCIIHexDecode /FlateDecode]"), &format!("{hex}>"))
}
