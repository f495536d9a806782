//! From text to token ids.

use super::vocabulary::{Specials, with_marks};
use super::{Joining, Tokenizer};

impl Tokenizer {
    /// Token ids of a text, without `<bos>`. Added tokens are found in any text.
    pub fn encode(&self, text: &str, specials: Specials) -> Vec<u32> {
        let text = with_marks(text);
        let mut ids = Vec::new();
        let mut rest = text.as_str();
        while let Some((range, id)) = self.vocabulary.find(rest, specials) {
            self.encode_fragment(&rest[..range.start], &mut ids);
            ids.push(id);
            rest = &rest[range.end..];
        }
        self.encode_fragment(rest, &mut ids);
        ids
    }

    /// Token ids of a whole prompt, with control tokens parsed and exactly one `<bos>` at the start, whether or not
    /// the text spells one and regardless of the file's `add_bos_token`.
    pub fn encode_prompt(&self, text: &str) -> Vec<u32> {
        self.with_one_bos(self.encode(text, Specials::Parse))
    }

    /// Returns the ids with exactly one `<bos>` in front.
    pub fn with_one_bos(&self, mut ids: Vec<u32>) -> Vec<u32> {
        let bos = self.special.bos;
        let found = ids.iter().take_while(|&&id| id == bos).count();
        ids.splice(..found, [bos]);
        ids
    }

    /// The ids of a text with `▁` for a space. Merges run over the whole fragment. Splitting it first, for example at line ends, would only be exact if no
    /// merge crosses the split, and the heap makes it unnecessary.
    fn encode_fragment(&self, text: &str, ids: &mut Vec<u32>) {
        match &self.joining {
            Joining::Merges(merges) => {
                let mut symbols = Vec::with_capacity(text.len());
                let mut utf8 = [0; 4];
                text.chars().for_each(|character| self.spell(character.encode_utf8(&mut utf8), &mut symbols));
                ids.extend(merges.apply(&symbols));
            }
            Joining::Scores(scores) => {
                scores.split(&self.vocabulary, text).into_iter().for_each(|part| self.spell(part, ids));
            }
        }
    }

    /// The id of a part of a text, or those of its bytes.
    fn spell(&self, part: &str, ids: &mut Vec<u32>) {
        match self.id(part).filter(|&id| !self.is_special(id)) {
            Some(id) => ids.push(id),
            None => ids.extend(part.bytes().map(|byte| self.bytes[usize::from(byte)])),
        }
    }
}
