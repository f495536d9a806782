//! The media files that a row names.
//!
//! Data sets use three formats: parts of a message (`{"type": "image", "image": "cat.png"}`); lists next to the
//! messages, `images` and `audios`, with places that are parts without a name; or such lists with places `<image>`
//! and `<audio>` in the text. If there are no places, the media precede the first question.

use serde_json::{Map, Value, json};

use crate::media::Media;
use crate::template::{Content as Said, Conversation, Part, Role};

use super::{FieldFault, Named, Reason};

/// Names listed next to a row's messages, in order of use.
#[derive(Debug, Default)]
pub(super) struct Listed {
    images: std::collections::VecDeque<String>,
    audios: std::collections::VecDeque<String>,
}

/// Returns the name in a value: a string, or a data set's object for a file.
fn name(value: &Value) -> Option<&str> {
    let text = match value {
        Value::Object(object) => {
            ["path", "url", "name", "file"].iter().find_map(|key| object.get(*key)?.as_str())
        }
        value => value.as_str(),
    };
    text.filter(|text| !text.is_empty())
}

/// What a part of a message is, by its type: `text`, `image`, `audio` or `video`. `None` for anything else.
pub(super) fn kind(part: &Map<String, Value>) -> Option<&'static str> {
    let Some(kind) = part.get("type") else {
        // Some APIs leave the type of texts out.
        return part.get("text").filter(|text| text.is_string()).map(|_| "text");
    };
    Some(match kind.as_str()? {
        "text" | "input_text" | "output_text" => "text",
        "image" | "image_url" | "input_image" => "image",
        "audio" | "input_audio" => "audio",
        "video" => "video",
        _ => return None,
    })
}

/// Returns the kind and the keys of a media part, by its type.
fn media(kind: &str) -> Option<(Media, &'static [&'static str])> {
    match kind {
        "image" => Some((Media::Image, &["image", "image_url", "path", "url", "file"])),
        "audio" => Some((Media::Audio, &["audio", "input_audio", "path", "url", "file"])),
        _ => None,
    }
}

/// Returns the media parts of messages, with their names if they have any.
pub(super) fn parts(messages: &[Value]) -> Vec<(Media, Option<String>)> {
    let contents = messages.iter().filter_map(|message| message.get("content")?.as_array());
    let parts = contents.flatten().filter_map(|part| {
        let (media, keys) = media(part.get("type")?.as_str()?)?;
        Some((media, keys.iter().find_map(|key| name(part.get(*key)?)).map(str::to_owned)))
    });
    parts.collect()
}

impl Listed {
    /// Returns whether nothing is listed.
    pub(super) fn is_empty(&self) -> bool {
        self.images.is_empty() && self.audios.is_empty()
    }

    /// Returns the lists of a row. A single name counts as a list.
    pub fn take(object: &mut Map<String, Value>) -> Result<Self, Reason> {
        let mut names = |keys: [&str; 2]| {
            let Some((key, value)) = keys.iter().find_map(|key| Some((*key, object.shift_remove(*key)?)))
            else {
                return Ok(Default::default());
            };
            let wrong = || Reason::Field { field: key.to_owned(), what: FieldFault::NoFileNames };
            match &value {
                Value::Null => Ok(Default::default()),
                Value::Array(values) => values
                    .iter()
                    .map(|value| Some(name(value)?.to_owned()))
                    .collect::<Option<_>>()
                    .ok_or_else(wrong),
                value => Ok([name(value).ok_or_else(wrong)?.to_owned()].into()),
            }
        };
        Ok(Self { images: names(["images", "image"])?, audios: names(["audios", "audio"])? })
    }

    /// Them as parts of a message.
    pub fn into_parts(self) -> Vec<Value> {
        let images = self.images.into_iter().map(|name| json!({"type": "image", "image": name}));
        let audios = self.audios.into_iter().map(|name| json!({"type": "audio", "audio": name}));
        images.chain(audios).collect()
    }

