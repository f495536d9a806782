//! Loading the tokenizer from metadata.

use crate::gguf::{Family, Metadata, StringArray, Value};

use super::bpe::Merges;
use super::scores::Scores;
use super::special::{self, SpecialTokens};
use super::vocabulary::Vocabulary;
use super::{Joining, Tokenizer, TokenizerError};

/// The architecture whose files have scores instead of merges.
const GEMMA3: &str = Family::Gemma3.architecture();
/// The only kind of tokenizer that is read in them.
const SENTENCE_PIECE: &str = "llama";
const MODEL: &str = "tokenizer.ggml.model";
const TEMPLATE: &str = "tokenizer.chat_template";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const MERGES: &str = "tokenizer.ggml.merges";
const BOS_ID: &str = "tokenizer.ggml.bos_token_id";
const EOS_ID: &str = "tokenizer.ggml.eos_token_id";
const EOS_IDS: &str = "tokenizer.ggml.eos_token_ids";
const EOT_ID: &str = "tokenizer.ggml.eot_token_id";

/// Far above any vocabulary, and far below an index overflow.
const MAX_ENTRIES: usize = 1 << 24;

impl Tokenizer {
    /// Builds the tokenizer. The metadata may be dropped afterwards.
    ///
    /// # Errors
    /// When a key is missing, has the wrong type or contradicts another; see [`TokenizerError`].
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, TokenizerError> {
        let tokens = strings(metadata, TOKENS)?;
        let architecture = metadata.str("general.architecture").unwrap_or_default();
        let is_gemma3 = Family::of_file(architecture) == Some(Family::Gemma3);
        if let Some(found) = metadata.str(MODEL).filter(|found| is_gemma3 && *found != SENTENCE_PIECE) {
            return Err(TokenizerError::Kind { found: found.to_owned() });
        }
        if !metadata.0.contains_key(TYPES) {
            return Err(TokenizerError::Missing { key: TYPES });
        }
        let types = metadata
            .integers(TYPES)
            .ok_or(TokenizerError::Type { key: TYPES, expected: "an array of integers" })?;
        if types.len() != tokens.len() {
            return Err(TokenizerError::Length { key: TYPES, found: types.len(), expected: tokens.len() });
        }
        let count = tokens.len();
        let mut stop_ids = stop_tokens(metadata, count)?;
        let named = stop_ids.iter().copied().chain(metadata.u32(BOS_ID)).collect();
        let scores = is_gemma3.then(|| Scores::read(metadata, count)).transpose()?;
        let unlearned = scores.as_ref().map(|scores| scores.unlearned(tokens));
        let vocabulary = Vocabulary::new(tokens.clone(), &types, &named, unlearned.as_ref())?;
        let bos = match vocabulary.id(special::BOS) {
            Some(id) => id,
            None => token(metadata, BOS_ID, count)?.ok_or(TokenizerError::Special { token: special::BOS })?,
        };
        let special = SpecialTokens::find(|text| vocabulary.id(text), bos);

        let turn = special.turn_close.filter(|_| !is_base(metadata));
        let waits = special.tool_response_open.filter(|_| !is_gemma3 || calls_functions(metadata));
        stop_ids.extend([special.eos, turn, waits].into_iter().flatten());
        stop_ids.sort_unstable();
        stop_ids.dedup();

        Ok(Self {
            joining: match scores {
                Some(scores) => Joining::Scores(scores),
                None => Joining::Merges(Merges::new(strings(metadata, MERGES)?, &vocabulary)?),
            },
            bytes: byte_ids(&vocabulary)?,
            vocabulary,
            special,
            stop_ids,
        })
    }
}

/// Returns whether a model was not trained on chats: a Gemma 3 file without a chat template that names no end of turn. There is
/// no key for it.
pub fn is_base(metadata: &Metadata) -> bool {
    let ends_turns = || {
        let turn = piece(metadata, special::GEMMA3_TURN_CLOSE)?;
        let named = stop_tokens(metadata, usize::MAX).ok()?;
        Some(named.contains(&(turn as u32)))
    };
    metadata.str("general.architecture") == Some(GEMMA3)
        && !metadata.0.contains_key(TEMPLATE)
        && ends_turns() != Some(true)
}

