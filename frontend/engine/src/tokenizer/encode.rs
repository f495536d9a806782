//! Text to token ids.

use super::Tokenizer;

/// What to do with the spelling of a control token in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// It becomes the control token: for prompts that this program has written.
    Parse,
    /// It stays text: for what a person, a file or a tool has written.
    Ignore,
}

impl Tokenizer {
    /// Token ids of a text, without `<bos>`.
    #[must_use]
    pub fn encode(&self, text: &str, specials: Specials) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut rest = text;
        if specials == Specials::Parse {
            while let Some((start, id)) = self.vocabulary.find_special(rest) {
                self.encode_fragment(&rest[..start], &mut ids);
                ids.push(id);
                rest = &rest[start + self.piece(id).map_or(0, str::len)..];
            }
        }
        self.encode_fragment(rest, &mut ids);
        ids
    }

    /// Token ids of a whole prompt, control tokens parsed, with exactly one `<bos>` before them whether or not the
    /// text spells one and whatever the file's `add_bos_token` says.
    #[must_use]
    pub fn encode_prompt(&self, text: &str) -> Vec<u32> {
        self.with_one_bos(self.encode(text, Specials::Parse))
    }

    /// The ids with exactly one `<bos>` in front.
    #[must_use]
    pub fn with_one_bos(&self, mut ids: Vec<u32>) -> Vec<u32> {
        let bos = self.special.bos;
        let found = ids.iter().take_while(|&&id| id == bos).count();
        ids.splice(..found, [bos]);
        ids
    }

    /// Merges run over the whole fragment. Cutting it first, as some engines do at line ends, could only be exact
    /// where no merge crosses the cut; the heap makes it needless.
    fn encode_fragment(&self, text: &str, ids: &mut Vec<u32>) {
        let mut symbols = Vec::with_capacity(text.len());
        let mut utf8 = [0; 4];
        for character in text.chars() {
            let character = if character == ' ' { '▁' } else { character };
            let spelled: &str = character.encode_utf8(&mut utf8);
            match self.id(spelled) {
                Some(id) => symbols.push(id),
                None => symbols.extend(spelled.bytes().map(|byte| self.bytes[usize::from(byte)])),
            }
        }
        ids.extend(self.merges.apply(&symbols));
    }
}
