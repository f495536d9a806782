//! Constrains answers: the protocol's [`Constraint`] as a [`grammar`]. It is a bundle of its own, on the thread of the worker that
//! runs the engine, since most answers need none of it.

mod failure;
#[cfg(target_arch = "wasm32")]
mod web;

use std::rc::Rc;

use grammar::{Format, Grammar, Markers, Whitespace};
use protocol::failure::RequestFailure;
use protocol::{AnswerFormat, Constraint, Failure};
use serde_json::Value;

/// The length of a control token, in [`Vocabulary::new`].
pub const CONTROL: u32 = u32::MAX;

/// Checks that a constraint can be enforced.
///
/// # Errors
/// [`RequestFailure::SchemaText`]; [`RequestFailure::Schema`] at the first keyword that can't be enforced.
pub fn check(constraint: &Constraint) -> Result<(), Failure> {
    format(constraint, false).map(|_| ())
}

fn format(constraint: &Constraint, thinking: bool) -> Result<Format, Failure> {
    let schema = match &constraint.format {
        AnswerFormat::Text => None,
        AnswerFormat::Json => Some(serde_json::json!({ "type": "object" })),
        AnswerFormat::Schema(schema) => Some(json(schema)?),
    };
    let text = schema.map(|schema| Grammar::json(&schema, Whitespace::Limited));
    let tools = constraint.tools.iter().map(|tool| {
        let parameters = tool.parameters.trim();
        let parameters = if parameters.is_empty() { Value::Null } else { json(parameters)? };
        Ok(grammar::Tool { name: tool.name.clone(), parameters })
    });
    let tools = tools.collect::<Result<Vec<_>, Failure>>()?;
    let calls = (!tools.is_empty()).then(|| Grammar::calls(&tools, true));
    Ok(Format {
        text: text.transpose().map_err(failure::of)?,
        calls: calls.transpose().map_err(failure::of)?,
        must_call: constraint.must_call,
        thinking,
    })
}

fn json(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::new(RequestFailure::SchemaText).detailed(error))
}

/// The tokens of a model.
pub struct Vocabulary(Rc<grammar::Vocabulary>);

impl Vocabulary {
    /// Builds the trie of the tokens: this takes seconds for 262 144 of them. `lengths` are the numbers of bytes of each token,
    /// [`CONTROL`] for control tokens, and `bytes` those of all. `markers` are the ids of two ends of an answer, then of the tokens
    /// that open and close calls, open responses, quote strings, open and close thoughts; negative for what the model lacks.
    ///
    /// # Errors
    /// [`RequestFailure::Unconstrained`] if these can't be the tokens of a model.
    pub fn new(bytes: &[u8], lengths: &[u32], markers: &[i32]) -> Result<Self, Failure> {
        let id = |place: usize| markers.get(place).and_then(|&id| u32::try_from(id).ok());
        let markers = Markers {
            ends: [id(0), id(1)].into_iter().flatten().collect(),
            call_open: id(2),
            call_close: id(3),
            response_open: id(4),
            quote: id(5),
            channel_open: id(6),
            channel_close: id(7),
        };
        let mut rest = bytes;
        let tokens = lengths.iter().map(|&length| {
            let token = if length == CONTROL { None } else { rest.split_at_checked(length as usize) };
            token.map(|(token, behind)| {
                rest = behind;
                token.to_vec()
            })
        });
        let vocabulary = grammar::Vocabulary::new(tokens, markers)
            .map_err(|error| Failure::new(RequestFailure::Unconstrained).detailed(error))?;
        Ok(Self(Rc::new(vocabulary)))
    }

    /// Begins an answer, inside of a thought if the prompt has opened one.
    ///
    /// # Errors
    /// As [`check`]; [`RequestFailure::Unconstrained`] if the model has no tokens for calls, and
    /// [`RequestFailure::SchemaTooLarge`].
    pub fn begin(
        &self,
        constraint: &Constraint,
        thinking: bool,
        in_thought: bool,
    ) -> Result<Answer, Failure> {
        let format = format(constraint, thinking)?;
        grammar::Answer::new(Rc::clone(&self.0), format, in_thought).map(Answer).map_err(failure::of)
    }
}

/// The answer that is being written.
pub struct Answer(grammar::Answer);

impl Answer {
    /// Takes the next token.
    ///
    /// # Errors
    /// Why it isn't allowed, for engineers.
    pub fn push(&mut self, id: u32) -> Result<(), String> {
        self.0.push(id).map_err(|error| error.to_string())
    }

    /// Returns the tokens that may come next: a bit for each, from the lowest bit of the first word on.
    ///
    /// # Errors
    /// Why there are none, for engineers.
    pub fn allowed(&mut self) -> Result<&[u32], String> {
        Ok(self.0.allowed().map_err(|error| error.to_string())?.words())
    }

    /// Returns the beginning of the text that must come next; empty if there is a choice.
    pub fn forced(&mut self) -> String {
        // An error comes again where the tokens are asked for.
        self.0.forced().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use protocol::Tool;

    use super::*;

    fn refused(constraint: &Constraint) -> RequestFailure {
        match check(constraint).expect_err("it is refused").code {
            protocol::Code::Request(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_cannot_be_enforced_is_refused_by_name() {
        let schema = |text: &str| Constraint {
            format: AnswerFormat::Schema(text.to_owned()),
            ..Constraint::default()
        };
        let named =
            |path: &str, keyword: &str| RequestFailure::Schema { path: path.into(), keyword: keyword.into() };
        assert_eq!(check(&schema(r#"{"type":"integer"}"#)), Ok(()));
        assert_eq!(refused(&schema("{")), RequestFailure::SchemaText);
        let unique = r#"{"properties":{"a":{"type":"array","uniqueItems":true}}}"#;
        assert_eq!(refused(&schema(unique)), named("/properties/a", "uniqueItems"));
        let tool = |name: &str, parameters: &str| Constraint {
            tools: vec![Tool { name: name.into(), parameters: parameters.into(), ..Tool::default() }],
            ..Constraint::default()
        };
        assert_eq!(check(&tool("now", "")), Ok(()));
        assert_eq!(refused(&tool("now", r#"{"not":{}}"#)), named("now", "not"));
        assert_eq!(refused(&tool("", "")), named("/", "name"));
        assert_eq!(refused(&tool("now", "[")), RequestFailure::SchemaText);
    }
}
