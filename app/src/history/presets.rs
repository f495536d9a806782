//! Presets: named settings that a conversation can take over.

use protocol::{AnswerFormat, Sampling};
use serde::{Deserialize, Serialize};

use super::{Conversation, PresetId};

/// Named settings for conversations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preset {
    /// Its id.
    pub id: PresetId,
    /// Its name.
    pub name: String,
    /// What is drawn before its name.
    #[serde(default)]
    pub icon: PresetIcon,
    /// Instructions to the model; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// The model, by its name; empty for the one in use.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The adapter to switch on alone; `None` for those in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<PresetAdapter>,
    /// How tokens are drawn; `None` for what the model recommends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// Whether the model may think first.
    #[serde(default)]
    pub thinking: bool,
    /// Most tokens of a thought; 0 for as many as it takes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub max_thought: u32,
    /// Names of the tools that are on. Those that are unknown stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What answers must be.
    #[serde(default, skip_serializing_if = "is_text")]
    pub format: AnswerFormat,
    /// When it was made, in milliseconds since 1970.
    #[serde(default)]
    pub created: u64,
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn is_text(format: &AnswerFormat) -> bool {
    *format == AnswerFormat::Text
}

/// An adapter of a preset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresetAdapter {
    /// What the page knows it by.
    pub key: String,
    /// Its name.
    pub name: String,
}

/// What is drawn before the name of a preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PresetIcon {
    /// A bubble of speech.
    #[default]
    Chat,
    /// A pencil.
    Pencil,
    /// Two angle brackets.
    Code,
    /// A sheet with lines.
    Document,
    /// A light bulb.
    Bulb,
    /// A magnifying glass.
    Magnifier,
    /// A picture in its frame.
    Picture,
    /// A curve between its axes.
    Chart,
}

impl PresetIcon {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Chat,
        Self::Pencil,
        Self::Code,
        Self::Document,
        Self::Bulb,
        Self::Magnifier,
        Self::Picture,
        Self::Chart,
    ];
}

impl Preset {
    /// A preset without a name that sets nothing.
    #[must_use]
    pub fn new(now: u64) -> Self {
        Self {
            id: PresetId::random(),
            name: String::new(),
            icon: PresetIcon::default(),
            instructions: String::new(),
            model: String::new(),
            adapter: None,
            sampling: None,
            thinking: false,
            max_thought: 0,
            tools: Vec::new(),
            format: AnswerFormat::Text,
            created: now,
        }
    }

    /// A preset without a name that has the settings of a conversation.
    #[must_use]
    pub fn of(conversation: &Conversation, now: u64) -> Self {
        let options = conversation.options.clone();
        Self {
            instructions: conversation.system.clone(),
            sampling: options.sampling,
            thinking: options.thinking,
            max_thought: options.max_thought,
            tools: options.tools,
            format: options.format,
            ..Self::new(now)
        }
    }
}

impl Conversation {
    /// Takes over a preset: its instructions, sampling, thinking, tools and format take the place of those that are here, and so
    /// does its model if it names one. A later change of the preset changes nothing here.
    pub fn take_preset(&mut self, preset: &Preset) {
        self.preset = Some(preset.id);
        self.system.clone_from(&preset.instructions);
        let options = &mut self.options;
        options.sampling.clone_from(&preset.sampling);
        options.thinking = preset.thinking;
        options.max_thought = preset.max_thought;
        options.tools.clone_from(&preset.tools);
        options.format.clone_from(&preset.format);
        if !preset.model.is_empty() {
            options.model.clone_from(&preset.model);
        }
    }
}
