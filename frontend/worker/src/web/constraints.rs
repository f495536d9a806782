//! The bundle with grammar support, on this thread, so that a mask is there as soon as it is asked for. It has a memory of its own:
//! a mask of 262 144 tokens is copied twice on its way here, 32 KiB each time.

use std::rc::Rc;

use engine::session::{self, ConstraintError};
use interop::{field, words};
use js_sys::{Function, Promise, Uint8Array};
use protocol::failure::{EngineFailure, RequestFailure};
use protocol::{Constraint, Failure, decode, encode};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::constraints::{Constraints, Tokens, Vocabulary};

// `frontend/constraints/src/web.rs`.
#[wasm_bindgen]
extern "C" {
    type Module;

    #[wasm_bindgen(method, catch)]
    fn check(this: &Module, constraint: &[u8]) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn vocabulary(
        this: &Module,
        bytes: &[u8],
        lengths: &[u32],
        markers: &[i32],
    ) -> Result<VocabularyObject, JsValue>;

    type VocabularyObject;

    #[wasm_bindgen(method, catch)]
    fn begin(
        this: &VocabularyObject,
        constraint: &[u8],
        thinking: bool,
        in_thought: bool,
    ) -> Result<AnswerObject, JsValue>;

    #[wasm_bindgen(method, js_name = free)]
    fn free_vocabulary(this: &VocabularyObject);

    type AnswerObject;

    #[wasm_bindgen(method, catch)]
    fn push(this: &AnswerObject, id: u32) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn allowed(this: &AnswerObject) -> Result<Vec<u32>, JsValue>;

    #[wasm_bindgen(method)]
    fn forced(this: &AnswerObject) -> String;

    #[wasm_bindgen(method, js_name = free)]
    fn free_answer(this: &AnswerObject);
}

/// Fetches the bundle.
pub async fn fetch() -> Result<Rc<dyn Constraints>, Failure> {
    let missing = |error: JsValue| Failure::new(RequestFailure::NoConstraints).detailed(words(&error));
    let scope: JsValue = super::scope().into();
    let begun = field(&scope, "loadConstraints").unwrap_or_default().dyn_into::<Function>();
    let begun = begun.and_then(|load| load.call0(&scope)).map_err(missing)?;
    let module = JsFuture::from(Promise::resolve(&begun)).await.map_err(missing)?;
    Ok(Rc::new(Bundle(module.unchecked_into())))
}

struct Bundle(Module);

impl Constraints for Bundle {
    fn check(&self, constraint: &Constraint) -> Result<(), Failure> {
        self.0.check(&encoded(constraint)?).map_err(|error| failure(&error))
    }

    fn vocabulary(&self, tokens: &Tokens) -> Result<Rc<dyn Vocabulary>, Failure> {
        let made = self.0.vocabulary(&tokens.bytes, &tokens.lengths, &tokens.markers);
        Ok(Rc::new(Trie(made.map_err(|error| failure(&error))?)))
    }
}

struct Trie(VocabularyObject);

impl Vocabulary for Trie {
    fn begin(
        &self,
        constraint: &Constraint,
        thinking: bool,
        in_thought: bool,
    ) -> Result<Box<dyn session::Constraint>, Failure> {
        let begun = self.0.begin(&encoded(constraint)?, thinking, in_thought);
        let answer = begun.map_err(|error| failure(&error))?;
        Ok(Box::new(Answer { answer, allowed: Vec::new() }))
    }
}

impl Drop for Trie {
    fn drop(&mut self) {
        self.0.free_vocabulary();
    }
}

struct Answer {
    answer: AnswerObject,
    allowed: Vec<u32>,
}

impl session::Constraint for Answer {
    fn push(&mut self, id: u32) -> Result<(), ConstraintError> {
        self.answer.push(id).map_err(|error| ConstraintError(words(&error)))
    }

    fn allowed(&mut self) -> Result<&[u32], ConstraintError> {
        self.allowed = self.answer.allowed().map_err(|error| ConstraintError(words(&error)))?;
        Ok(&self.allowed)
    }

    fn forced(&mut self) -> String {
        self.answer.forced()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.answer.free_answer();
    }
}

fn encoded(constraint: &Constraint) -> Result<Vec<u8>, Failure> {
    encode(constraint).map_err(|error| Failure::new(EngineFailure::Unexpected).detailed(error))
}

/// What the bundle has thrown.
fn failure(thrown: &JsValue) -> Failure {
    let sent = thrown.dyn_ref::<Uint8Array>().and_then(|bytes| decode(&bytes.to_vec()).ok());
    sent.unwrap_or_else(|| Failure::new(EngineFailure::Unexpected).detailed(words(thrown)))
}
