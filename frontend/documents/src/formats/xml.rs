//! Reading XML: names without prefixes, and no entities but those that XML itself has.

use quick_xml::events::{BytesStart, Event};

use crate::limits::Meter;
use crate::{Error, Format};

/// What comes next in a file.
pub enum Node {
    /// An element starts. One without content ends at once.
    Start(Element),
    /// An element ends.
    End(String),
    /// Text.
    Text(String),
}

/// An element: its name and attributes without their prefixes.
pub struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// Returns the value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Calls `visit` for all of a file. Text that isn't UTF-8 is damage.
pub fn read(
    bytes: &[u8],
    format: Format,
    meter: &mut Meter<'_>,
    visit: &mut dyn FnMut(Node, &mut Meter<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let damaged = Error::Damaged { format };
    let text = std::str::from_utf8(bytes).map_err(|_| damaged)?;
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut depth = 0_u32;
    loop {
        meter.parts(1)?;
        match reader.read_event().map_err(|_| damaged)? {
            Event::Start(start) => {
                depth += 1;
                meter.depth(depth)?;
                visit(Node::Start(element(&start)), meter)?;
            }
            Event::Empty(start) => {
                let element = element(&start);
                let name = element.name.clone();
                visit(Node::Start(element), meter)?;
                visit(Node::End(name), meter)?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                visit(Node::End(lossy(end.local_name().as_ref())), meter)?;
            }
            Event::Text(text) => visit(Node::Text(lossy(&text)), meter)?,
            Event::CData(text) => visit(Node::Text(lossy(&text)), meter)?,
            Event::GeneralRef(entity) => {
                let letter = entity.resolve_char_ref().ok().flatten().map(String::from);
                let text = letter.or_else(|| {
                    let name = lossy(&entity);
                    quick_xml::escape::resolve_xml_entity(&name).map(str::to_owned)
                });
                if let Some(text) = text {
                    visit(Node::Text(text), meter)?;
                }
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn element(start: &BytesStart<'_>) -> Element {
    let mut attributes = start.attributes();
    let attributes = attributes.with_checks(false).flatten().map(|attribute| {
        let value = lossy(&attribute.value);
        let value = quick_xml::escape::unescape(&value).map(|value| value.into_owned()).unwrap_or(value);
        (lossy(attribute.key.local_name().as_ref()), value)
    });
    Element { attributes: attributes.collect(), name: lossy(start.local_name().as_ref()) }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
