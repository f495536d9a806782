//! Pairing the factors of a file.

use std::collections::BTreeMap;

use super::halves::{Key, Reading};
use super::{AdapterError, Factors, MAX_RANK};

/// Which of the two factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `[rank, input]`.
    A,
    /// `[output, rank]`.
    B,
}

/// A factor as declared in a file. Its data is read after all shapes have been checked.
#[derive(Clone, Debug)]
pub struct Half<R> {
    /// Its name in the file.
    pub tensor: String,
    /// Number of matrices: 1, or the experts.
    pub experts: u64,
    /// Rows and columns of each.
    pub shape: [u64; 2],
    /// How to read it.
    pub reference: R,
}

/// Factors by target.
pub struct Pairs<R>(BTreeMap<Key, [Option<Half<R>>; 2]>);

/// Both factors of a target.
pub struct Pair<R> {
    /// The projection, or the part of it, that they correct.
    pub key: Key,
    /// Their rank, 1 to [`MAX_RANK`].
    pub rank: u32,
    /// A and B.
    pub halves: [Half<R>; 2],
}

impl<R> Default for Pairs<R> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<R> Pairs<R> {
    /// Adds a factor.
    ///
    /// # Errors
    /// When the target has it already.
    pub fn add(&mut self, key: Key, side: Side, half: Half<R>) -> Result<(), AdapterError> {
        let place = &mut self.0.entry(key).or_insert([None, None])[side as usize];
        if place.is_some() {
            return Err(AdapterError::Twice { tensor: half.tensor });
        }
        *place = Some(half);
        Ok(())
    }

    /// Returns all pairs, with ranks checked.
    ///
    /// # Errors
    /// A factor without the other one, a rank out of range, or shapes that do not match; [`AdapterError::Empty`].
    pub fn finish(self) -> Result<Vec<Pair<R>>, AdapterError> {
        if self.0.is_empty() {
            return Err(AdapterError::Empty);
        }
        let pair = |(key, halves): (Key, [Option<Half<R>>; 2])| {
            let (a, b) = match halves {
                [Some(a), Some(b)] => (a, b),
                [Some(half), None] | [None, Some(half)] => {
                    return Err(AdapterError::Unpaired { tensor: half.tensor });
                }
                [None, None] => return Err(AdapterError::Empty),
            };
            let rank = match u32::try_from(a.shape[0]) {
                Ok(rank @ 1..=MAX_RANK) => rank,
                _ => {
                    let rank = a.shape[0];
                    return Err(AdapterError::Rank { tensor: a.tensor, rank, most: MAX_RANK });
                }
            };
            if b.shape[1] != a.shape[0] {
                let expected = vec![b.shape[0], a.shape[0]];
                return Err(AdapterError::Shape { tensor: b.tensor, found: b.shape.to_vec(), expected });
            }
            if b.experts != a.experts || a.experts == 0 {
                let [rows, columns] = b.shape;
                let [found, expected] = [b.experts, a.experts.max(1)].map(|n| vec![n, rows, columns]);
                return Err(AdapterError::Shape { tensor: b.tensor, found, expected });
            }
            Ok(Pair { key, rank, halves: [a, b] })
        };
        self.0.into_iter().map(pair).collect()
    }
}

impl<R> Pair<R> {
    /// Adds the correction to what was read.
    ///
    /// # Errors
    /// Values that are not finite.
    pub fn put(
        self,
        reading: &mut Reading,
        a: Vec<f32>,
        b: Vec<f32>,
        scale: f32,
    ) -> Result<(), AdapterError> {
        let [first, second] = self.halves;
        let (input, output) = (first.shape[1], second.shape[0]);
        // The reader has checked the shapes against the bytes of the file.
        let factors = Factors { rank: self.rank, input: input as u32, output: output as u32, a, b, scale };
        for (half, values) in [(&first.tensor, &factors.a), (&second.tensor, &factors.b)] {
            if values.iter().any(|v| !v.is_finite()) {
                return Err(AdapterError::NotFinite { tensor: half.clone() });
            }
        }
        reading.put(self.key, factors)
    }
}
