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

/// All control tokens. They are control tokens regardless of their type in the file.
pub(super) const ALL: [&str; 25] = [
    BOS,
    EOS,
    PAD,
    UNK,
    TURN_OPEN,
    TURN_CLOSE,
    GEMMA3_TURN_OPEN,
    GEMMA3_TURN_CLOSE,
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
    /// `<|turn>`, or `<start_of_turn>`.
    pub turn_open: Option<u32>,
    /// `<turn|>`, or `<end_of_turn>`.
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
    /// `id` returns the id of a text.
    pub(super) fn find(id: impl Fn(&str) -> Option<u32>, bos: u32) -> Self {
        Self {
            bos,
            eos: id(EOS),
            pad: id(PAD),
            turn_open: id(TURN_OPEN).or_else(|| id(GEMMA3_TURN_OPEN)),
            turn_close: id(TURN_CLOSE).or_else(|| id(GEMMA3_TURN_CLOSE)),
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