    fn next(&mut self, media: Media) -> Option<String> {
        match media {
            Media::Audio => self.audios.pop_front(),
            Media::Image | Media::Video => self.images.pop_front(),
        }
    }

    /// Returns a chat with parts that mark the places of media.
    pub fn in_parts(
        mut self,
        conversation: Conversation,
        parts: Vec<(Media, Option<String>)>,
    ) -> Result<(Conversation, Vec<Named>), Reason> {
        let is_video = |part: &Part| matches!(part, Part::Video);
        let has_video = conversation.messages.iter().any(|message| match &message.content {
            Said::Parts(parts) => parts.iter().any(is_video),
            _ => false,
        });
        if has_video {
            return Err(Reason::Video);
        }
        if parts.is_empty() {
            return self.in_text(conversation);
        }
        let places = parts.len();
        let mut named = Vec::with_capacity(places);
        for (media, name) in parts {
            let name = name.or_else(|| self.next(media)).ok_or(Reason::Unnamed { media })?;
            named.push(Named { media, name });
        }
        self.used_up(places, named.len())?;
        Ok((conversation, named))
    }

    /// Returns a chat of text only, possibly with marks for the places of media.
    fn in_text(mut self, mut conversation: Conversation) -> Result<(Conversation, Vec<Named>), Reason> {
        let mut media = Vec::new();
        if self.images.is_empty() && self.audios.is_empty() {
            return Ok((conversation, media));
        }
        let listed = self.images.len() + self.audios.len();
        let users = conversation.messages.iter_mut().filter(|message| message.role == Role::User);
        let mut places = 0;
        for message in users {
            let Said::Text(text) = &message.content else { continue };
            let (parts, marks) = marked(text);
            if marks.is_empty() {
                continue;
            }
            places += marks.len();
            // If there are fewer names than marks, the check below reports it.
            let names = marks.into_iter().map_while(|media| Some(Named { media, name: self.next(media)? }));
            media.extend(names);
            message.content = Said::Parts(parts);
        }
        if media.len() < places {
            return Err(Reason::Places { places, named: listed });
        }
        if media.is_empty()
            && let Some(first) = conversation.messages.iter_mut().find(|it| it.role == Role::User)
        {
            let mut parts = Vec::new();
            for (place, part) in [(Media::Image, Part::Image), (Media::Audio, Part::Audio)] {
                while let Some(name) = self.next(place) {
                    media.push(Named { media: place, name });
                    parts.push(part.clone());
                }
            }
            match std::mem::take(&mut first.content) {
                Said::Text(text) => parts.push(Part::text(text)),
                Said::Parts(rest) => parts.extend(rest),
                Said::None | Said::Object(_) => {}
            }
            first.content = Said::Parts(parts);
        }
        self.used_up(media.len(), media.len())?;
        Ok((conversation, media))
    }

    /// Checks that every name had a place.
    fn used_up(&self, places: usize, named: usize) -> Result<(), Reason> {
        match self.images.len() + self.audios.len() {
            0 => Ok(()),
            left => Err(Reason::Places { places, named: named + left }),
        }
    }
}

/// Splits a text at its marks, and returns their kinds.
fn marked(text: &str) -> (Vec<Part>, Vec<Media>) {
    const MARKS: [(&str, Media, Part); 2] =
        [("<image>", Media::Image, Part::Image), ("<audio>", Media::Audio, Part::Audio)];
    let (mut parts, mut places, mut rest) = (Vec::new(), Vec::new(), text);
    let first =
        |rest: &str| MARKS.iter().filter_map(|it| Some((rest.find(it.0)?, it))).min_by_key(|(at, _)| *at);
    while let Some((at, (mark, media, part))) = first(rest) {
        if at > 0 {
            parts.push(Part::text(&rest[..at]));
        }
        parts.push(part.clone());
        places.push(*media);
        rest = &rest[at + mark.len()..];
    }
    if !rest.is_empty() {
        parts.push(Part::text(rest));
    }
    (parts, places)
}
