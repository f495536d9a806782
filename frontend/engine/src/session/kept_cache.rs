//! The KV cache outside of the device: what is read of it to be kept, and taken back by another session.
//!
//! What is kept are [`CacheContents`], the tokens, and the bytes of [`CachePart`]s, which follow from the contents and from the
//! caches' layout. A part of positions has those slots of all layers with a slot for each position: while a conversation goes on,
//! full ones don't change. The other parts are of the rings, in one or two states: as they are and, where the last answer has
//! overwritten too much to be given once more, as they were at the end of its prompt.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::sequence::Sequence;
use super::{EngineError, LoadedAdapter, Session};
use crate::gpu::{Buffer, BufferRange};
use crate::media::{ContentHash, Input, Medium};
use crate::model::{KEYS, KvType, LayerCache, ring};

/// Raised whenever parts, keys or the values in a cache change their meaning.
const VERSION: u32 = 1;
/// Most bytes of a part, unless a few positions take more.
const PART_BYTES: u64 = 4 << 20;
/// Most positions of a part.
const PART_POSITIONS: u32 = 1024;

/// The tokens of a cache that is kept, and the states of its rings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheContents {
    ids: Vec<u32>,
    /// Images and sounds, by the position of their first slot.
    media: Vec<(u32, Medium)>,
    /// The first is of all tokens.
    rings: Vec<RingState>,
}

/// What the rings hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RingState {
    /// Tokens of the cache at that time.
    tokens: u32,
    /// One past the highest position that had been written.
    written: u32,
}

/// How a kept cache fits a prompt.
pub struct Reuse {
    /// Tokens of the prompt that need not be computed.
    pub tokens: u32,
    /// The state of the rings for that.
    state: usize,
    /// What the cache holds then.
    sequence: Sequence,
}

/// A part of a cache.
pub struct CachePart {
    /// One past its last position, if it holds positions.
    positions: Option<u32>,
    ranges: Vec<BufferRange>,
}

impl CachePart {
    /// Returns its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.ranges.iter().map(|range| range.bytes).sum()
    }

    /// Whether another one with this part would be the same if so many of their first tokens are the same.
    pub fn is_within(&self, tokens: u32) -> bool {
        self.positions.is_some_and(|end| end <= tokens)
    }
}

impl CacheContents {
    /// Returns the number of tokens.
    pub fn tokens(&self) -> u32 {
        self.ids.len() as u32
    }

    fn input(&self) -> Option<Input> {
        Input::with_blocks(self.ids.clone(), self.media.iter().copied())
    }

    /// Returns the cache's sequences, one for each state of the rings; `None` if there can be no such cache.
    fn sequences(&self) -> Option<Vec<Sequence>> {
        let input = self.input()?;
        let first = self.rings.first()?;
        if first.tokens != self.tokens() || self.rings.len() > 2 {
            return None;
        }
        let sequence = |state: &RingState| {
            let is_sound = state.tokens > 0 && state.tokens <= first.tokens && state.tokens <= state.written;
            is_sound.then(|| Sequence::new(input.prefix(state.tokens as usize), state.written))
        };
        self.rings.iter().map(sequence).collect()
    }
}

impl Session {
    /// Returns what the cache holds and its parts, to be read with [`Self::read_cache`]; `None` if it is empty.
    pub fn cache_parts(&self) -> Option<(CacheContents, Vec<CachePart>)> {
        let sequence = &self.core.sequence;
        let held = sequence.held();
        if held.is_empty() {
            return None;
        }
        let mut rings = vec![(sequence.clone(), self.rings())];
        let prompt = self.checkpoints.longest(held, held).map(|index| self.checkpoints.get(index));
        let (ring, window) = self.turning();
        if let Some((sequence, buffers)) = prompt
            && !self.core.sequence.reaches(sequence.held().len() as u32, ring, window)
        {
            rings.push((sequence.clone(), buffers.to_vec()));
        }
        let state = |(sequence, _): &(Sequence, _)| RingState {
            tokens: sequence.held().len() as u32,
            written: sequence.written(),
        };
        let contents = CacheContents {
            ids: held.ids().to_vec(),
            media: held.blocks().iter().map(|block| (block.range().start, block.medium())).collect(),
            rings: rings.iter().map(state).collect(),
        };
        let mut parts = self.position_parts(contents.tokens());
        for (state, (_, buffers)) in contents.rings.iter().zip(&rings) {
            parts.extend(self.ring_parts(*state, buffers));
        }
        Some((contents, parts))
    }

    /// Returns whether the cache begins with this prompt.
    pub fn holds(&self, prompt: &Input) -> bool {
        self.core.sequence.held().starts_with(prompt)
    }

