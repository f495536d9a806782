//! DOCX: the paragraphs and tables of a Word document, as they are after all changes are accepted.

use std::collections::HashMap;

use super::archive::Archive;
use super::blocks::Blocks;
use super::xml::{self, Node};
use crate::limits::Meter;
use crate::{Document, Error, Format};

/// The place of the text, unless the relationships of the package say otherwise.
const DOCUMENT: &str = "word/document.xml";

/// Notes, which follow the text.
const NOTES: [&str; 2] = ["word/footnotes.xml", "word/endnotes.xml"];

pub fn read(bytes: &[u8], meter: &mut Meter<'_>) -> Result<Document, Error> {
    let archive = Archive::open(bytes, Format::Docx, meter)?;
    let main = main_part(&archive, meter)?;
    let levels = levels(&archive, meter)?;
    let mut blocks = Blocks::new(None);
    let total = 1 + NOTES.len();
    text(&archive.need(&main, meter)?, &levels, &mut blocks, meter)?;
    for (done, notes) in (1..).zip(NOTES) {
        meter.at(done, total)?;
        if let Some(notes) = archive.get(notes, meter)? {
            text(&notes, &levels, &mut blocks, meter)?;
        }
    }
    meter.at(total, total)?;
    let title = title(&archive, meter)?;
    Ok(Document { format: Format::Docx, title, sections: blocks.finish(), pages: Vec::new(), encoding: None })
}

/// The part that the package names as its document.
fn main_part(archive: &Archive<'_>, meter: &mut Meter<'_>) -> Result<String, Error> {
    let mut found = None;
    if let Some(relationships) = archive.get("_rels/.rels", meter)? {
        xml::read(&relationships, Format::Docx, meter, &mut |node, _| {
            if let Node::Start(element) = node
                && element.get("Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
            {
                found = element.get("Target").map(|target| target.trim_start_matches('/').to_owned());
            }
            Ok(())
        })?;
    }
    Ok(found.filter(|part| archive.has(part)).unwrap_or_else(|| DOCUMENT.to_owned()))
}

/// The levels of headings by the names of styles. The names are in the language of the program that wrote them; what they
/// are called inside is not.
fn levels(archive: &Archive<'_>, meter: &mut Meter<'_>) -> Result<HashMap<String, u8>, Error> {
    let mut levels = HashMap::new();
    let Some(styles) = archive.get("word/styles.xml", meter)? else { return Ok(levels) };
    let mut style = String::new();
    xml::read(&styles, Format::Docx, meter, &mut |node, _| {
        let Node::Start(element) = node else { return Ok(()) };
        let value = element.get("val").unwrap_or_default();
        match element.name.as_str() {
            "style" => style = element.get("styleId").unwrap_or_default().to_owned(),
            "name" => {
                let name = value.to_ascii_lowercase();
                let level =
                    if name == "title" { Some(0) } else { name.strip_prefix("heading ").and_then(number) };
                levels.extend(level.map(|level| (style.clone(), level)));
            }
            "outlineLvl" => levels
                .extend(number(value).filter(|level| *level < 9).map(|level| (style.clone(), level + 1))),
            _ => {}
        }
        Ok(())
    })?;
    Ok(levels)
}

fn number(text: &str) -> Option<u8> {
    text.trim().parse().ok()
}

fn title(archive: &Archive<'_>, meter: &mut Meter<'_>) -> Result<Option<String>, Error> {
    let mut title = String::new();
    let Some(properties) = archive.get("docProps/core.xml", meter)? else { return Ok(None) };
    let mut inside = false;
    xml::read(&properties, Format::Docx, meter, &mut |node, _| {
        match node {
            Node::Start(element) => inside = element.name == "title",
            Node::Text(text) if inside => title.push_str(&text),
            Node::Text(_) => {}
            Node::End(_) => inside = false,
        }
        Ok(())
    })?;
    Ok(Some(title.trim().to_owned()).filter(|title| !title.is_empty()))
}

fn text(
    part: &[u8],
    levels: &HashMap<String, u8>,
    blocks: &mut Blocks,
    meter: &mut Meter<'_>,
) -> Result<(), Error> {
    let (mut in_text, mut level, mut cells) = (false, None, 0_u32);
    // Text boxes come twice, the second time for older programs. Notes have separators of their own.
    let mut skipped: Option<(String, u32)> = None;
    xml::read(part, Format::Docx, meter, &mut |node, meter| {
        if let Some((name, depth)) = &mut skipped {
            match &node {
                Node::Start(element) => *depth += u32::from(element.name == *name),
                Node::End(end) => *depth -= u32::from(end == name),
                Node::Text(_) => {}
            }
            if *depth == 0 {
                skipped = None;
            }
            return Ok(());
        }
        match node {
            Node::Start(element) => match element.name.as_str() {
                "t" => in_text = true,
                "tab" | "br" | "cr" => blocks.text(" ", meter)?,
                "noBreakHyphen" => blocks.text("-", meter)?,
                "pStyle" => level = element.get("val").and_then(|style| levels.get(style)).copied(),
                "outlineLvl" => {
                    let own = element.get("val").and_then(number).filter(|level| *level < 9);
                    level = own.map(|level| level + 1).or(level);
                }
                "numPr" if level.is_none() => blocks.text("- ", meter)?,
                "tr" if cells == 0 => blocks.end(false),
                "tc" => {
                    if cells == 0 {
                        blocks.cell();
                    }
                    cells += 1;
                }
                "Fallback" => skipped = Some((element.name, 1)),
                "footnote" | "endnote" if element.get("type").is_some() => skipped = Some((element.name, 1)),
                _ => {}
            },
            Node::Text(text) if in_text => blocks.text(&text, meter)?,
            Node::Text(_) => {}
            Node::End(name) => match name.as_str() {
                "t" => in_text = false,
                "p" if cells > 0 => blocks.text(" ", meter)?,
                "p" => match level.take() {
                    Some(level) => blocks.end_heading(level),
                    None => blocks.end(false),
                },
                "tc" => cells = cells.saturating_sub(1),
                "tr" if cells == 0 => blocks.end(false),
                _ => {}
            },
        }
        Ok(())
    })
}
