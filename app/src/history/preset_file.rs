//! The file with presets and prompts that the user exports and imports.

use protocol::{AnswerFormat, Sampling};
use serde::{Deserialize, Serialize};

use super::json_file::{self, NotUtf8};
use super::title::{one_line, shorten};
use super::{MAX_THOUGHT, Preset, Prompt};

/// Marks the file as one of ours.
const FORMAT: &str = "gemtab-presets";

/// Raised with every change that an older program could misread. Before version 2, presets had no limit of thoughts, no tools and
/// no format.
const VERSION: u32 = 2;

/// Largest file that is imported, in bytes.
pub const MAX_PRESET_BYTES: u64 = 4 << 20;

/// Longest text of an entry, in bytes: more than a context holds.
pub const MAX_TEXT_BYTES: usize = 256 << 10;

/// Most entries of a file.
pub const MAX_ENTRIES: usize = 1_000;

/// Most characters of a name.
const NAME_LENGTH: usize = 100;

/// Why presets and prompts of a file were not imported. None of them was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PresetFileError {
    /// It is too large.
    TooLarge {
        /// Its bytes.
        size: u64,
    },
    /// It is not JSON, or a field is missing or of the wrong kind.
    Json {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
    },
    /// It is JSON of another kind.
    Format,
    /// It was written by a newer program.
    Version {
        /// Its version.
        found: u32,
    },
    /// It has too many entries.
    TooMany {
        /// How many.
        count: u64,
    },
    /// The text of an entry is too long.
    Text {
        /// The name of the entry.
        name: String,
        /// The bytes of the text.
        size: u64,
    },
    /// A number of a preset is out of range.
    Sampling {
        /// The name of the preset.
        name: String,
    },
}

/// Presets and prompts in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PresetFile {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u32,
    /// The presets.
    #[serde(default)]
    pub presets: Vec<Preset>,
    /// The prompts.
    #[serde(default)]
    pub prompts: Vec<Prompt>,
}

/// The head of the file, read before anything else is believed.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u32,
}

impl PresetFile {
    /// A file with these.
    #[must_use]
    pub fn new(presets: Vec<Preset>, prompts: Vec<Prompt>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, presets, prompts }
    }

    /// The file's text.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Texts and finite numbers: there is nothing that JSON cannot hold.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads a file's text, and believes nothing in it.
    ///
    /// # Errors
    /// The first fault.
    pub fn from_json(json: &[u8]) -> Result<Self, PresetFileError> {
        if json.len() as u64 > MAX_PRESET_BYTES {
            return Err(PresetFileError::TooLarge { size: json.len() as u64 });
        }
        let json = json_file::text(json)
            .map_err(|NotUtf8 { line, column }| PresetFileError::Json { line, column })?;
        let at =
            |error: serde_json::Error| PresetFileError::Json { line: error.line(), column: error.column() };
        let head: Head = serde_json::from_str(json).map_err(at)?;
        if head.format != FORMAT {
            return Err(PresetFileError::Format);
        }
        if head.version > VERSION {
            return Err(PresetFileError::Version { found: head.version });
        }
        let mut file: Self = serde_json::from_str(json).map_err(at)?;
        check(&mut file.presets, &mut file.prompts)?;
        Ok(file)
    }
}

/// Whether presets and prompts of a file can be ours. Their names become one line each, and limits of thoughts that are too large
/// the largest.
///
/// # Errors
/// The first fault.
pub(super) fn check(presets: &mut [Preset], prompts: &mut [Prompt]) -> Result<(), PresetFileError> {
    let count = presets.len() + prompts.len();
    if count > MAX_ENTRIES {
        return Err(PresetFileError::TooMany { count: count as u64 });
    }
    for preset in presets {
        name_in_line(&mut preset.name);
        preset.max_thought = preset.max_thought.min(MAX_THOUGHT);
        let adapter = preset.adapter.as_ref().map_or(0, |adapter| adapter.key.len().max(adapter.name.len()));
        let schema = if let AnswerFormat::Schema(schema) = &preset.format { schema.len() } else { 0 };
        let tools = preset.tools.iter().map(String::len).sum();
        for size in [preset.instructions.len(), preset.model.len(), adapter, schema, tools] {
            check_text(&preset.name, size)?;
        }
        if preset.sampling.as_ref().is_some_and(|sampling| !is_in_range(sampling)) {
            return Err(PresetFileError::Sampling { name: preset.name.clone() });
        }
    }
    for prompt in prompts {
        name_in_line(&mut prompt.name);
        check_text(&prompt.name, prompt.text.len())?;
    }
    Ok(())
}

fn name_in_line(name: &mut String) {
    *name = shorten(one_line(name).trim(), NAME_LENGTH);
}

