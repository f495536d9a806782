//! Byte buffers that are not copied into wasm memory.

use std::ops::Range;
use std::sync::Arc;

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::{JsCast as _, JsValue};

/// Bytes of a file. Clones and slices share them.
///
/// Natively they are in memory. In the browser they are a `Uint8Array` on the JavaScript heap until
/// [`to_vec`](Self::to_vec) or [`copy_to`](Self::copy_to) copies them.
#[derive(Clone, Debug)]
pub struct Bytes(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Memory {
        data: Arc<Vec<u8>>,
        range: Range<usize>,
    },
    #[cfg(target_arch = "wasm32")]
    Js(js_sys::Uint8Array),
}

impl Bytes {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Memory { range, .. } => range.len(),
            #[cfg(target_arch = "wasm32")]
            Repr::Js(array) => array.length() as usize,
        }
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a part of the bytes, without a copy.
    ///
    /// # Panics
    /// When `range` is out of bounds, as with slices.
    pub fn slice(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} of {} bytes", self.len());
        match &self.0 {
            Repr::Memory { data, range: whole } => Self(Repr::Memory {
                data: data.clone(),
                range: whole.start + range.start..whole.start + range.end,
            }),
            #[cfg(target_arch = "wasm32")]
            Repr::Js(array) => Self(Repr::Js(array.subarray(range.start as u32, range.end as u32))),
        }
    }

    /// Returns a copy in memory.
    pub fn to_vec(&self) -> Vec<u8> {
        match &self.0 {
            Repr::Memory { data, range } => data[range.clone()].to_vec(),
            #[cfg(target_arch = "wasm32")]
            Repr::Js(array) => array.to_vec(),
        }
    }

    /// Copies them into memory.
    ///
    /// # Panics
    /// When `target` has another length, as with [`slice::copy_from_slice`].
    pub fn copy_to(&self, target: &mut [u8]) {
        match &self.0 {
            Repr::Memory { data, range } => target.copy_from_slice(&data[range.clone()]),
            #[cfg(target_arch = "wasm32")]
            Repr::Js(array) => array.copy_to(target),
        }
    }

    /// Returns the bytes, if they are in memory. Natively they always are.
    pub fn in_memory(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Memory { data, range } => Some(&data[range.clone()]),
            #[cfg(target_arch = "wasm32")]
            Repr::Js(_) => None,
        }
    }

    /// Returns the array, copied to the JavaScript heap if necessary.
    #[cfg(target_arch = "wasm32")]
    pub fn to_js(&self) -> js_sys::Uint8Array {
        match &self.0 {
            Repr::Memory { data, range } => js_sys::Uint8Array::from(&data[range.clone()]),
            Repr::Js(array) => array.clone(),
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self(Repr::Memory { data: Arc::new(bytes), range })
    }
}

#[cfg(target_arch = "wasm32")]
impl From<js_sys::Uint8Array> for Bytes {
    fn from(array: js_sys::Uint8Array) -> Self {
        Self(Repr::Js(array))
    }
}

/// Returns an array of `len` bytes on the JavaScript heap; `None` if allocation fails.
#[cfg(target_arch = "wasm32")]
fn try_array(len: usize) -> Option<js_sys::Uint8Array> {
    // Constructed by name, because `Uint8Array::new_with_length` cannot report an exception.
    let constructor = js_sys::Reflect::get(&js_sys::global(), &"Uint8Array".into()).ok()?;
    let arguments = js_sys::Array::of1(&JsValue::from_f64(len as f64));
    let array = js_sys::Reflect::construct(constructor.dyn_ref::<js_sys::Function>()?, &arguments).ok()?;
    array.dyn_into().ok()
}

/// Concatenates pieces to [`Bytes`]. In the browser, nothing is copied into wasm memory.
#[derive(Debug)]
pub struct BytesBuilder {
    #[cfg(not(target_arch = "wasm32"))]
    target: Vec<u8>,
    #[cfg(target_arch = "wasm32")]
    target: js_sys::Uint8Array,
    filled: usize,
    len: usize,
}

impl BytesBuilder {
    /// Allocates `len` bytes.
    pub fn new(len: usize) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        let target = Vec::with_capacity(len);
        #[cfg(target_arch = "wasm32")]
        let target = js_sys::Uint8Array::new_with_length(len as u32);
        Self { target, filled: 0, len }
    }

    /// Returns the same as [`Self::new`], but returns `None` if allocation fails.
    pub fn try_new(len: usize) -> Option<Self> {
        #[cfg(not(target_arch = "wasm32"))]
        let target = {
            let mut target = Vec::new();
            target.try_reserve_exact(len).ok()?;
            target
        };
        #[cfg(target_arch = "wasm32")]
        let target = try_array(len)?;
        Some(Self { target, filled: 0, len })
    }

    /// Returns the number of bytes written so far.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Returns the number of bytes still missing.
    pub fn missing(&self) -> usize {
        self.len - self.filled
    }

    /// Appends a piece, as far as it fits. Returns the number of bytes taken.
    pub fn push(&mut self, piece: &Bytes) -> usize {
        let taken = piece.len().min(self.missing());
        let piece = piece.slice(0..taken);
        #[cfg(not(target_arch = "wasm32"))]
        {
            let Repr::Memory { data, range } = &piece.0;
            self.target.extend_from_slice(&data[range.clone()]);
        }
        #[cfg(target_arch = "wasm32")]
        self.target.set(&piece.to_js(), self.filled as u32);
        self.filled += taken;
        taken
    }

    /// Returns the bytes written so far.
    pub fn finish(self) -> Bytes {
        let filled = self.filled;
        Bytes::from(self.target).slice(0..filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_share_and_count_from_their_own_start() {
        let bytes = Bytes::from((0..10).collect::<Vec<u8>>());
        let part = bytes.slice(2..8).slice(1..4);
        assert_eq!(part.to_vec(), [3, 4, 5]);
        let mut copy = [0; 3];
        part.copy_to(&mut copy);
        assert_eq!(copy, [3, 4, 5]);
        assert!(bytes.slice(10..10).is_empty());
    }

    #[test]
    #[should_panic(expected = "of 6 bytes")]
    fn a_slice_cannot_leave_its_part() {
        let bytes = Bytes::from(vec![0; 10]).slice(2..8);
        let _ = bytes.slice(0..7);
    }

    #[test]
    fn a_builder_takes_no_more_than_it_was_made_for() {
        let mut builder = BytesBuilder::new(5);
        assert_eq!(builder.push(&Bytes::from(vec![1, 2, 3])), 3);
        assert_eq!((builder.filled(), builder.missing()), (3, 2));
        assert_eq!(builder.push(&Bytes::from(vec![4, 5, 6])), 2);
        assert_eq!(builder.finish().to_vec(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_builder_that_was_not_filled_gives_what_it_has() {
        let mut builder = BytesBuilder::new(5);
        builder.push(&Bytes::from(vec![1, 2]));
        assert_eq!(builder.finish().to_vec(), [1, 2]);
    }
}
