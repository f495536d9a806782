//! `probe mask` and `probe parse`: what may come next in an answer, and what an answer says.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use engine::template::{AnswerParser, Piece, StopStrings, Tool};
use engine::tokenizer::{Specials, Tokenizer};
use grammar::{Answer, Format, Grammar, Prefix, Vocabulary, Whitespace};
use probe::constraint::{self, declared, vocabulary};
use serde_json::{Value, json};

use super::files::{header, json, tools};

/// Show the tokens that may come next in an answer.
#[derive(Args)]
pub struct Mask {
    /// The model file.
    model: PathBuf,
    #[command(flatten)]
    of: What,
    #[command(flatten)]
    whitespace: WhitespaceArg,
    /// What is written of the answer. Control tokens in it are recognised.
    #[arg(long, allow_hyphen_values = true)]
    prefix: String,
}

/// What an answer must be.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct What {
    /// A file with the JSON schema of the answer.
    #[arg(long)]
    schema: Option<PathBuf>,
    /// A JSON file with tools, of which some must be called.
    #[arg(long)]
    tools: Option<PathBuf>,
}

/// Where a JSON answer has white space.
#[derive(Args)]
pub struct WhitespaceArg {
    /// White space outside of strings.
    #[arg(long = "whitespace", value_name = "WORD", default_value = "limited")]
    word: WhitespaceWord,
}

#[derive(Clone, Copy, ValueEnum)]
enum WhitespaceWord {
    None,
    Limited,
}

impl WhitespaceArg {
    pub fn whitespace(&self) -> Whitespace {
        match self.word {
            WhitespaceWord::None => Whitespace::None,
            WhitespaceWord::Limited => Whitespace::Limited,
        }
    }
}

/// Sort what a model wrote into thoughts, text and calls.
#[derive(Args)]
pub struct Parse {
    /// The model file.
    model: PathBuf,
    /// A file with the text. Control tokens in it are recognised.
    #[arg(long)]
    text: PathBuf,
    /// The prompt has opened a thought.
    #[arg(long)]
    in_thought: bool,
}

fn tokenizer(model: &Path) -> Result<Tokenizer> {
    Ok(Tokenizer::from_metadata(&header(model)?.metadata)?)
}

fn schema(path: &Path, whitespace: Whitespace) -> Result<Grammar> {
    Grammar::json(&json(path)?, whitespace).with_context(|| format!("{}", path.display()))
}

/// What answers may be.
#[derive(Args)]
pub struct Constrained {
    /// Answer in JSON of the schema in this file.
    #[arg(long)]
    schema: Option<PathBuf>,
    #[command(flatten)]
    whitespace: WhitespaceArg,
    /// Declare the tools in this JSON file, and let the model call them.
    #[arg(long)]
    tools: Option<PathBuf>,
    /// At least one tool must be called.
    #[arg(long, requires = "tools")]
    must_call: bool,
}

impl Constrained {
    /// Returns whether there is a constraint.
    pub fn is_some(&self) -> bool {
        self.schema.is_some() || self.tools.is_some()
    }

    /// Returns the tools.
    pub fn tools(&self) -> Result<Option<Vec<Tool>>> {
        self.tools.as_deref().map(tools).transpose()
    }

    /// Returns what begins the constraint of each answer; `None` without one.
    pub fn prepare(&self, tokenizer: &Tokenizer, thinking: bool) -> Result<Option<Prepared>> {
        if !self.is_some() {
            return Ok(None);
        }
        let text =
            self.schema.as_deref().map(|path| schema(path, self.whitespace.whitespace())).transpose()?;
        let tools = self.tools()?.map(|tools| Grammar::calls(&declared(&tools), true));
        let format = Format { text, calls: tools.transpose()?, must_call: self.must_call, thinking };
        Ok(Some(Prepared { vocabulary: Rc::new(vocabulary(tokenizer)?), format }))
    }
}

/// What answers may be, with the tokens of a model.
pub struct Prepared {
    vocabulary: Rc<Vocabulary>,
    format: Format,
}

impl Prepared {
    /// Returns the constraint of an answer, which may begin inside of a thought.
    pub fn begin(&self, in_thought: bool) -> Result<constraint::Constrained> {
        let answer = Answer::new(Rc::clone(&self.vocabulary), self.format.clone(), in_thought)?;
        Ok(constraint::Constrained(answer))
    }
}

pub fn mask(mask: &Mask) -> Result<Value> {
    let tokenizer = tokenizer(&mask.model)?;
    let grammar = match (&mask.of.schema, &mask.of.tools) {
        (Some(path), _) => schema(path, mask.whitespace.whitespace())?,
        (None, Some(path)) => {
            Grammar::calls(&declared(&tools(path)?), true).with_context(|| format!("{}", path.display()))?
        }
        (None, None) => anyhow::bail!("give --schema or --tools"),
    };
    let vocabulary = vocabulary(&tokenizer)?;
    let mut prefix = Prefix::new(&grammar, &vocabulary)?;
    for id in tokenizer.encode(&mask.prefix, Specials::Parse) {
        prefix.push(id)?;
    }
    let mut allowed = grammar::Mask::none(vocabulary.size());
    prefix.allowed(&vocabulary, &mut allowed)?;
    Ok(json!({ "allowed": allowed.ids().collect::<Vec<_>>() }))
}

pub fn parse(parse: &Parse) -> Result<Value> {
    let tokenizer = tokenizer(&parse.model)?;
    let text = std::fs::read_to_string(&parse.text)
        .with_context(|| format!("{} cannot be read", parse.text.display()))?;
    let mut parser = AnswerParser::new(tokenizer.special(), parse.in_thought, StopStrings::default());
    let mut pieces = Vec::new();
    for id in tokenizer.encode(&text, Specials::Parse) {
        // Nothing behind the end belongs to the answer.
        if [tokenizer.special().eos, tokenizer.special().turn_close].contains(&Some(id)) {
            break;
        }
        pieces.extend(parser.push(&tokenizer, id));
    }
    parser.finish(&mut pieces);
    let (mut thinking, mut content) = (String::new(), String::new());
    let (mut calls, mut invalid) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Thought(text) => thinking += &text,
            Piece::Answer(text) => content += &text,
            Piece::Call(call) => calls.push(json!({ "name": call.name, "arguments": call.arguments })),
            Piece::BrokenCall { raw, .. } => invalid.push(raw),
        }
    }
    Ok(json!({ "thinking": thinking, "content": content, "calls": calls, "invalid": invalid }))
}
