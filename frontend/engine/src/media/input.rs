//! The input of a model: token ids, with soft tokens in some places.

use std::ops::Range;

use super::{Media, MediaError, Medium, SoftTokens};
use crate::tokenizer::SpecialTokens;

/// A run of slots that a medium fills.
#[derive(Clone, Debug)]
pub struct Block {
    /// Position of the first slot.
    at: u32,
    medium: Medium,
    rows: Option<SoftTokens>,
}

impl Block {
    /// Returns the positions of its slots.
    pub fn range(&self) -> Range<u32> {
        self.at..self.at + self.medium.tokens
    }

    /// What fills it.
    pub fn medium(&self) -> Medium {
        self.medium
    }

    /// Returns the soft tokens, if attached.
    pub fn rows(&self) -> Option<&SoftTokens> {
        self.rows.as_ref()
    }

    /// Returns whether it is an image or a video frame.
    pub fn is_picture(&self) -> bool {
        self.medium.media != Media::Audio
    }

    fn same(&self, other: &Self) -> bool {
        self.at == other.at && self.medium == other.medium
    }
}

/// Token ids and the blocks in them. An input without media: `ids.into()`.
#[derive(Clone, Debug, Default)]
pub struct Input {
    ids: Vec<u32>,
    /// In order, disjoint.
    blocks: Vec<Block>,
}

impl From<Vec<u32>> for Input {
    fn from(ids: Vec<u32>) -> Self {
        Self { ids, blocks: Vec::new() }
    }
}

impl From<&[u32]> for Input {
    fn from(ids: &[u32]) -> Self {
        ids.to_vec().into()
    }
}

impl From<&Vec<u32>> for Input {
    fn from(ids: &Vec<u32>) -> Self {
        ids.clone().into()
    }
}

impl From<&Self> for Input {
    fn from(input: &Self) -> Self {
        input.clone()
    }
}

impl Input {
    /// Ids in which each medium already has a slot per soft token. The media fill the runs of slots in order.
    ///
    /// # Errors
    /// When the media do not match the runs in number, kind or length.
    pub fn with_media(ids: Vec<u32>, special: &SpecialTokens, media: &[Medium]) -> Result<Self, MediaError> {
        let kind = |id: u32| match Some(id) {
            id if id == special.image_slot => Some(Media::Image),
            id if id == special.audio_slot => Some(Media::Audio),
            id if id == special.video_slot => Some(Media::Video),
            _ => None,
        };
        let mut runs: Vec<(Media, Range<usize>)> = Vec::new();
        for (at, &id) in ids.iter().enumerate() {
            match (kind(id), runs.last_mut()) {
                (Some(media), Some((last, range))) if *last == media && range.end == at => range.end += 1,
                (Some(media), _) => runs.push((media, at..at + 1)),
                (None, _) => {}
            }
        }
        if runs.len() != media.len() {
            return Err(MediaError::Count { places: runs.len(), given: media.len() });
        }
        let blocks = runs.into_iter().zip(media).enumerate().map(|(index, ((place, range), &medium))| {
            // A video frame is an image.
            let fits = place == medium.media || (place == Media::Video && medium.media == Media::Image);
            if !fits {
                return Err(MediaError::Kind { index, place, given: medium.media });
            }
            if range.len() != medium.tokens as usize {
                return Err(MediaError::Slots { index, slots: range.len() as u32, tokens: medium.tokens });
            }
            Ok(Block { at: range.start as u32, medium, rows: None })
        });
        let blocks = blocks.collect::<Result<_, _>>()?;
        Ok(Self { ids, blocks })
    }

    /// Ids of a cache that was kept, with its media at these positions; `None` if they don't lie in order among the ids. The last
    /// one may be cut off.
    pub fn with_blocks(ids: Vec<u32>, media: impl IntoIterator<Item = (u32, Medium)>) -> Option<Self> {
        let mut end = 0;
        let block = |(at, medium): (u32, Medium)| {
            let fits = at >= end && (at as usize) < ids.len() && medium.tokens > 0;
            end = at.checked_add(medium.tokens)?;
            fits.then_some(Block { at, medium, rows: None })
        };
        let blocks = media.into_iter().map(block).collect::<Option<_>>()?;
        Some(Self { ids, blocks })
    }

    /// Returns the ids, including slots of media.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Attaches soft tokens to block `index`.
    ///
    /// # Errors
    /// When they belong to another medium.
    pub fn attach(&mut self, index: usize, rows: SoftTokens) -> Result<(), MediaError> {
        match self.blocks.get_mut(index) {
            Some(block) if block.medium == rows.medium() => {
                block.rows = Some(rows);
                Ok(())
            }
            _ => Err(MediaError::Other { index }),
        }
    }

    /// Appends a token.
    pub fn push(&mut self, id: u32) {
        self.ids.push(id);
    }

    /// Returns the first `len` tokens, without attached soft tokens, as stored for the cache.
    pub fn prefix(&self, len: usize) -> Self {
        let blocks = self.blocks.iter().filter(|block| block.range().start < len as u32);
        let blocks = blocks.map(|block| Block { rows: None, ..block.clone() }).collect();
        Self { ids: self.ids[..len].to_vec(), blocks }
    }