fn check_text(name: &str, size: usize) -> Result<(), PresetFileError> {
    match size > MAX_TEXT_BYTES {
        true => Err(PresetFileError::Text { name: name.to_owned(), size: size as u64 }),
        false => Ok(()),
    }
}

/// Whether all numbers are those that the page's own fields take.
fn is_in_range(it: &Sampling) -> bool {
    let Sampling {
        temperature,
        top_k,
        top_p,
        min_p,
        repeat_penalty,
        presence_penalty,
        frequency_penalty,
        seed: _,
    } = it;
    (0.0..=5.0).contains(temperature)
        && *top_k <= 256
        && (0.0..=1.0).contains(top_p)
        && (0.0..=1.0).contains(min_p)
        && (0.1..=3.0).contains(repeat_penalty)
        && (-2.0..=2.0).contains(presence_penalty)
        && (-2.0..=2.0).contains(frequency_penalty)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> PresetFile {
        let preset = Preset {
            name: "Translator".to_owned(),
            sampling: Some(Sampling { temperature: 1.3, ..Sampling::default() }),
            max_thought: 256,
            tools: vec!["calculate".to_owned()],
            format: AnswerFormat::Schema("{}".to_owned()),
            ..Preset::new(1)
        };
        let prompt =
            Prompt { name: "Sum up".to_owned(), text: "In {{count}} words:".to_owned(), ..Prompt::new(1) };
        PresetFile::new(vec![preset], vec![prompt])
    }

    fn read(file: &PresetFile) -> Result<PresetFile, PresetFileError> {
        PresetFile::from_json(file.to_json().as_bytes())
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let written = file();
        assert_eq!(PresetFile::from_json(format!("\u{feff}{}", written.to_json()).as_bytes()), Ok(written));
    }

    #[test]
    fn a_file_of_version_1_is_read() {
        let json = br#"{"format":"gemtab-presets","version":1,"presets":[{"id":"00000000000000000000000000000001","name":"Old"}]}"#;
        let preset = PresetFile::from_json(json).expect("read").presets.remove(0);
        assert_eq!((preset.max_thought, preset.tools.len(), preset.format), (0, 0, AnswerFormat::Text));
    }

    #[test]
    fn what_is_hostile_is_refused() {
        let refused = |change: fn(&mut PresetFile)| {
            let mut file = file();
            change(&mut file);
            read(&file).expect_err("refused")
        };
        assert_eq!(PresetFile::from_json(b"[]"), Err(PresetFileError::Format));
        assert_eq!(refused(|it| it.format = "gemtab-history".to_owned()), PresetFileError::Format);
        assert_eq!(refused(|it| it.version = VERSION + 1), PresetFileError::Version { found: VERSION + 1 });
        let many = refused(|it| it.prompts = vec![Prompt::new(1); MAX_ENTRIES]);
        assert_eq!(many, PresetFileError::TooMany { count: MAX_ENTRIES as u64 + 1 });
        let long = refused(|it| it.prompts[0].text = "a".repeat(MAX_TEXT_BYTES + 1));
        assert_eq!(
            long,
            PresetFileError::Text { name: "Sum up".to_owned(), size: MAX_TEXT_BYTES as u64 + 1 }
        );
        let schema =
            refused(|it| it.presets[0].format = AnswerFormat::Schema("a".repeat(MAX_TEXT_BYTES + 1)));
        assert!(matches!(schema, PresetFileError::Text { .. }), "{schema:?}");
        let hot =
            refused(|it| it.presets[0].sampling = Some(Sampling { temperature: 6.0, ..Sampling::default() }));
        assert_eq!(hot, PresetFileError::Sampling { name: "Translator".to_owned() });
        let json = file().to_json();
        for broken in
            [&json[..json.len() / 2], "", "null", &json.replace("1.3", "1e99").replace("\"chat\"", "7")]
        {
            assert!(
                matches!(PresetFile::from_json(broken.as_bytes()), Err(PresetFileError::Json { .. })),
                "{broken}"
            );
        }
        let huge = json.replace("1.3", "1e39");
        assert_eq!(
            PresetFile::from_json(huge.as_bytes()),
            Err(PresetFileError::Sampling { name: "Translator".to_owned() })
        );
        let size = MAX_PRESET_BYTES + 1;
        let zeros = vec![0; usize::try_from(size).expect("fits")];
        assert_eq!(PresetFile::from_json(&zeros), Err(PresetFileError::TooLarge { size }));
    }

    #[test]
    fn names_become_one_line() {
        let mut file = file();
        file.presets[0].name = format!(" a\u{202e}\nb{}", "c".repeat(300));
        let name = read(&file).expect("read").presets.remove(0).name;
        assert!(name.starts_with("a b") && name.chars().count() <= NAME_LENGTH + 1, "{name}");
    }
}
