//! The engine's errors in words for a person, with what can be done.
//!
//! Every variant is named here: a new one does not compile until somebody has thought of its words.

use engine::adapter::AdapterError;
use engine::audio::AudioError;
use engine::audio::wav::WavError;
use engine::bytes::{SourceError, UploadError};
use engine::gguf::GgufError;
use engine::gpu::GpuError;
use engine::media::{Media, MediaError};
use engine::model::{ConfigError, RowError, TensorError};
use engine::session::{EngineError, LEAST_CONTEXT};
use engine::store::StoreError;
use engine::vision::PictureError;
use engine::weights::LoadError;
use protocol::{Cause, Failure, Remedy};

use crate::amounts::{bytes, compared, count};

/// The failure of a load or an answer. `context` is the context length in tokens, where one was chosen.
pub fn of(error: &EngineError, context: Option<u32>) -> Failure {
    match error {
        EngineError::Source(error) => of_source(error),
        EngineError::Gguf(error) => of_gguf(error),
        EngineError::Config(error) => of_config(error),
        EngineError::Tensor(error) => of_tensor(error),
        EngineError::Tokenizer(error) => broken(format!("The model's vocabulary is broken: {error}.")),
        EngineError::Prompt(error) => {
            Failure::new(Cause::Unsupported, format!("This model cannot read the conversation: {error}."))
                .with(Remedy::OtherModel)
        }
        EngineError::Load(error) => of_load(error, context),
        EngineError::Adapter(error) => of_adapter(error),
        EngineError::Gpu(error) => of_gpu(error, context),
        EngineError::Row(error) => of_row(error),
        EngineError::Media(error) => of_media(error),
        EngineError::Picture(error) => of_picture(error),
        EngineError::Audio(error) => of_audio(error, context),
        EngineError::Vocabulary { pieces, rows } => broken(format!(
            "The model file contradicts itself: its vocabulary has {pieces} pieces, but there are embeddings for {rows}."
        )),
        EngineError::TooLarge { needed, available } => too_large(*needed, *available),
        EngineError::NoTable { bytes } => needs_memory(*bytes),
        EngineError::ContextFull { tokens, context } => Failure::new(
            Cause::ContextFull,
            format!(
                "The conversation takes {} tokens and the context holds {}. Start a new conversation, or load the \
                 model with a longer context.",
                count(*tokens),
                count(*context)
            ),
        )
        .with(Remedy::NewChat),
        EngineError::NoToken { .. } => internal(error.to_string()),
        EngineError::NotNumbers => Failure::new(
            Cause::Internal,
            "The model computed no usable numbers, so the answer cannot go on. Either its file is damaged, or this \
             graphics card computes wrongly: the self-test on the Diagnostics page can tell.",
        )
        .with(Remedy::OtherModel),
        EngineError::Empty => Failure::new(Cause::Invalid, "There is nothing to answer."),
    }
}

/// Whether an error means that the device has no more memory.
pub fn is_out_of_memory(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Gpu(GpuError::OutOfMemory { .. })
            | EngineError::Load(LoadError::Gpu(GpuError::OutOfMemory { .. }))
    )
}

/// The model lacks the sense for a medium.
pub fn no_sense(media: Media) -> Failure {
    let message = match media {
        Media::Image | Media::Video => "This model cannot see. Choose one that can, or remove the pictures.",
        Media::Audio => "This model cannot hear. Choose one that can, or remove the sound.",
    };
    Failure::new(Cause::Unsupported, message).with(Remedy::OtherModel)
}

/// A part for pictures or sound that cannot be used, in a model whose text can.
pub fn of_tower(reason: &str) -> Failure {
    let message = format!(
        "This model's part for pictures or sound is in a form that gemtab cannot read ({reason}). You can still chat \
         with it in text."
    );
    Failure::new(Cause::Unsupported, message)
}

