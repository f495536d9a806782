//! Reads examples: from the user's data to ids, labels and a preview of what is learned.

use engine::bytes::CancelToken;
use engine::media::{Media, Medium};
use engine::template::{Conversation, Message, Role};
use engine::tokenizer::Tokenizer;
use engine::train::Example;
use engine::train::examples::{self as encoding, Columns, Content, Format, Named, Parsed, Row};
use protocol::example::{ExampleProblem, RowProblem};
use protocol::failure::{MediaFailure, ModelFailure};
use protocol::tune::{
    ExampleData, ExampleFile, ExampleFormat, Preview, PreviewPiece, PreviewRow, TableColumns,
};
use protocol::{Code, Failure, Sense};

use super::files::Files;
use super::soft_tokens::Sources;
use super::{TrainingData, failures};
use crate::convert;
use crate::failure::{Stopped, sense};
use crate::host::{Host, Model};
use crate::media::{self, MediumOrigin};

/// Examples that a preview shows.
const SHOWN_ROWS: usize = 20;
/// Tokens that it shows of each.
const SHOWN_TOKENS: usize = 400;
/// Problems that it names.
const SHOWN_PROBLEMS: usize = 50;
/// Rows between two looks at what else is to be done.
const ROWS_AT_ONCE: usize = 64;

/// What examples were found to be.
pub struct Read {
    /// Their preview.
    pub preview: Preview,
    /// Those that can be used.
    pub usable: Vec<Example>,
    /// Their pictures and sounds.
    pub sources: Sources,
}

/// Reads examples. The preview lists those that cannot be used.
///
/// # Errors
/// When it was cancelled, a conversation of the page makes no sense, or the model has no tower for any of the examples.
pub async fn read(
    host: &Host,
    model: &Model,
    data: &TrainingData,
    limit: u32,
    cancel: &CancelToken,
) -> Result<Read, Stopped> {
    let TrainingData { examples, handles } = data;
    let (format, parsed, of_chat) = parse(host, data, cancel).await?;
    let Parsed { rows, problems, columns, chosen, heads, ignored, .. } = parsed;
    let mut preview = Preview {
        format,
        columns,
        chosen: chosen.map(|Columns { header, prompt, answer, context, system }| TableColumns {
            header,
            prompt,
            answer,
            context,
            system,
        }),
        heads: heads.into_iter().map(|head| (head.line, head.cells)).collect(),
        ignored,
        ..Preview::default()
    };
    let problem = |line, reason| RowProblem { line, reason };
    let mut wrong: Vec<_> =
        problems.into_iter().map(|it| problem(it.line, failures::of_example(it.reason))).collect();
    let files: &[ExampleFile] = match examples {
        ExampleData::Text { files, .. } => files,
        ExampleData::Pairs(_) | ExampleData::Chat(_) => &[],
    };
    let mut finder = Finder { host, model, files: Files::new(files), handles, cancel };
    let mut usable = Vec::with_capacity(rows.len());
    let mut sources = Sources::default();
    let mut lacking = None;
    for (index, row) in rows.iter().enumerate() {
        if index % ROWS_AT_ONCE == ROWS_AT_ONCE - 1 {
            host.platform.pause(0).await;
            cancel.check()?;
        }
        let found = match &of_chat {
            Some(found) => finder.takes_all(found).map(|()| found.clone()),
            None => finder.find_all(&row.content).await?,
        };
        let example = found.and_then(|found| {
            let media: Vec<Vec<Medium>> =
                found.iter().map(|all| all.iter().map(|it| it.0).collect()).collect();
            let encoded = encoding::encode(&row.content, &media, &model.tokenizer, model.variant, limit);
            Ok((encoded.map_err(failures::of_example)?, found))
        });
        match example {
            Ok((example, found)) => {
                count(&mut preview, row.line, &example, &model.tokenizer);
                usable.push(example);
                sources.add(found.into_iter().flatten());
            }
            Err(reason) => {
                if let ExampleProblem::Lacks(sense) = reason {
                    lacking = Some(sense);
                }
                wrong.push(problem(row.line, reason));
            }
        }
    }
    if let (true, Some(sense)) = (usable.is_empty(), lacking) {
        return Err(Failure::from(ModelFailure::Lacks(sense)).into());
    }
    wrong.sort_by_key(|problem| problem.line);
    preview.problem_count = wrong.len() as u32;
    wrong.truncate(SHOWN_PROBLEMS);
    preview.problems = wrong;
    Ok(Read { preview, usable, sources })
}

/// The media of each file that an example names, and where they come from.
type Found = Vec<Vec<(Medium, MediumOrigin)>>;

/// Finds the files that examples name, and looks at them.
struct Finder<'a> {
    host: &'a Host,
    model: &'a Model,
    files: Files<'a>,
    handles: &'a [web_sys::Blob],
    cancel: &'a CancelToken,
}