    /// Length of the prompt's prefix that is in the cache.
    pub fn cached(&self, prompt: &Input) -> u32 {
        self.reusable(prompt)
    }

    /// Returns how much of a prompt a kept cache has; `None` if it isn't one of this session's.
    pub fn reuse(&self, contents: &CacheContents, prompt: &Input) -> Option<Reuse> {
        self.check_prompt(&contents.ids, 0).ok()?;
        let (ring, window) = self.turning();
        let mut best: Option<Reuse> = None;
        for (state, sequence) in contents.sequences()?.into_iter().enumerate() {
            let tokens = sequence.reusable(prompt, ring, window);
            // Of equals, the first: it has the most tokens.
            if best.as_ref().is_none_or(|best| tokens > best.tokens) {
                best = Some(Reuse { tokens, state, sequence });
            }
        }
        best
    }

    /// Forgets what the cache holds, to take back a kept one. Returns its parts in order, `None` where the part isn't
    /// needed; those that are go to [`Self::write_cache`] before [`Self::finish_restore`].
    pub fn begin_restore(&mut self, contents: &CacheContents, reuse: &Reuse) -> Vec<Option<CachePart>> {
        self.core.sequence.clear();
        let mut parts: Vec<_> = self.position_parts(contents.tokens()).into_iter().map(Some).collect();
        let rings = self.rings();
        for (index, &state) in contents.rings.iter().enumerate() {
            let of_state = self.ring_parts(state, &rings).into_iter();
            parts.extend(of_state.map(|part| Some(part).filter(|_| index == reuse.state)));
        }
        parts
    }

    /// All needed parts were written: the cache holds these tokens.
    pub fn finish_restore(&mut self, reuse: Reuse) {
        self.core.sequence = reuse.sequence;
    }

    /// Reads the bytes of a part.
    ///
    /// # Errors
    /// Errors of the device.
    pub async fn read_cache(&self, part: &CachePart) -> Result<Vec<u8>, EngineError> {
        Ok(self.core.gpu.read_ranges(&part.ranges).await?)
    }

    /// Writes the bytes of a part. Returns false, and writes nothing, if there are more or fewer than it has.
    ///
    /// # Errors
    /// When the device was lost.
    pub fn write_cache(&self, part: &CachePart, bytes: &[u8]) -> Result<bool, EngineError> {
        if bytes.len() as u64 != part.bytes() {
            return Ok(false);
        }
        let mut rest = bytes;
        for range in &part.ranges {
            let (own, others) = rest.split_at(range.bytes as usize);
            self.core.gpu.queue().write_buffer(&range.buffer, range.offset, own);
            rest = others;
        }
        self.core.gpu.check()?;
        Ok(true)
    }

    /// Returns a digest of what keys and values follow from, besides the weights and the tokens: how they are stored and
    /// computed, and the adapters that count, with their scales. A cache of another key is of no use to this session.
    pub fn cache_key(&self) -> ContentHash {
        let kv_type = match self.core.storage().kv_type {
            KvType::F16 => 0,
            KvType::F32 => 1,
            KvType::Q8_0 => 2,
        };
        let tuning = self.decoder.tuning();
        let packs = u32::from(tuning.unfused) | u32::from(self.packs_prompts()) << 1;
        let mut numbers = vec![VERSION, kv_type, tuning.packed.unwrap_or(u32::MAX), packs];
        numbers.extend(tuning.forms.map(u32::from));
        for layer in &self.decoder.kv().layers {
            let of_layer = layer.as_ref().map(|layer| [layer.ring, layer.slot_bytes as u32]);
            numbers.extend(of_layer.unwrap_or([u32::MAX; 2]));
        }
        let mut adapters = Vec::new();
        for loaded in self.adapters.iter().filter(|loaded| loaded.scale != 0.0) {
            numbers.push(loaded.scale.to_bits());
            adapters.extend(loaded.digest().bytes());
        }
        ContentHash::of(&adapters, &numbers)
    }

    /// Slots of the rings, 0 if none has turned or will, and the window.
    pub(super) fn turning(&self) -> (u32, u32) {
        let config = self.decoder.config();
        let turns = self.decoder.kv().rings().next().is_some();
        (if turns { ring(config, self.decoder.chunk_len()) } else { 0 }, config.window)
    }

    /// The parts of the layers with a slot for each of these positions.
    fn position_parts(&self, tokens: u32) -> Vec<CachePart> {
        let layers: Vec<_> = self.decoder.kv().layers.iter().flatten().filter(|it| it.ring == 0).collect();
        let each: u64 = layers.iter().map(|layer| 2 * layer.slot_bytes).sum();
        if each == 0 {
            return Vec::new();
        }
        let most =
            (PART_BYTES / each / u64::from(KEYS)).clamp(1, u64::from(PART_POSITIONS / KEYS)) as u32 * KEYS;
        let part = |from: u32| {
            let to = tokens.min(from + most);
            let ranges = layers.iter().flat_map(|layer| self.slots(layer, from, to)).collect();
            CachePart { positions: Some(to), ranges }
        };
        (0..tokens).step_by(most as usize).map(part).collect()
    }