/// A sound file that cannot be read.
pub fn of_wav(error: &WavError) -> Failure {
    let message = match error {
        WavError::Empty => "There is no sound in this file.".to_owned(),
        WavError::TooLong { seconds, most } => format!(
            "This sound is too long: it lasts {} minutes, and {} minutes are the most. Cut it into shorter pieces.",
            count((seconds / 60) as u32),
            count((most / 60) as u32)
        ),
        WavError::NotWav
        | WavError::Missing { .. }
        | WavError::Unsupported { .. }
        | WavError::Value { .. } => format!("This sound cannot be read: {error}."),
    };
    Failure::new(Cause::BadMedia, message)
}

/// Sound that cannot be heard.
pub fn of_audio(error: &AudioError, context: Option<u32>) -> Failure {
    match error {
        AudioError::Config { .. } | AudioError::MissingKey { .. } => {
            broken(format!("The part of the model that hears is broken: {error}."))
        }
        AudioError::TooShort { .. } => {
            Failure::new(Cause::BadMedia, "This sound is too short for anything to be heard in it.")
        }
        AudioError::TooLong { .. } => internal(error.to_string()),
        AudioError::Tensor(error) => of_tensor(error),
        AudioError::Load(error) => of_load(error, context),
        AudioError::Gpu(error) => of_gpu(error, context),
    }
}

/// A picture that cannot be read.
pub fn of_picture(error: &PictureError) -> Failure {
    let message = match error {
        PictureError::NotAPicture => {
            "This file is not a picture that can be read. PNG, JPEG, WebP and GIF can.".to_owned()
        }
        PictureError::Empty { .. } => "The picture is empty: it has no pixels.".to_owned(),
        PictureError::TooLarge { width, height, .. } => format!(
            "The picture is too large: it has {} × {} pixels. Make it smaller and attach it again.",
            count(*width),
            count(*height)
        ),
        PictureError::Broken { format, .. } => {
            format!("The {format} picture is damaged or incomplete. Save it again, or attach another.")
        }
        PictureError::Unsupported { format, .. } => {
            format!("This kind of {format} picture cannot be read. Save it as an ordinary PNG or JPEG.")
        }
        PictureError::Positions { .. } | PictureError::Shape { .. } => {
            "The picture is too long and thin for this model. Cut it into pieces, or choose fewer tokens."
                .to_owned()
        }
        PictureError::Budget { .. } => return internal(error.to_string()),
    };
    Failure::new(Cause::BadMedia, message)
}

fn of_media(error: &MediaError) -> Failure {
    match error {
        MediaError::TooLong { tokens, most } => Failure::new(
            Cause::Unsupported,
            format!(
                "The picture takes {} tokens; this model was loaded to read at most {} at once. Choose fewer tokens \
                 for the picture.",
                count(*tokens),
                count(*most)
            ),
        ),
        MediaError::Width { .. } => Failure::new(
            Cause::Unsupported,
            "The projector file belongs to another model: its results do not fit this one.",
        )
        .with(Remedy::OtherModel),
        MediaError::NoTower { media } => no_sense(*media),
        MediaError::Count { .. }
        | MediaError::Kind { .. }
        | MediaError::Slots { .. }
        | MediaError::Other { .. }
        | MediaError::NotEncoded { .. } => internal(error.to_string()),
    }
}

/// A failure that may be a cancellation, as [`engine::bytes::CancelToken::guard`] wants it.
pub struct Stopped(pub Failure);

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl From<SourceError> for Stopped {
    fn from(error: SourceError) -> Self {
        Self(of_source(&error))
    }
}

/// An adapter that cannot be used.
pub fn of_adapter(error: &AdapterError) -> Failure {
    let said = |cause: Cause| {
        let text = bare(&error.to_string());
        let mut letters = text.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        Failure::new(cause, format!("{first}{}.", letters.as_str()))
    };
    match error {
        AdapterError::Source(error) => of_source(error),
        AdapterError::Gguf(error) => of_gguf(error),
        AdapterError::Write(_) => internal(error.to_string()),
        AdapterError::Safetensors { .. }
        | AdapterError::Config { .. }
        | AdapterError::NotAnAdapter { .. }
        | AdapterError::Unpaired { .. }
        | AdapterError::NotFinite { .. }
        | AdapterError::Twice { .. } => said(Cause::BadFile),
        AdapterError::Architecture { .. }
        | AdapterError::Unsupported { .. }
        | AdapterError::Storage { .. }
        | AdapterError::Empty
        | AdapterError::Rank { .. }
        | AdapterError::Shape { .. }
        | AdapterError::NoProjection { .. } => said(Cause::Unsupported),
        AdapterError::TooMany { .. } => said(Cause::Invalid),
    }
}

