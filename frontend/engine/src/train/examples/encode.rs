//! From rows to token ids and labels.

use crate::media::{Input, Media, Medium};
use crate::template::Content as Said;
use crate::template::{Conversation, Message, Part, Prompt, RenderOptions, Role, Segment, Variant, render};
use crate::tokenizer::special::{
    BOS, CHANNEL_CLOSE, CHANNEL_OPEN, EOS, TOOL_CALL_CLOSE, TOOL_RESPONSE_CLOSE, TOOL_RESPONSE_OPEN,
    TURN_CLOSE, TURN_OPEN, in_gemma4,
};
use crate::tokenizer::{Specials, Tokenizer};
use crate::train::{Example, MASKED};

use super::{Content, Reason};

/// The text between the token that opens a turn of the model and its answer.
const MODEL: &str = "model\n";
/// The label of the thought channel.
const THOUGHT: &str = "thought\n";

/// Returns the ids and labels of a row. `found` has the media of each file it names: one for an image, one per clip for
/// audio.
///
/// # Errors
/// When it has no targets or more than `limit` tokens, or the model has no token for a part of it.
pub fn encode(
    content: &Content,
    found: &[Vec<Medium>],
    tokenizer: &Tokenizer,
    variant: Variant,
    limit: u32,
) -> Result<Example, Reason> {
    let example = match content {
        Content::Chat { conversation, context, .. } => {
            let conversation = with_clips(conversation, found);
            encode_conversation(&conversation, context, &found.concat(), tokenizer, variant)?
        }
        Content::Ids { ids, labels } => given(ids, labels, tokenizer)?,
    };
    if example.input.len() > limit as usize {
        return Err(Reason::TooLong { tokens: example.input.len() as u32, limit });
    }
    if example.learned() == 0 {
        return Err(Reason::AllMasked);
    }
    Ok(example)
}

/// Returns the conversation with each audio place repeated once per clip.
fn with_clips(conversation: &Conversation, found: &[Vec<Medium>]) -> Conversation {
    let mut conversation = conversation.clone();
    let mut found = found.iter();
    for message in &mut conversation.messages {
        let Said::Parts(parts) = &mut message.content else { continue };
        *parts = std::mem::take(parts)
            .into_iter()
            .flat_map(|part| match part {
                Part::Image | Part::Audio => {
                    let count = found.next().map_or(1, Vec::len);
                    vec![part; count]
                }
                part => vec![part],
            })
            .collect();
    }
    conversation
}

/// Returns the ids and labels of a conversation. `media` are those of its places, in order; their slots are masked. Targets
/// are the tokens that the model would generate: the text, thoughts and calls of its turns, the token that ends
/// each turn, and the one that waits for a tool response; but not those of the messages in `context`. If the last answer has a thought, the conversation is
/// rendered with thinking enabled.
///
/// # Errors
/// [`Reason::NoToken`] when the vocabulary does not have a control token, [`Reason::Places`] when the number of
/// media differs from the number of places, [`Reason::Joined`] when a text is only partly context.
pub fn encode_conversation(
    conversation: &Conversation,
    context: &[usize],
    media: &[Medium],
    tokenizer: &Tokenizer,
    variant: Variant,
) -> Result<Example, Reason> {
    let messages = &conversation.messages;
    let last_user = messages.iter().rposition(|message| message.role == Role::User).unwrap_or_default();
    let thinking = messages[last_user.min(messages.len())..].iter().any(|message| {
        message.role == Role::Assistant && message.reasoning.as_ref().is_some_and(|it| !it.is_empty())
    });
    let options = RenderOptions { thinking, add_generation_prompt: false, ..RenderOptions::new(variant) };
    let prompt = render(messages, &conversation.tools, &options);
    let places = prompt.media().count();
    if places != media.len() {
        return Err(Reason::Places { places, named: media.len() });
    }
    let mut writer = Writer { tokenizer, context, media: media.iter(), ids: Vec::new(), labels: Vec::new() };
    // Without thinking, the answers of large models start after an empty thought, which is part of the prompt.
    let empty_thought = variant == Variant::Large && !thinking;
    match variant {
        Variant::Base => writer.continued(messages)?,
        _ => writer.prompt(&prompt, empty_thought)?,
    }
    let input = Input::with_media(writer.ids, tokenizer.special(), media)?;
    Ok(Example { input, labels: writer.labels })
}

/// Whether a segment is a control token with the meaning of this one.
fn is(segment: &Segment, meaning: &str) -> bool {
    matches!(segment, Segment::Special(token) if in_gemma4(token) == meaning)
}

/// Returns whether a segment opens a turn.
fn opens_turn(segment: &Segment) -> bool {
    is(segment, TURN_OPEN)
}

struct Writer<'a> {
    tokenizer: &'a Tokenizer,
    /// The messages that are context only.
    context: &'a [usize],
    /// The media of the remaining places.
    media: std::slice::Iter<'a, Medium>,
    ids: Vec<u32>,
    labels: Vec<i32>,
}