    fn slots(&self, layer: &LayerCache, from: u32, to: u32) -> Vec<BufferRange> {
        let memory = self.decoder.memory();
        let (offset, bytes) = (u64::from(from) * layer.slot_bytes, u64::from(to - from) * layer.slot_bytes);
        let range = |buffer: &Arc<Buffer>| BufferRange { buffer: Arc::clone(buffer), offset, bytes };
        [&layer.k, &layer.v].into_iter().filter_map(|value| memory.get(value).ok().map(range)).collect()
    }

    /// The parts of the rings, or of copies of them, in this state: all slots that were ever written.
    fn ring_parts(&self, state: RingState, buffers: &[Arc<Buffer>]) -> Vec<CachePart> {
        let rings = self.decoder.kv().layers.iter().flatten().filter(|layer| layer.ring > 0);
        let sizes = rings.flat_map(|layer| [u64::from(layer.ring.min(state.written)) * layer.slot_bytes; 2]);
        let mut parts = Vec::new();
        let (mut ranges, mut room) = (Vec::new(), PART_BYTES);
        for (buffer, size) in buffers.iter().zip(sizes) {
            let mut offset = 0;
            while offset < size {
                let bytes = room.min(size - offset);
                ranges.push(BufferRange { buffer: Arc::clone(buffer), offset, bytes });
                (offset, room) = (offset + bytes, room - bytes);
                if room == 0 {
                    parts.push(CachePart { positions: None, ranges: std::mem::take(&mut ranges) });
                    room = PART_BYTES;
                }
            }
        }
        if !ranges.is_empty() {
            parts.push(CachePart { positions: None, ranges });
        }
        parts
    }
}

impl LoadedAdapter {
    /// Returns a digest of its weights.
    fn digest(&self) -> ContentHash {
        *self.digest.get_or_init(|| {
            let mut all = Vec::new();
            for (target, factors) in self.adapter().iter() {
                let (layer, projection) = (target.layer as u32, target.projection as u32);
                let numbers = [layer, projection, factors.rank, factors.input, factors.scale.to_bits()];
                for values in [&factors.a, &factors.b] {
                    all.extend(ContentHash::of(bytemuck::cast_slice(values), &numbers).bytes());
                }
            }
            ContentHash::of(&all, &[])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Media;

    fn contents(tokens: u32, rings: &[(u32, u32)]) -> CacheContents {
        let state = |&(tokens, written): &(u32, u32)| RingState { tokens, written };
        let rings = rings.iter().map(state).collect();
        CacheContents { ids: (0..tokens).collect(), media: Vec::new(), rings }
    }

    #[test]
    fn states_of_rings_that_cannot_be_are_no_cache() {
        assert_eq!(contents(9, &[(9, 9)]).sequences().map(|all| all.len()), Some(1));
        assert_eq!(contents(9, &[(9, 30), (4, 4)]).sequences().map(|all| all.len()), Some(2));
        let impossible: [(u32, &[(u32, u32)]); 7] = [
            (9, &[]),
            (0, &[(0, 0)]),
            (9, &[(8, 9)]),
            (9, &[(9, 8)]),
            (9, &[(9, 9), (10, 10)]),
            (9, &[(9, 9), (0, 1)]),
            (9, &[(9, 9), (4, 4), (3, 3)]),
        ];
        for (tokens, rings) in impossible {
            assert!(contents(tokens, rings).sequences().is_none(), "{tokens} {rings:?}");
        }
    }

    #[test]
    fn media_lie_in_order_among_the_tokens() {
        let medium = |tokens| Medium { media: Media::Image, content: ContentHash::of(b"a", &[]), tokens };
        let input = |media: &[(u32, u32)]| {
            let media = media.iter().map(|&(at, tokens)| (at, medium(tokens))).collect();
            CacheContents { media, ..contents(9, &[(9, 9)]) }.input()
        };
        assert!(input(&[(0, 3), (3, 2), (6, 9)]).is_some(), "the last one was cut off");
        for media in [&[(0, 3), (2, 2)], &[(4, 2), (1, 2)], &[(0, 3), (9, 1)], &[(0, 0), (3, 1)]] {
            assert!(input(media).is_none(), "{media:?}");
        }
        assert!(input(&[(8, u32::MAX)]).is_none());
    }
}