/// The person stopped it.
pub fn cancelled() -> Failure {
    Failure::new(Cause::Cancelled, "Stopped.")
}

/// The model is larger than the device.
pub fn too_large(needed: u64, available: u64) -> Failure {
    let (needed, available) = compared(needed, available);
    let message = format!("This model needs {needed} of graphics memory; this device offers {available}.");
    Failure::new(Cause::OutOfMemory, message).with(Remedy::OtherModel)
}

/// A part of the model has to lie in ordinary memory, which takes a person's word.
pub fn needs_memory(needed: u64) -> Failure {
    let message = format!(
        "The graphics device has no room for all of this model. {} of it can stay in ordinary memory while the model is \
         loaded; answers then come more slowly.",
        bytes(needed)
    );
    Failure::new(Cause::OutOfMemory, message).with(Remedy::UseMemory(needed)).with(Remedy::OtherModel)
}

/// The device was lost again and again.
pub fn lost_for_good(reason: &str) -> Failure {
    let said =
        if reason.is_empty() { String::new() } else { format!(" The browser says: {}.", bare(reason)) };
    Failure::new(Cause::DeviceLost, format!("The graphics device was reset twice in a row.{said}"))
        .with(Remedy::Retry)
        .with(Remedy::ReloadPage)
}

/// Weights that could not be kept, listed or deleted.
pub fn of_store(error: &StoreError) -> Failure {
    let storage = |message: String| Failure::new(Cause::Storage, message);
    match error {
        StoreError::Unavailable { .. } => storage(error.to_string()),
        StoreError::InUse => {
            storage("These weights are in use, by the model that is loaded here or by another tab.".to_owned())
        }
        StoreError::Failed { .. } => storage(error.to_string()).with(Remedy::Retry),
        StoreError::NoRoom { needed, available } => {
            let (needed, available) = compared(*needed, *available);
            storage(format!(
                "The weights were not kept in this browser: that needs {needed} more and the browser grants {available}."
            ))
            .with(Remedy::FreeStorage)
        }
        StoreError::Full { kept, size } => {
            let (kept, size) = compared(*kept, *size);
            storage(format!(
                "The browser's storage is full: {kept} of {size} could be kept. The next load fetches the rest again."
            ))
            .with(Remedy::FreeStorage)
        }
        StoreError::Corrupt { .. } => Failure::new(
            Cause::BadFile,
            "The weights that came from the server are damaged: their checksum is wrong. What was kept of them was \
             deleted. Load the model again.",
        )
        .with(Remedy::Retry),
        StoreError::Source(error) => of_source(error),
    }
}

/// A file that could not be read.
pub fn of_source(error: &SourceError) -> Failure {
    let unreachable = |message: String| Failure::new(Cause::Unreachable, message);
    match error {
        SourceError::OutOfRange { len, .. } => broken(format!(
            "The model file is shorter than its header says: it has {}. It may be cut short.",
            bytes(*len)
        )),
        SourceError::Unreadable { reason } => {
            unreachable(format!("The model file could not be read: {}.", bare(reason)))
                .with(Remedy::Retry)
                .with(Remedy::OtherModel)
        }
        SourceError::Network { offset, reason, .. } => unreachable(format!(
            "The connection to the server broke after {} and did not come back: {}.",
            bytes(*offset),
            bare(reason)
        ))
        .with(Remedy::Retry),
        SourceError::Status { status: 404 | 410 } => {
            unreachable("The server does not have this model any more.".to_owned()).with(Remedy::ReloadPage)
        }
        SourceError::Status { status: 401 | 403 } => {
            unreachable("The server does not hand out this model.".to_owned()).with(Remedy::OtherModel)
        }
        SourceError::Status { status } => {
            unreachable(format!("The server could not send the model: it answered with status {status}."))
                .with(Remedy::Retry)
        }
        SourceError::BadRange { reason } => unreachable(format!(
            "The server did not send the part of the model that was asked for: {}.",
            bare(reason)
        ))
        .with(Remedy::Retry),
        SourceError::Changed => {
            unreachable("The model file changed while it was being read. Choose it again.".to_owned())
                .with(Remedy::ReloadPage)
        }
        SourceError::NoMemory { bytes: needed } => {
            let message =
                format!("The browser did not give this tab the {} that the model needs.", bytes(*needed));
            Failure::new(Cause::OutOfMemory, message).with(Remedy::OtherModel)
        }
        SourceError::Cancelled => cancelled(),
    }
}

