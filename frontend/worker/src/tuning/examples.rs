//! Examples: from what a person gives to ids and labels, and to a preview of what is learned.

use engine::bytes::{CancelToken, SourceError};
use engine::template::{Conversation, Message, Role};
use engine::tokenizer::Tokenizer;
use engine::train::Example;
use engine::train::examples::{self, Columns, Content, Format, Parsed, Row};
use protocol::Failure;
use protocol::tune::{ExampleData, ExampleFormat, Preview, PreviewRow, RowProblem, TableColumns};

use crate::convert;
use crate::host::Model;
use crate::platform::Platform;

/// Examples that a preview shows.
const SHOWN_ROWS: usize = 20;
/// Tokens that it shows of each.
const SHOWN_TOKENS: usize = 400;
/// Problems that it names.
const SHOWN_PROBLEMS: usize = 50;
/// Rows between two looks at what else is to be done.
const ROWS_AT_ONCE: usize = 64;

/// Reads examples. Those that cannot be used are told in the preview.
///
/// # Errors
/// When it was cancelled, or a conversation of the page makes no sense.
pub async fn read(
    platform: &dyn Platform,
    model: &Model,
    data: &ExampleData,
    limit: u32,
    cancel: &CancelToken,
) -> Result<(Preview, Vec<Example>), Trouble> {
    let (format, parsed) = parse(data)?;
    let Parsed { rows, problems, columns, chosen, .. } = parsed;
    let mut preview = Preview {
        format,
        columns,
        chosen: chosen.map(|it| TableColumns { prompt: it.prompt, answer: it.answer, system: it.system }),
        ..Preview::default()
    };
    let problem = |line, reason: String| RowProblem { line, reason };
    let mut wrong: Vec<_> = problems.into_iter().map(|it| problem(it.line, it.reason.to_string())).collect();
    let mut usable = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        if index % ROWS_AT_ONCE == ROWS_AT_ONCE - 1 {
            platform.pause(0).await;
            cancel.check()?;
        }
        match examples::encode(&row.content, &[], &model.tokenizer, model.variant, limit) {
            Ok(example) => {
                count(&mut preview, row.line, &example, &model.tokenizer);
                usable.push(example);
            }
            Err(reason) => wrong.push(problem(row.line, reason.to_string())),
        }
    }
    wrong.sort_by_key(|problem| problem.line);
    preview.problem_count = wrong.len() as u32;
    wrong.truncate(SHOWN_PROBLEMS);
    preview.problems = wrong;
    Ok((preview, usable))
}

/// Why nothing was read.
pub enum Trouble {
    /// It was cancelled.
    Cancelled,
    /// It makes no sense.
    Said(Failure),
}

impl From<SourceError> for Trouble {
    fn from(_: SourceError) -> Self {
        Self::Cancelled
    }
}

fn parse(data: &ExampleData) -> Result<(ExampleFormat, Parsed), Trouble> {
    let given = |contents: Vec<Content>| {
        let row = |(index, content)| Row { line: index as u32 + 1, content };
        Parsed { rows: contents.into_iter().enumerate().map(row).collect(), ..Parsed::default() }
    };
    Ok(match data {
        ExampleData::Text { text, columns } => {
            let columns = columns.as_ref().map(|it| Columns {
                prompt: it.prompt.clone(),
                answer: it.answer.clone(),
                system: it.system.clone(),
            });
            let parsed = examples::read(text, columns.as_ref());
            let format = match parsed.format {
                Format::Json => ExampleFormat::Json,
                Format::Table => ExampleFormat::Table,
            };
            (format, parsed)
        }
        ExampleData::Pairs(pairs) => {
            let chat = |(ask, answer): &(String, String)| {
                let message = |role, text: &String| Message::new(role, text.as_str());
                let messages = vec![message(Role::User, ask), message(Role::Assistant, answer)];
                Content::Chat {
                    conversation: Conversation { messages, tools: Vec::new() },
                    media: Vec::new(),
                }
            };
            (ExampleFormat::Given, given(pairs.iter().map(chat).collect()))
        }
        ExampleData::Chat(messages) => {
            let conversation = convert::conversation(messages, &[], &[]).map_err(Trouble::Said)?;
            (ExampleFormat::Given, given(vec![Content::Chat { conversation, media: Vec::new() }]))
        }
    })
}

/// Adds an example to what is told.
fn count(preview: &mut Preview, line: u32, example: &Example, tokenizer: &Tokenizer) {
    let (tokens, learned) = (example.input.len() as u32, example.learned() as u32);
    preview.usable += 1;
    preview.tokens += u64::from(tokens);
    preview.learned += u64::from(learned);
    preview.longest = preview.longest.max(tokens);
    if preview.rows.len() < SHOWN_ROWS {
        let shown = example.ids().iter().zip(&example.labels).take(SHOWN_TOKENS);
        let piece = |id| tokenizer.piece(id).unwrap_or("\u{fffd}").replace('▁', " ");
        let pieces = shown.map(|(&id, &label)| (piece(id), label >= 0)).collect();
        preview.rows.push(PreviewRow { line, tokens, learned, pieces });
    }
}
