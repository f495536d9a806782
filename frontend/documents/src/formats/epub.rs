//! EPUB: the chapters of a book, in the order of its spine.

use std::collections::HashMap;

use super::archive::Archive;
use super::html;
use super::xml::{self, Node};
use crate::limits::Meter;
use crate::{Document, Error, Format};

pub fn read(bytes: &[u8], meter: &mut Meter<'_>) -> Result<Document, Error> {
    let archive = Archive::open(bytes, Format::Epub, meter)?;
    let package = package_path(&archive, meter)?;
    let Package { title, chapters } = package_of(&archive, &package, meter)?;
    meter.pages(chapters.len())?;
    let encrypted = archive.get("META-INF/encryption.xml", meter)?.unwrap_or_default();
    let encrypted = String::from_utf8_lossy(&encrypted).into_owned();
    let mut sections = Vec::new();
    for (index, chapter) in chapters.iter().enumerate() {
        meter.at(index, chapters.len())?;
        // Fonts may be obfuscated in a book that is open.
        if encrypted.contains(chapter.as_str()) {
            return Err(Error::Encrypted);
        }
        let Some(text) = archive.get(chapter, meter)? else { continue };
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        sections.extend(html::sections(&String::from_utf8_lossy(&text), Some(number), meter)?.1);
    }
    meter.at(chapters.len(), chapters.len())?;
    if sections.is_empty() {
        return Err(Error::Damaged { format: Format::Epub });
    }
    Ok(Document { format: Format::Epub, title, sections, pages: Vec::new(), encoding: None })
}

fn package_path(archive: &Archive<'_>, meter: &mut Meter<'_>) -> Result<String, Error> {
    let container = archive.need("META-INF/container.xml", meter)?;
    let mut path = None;
    xml::read(&container, Format::Epub, meter, &mut |node, _| {
        if let Node::Start(element) = node
            && element.name == "rootfile"
        {
            path = path.take().or(element.get("full-path").map(str::to_owned));
        }
        Ok(())
    })?;
    path.ok_or(Error::Damaged { format: Format::Epub })
}

struct Package {
    title: Option<String>,
    /// The paths of the chapters in the archive.
    chapters: Vec<String>,
}

fn package_of(archive: &Archive<'_>, path: &str, meter: &mut Meter<'_>) -> Result<Package, Error> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut items = HashMap::new();
    let (mut title, mut in_title) = (String::new(), false);
    let mut spine = Vec::new();
    let package = archive.need(path, meter)?;
    xml::read(&package, Format::Epub, meter, &mut |node, _| {
        match node {
            Node::Start(element) => match element.name.as_str() {
                "title" if title.is_empty() => in_title = true,
                "item" => {
                    if let (Some(id), Some(link)) = (element.get("id"), element.get("href")) {
                        items.insert(id.to_owned(), resolved(folder, link));
                    }
                }
                "itemref" => spine.extend(element.get("idref").map(str::to_owned)),
                _ => {}
            },
            Node::Text(text) if in_title => title.push_str(&text),
            Node::Text(_) => {}
            Node::End(_) => in_title = false,
        }
        Ok(())
    })?;
    let chapters = spine.iter().filter_map(|id| items.get(id)).cloned().collect();
    Ok(Package { title: Some(title.trim().to_owned()).filter(|title| !title.is_empty()), chapters })
}

/// The path of a link in the archive.
fn resolved(folder: &str, link: &str) -> String {
    let link = unescaped(link.split('#').next().unwrap_or_default());
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Replaces `%20` and the like.
fn unescaped(link: &str) -> String {
    let mut bytes = Vec::with_capacity(link.len());
    let mut rest = link.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits =
            after.get(..2).filter(|_| *byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved() {
        assert_eq!(resolved("OEBPS", "text/ch%201.xhtml#a"), "OEBPS/text/ch 1.xhtml");
        assert_eq!(resolved("OEBPS/package", "../../../x.xhtml"), "x.xhtml");
        assert_eq!(resolved("", "100%.xhtml"), "100%.xhtml");
    }
}
