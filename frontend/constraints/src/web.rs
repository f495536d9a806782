//! What the worker calls. What goes wrong is thrown: a [`Failure`] encoded as in messages, or words for engineers.

use protocol::{Constraint, Failure, decode, encode};
use wasm_bindgen::prelude::*;

use crate::{Answer, Vocabulary};

/// [`crate::check`].
#[wasm_bindgen]
pub fn check(constraint: &[u8]) -> Result<(), JsValue> {
    crate::check(&read(constraint)?).map_err(|failure| thrown(&failure))
}

/// [`Vocabulary::new`].
#[wasm_bindgen]
pub fn vocabulary(bytes: &[u8], lengths: &[u32], markers: &[i32]) -> Result<Tokens, JsValue> {
    Vocabulary::new(bytes, lengths, markers).map(Tokens).map_err(|failure| thrown(&failure))
}

/// A [`Vocabulary`].
#[wasm_bindgen]
pub struct Tokens(Vocabulary);

#[wasm_bindgen]
impl Tokens {
    /// [`Vocabulary::begin`].
    pub fn begin(&self, constraint: &[u8], thinking: bool, in_thought: bool) -> Result<Written, JsValue> {
        let begun = self.0.begin(&read(constraint)?, thinking, in_thought);
        begun.map(Written).map_err(|failure| thrown(&failure))
    }
}

/// An [`Answer`].
#[wasm_bindgen]
pub struct Written(Answer);

#[wasm_bindgen]
impl Written {
    /// [`Answer::push`].
    pub fn push(&mut self, id: u32) -> Result<(), String> {
        self.0.push(id)
    }

    /// [`Answer::allowed`], a copy.
    pub fn allowed(&mut self) -> Result<Vec<u32>, String> {
        self.0.allowed().map(<[u32]>::to_vec)
    }

    /// [`Answer::forced`].
    pub fn forced(&mut self) -> String {
        self.0.forced()
    }
}

fn read(constraint: &[u8]) -> Result<Constraint, JsValue> {
    decode(constraint).map_err(|error| error.to_string().into())
}

fn thrown(failure: &Failure) -> JsValue {
    match encode(failure) {
        Ok(bytes) => bytes.into(),
        Err(error) => error.to_string().into(),
    }
}