fn of_gguf(error: &GgufError) -> Failure {
    use GgufError as E;
    match error {
        E::Source(error) => of_source(error),
        E::Version { .. } | E::BigEndian | E::NestedArray { .. } | E::IntegerTooLarge { .. } => {
            Failure::new(Cause::Unsupported, error.to_string()).with(Remedy::OtherModel)
        }
        E::Truncated { missing, file_size, .. } => broken(format!(
            "The model file is cut short: it has {} and {} are missing. Download it again.",
            bytes(*file_size),
            bytes(*missing)
        )),
        E::NotGguf { .. }
        | E::HeaderCut { .. }
        | E::TooMany { .. }
        | E::Overfull { .. }
        | E::NotText { .. }
        | E::UnknownValueType { .. }
        | E::BadBool { .. }
        | E::DuplicateKey { .. }
        | E::DuplicateTensor { .. }
        | E::BadAlignment { .. }
        | E::TooManyDimensions { .. }
        | E::BadShape { .. }
        | E::PartialBlock { .. }
        | E::Misaligned { .. }
        | E::Overlap { .. }
        | E::MissingTensor { .. } => broken(error.to_string()),
    }
}

fn of_config(error: &ConfigError) -> Failure {
    let message = match error {
        ConfigError::Architecture { found } if found.is_empty() => {
            "This file does not say what kind of model it is. gemtab runs Gemma 4.".to_owned()
        }
        ConfigError::Architecture { found } => {
            format!("This is a model of the kind “{found}”. gemtab runs Gemma 4.")
        }
        ConfigError::NotYet { what } => {
            format!("This Gemma 4 model has {what}, which gemtab does not run yet.")
        }
        ConfigError::Missing { .. } | ConfigError::Value { .. } => {
            return broken(format!("The model file is broken: {error}."));
        }
    };
    Failure::new(Cause::Unsupported, message).with(Remedy::OtherModel)
}

fn of_tensor(error: &TensorError) -> Failure {
    match error {
        TensorError::Type { name, dtype } => Failure::new(
            Cause::Unsupported,
            format!(
                "The tensor {name} is stored as {dtype}, which gemtab does not read. Choose the model in another \
                 quantization, such as Q4_K_M."
            ),
        )
        .with(Remedy::OtherModel),
        TensorError::Missing { .. } | TensorError::Shape { .. } | TensorError::Layout { .. } => {
            broken(format!("The model file is broken: {error}."))
        }
    }
}

fn of_load(error: &LoadError, context: Option<u32>) -> Failure {
    match error {
        LoadError::Source(error) => of_source(error),
        LoadError::Gpu(error) => of_gpu(error, context),
        LoadError::Tensor(error) => of_tensor(error),
        LoadError::Upload(UploadError::Refused { reason }) => Failure::new(
            Cause::OutOfMemory,
            format!("The graphics device took no more of the weights: {}.", bare(reason)),
        )
        .with(Remedy::Retry)
        .with(Remedy::OtherModel),
        LoadError::Upload(UploadError::Misaligned { .. } | UploadError::TooLarge { .. })
        | LoadError::Piece { .. } => internal(error.to_string()),
    }
}

