//! JSON: by lines if it has some, by elements if all is on few long lines.

use serde_json::value::RawValue;

use super::text;
use crate::limits::Meter;
use crate::{Document, Error, Format, Place, Section, Span};

/// A longer line isn't made for reading.
const LONG_LINE: usize = 2000;

pub fn read(text: &str, meter: &mut Meter<'_>) -> Result<Document, Error> {
    let is_long = text.lines().any(|line| line.len() > LONG_LINE);
    let sections = if is_long { elements(text, meter)? } else { None };
    match sections {
        Some(sections) => {
            Ok(Document { format: Format::Json, title: None, sections, pages: Vec::new(), encoding: None })
        }
        None => Ok(Document { format: Format::Json, ..text::read(text, meter)? }),
    }
}

/// An array gives a row for each element, an object a section for each key; `None` for anything else.
fn elements(text: &str, meter: &mut Meter<'_>) -> Result<Option<Vec<Section>>, Error> {
    if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) {
        meter.parts(elements.len() as u64)?;
        return Ok(rows(Vec::new(), &elements).map(|section| vec![section]));
    }
    // Of keys in the file's order, as pairs.
    let Ok(Pairs(pairs)) = serde_json::from_str::<Pairs<'_>>(text) else { return Ok(None) };
    meter.parts(pairs.len() as u64)?;
    let sections = pairs.into_iter().filter_map(|(key, value)| {
        match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
            Ok(elements) if !elements.is_empty() => rows(vec![key], &elements),
            _ => rows(vec![key], &[value]),
        }
    });
    Ok(Some(sections.collect()))
}

fn rows(headings: Vec<String>, elements: &[&RawValue]) -> Option<Section> {
    let last = u32::try_from(elements.len()).ok().filter(|last| *last > 0)?;
    let lines: Vec<_> = elements.iter().map(|element| element.get().replace('\n', " ")).collect();
    Some(Section { headings, place: Place::Rows(Span { first: 1, last }), text: lines.join("\n") })
}

struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(Visitor).map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::Limits;

    fn sections(text: &str) -> Vec<Section> {
        let mut callback = |_| ControlFlow::Continue(());
        read(text, &mut Meter::new(Limits::default(), &mut callback)).unwrap().sections
    }

    #[test]
    fn short_lines_stay_lines() {
        let text = "{\n  \"a\": 1\n}";
        assert_eq!(sections(text)[0].place, Place::Lines(Span { first: 1, last: 3 }));
    }

    #[test]
    fn a_long_array_has_rows_and_a_long_object_sections() {
        let long = "x".repeat(LONG_LINE);
        let array = sections(&format!("[{{\"a\":1}},\"{long}\"]"));
        assert_eq!(array[0].place, Place::Rows(Span { first: 1, last: 2 }));
        assert!(array[0].text.starts_with("{\"a\":1}\n\"x"));
        let object = sections(&format!("{{\"z\":[1,2],\"a\":\"{long}\"}}"));
        assert_eq!((object[0].headings[0].as_str(), object[0].text.as_str()), ("z", "1\n2"));
        assert_eq!(object[1].headings, ["a"]);
    }

    #[test]
    fn a_broken_file_is_text() {
        let text = format!("[{}", "1,".repeat(LONG_LINE));
        assert_eq!(sections(&text)[0].text, text);
    }
}