impl Finder<'_> {
    /// The media of a row; or why it cannot be used.
    async fn find_all(&mut self, content: &Content) -> Result<Result<Found, ExampleProblem>, Stopped> {
        let Content::Chat { media, .. } = content else { return Ok(Ok(Vec::new())) };
        let mut found = Vec::with_capacity(media.len());
        for named in media {
            match self.find(named).await? {
                Ok(media) => found.push(media),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        Ok(Ok(found))
    }

    async fn find(
        &mut self,
        named: &Named,
    ) -> Result<Result<Vec<(Medium, MediumOrigin)>, ExampleProblem>, Stopped> {
        let Named { media, name } = named;
        if !self.model.takes(*media) {
            return Ok(Err(ExampleProblem::Lacks(sense(*media))));
        }
        let unusable =
            |why: Code| Ok(Err(ExampleProblem::BadFile { name: name.clone(), why: Box::new(why) }));
        let Some(file) = self.files.find(name) else {
            return Ok(Err(ExampleProblem::MissingFile { name: name.clone() }));
        };
        let (content, place) = match (&file.content, media) {
            (Err(why), _) => return unusable(why.clone()),
            (Ok(content @ protocol::Content::Image { media, .. }), Media::Image | Media::Video)
            | (Ok(content @ protocol::Content::Audio { media }), Media::Audio) => (content, media.place),
            (Ok(_), media) => return unusable(MediaFailure::Not(sense(*media)).into()),
        };
        match media::look(self.host, content, self.handles, self.cancel).await {
            Ok(Some(known)) => Ok(Ok(MediumOrigin::all(&known, place).collect())),
            Ok(None) => unusable(MediaFailure::Neither.into()),
            Err(failure) if failure.is_cancelled() => Err(failure.into()),
            Err(failure) => unusable(failure.code),
        }
    }

    /// Whether the model has a tower for all of these.
    fn takes_all(&self, found: &Found) -> Result<(), ExampleProblem> {
        let lacks = found.iter().flatten().find(|(medium, _)| !self.model.takes(medium.media));
        lacks.map_or(Ok(()), |(medium, _)| Err(ExampleProblem::Lacks(sense(medium.media))))
    }
}

/// Returns the rows of the examples and, for a conversation, the media in it: they have no names.
async fn parse(
    host: &Host,
    data: &TrainingData,
    cancel: &CancelToken,
) -> Result<(ExampleFormat, Parsed, Option<Found>), Stopped> {
    let TrainingData { examples: given, handles } = data;
    let rows = |contents: Vec<Content>| {
        let row = |(index, content)| Row { line: index as u32 + 1, content };
        Parsed { rows: contents.into_iter().enumerate().map(row).collect(), ..Parsed::default() }
    };
    let chat = |conversation| Content::Chat { conversation, media: Vec::new(), context: Vec::new() };
    Ok(match given {
        ExampleData::Text { text, columns, .. } => {
            let columns = columns.clone().map(|TableColumns { header, prompt, answer, context, system }| {
                Columns { header, prompt, answer, context, system }
            });
            let parsed = encoding::read(text, columns.as_ref());
            let format = match parsed.format {
                Format::Json => ExampleFormat::Json,
                Format::Table => ExampleFormat::Table,
            };
            (format, parsed, None)
        }
        ExampleData::Pairs(pairs) => {
            let pair = |(ask, answer): &(String, String)| {
                let message = |role, text: &String| Message::new(role, text.as_str());
                let messages = vec![message(Role::User, ask), message(Role::Assistant, answer)];
                chat(Conversation { messages, tools: Vec::new() })
            };
            (ExampleFormat::Given, rows(pairs.iter().map(pair).collect()), None)
        }
        ExampleData::Chat(messages) => {
            let prepared = media::prepare(host, messages, handles, cancel).await?;
            let conversation = convert::conversation(messages, &[], &prepared.clips())?;
            // Its sounds have a place for each clip already.
            let found = prepared.media().map(|medium| vec![medium]).collect();
            (ExampleFormat::Given, rows(vec![chat(conversation)]), Some(found))
        }
    })
}

/// Adds an example to the preview.
fn count(preview: &mut Preview, line: u32, example: &Example, tokenizer: &Tokenizer) {
    let (tokens, learned) = (example.input.len() as u32, example.learned() as u32);
    preview.usable += 1;
    preview.tokens += u64::from(tokens);
    preview.learned += u64::from(learned);
    preview.longest = preview.longest.max(tokens);
    if preview.rows.len() < SHOWN_ROWS {
        preview.rows.push(PreviewRow { line, tokens, learned, pieces: pieces(example, tokenizer) });
    }
}

/// The beginning of an example. A picture or a sound is one piece of it.
fn pieces(example: &Example, tokenizer: &Tokenizer) -> Vec<PreviewPiece> {
    let text = |id| tokenizer.piece(id).unwrap_or("\u{fffd}").replace('▁', " ");
    let mut pieces = Vec::new();
    let mut blocks = example.blocks().iter().peekable();
    let mut at = 0;
    while at < example.input.len() && pieces.len() < SHOWN_TOKENS {
        if let Some(block) = blocks.next_if(|block| block.range().start as usize == at) {
            let sense = if block.is_picture() { Sense::Sight } else { Sense::Hearing };
            pieces.push(PreviewPiece::Medium { sense, tokens: block.medium().tokens });
            at = block.range().end as usize;
        } else {
            let (text, learned) = (text(example.ids()[at]), example.labels[at] >= 0);
            pieces.push(PreviewPiece::Token { text, learned });
            at += 1;
        }
    }
    pieces
}