    /// Length of the common prefix. It ends before the first block that differs.
    pub fn common(&self, other: &Self) -> usize {
        let ids = self.ids.iter().zip(&other.ids).take_while(|(a, b)| a == b).count();
        let same = self.blocks.iter().zip(&other.blocks).take_while(|(a, b)| a.same(b)).count();
        let first = |input: &Self| input.blocks.get(same).map_or(ids, |block| block.at as usize);
        ids.min(first(self)).min(first(other))
    }

    /// Returns whether `other` is a prefix.
    pub fn starts_with(&self, other: &Self) -> bool {
        self.common(other) == other.len()
    }

    /// Returns the block with slots on both sides of `position`, if any.
    pub fn block_across(&self, position: u32) -> Option<&Block> {
        self.blocks.iter().find(|block| block.range().start < position && position < block.range().end)
    }

    /// Returns the blocks with slots in a range of positions, and those slots.
    pub fn blocks_in(&self, range: Range<u32>) -> impl Iterator<Item = (&Block, Range<u32>)> {
        self.blocks.iter().filter_map(move |block| {
            let part = block.range().start.max(range.start)..block.range().end.min(range.end);
            (part.start < part.end).then_some((block, part))
        })
    }

    /// Returns the end of a chunk of at most `most` tokens from `pos`. With `whole`, a chunk never ends inside an image: an
    /// image that starts at `pos` may then take up to `whole` tokens.
    ///
    /// # Errors
    /// [`MediaError::TooLong`] for an image that does not fit any chunk.
    pub fn chunk_end(&self, pos: u32, most: u32, whole: Option<u32>) -> Result<u32, MediaError> {
        let end = (pos + most).min(self.len() as u32);
        let Some(longest) = whole else { return Ok(end) };
        match self.block_across(end).filter(|block| block.is_picture()) {
            None => Ok(end),
            Some(block) if block.at > pos => Ok(block.at),
            Some(block) if block.range().end - pos <= longest => Ok(block.range().end),
            Some(block) => Err(MediaError::TooLong { tokens: block.medium.tokens, most: longest }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ContentHash;
    use super::*;

    const SLOT: u32 = 7;
    const SOUND: u32 = 8;

    fn special() -> SpecialTokens {
        SpecialTokens { image_slot: Some(SLOT), audio_slot: Some(SOUND), ..SpecialTokens::default() }
    }

    fn medium(media: Media, tokens: u32, content: &[u8]) -> Medium {
        Medium { media, content: ContentHash::of(content, &[]), tokens }
    }

    /// 1 2, three slots of a picture, 3, two of a sound, 4.
    fn input(picture: &[u8]) -> Input {
        let ids = vec![1, 2, SLOT, SLOT, SLOT, 3, SOUND, SOUND, 4];
        let media = [medium(Media::Image, 3, picture), medium(Media::Audio, 2, b"sound")];
        Input::with_media(ids, &special(), &media).expect("an input")
    }

    #[test]
    fn media_fill_runs_of_slots_in_order() {
        let input = input(b"picture");
        let ranges: Vec<_> = input.blocks().iter().map(Block::range).collect();
        assert_eq!(ranges, [2..5, 6..8]);
        let ids = || vec![SLOT, SLOT, SOUND];
        let fill = |media: &[Medium]| Input::with_media(ids(), &special(), media).map(|_| ());
        let (image, audio) = (medium(Media::Image, 2, b"a"), medium(Media::Audio, 1, b"b"));
        assert_eq!(fill(&[image, audio]), Ok(()));
        assert_eq!(fill(&[image]), Err(MediaError::Count { places: 2, given: 1 }));
        assert!(matches!(fill(&[audio, image]), Err(MediaError::Kind { index: 0, .. })));
        let long = medium(Media::Audio, 2, b"b");
        assert_eq!(fill(&[image, long]), Err(MediaError::Slots { index: 1, slots: 1, tokens: 2 }));
    }

    #[test]
    fn another_picture_is_another_prompt_from_its_first_slot_on() {
        let a = input(b"picture");
        assert_eq!(a.common(&input(b"picture")), 9);
        assert_eq!(a.common(&input(b"another")), 2);
        assert_eq!(a.common(&a.ids().to_vec().into()), 2, "slots without a medium are nobody's");
        assert!(a.starts_with(&a.prefix(5)));
        assert!(!input(b"another").starts_with(&a.prefix(5)));
        // An image that was cut off still matches itself.
        assert_eq!(a.common(&a.prefix(4)), 4);
    }

    #[test]
    fn chunks_do_not_end_inside_a_picture_that_is_seen_whole() {
        let input = input(b"picture");
        assert_eq!(input.chunk_end(0, 4, None), Ok(4));
        assert_eq!(input.chunk_end(0, 4, Some(4)), Ok(2));
        assert_eq!(input.chunk_end(2, 3, Some(3)), Ok(5));
        assert_eq!(input.chunk_end(2, 2, Some(2)), Err(MediaError::TooLong { tokens: 3, most: 2 }));
        // Text chunks are shorter than an image.
        assert_eq!(input.chunk_end(2, 2, Some(3)), Ok(5));
        assert_eq!(input.chunk_end(0, 2, Some(3)), Ok(2));
        // Audio is causal.
        assert_eq!(input.chunk_end(5, 2, Some(3)), Ok(7));
        let parts: Vec<_> = input.blocks_in(4..7).map(|(_, part)| part).collect();
        assert_eq!(parts, [4..5, 6..7]);
    }
}