/// Whether a Gemma 3 file is of FunctionGemma: it has the tokens of calls, and so has its template, if it has one.
#[must_use]
pub fn calls_functions(metadata: &Metadata) -> bool {
    metadata.str("general.architecture") == Some(GEMMA3)
        && piece(metadata, special::GEMMA3_CALL_OPEN).is_some()
        && metadata.str(TEMPLATE).is_none_or(|template| template.contains("start_function"))
        && !is_base(metadata)
}

/// Returns whether a file has a chat template that is not Gemma's, in whatever words: it opens no turn as Gemma does. Templates
/// are not run, so that its model is prompted as it may not expect.
#[must_use]
pub fn has_foreign_template(metadata: &Metadata) -> bool {
    let mark = if metadata.str("general.architecture") == Some(GEMMA3) {
        special::GEMMA3_TURN_OPEN
    } else {
        special::TURN_OPEN
    };
    let is_gemmas = |template: &Value| matches!(template, Value::String(text) if text.contains(mark));
    metadata.0.get(TEMPLATE).is_some_and(|template| !is_gemmas(template))
}

/// The id of a piece of the tokenizer in a file.
fn piece(metadata: &Metadata, text: &str) -> Option<usize> {
    metadata.strings(TOKENS)?.iter().position(|piece| piece == text)
}

/// Returns the number of pieces of the tokenizer in a file; 0 if it has none.
pub fn pieces(metadata: &Metadata) -> usize {
    metadata.strings(TOKENS).map_or(0, StringArray::len)
}

fn strings<'a>(metadata: &'a Metadata, key: &'static str) -> Result<&'a StringArray, TokenizerError> {
    if !metadata.0.contains_key(key) {
        return Err(TokenizerError::Missing { key });
    }
    let array = metadata.strings(key).ok_or(TokenizerError::Type { key, expected: "an array of strings" })?;
    if array.len() > MAX_ENTRIES {
        return Err(TokenizerError::TooMany { key, found: array.len(), limit: MAX_ENTRIES });
    }
    Ok(array)
}

/// Returns an optional key with a token id.
fn token(metadata: &Metadata, key: &'static str, count: usize) -> Result<Option<u32>, TokenizerError> {
    match metadata.0.get(key) {
        None => Ok(None),
        Some(_) => {
            let id = metadata.u32(key).ok_or(TokenizerError::Type { key, expected: "a token id" })?;
            checked(key, i64::from(id), count).map(Some)
        }
    }
}

fn stop_tokens(metadata: &Metadata, count: usize) -> Result<Vec<u32>, TokenizerError> {
    let mut ids = Vec::new();
    // One or several, under either name.
    for key in [EOS_ID, EOT_ID, EOS_IDS] {
        match metadata.0.get(key) {
            Some(Value::Integers(found)) => {
                for &id in found {
                    ids.push(checked(key, id, count)?);
                }
            }
            _ => ids.extend(token(metadata, key, count)?),
        }
    }
    Ok(ids)
}

fn checked(key: &'static str, id: i64, count: usize) -> Result<u32, TokenizerError> {
    let small = u32::try_from(id).ok().filter(|&id| (id as usize) < count);
    small.ok_or(TokenizerError::Id { key, id, count })
}

fn byte_ids(vocabulary: &Vocabulary) -> Result<Box<[u32; 256]>, TokenizerError> {
    let unknown = vocabulary.id(special::UNK);
    let mut ids = Box::new([0; 256]);
    for (byte, id) in ids.iter_mut().enumerate() {
        let piece = format!("<0x{byte:02X}>");
        *id = match vocabulary.id(&piece).or(unknown) {
            Some(id) => id,
            None => return Err(TokenizerError::Byte { piece }),
        };
    }
    Ok(ids)
}