fn of_gpu(error: &GpuError, context: Option<u32>) -> Failure {
    match error {
        GpuError::NoAdapter { .. } => crate::device::failure(crate::device::NoAdapter::None.words()),
        GpuError::NoDevice { reason } => {
            crate::device::failure(&format!("The graphics device could not be opened: {}.", bare(reason)))
        }
        GpuError::OutOfMemory { bytes: more, in_use, .. } => {
            let message = format!(
                "The graphics device is full: gemtab holds {} of its memory, and there is no room for {} more.",
                bytes(*in_use),
                bytes(*more)
            );
            let failure = Failure::new(Cause::OutOfMemory, message);
            match context.map(|context| context / 2 / LEAST_CONTEXT * LEAST_CONTEXT) {
                Some(shorter) if shorter >= LEAST_CONTEXT => failure.with(Remedy::SmallerContext(shorter)),
                _ => failure,
            }
            .with(Remedy::OtherModel)
        }
        GpuError::TooLarge { label, bytes: needed, limit } => {
            let (needed, limit) = compared(*needed, *limit);
            let message = format!(
                "“{label}” needs {needed} of graphics memory in one piece; this device allows {limit}."
            );
            Failure::new(Cause::OutOfMemory, message).with(Remedy::OtherModel)
        }
        GpuError::Kernel { kernel, reason } => internal(format!(
            "This browser refused a part of the engine that runs on the graphics device ({kernel}): {}",
            bare(reason)
        )),
        GpuError::Template(error) => internal(error.to_string()),
        GpuError::Lost { reason } => lost_for_good(reason),
        GpuError::Fault { reason } => {
            internal(format!("the graphics device reported: {}", bare(reason))).with(Remedy::Retry)
        }
    }
}

fn of_row(error: &RowError) -> Failure {
    match error {
        RowError::Source(error) => of_source(error),
        RowError::Tensor(error) => of_tensor(error),
        RowError::NoRow { .. } => broken(format!("The model file is broken: {error}.")),
    }
}

fn broken(message: String) -> Failure {
    Failure::new(Cause::BadFile, message).with(Remedy::OtherModel)
}

fn internal(what: String) -> Failure {
    Failure::new(Cause::Internal, format!("Something went wrong inside gemtab: {}.", bare(&what)))
        .with(Remedy::ReloadPage)
}

