//! The control tokens of Gemma 4 and Gemma 3, looked up by text, since ids differ between models.

/// Begins every prompt.
pub const BOS: &str = "<bos>";
/// Ends a text.
pub const EOS: &str = "<eos>";
/// Padding.
pub const PAD: &str = "<pad>";
/// Unknown text.
pub const UNK: &str = "<unk>";
/// Opens a turn; the role follows.
pub const TURN_OPEN: &str = "<|turn>";
/// Closes a turn.
pub const TURN_CLOSE: &str = "<turn|>";
/// Opens a channel; its label follows.
pub const CHANNEL_OPEN: &str = "<|channel>";
/// Closes a channel.
pub const CHANNEL_CLOSE: &str = "<channel|>";
/// Enables thinking, in the system turn.
pub const THINK: &str = "<|think|>";
/// Opens a tool declaration.
pub const TOOL_OPEN: &str = "<|tool>";
/// Closes a tool declaration.
pub const TOOL_CLOSE: &str = "<tool|>";
/// Opens a tool call.
pub const TOOL_CALL_OPEN: &str = "<|tool_call>";
/// Closes a tool call.
pub const TOOL_CALL_CLOSE: &str = "<tool_call|>";
/// Opens a tool response.
pub const TOOL_RESPONSE_OPEN: &str = "<|tool_response>";
/// Closes a tool response.
pub const TOOL_RESPONSE_CLOSE: &str = "<tool_response|>";
/// Delimits strings in tool notation.
pub const QUOTE: &str = "<|\"|>";
/// Before the soft tokens of an image.
pub const IMAGE_BEGIN: &str = "<|image>";
/// Placeholder of an image, and of each of its soft tokens.
pub const IMAGE_SLOT: &str = "<|image|>";
/// After the soft tokens of an image.
pub const IMAGE_END: &str = "<image|>";
/// Before the soft tokens of audio.
pub const AUDIO_BEGIN: &str = "<|audio>";
/// Placeholder of audio, and of each of its soft tokens.
pub const AUDIO_SLOT: &str = "<|audio|>";
/// After the soft tokens of audio.
pub const AUDIO_END: &str = "<audio|>";
/// Placeholder of a video.
pub const VIDEO_SLOT: &str = "<|video|>";

/// Opens a turn in Gemma 3.
pub const GEMMA3_TURN_OPEN: &str = "<start_of_turn>";
/// Closes a turn in Gemma 3.
pub const GEMMA3_TURN_CLOSE: &str = "<end_of_turn>";
/// Opens a call in FunctionGemma.
pub const GEMMA3_CALL_OPEN: &str = "<start_function_call>";

/// What control tokens of Gemma 4 are called in Gemma 3; those of tools are in FunctionGemma's vocabulary alone.
const IN_GEMMA3: [(&str, &str); 9] = [
    (TURN_OPEN, GEMMA3_TURN_OPEN),
    (TURN_CLOSE, GEMMA3_TURN_CLOSE),
    (TOOL_OPEN, "<start_function_declaration>"),
    (TOOL_CLOSE, "<end_function_declaration>"),
    (TOOL_CALL_OPEN, GEMMA3_CALL_OPEN),
    (TOOL_CALL_CLOSE, "<end_function_call>"),
    (TOOL_RESPONSE_OPEN, "<start_function_response>"),
    (TOOL_RESPONSE_CLOSE, "<end_function_response>"),
    (QUOTE, "<escape>"),
];

