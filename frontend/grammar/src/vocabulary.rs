//! The tokens of a model, as a trie of their bytes.

use std::collections::HashMap;
use std::sync::Arc;

use llguidance::ParserFactory;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};

use crate::error::GrammarError;

/// The control tokens that an answer is made of; `None` where the model has no such token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markers {
    /// End a text: `<eos>`, the end of a turn.
    pub ends: Vec<u32>,
    /// Opens a call.
    pub call_open: Option<u32>,
    /// Closes a call.
    pub call_close: Option<u32>,
    /// Ends a turn behind calls, for their responses.
    pub response_open: Option<u32>,
    /// Around strings in calls.
    pub quote: Option<u32>,
    /// Opens a thought.
    pub channel_open: Option<u32>,
    /// Closes a thought.
    pub channel_close: Option<u32>,
}

/// A bit for each token, from the lowest bit of the first word on: whether it is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    words: Vec<u32>,
}

impl Mask {
    /// Returns a mask that allows nothing.
    pub fn none(tokens: usize) -> Self {
        Self { words: vec![0; tokens.div_ceil(32)] }
    }

    /// Returns the words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns whether a token is allowed.
    pub fn allows(&self, id: u32) -> bool {
        self.words.get(id as usize / 32).is_some_and(|word| word >> (id % 32) & 1 == 1)
    }

    /// Allows a token, or forbids it.
    pub fn set(&mut self, id: u32, allowed: bool) {
        if let Some(word) = self.words.get_mut(id as usize / 32) {
            let bit = 1 << (id % 32);
            *word = if allowed { *word | bit } else { *word & !bit };
        }
    }

    /// Returns the allowed ids, ascending.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        (0..self.words.len() as u32 * 32).filter(|&id| self.allows(id))
    }

    /// Returns the number of allowed tokens.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns whether nothing is allowed.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn copy(&mut self, words: &[u32]) {
        for (to, from) in self.words.iter_mut().zip(words) {
            *to = *from;
        }
    }
}

/// The tokens of a model. It takes long to make, and serves all grammars.
pub struct Vocabulary {
    pub(crate) factory: ParserFactory,
    pub(crate) markers: Markers,
    /// Pairs of tokens with the same bytes.
    twins: Vec<[u32; 2]>,
    /// All tokens of text.
    text: Mask,
    size: usize,
}

impl Vocabulary {
    /// Builds the trie. `tokens` are the bytes of each token; `None` for control tokens.
    ///
    /// # Errors
    /// [`GrammarError::Unusable`] if there are more tokens than llguidance takes.
    pub fn new(
        tokens: impl IntoIterator<Item = Option<Vec<u8>>>,
        markers: Markers,
    ) -> Result<Self, GrammarError> {
        let tokens: Vec<Option<Vec<u8>>> = tokens.into_iter().collect();
        let size = tokens.len();
        // The trie has 24 bits for an id.
        if size >= 1 << 23 || tokens.iter().flatten().any(|token| token.len() >= 1 << 10) {
            return Err(GrammarError::unusable("the vocabulary is too large"));
        }
        let mut text = Mask::none(size);
        let mut firsts: HashMap<&[u8], u32> = HashMap::new();
        let mut twins = Vec::new();
        for (id, token) in (0..).zip(&tokens) {
            let Some(bytes) = token.as_deref().filter(|bytes| !bytes.is_empty()) else { continue };
            text.set(id, true);
            let first = *firsts.entry(bytes).or_insert(id);
            if first != id {
                twins.push([first, id]);
            }
        }
        let end = markers.ends.first().copied().unwrap_or_default();
        // llguidance takes a token for a control token if it begins with this byte, which is in no text.
        let marker = |id: usize| [&[TokTrie::SPECIAL_TOKEN_MARKER], format!("<{id}>").as_bytes()].concat();
        let word = |(id, token): (usize, Option<Vec<u8>>)| token.unwrap_or_else(|| marker(id));
        let words: Vec<Vec<u8>> = tokens.into_iter().enumerate().map(word).collect();
        let trie = TokTrie::from(&TokRxInfo::new(size as u32, end), &words);
        let env: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
        let mut factory = ParserFactory::new_simple(&env).map_err(GrammarError::unusable)?;
        factory.quiet();
        factory.limits_mut().verbose_errors = false;
        Ok(Self { factory, markers, twins, text, size })
    }

    /// Returns the number of tokens.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the control tokens.
    pub fn markers(&self) -> &Markers {
        &self.markers
    }

    /// Returns a mask of all tokens of text.
    pub(crate) fn text(&self) -> &Mask {
        &self.text
    }

    /// Allows the tokens with the same bytes as an allowed one.
    pub(crate) fn allow_twins(&self, mask: &mut Mask) {
        for [a, b] in &self.twins {
            if mask.allows(*a) || mask.allows(*b) {
                mask.set(*a, true);
                mask.set(*b, true);
            }
        }
    }
}