/// Words of a browser or driver without their full stop, on one line: they stand inside our sentences.
fn bare(reason: &str) -> String {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_end_matches(['.', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(error: impl Into<EngineError>, cause: Cause, message: &str, remedies: &[Remedy]) {
        let failure = of(&error.into(), Some(8192));
        assert_eq!(failure.message, message);
        assert_eq!((failure.cause, failure.remedies.as_slice()), (cause, remedies));
    }

    #[test]
    fn memory_is_said_in_numbers() {
        says(
            EngineError::TooLarge { needed: 6_130_000_000, available: 4_000_000_000 },
            Cause::OutOfMemory,
            "This model needs 6.1 GB of graphics memory; this device offers 4 GB.",
            &[Remedy::OtherModel],
        );
        says(
            GpuError::OutOfMemory { label: "kv".into(), bytes: 268_435_456, in_use: 3_300_000_000 },
            Cause::OutOfMemory,
            "The graphics device is full: gemtab holds 3.3 GB of its memory, and there is no room for 268 MB more.",
            &[Remedy::SmallerContext(4096), Remedy::OtherModel],
        );
        let full = GpuError::OutOfMemory { label: "kv".into(), bytes: 1, in_use: 1 };
        assert_eq!(of(&full.clone().into(), Some(512)).remedies, [Remedy::OtherModel]);
        assert_eq!(of(&full.into(), None).remedies, [Remedy::OtherModel]);
        says(
            LoadError::Gpu(GpuError::TooLarge {
                label: "blk.0.ffn_up".into(),
                bytes: 2_400_000_000,
                limit: 134_217_728,
            }),
            Cause::OutOfMemory,
            "“blk.0.ffn_up” needs 2.4 GB of graphics memory in one piece; this device allows 134 MB.",
            &[Remedy::OtherModel],
        );
    }

    #[test]
    fn a_full_context_says_both_numbers() {
        says(
            EngineError::ContextFull { tokens: 9000, context: 8192 },
            Cause::ContextFull,
            "The conversation takes 9\u{202f}000 tokens and the context holds 8\u{202f}192. Start a new conversation, \
             or load the model with a longer context.",
            &[Remedy::NewChat],
        );
    }

    #[test]
    fn files_that_cannot_be_reached() {
        let broke =
            SourceError::Network { attempts: 5, offset: 1_200_000_000, reason: "Failed to fetch".into() };
        says(
            broke,
            Cause::Unreachable,
            "The connection to the server broke after 1.2 GB and did not come back: Failed to fetch.",
            &[Remedy::Retry],
        );
        says(
            GgufError::Source(SourceError::Status { status: 404 }),
            Cause::Unreachable,
            "The server does not have this model any more.",
            &[Remedy::ReloadPage],
        );
        says(
            LoadError::Source(SourceError::Status { status: 500 }),
            Cause::Unreachable,
            "The server could not send the model: it answered with status 500.",
            &[Remedy::Retry],
        );
        says(
            RowError::Source(SourceError::Changed),
            Cause::Unreachable,
            "The model file changed while it was being read. Choose it again.",
            &[Remedy::ReloadPage],
        );
        says(SourceError::Cancelled, Cause::Cancelled, "Stopped.", &[]);
    }

    #[test]
    fn files_that_are_broken_or_of_another_kind() {
        says(
            GgufError::NotGguf { found: *b"PK\x03\x04" },
            Cause::BadFile,
            &GgufError::NotGguf { found: *b"PK\x03\x04" }.to_string(),
            &[Remedy::OtherModel],
        );
        says(
            GgufError::Truncated { missing: 5_000_000, file_size: 2_000_000_000, needed: 2_005_000_000 },
            Cause::BadFile,
            "The model file is cut short: it has 2 GB and 5 MB are missing. Download it again.",
            &[Remedy::OtherModel],
        );
        says(
            ConfigError::Architecture { found: "llama".into() },
            Cause::Unsupported,
            "This is a model of the kind “llama”. gemtab runs Gemma 4.",
            &[Remedy::OtherModel],
        );
        says(
            TensorError::Type { name: "blk.0.attn_q".into(), dtype: "IQ2_XXS".into() },
            Cause::Unsupported,
            "The tensor blk.0.attn_q is stored as IQ2_XXS, which gemtab does not read. Choose the model in another \
             quantization, such as Q4_K_M.",
            &[Remedy::OtherModel],
        );
        says(
            ConfigError::Missing { key: "gemma4.block_count".into() },
            Cause::BadFile,
            "The model file is broken: the model file lacks the key gemma4.block_count.",
            &[Remedy::OtherModel],
        );
    }

    #[test]
    fn devices_and_faults() {
        says(
            GpuError::Lost { reason: "driver reset.".into() },
            Cause::DeviceLost,
            "The graphics device was reset twice in a row. The browser says: driver reset.",
            &[Remedy::Retry, Remedy::ReloadPage],
        );
        says(
            GpuError::Fault { reason: "Binding size\n is zero.".into() },
            Cause::Internal,
            "Something went wrong inside gemtab: the graphics device reported: Binding size is zero.",
            &[Remedy::ReloadPage, Remedy::Retry],
        );
        says(EngineError::Empty, Cause::Invalid, "There is nothing to answer.", &[]);
    }

    #[test]
    fn storage_says_how_much_is_lacking() {
        let failure = of_store(&StoreError::NoRoom { needed: 7_200_000_000, available: 2_000_000_000 });
        assert_eq!(
            failure.message,
            "The weights were not kept in this browser: that needs 7.2 GB more and the browser grants 2 GB."
        );
        assert_eq!((failure.cause, failure.remedies), (Cause::Storage, vec![Remedy::FreeStorage]));
    }
}