impl Writer<'_> {
    fn prompt(&mut self, prompt: &Prompt, empty_thought: bool) -> Result<(), Reason> {
        let segments = prompt.segments();
        let last_turn = segments.iter().rposition(opens_turn);
        let mut in_model = false;
        let mut learned = false;
        let mut starts = prompt.starts().iter().peekable();
        let mut counts = true;
        for (index, segment) in segments.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &segments[before]);
            // A message may start at the end of a text: it begins with the next segment.
            let (length, role) = match segment {
                Segment::Text(text) if before.is_some_and(opens_turn) => {
                    (text.len(), text.find('\n').map_or(0, |at| at + 1))
                }
                Segment::Text(text) => (text.len(), 0),
                Segment::Special(_) | Segment::Media(_) => (1, 0),
            };
            while let Some(start) = starts.next_if(|it| (it.segment, it.byte) < (index, length)) {
                let next = !self.context.contains(&start.message);
                if start.segment == index && start.byte > role && next != counts {
                    return Err(Reason::Joined);
                }
                counts = next;
            }
            match segment {
                Segment::Media(media) => self.medium(*media)?,
                Segment::Text(text) if before.is_some_and(opens_turn) => {
                    let Some(words) = text.strip_prefix(MODEL) else {
                        self.text(text, false);
                        continue;
                    };
                    (in_model, learned) = (true, true);
                    // Separately, since the prompt ends here when the model answers.
                    self.text(MODEL, false);
                    let is_last = index.checked_sub(1) == last_turn;
                    let thinks =
                        words.is_empty() && segments.get(index + 1) == Some(&Segment::Special(CHANNEL_OPEN));
                    if empty_thought && is_last && !thinks {
                        self.special(CHANNEL_OPEN, false)?;
                        self.text(THOUGHT, false);
                        self.special(CHANNEL_CLOSE, false)?;
                    }
                    self.text(words, counts);
                }
                Segment::Text(text) => self.text(text, learned && counts),
                Segment::Special(token) => {
                    let meaning = in_gemma4(token);
                    match meaning {
                        TURN_OPEN => (in_model, learned) = (false, false),
                        // The model generates the first one, to wait for the tool; the responses are inserted.
                        TOOL_RESPONSE_OPEN => {
                            let waits = in_model && before.is_some_and(|it| is(it, TOOL_CALL_CLOSE));
                            self.special(token, waits && counts)?;
                            learned = false;
                            continue;
                        }
                        _ => {}
                    }
                    self.special(token, learned && counts)?;
                    match meaning {
                        TURN_CLOSE => (in_model, learned) = (false, false),
                        TOOL_RESPONSE_CLOSE => learned = in_model,
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// The texts of messages one after the other, for a model that continues text: it learns those of its answers, and to end
    /// after the last one.
    fn continued(&mut self, messages: &[Message]) -> Result<(), Reason> {
        self.special(BOS, false)?;
        let mut learned = false;
        for (index, message) in messages.iter().enumerate() {
            learned = message.role == Role::Assistant && !self.context.contains(&index);
            let prompt = render(std::slice::from_ref(message), &[], &RenderOptions::new(Variant::Base));
            for segment in prompt.segments() {
                if let Segment::Text(text) = segment {
                    self.text(text, learned);
                }
            }
        }
        if learned { self.special(EOS, true) } else { Ok(()) }
    }

    /// The slots of the next medium with its begin and end tokens, all masked.
    fn medium(&mut self, place: Media) -> Result<(), Reason> {
        let [begin, end] = place.brackets();
        let slots = self.media.next().map_or(0, |medium| medium.tokens);
        self.special(begin, false)?;
        for _ in 0..slots {
            self.special(place.slot(), false)?;
        }
        self.special(end, false)
    }

    fn special(&mut self, token: &'static str, learned: bool) -> Result<(), Reason> {
        let id = match token {
            BOS => self.tokenizer.special().bos,
            token => self.tokenizer.id(token).ok_or(Reason::NoToken { token })?,
        };
        self.push(id, learned);
        Ok(())
    }

    fn text(&mut self, text: &str, learned: bool) {
        for id in self.tokenizer.encode(text, Specials::Ignore) {
            self.push(id, learned);
        }
    }

    fn push(&mut self, id: u32, learned: bool) {
        self.ids.push(id);
        self.labels.push(if learned { id as i32 } else { MASKED });
    }
}

/// Ids and labels given directly by a row.
fn given(ids: &[i64], labels: &[i64], tokenizer: &Tokenizer) -> Result<Example, Reason> {
    if ids.len() != labels.len() {
        return Err(Reason::Labels { ids: ids.len() as u32, labels: labels.len() as u32 });
    }
    let vocabulary = tokenizer.vocabulary_size() as u32;
    let token =
        |id: i64| u32::try_from(id).ok().filter(|&id| id < vocabulary).ok_or(Reason::NoId { id, vocabulary });
    let ids: Vec<u32> = ids.iter().map(|&id| token(id)).collect::<Result<_, _>>()?;
    let label = |&label: &i64| {
        if label == i64::from(MASKED) { Ok(MASKED) } else { token(label).map(|id| id as i32) }
    };
    Ok(Example::text(ids, labels.iter().map(label).collect::<Result<_, _>>()?))
}
