//! Options of speculative decoding.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, Result};
use clap::Args;
use engine::bytes::{ByteSource, CancelToken, FileSource};
use engine::gguf::Header;
use engine::model::{DraftSource, Drafts};
use engine::session::Session;
use serde_json::{Value, json};

/// Where drafts come from, and how many there are.
#[derive(Args)]
pub struct DraftArgs {
    /// Draft tokens with this drafter: a GGUF file of the architecture gemma4-assistant.
    #[arg(long, value_name = "FILE", group = "drafting")]
    draft: Option<PathBuf>,
    /// Draft always, and so many tokens at a time; by default, draft where that is measured to be faster.
    #[arg(long, value_name = "N", requires = "draft", value_parser = clap::value_parser!(u32).range(1..=7))]
    draft_tokens: Option<u32>,
    /// Draft tokens by look-up in prompt and answer: always N at a time, or where that is measured to be faster.
    #[arg(long, value_name = "N", group = "drafting", num_args = 0..=1, default_missing_value = "0",
        value_parser = clap::value_parser!(u32).range(0..=7))]
    ngram: Option<u32>,
}

impl DraftArgs {
    /// When tokens are drafted.
    pub fn drafts(&self) -> Drafts {
        match (&self.draft, self.draft_tokens, self.ngram) {
            (None, _, None) => Drafts::Never,
            (_, Some(count), _) => Drafts::Always { count },
            (_, None, Some(count)) if count > 0 => Drafts::Always { count },
            _ => Drafts::Measured,
        }
    }

    /// Loads the drafter into the session.
    ///
    /// # Errors
    /// When the file is no drafter of this model.
    pub fn use_drafter(&self, session: &mut Session) -> Result<()> {
        self.draft.as_deref().map_or(Ok(()), |path| use_drafter(session, path))
    }
}

/// Loads a drafter into the session.
///
/// # Errors
/// When the file is no drafter of this model.
pub fn use_drafter(session: &mut Session, path: &Path) -> Result<()> {
    let source: Rc<dyn ByteSource> =
        Rc::new(FileSource::open(path).with_context(|| format!("{} cannot be opened", path.display()))?);
    let header = pollster::block_on(Header::read(&*source))?;
    let spec = session.drafter_spec(&header)?;
    Ok(pollster::block_on(session.use_drafter(&source, &spec, &CancelToken::new(), &mut |_| ()))?)
}

/// Milliseconds of a token and of rounds, as far as they are known.
pub fn costs(session: &Session) -> Value {
    let costs = session.decoder().draft_costs();
    let rounds = costs.rounds().map(|((source, rows), ms)| {
        let source = match source {
            DraftSource::LookUp => "look_up",
            DraftSource::Drafter => "drafter",
        };
        json!({ "source": source, "rows": rows, "ms": ms })
    });
    json!({ "token_ms": costs.token(), "rounds": rounds.collect::<Vec<_>>() })
}