/// The token of Gemma 3 with the meaning of one of Gemma 4; the same token if there is no other.
#[must_use]
pub fn in_gemma3(token: &'static str) -> &'static str {
    IN_GEMMA3.iter().find(|(name, _)| *name == token).map_or(token, |(_, name)| name)
}

/// The token of Gemma 4 with the meaning of this one of either.
#[must_use]
pub fn in_gemma4(token: &'static str) -> &'static str {
    IN_GEMMA3.iter().find(|(_, name)| *name == token).map_or(token, |(name, _)| name)
}

/// Whether this is the text of a control token. They are control tokens regardless of their type in the file.
pub(super) fn is_control(text: &str) -> bool {
    ALL.contains(&text) || IN_GEMMA3.iter().any(|(_, name)| *name == text)
}

/// The control tokens of Gemma 4.
const ALL: [&str; 23] = [
    BOS,
    EOS,
    PAD,
    UNK,
    TURN_OPEN,
    TURN_CLOSE,
    CHANNEL_OPEN,
    CHANNEL_CLOSE,
    THINK,
    TOOL_OPEN,
    TOOL_CLOSE,
    TOOL_CALL_OPEN,
    TOOL_CALL_CLOSE,
    TOOL_RESPONSE_OPEN,
    TOOL_RESPONSE_CLOSE,
    QUOTE,
    IMAGE_BEGIN,
    IMAGE_SLOT,
    IMAGE_END,
    AUDIO_BEGIN,
    AUDIO_SLOT,
    AUDIO_END,
    VIDEO_SLOT,
];

/// Ids of the control tokens; `None` if the model has no such token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecialTokens {
    /// `<bos>`, or the token that the file specifies. Every model has one.
    pub bos: u32,
    /// `<eos>`.
    pub eos: Option<u32>,
    /// `<pad>`.
    pub pad: Option<u32>,
    /// `<|turn>`. Those of Gemma 3 and FunctionGemma with the same meaning have other names.
    pub turn_open: Option<u32>,
    /// `<turn|>`.
    pub turn_close: Option<u32>,
    /// `<|channel>`.
    pub channel_open: Option<u32>,
    /// `<channel|>`.
    pub channel_close: Option<u32>,
    /// `<|think|>`.
    pub think: Option<u32>,
    /// `<|tool>`.
    pub tool_open: Option<u32>,
    /// `<tool|>`.
    pub tool_close: Option<u32>,
    /// `<|tool_call>`.
    pub tool_call_open: Option<u32>,
    /// `<tool_call|>`.
    pub tool_call_close: Option<u32>,
    /// `<|tool_response>`.
    pub tool_response_open: Option<u32>,
    /// `<tool_response|>`.
    pub tool_response_close: Option<u32>,
    /// `<|"|>`.
    pub quote: Option<u32>,
    /// `<|image>`.
    pub image_begin: Option<u32>,
    /// `<|image|>`.
    pub image_slot: Option<u32>,
    /// `<image|>`.
    pub image_end: Option<u32>,
    /// `<|audio>`.
    pub audio_begin: Option<u32>,
    /// `<|audio|>`.
    pub audio_slot: Option<u32>,
    /// `<audio|>`.
    pub audio_end: Option<u32>,
    /// `<|video|>`.
    pub video_slot: Option<u32>,
}

impl SpecialTokens {
    /// `find` returns the id of a text.
    pub(super) fn find(find: impl Fn(&str) -> Option<u32>, bos: u32) -> Self {
        let id = |token| find(token).or_else(|| find(in_gemma3(token)));
        Self {
            bos,
            eos: id(EOS),
            pad: id(PAD),
            turn_open: id(TURN_OPEN),
            turn_close: id(TURN_CLOSE),
            channel_open: id(CHANNEL_OPEN),
            channel_close: id(CHANNEL_CLOSE),
            think: id(THINK),
            tool_open: id(TOOL_OPEN),
            tool_close: id(TOOL_CLOSE),
            tool_call_open: id(TOOL_CALL_OPEN),
            tool_call_close: id(TOOL_CALL_CLOSE),
            tool_response_open: id(TOOL_RESPONSE_OPEN),
            tool_response_close: id(TOOL_RESPONSE_CLOSE),
            quote: id(QUOTE),
            image_begin: id(IMAGE_BEGIN),
            image_slot: id(IMAGE_SLOT),
            image_end: id(IMAGE_END),
            audio_begin: id(AUDIO_BEGIN),
            audio_slot: id(AUDIO_SLOT),
            audio_end: id(AUDIO_END),
            video_slot: id(VIDEO_SLOT),
        }
    }

    pub(super) fn media_ids(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = [
            self.image_begin,
            self.image_slot,
            self.image_end,
            self.audio_begin,
            self.audio_slot,
            self.audio_end,
            self.video_slot,
        ]
        .into_iter()
        .flatten()
        .collect();
        ids.sort_unstable();
        ids
    }
}
