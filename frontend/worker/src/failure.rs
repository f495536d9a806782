//! The engine's errors as failures of the protocol: codes, with arguments.
//!
//! Every variant is named here: a new one does not compile until somebody has thought of its code.

use engine::adapter::AdapterError;
use engine::audio::AudioError;
use engine::audio::wav::WavError;
use engine::bytes::SourceError;
use engine::gguf::GgufError;
use engine::gpu::{GpuError, UploadError};
use engine::media::{Media, MediaError};
use engine::model::{ConfigError, ExpertError, RowError};
use engine::session::{EngineError, MIN_CONTEXT};
use engine::store::StoreError;
use engine::template::PromptError;
use engine::vision::PictureError;
use engine::weights::{LoadError, TensorError};
use protocol::failure::{
    AdapterFailure, DeviceFailure, EngineFailure, MediaFailure, ModelFailure, NoGpu, OtherKind, ReadFailure,
    RequestFailure, StorageFailure,
};
use protocol::{Code, Failure, Sense};

/// The failure of a load or an answer. `context` is the context length in tokens, where one was chosen.
pub fn of(error: &EngineError, context: Option<u32>) -> Failure {
    match error {
        EngineError::Source(error) => of_source(error),
        EngineError::Gguf(error) => of_gguf(error),
        EngineError::Config(error) => of_config(error),
        EngineError::Tensor(error) => of_tensor(error),
        EngineError::Tokenizer(error) => Failure::new(ModelFailure::Tokenizer).detailed(error),
        EngineError::Prompt(PromptError::NoToken { token }) => {
            ModelFailure::NoToken { token: (*token).to_owned() }.into()
        }
        EngineError::Prompt(PromptError::Media(error)) | EngineError::Media(error) => of_media(error),
        EngineError::Load(error) => of_load(error, context),
        EngineError::Adapter(error) => of_adapter(error),
        EngineError::Drafter(_) => of_drafter(error),
        EngineError::Gpu(error) => of_gpu(error, context),
        EngineError::Row(error) => of_row(error),
        EngineError::Expert(error) => of_expert(error, context),
        EngineError::ExpertBudget { budget, needed } => {
            DeviceFailure::ExpertMemory { asked: *budget, least: *needed }.into()
        }
        EngineError::Picture(error) => of_picture(error),
        EngineError::Audio(error) => of_audio(error, context),
        EngineError::TooLarge { needed, available } => too_large(*needed, *available),
        EngineError::NoTable { bytes } | EngineError::NoExperts { bytes } => {
            DeviceFailure::NeedsHostMemory { bytes: *bytes }.into()
        }
        EngineError::ContextFull { tokens, context } => {
            RequestFailure::ContextFull { tokens: *tokens, context: *context }.into()
        }
        EngineError::NoToken { .. } | EngineError::Denoising(_) | EngineError::Constraint(_) => {
            internal(error)
        }
        EngineError::NotNumbers => EngineFailure::NotNumbers.into(),
        EngineError::Empty => RequestFailure::EmptyPrompt.into(),
    }
}

/// As [`of`], for an answer: what should not happen says that it happened there.
pub fn of_answer(error: &EngineError, context: u32) -> Failure {
    let failure = of(error, Some(context));
    if failure.code == Code::Engine(EngineFailure::Unexpected) {
        return Failure { code: EngineFailure::Generating.into(), ..failure };
    }
    failure
}

/// Whether an error means that the device has no more memory.
pub fn is_out_of_memory(error: &EngineError) -> bool {
    matches!(error, EngineError::Gpu(GpuError::OutOfMemory { .. }))
}

/// What a medium is for.
pub fn sense(media: Media) -> Sense {
    match media {
        Media::Image | Media::Video => Sense::Sight,
        Media::Audio => Sense::Hearing,
    }
}

/// The model lacks the tower for a medium.
pub fn no_tower(media: Media) -> Failure {
    ModelFailure::Lacks(sense(media)).into()
}

/// A tower that cannot be used, in a model whose text can.
pub fn of_tower(reason: &str) -> Failure {
    Failure::new(ModelFailure::TowerUnreadable).detailed(reason)
}

/// A drafter that cannot be used, beside a model that can.
pub fn of_drafter(reason: &EngineError) -> Failure {
    Failure::new(ModelFailure::DrafterUnusable).detailed(reason)
}

/// The model's file includes blocks that draft tokens, which are left out.
pub fn of_drafting_blocks(blocks: u32) -> Failure {
    Failure::new(ModelFailure::DrafterIncluded).detailed(format!("nextn_predict_layers: {blocks}"))
}

/// A sound file that cannot be read.
pub fn of_wav(error: &WavError) -> Failure {
    match error {
        WavError::Empty => MediaFailure::NoSound.into(),
        WavError::TooLong { seconds, most } => {
            MediaFailure::SoundTooLong { seconds: *seconds, most: *most }.into()
        }
        WavError::NotWav
        | WavError::Missing { .. }
        | WavError::Unsupported { .. }
        | WavError::Value { .. } => Failure::new(MediaFailure::SoundUnreadable).detailed(error),
    }
}

/// Sound that cannot be encoded.
pub fn of_audio(error: &AudioError, context: Option<u32>) -> Failure {
    match error {
        AudioError::Config { name, .. } => inconsistent(name, error),
        AudioError::MissingKey { key } => incomplete(key, error),
        AudioError::TooShort { .. } => MediaFailure::SoundTooShort.into(),
        AudioError::TooLong { .. } => internal(error),
        AudioError::Tensor(error) => of_tensor(error),
        AudioError::Load(error) => of_load(error, context),
        AudioError::Gpu(error) => of_gpu(error, context),
    }
}

/// A picture that cannot be read.
pub fn of_picture(error: &PictureError) -> Failure {
    let code = match error {
        PictureError::NotAPicture => MediaFailure::NotAnImage,
        PictureError::Empty { .. } => MediaFailure::EmptyImage,
        PictureError::TooLarge { width, height, .. } => {
            MediaFailure::ImageTooLarge { width: *width, height: *height }
        }
        PictureError::Broken { format, .. } => MediaFailure::ImageDamaged { format: format.to_string() },
        PictureError::Unsupported { format, .. } => {
            MediaFailure::ImageUnsupported { format: format.to_string() }
        }
        PictureError::Positions { .. } | PictureError::Shape { .. } => MediaFailure::ImageTooNarrow,
        PictureError::Budget { .. } => return internal(error),
    };
    Failure::new(code).detailed(error)
}

fn of_media(error: &MediaError) -> Failure {
    match error {
        MediaError::TooLong { tokens, most } => {
            MediaFailure::TooManyTokens { tokens: *tokens, most: *most }.into()
        }
        MediaError::Width { .. } => Failure::new(ModelFailure::WrongProjector).detailed(error),
        MediaError::NoTower { media } => no_tower(*media),
        MediaError::Count { .. }
        | MediaError::Kind { .. }
        | MediaError::Slots { .. }
        | MediaError::Other { .. }
        | MediaError::NotEncoded { .. } => internal(error),
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
    let code = match error {
        AdapterError::Source(error) => return of_source(error),
        AdapterError::Gguf(error) => return of_gguf(error),
        AdapterError::Write(_) => return internal(error),
        AdapterError::NotAnAdapter { .. } => AdapterFailure::NotAnAdapter,
        AdapterError::Safetensors { .. } => AdapterFailure::Damaged,
        AdapterError::Config { .. }
        | AdapterError::Unpaired { .. }
        | AdapterError::Stack { .. }
        | AdapterError::Parameters { .. }
        | AdapterError::Twice { .. } => AdapterFailure::Inconsistent,
        AdapterError::NotFinite { .. } => AdapterFailure::NotFinite,
        AdapterError::Architecture { found } => AdapterFailure::Architecture { name: found.clone() },
        AdapterError::Unsupported { .. } => AdapterFailure::Unsupported,
        AdapterError::Storage { tensor, dtype } => {
            AdapterFailure::TensorType { tensor: tensor.clone(), dtype: dtype.clone() }
        }
        AdapterError::Rank { rank, most, .. } => AdapterFailure::Rank { rank: *rank, most: *most },
        AdapterError::Empty | AdapterError::Shape { .. } | AdapterError::NoProjection { .. } => {
            AdapterFailure::OtherModel
        }
        AdapterError::TooMany { most, ranks } => {
            AdapterFailure::TooMany { most: *most as u32, ranks: *ranks }
        }
    };
    Failure::new(code).detailed(error)
}

/// The person stopped it.
pub fn cancelled() -> Failure {
    Code::Cancelled.into()
}

/// The model is larger than the device.
pub fn too_large(needed: u64, available: u64) -> Failure {
    DeviceFailure::ModelTooLarge { needed, available }.into()
}

/// The device was lost again and again.
pub fn lost_for_good(reason: &str) -> Failure {
    Failure::new(DeviceFailure::LostTwice).detailed(reason)
}

/// Weights that could not be kept, listed or deleted.
pub fn of_store(error: &StoreError) -> Failure {
    match error {
        StoreError::Unavailable { reason } => Failure::new(StorageFailure::Unavailable).detailed(reason),
        StoreError::InUse => StorageFailure::InUse.into(),
        StoreError::Failed { reason } => Failure::new(StorageFailure::Failed).detailed(reason),
        StoreError::NoRoom { needed, available } => {
            StorageFailure::NoRoom { needed: *needed, available: *available }.into()
        }
        StoreError::Full { kept, size } => StorageFailure::Full { kept: *kept, size: *size }.into(),
        StoreError::Corrupt { .. } => Failure::new(StorageFailure::Corrupt).detailed(error),
        StoreError::Damaged { bytes } => StorageFailure::Damaged { bytes: *bytes }.into(),
        StoreError::Source(error) => of_source(error),
    }
}

/// A file that could not be read.
pub fn of_source(error: &SourceError) -> Failure {
    let (code, detail): (_, &str) = match error {
        SourceError::OutOfRange { len, .. } => (ReadFailure::TooShort { size: *len }, ""),
        SourceError::Unreadable { reason } => (ReadFailure::Unreadable, reason),
        SourceError::Network { offset, reason, .. } => {
            (ReadFailure::ConnectionLost { received: *offset }, reason)
        }
        SourceError::Status { status: 404 | 410 } => (ReadFailure::NotFound, ""),
        SourceError::Status { status: 401 | 403 } => (ReadFailure::Forbidden, ""),
        SourceError::Status { status } => (ReadFailure::Status { status: *status }, ""),
        SourceError::BadRange { reason } => (ReadFailure::WrongRange, reason),
        SourceError::Changed => (ReadFailure::Changed, ""),
        SourceError::NoMemory { bytes } => (ReadFailure::OutOfMemory { bytes: *bytes }, ""),
        SourceError::Cancelled => return cancelled(),
    };
    Failure::new(code).detailed(detail)
}

fn of_gguf(error: &GgufError) -> Failure {
    use GgufError as E;
    let code = match error {
        E::Source(error) => return of_source(error),
        E::NotGguf { .. } => ModelFailure::NotGguf,
        E::Version { version } => ModelFailure::GgufVersion { version: *version },
        E::BigEndian => ModelFailure::BigEndian,
        // Newer programs may write them, and no bytes contradict one another.
        E::NestedArray { .. }
        | E::TooMany { .. }
        | E::UnknownValueType { .. }
        | E::BadAlignment { .. }
        | E::TooManyDimensions { .. } => ModelFailure::UnsupportedHeader,
        E::MissingTensor { tensor } => ModelFailure::Incomplete { what: tensor.clone() },
        E::Truncated { missing, file_size, .. } => {
            ModelFailure::Truncated { size: *file_size, missing: *missing }
        }
        E::HeaderCut { .. }
        | E::Overfull { .. }
        | E::NotText { .. }
        | E::DuplicateKey { .. }
        | E::DuplicateTensor { .. }
        | E::BadShape { .. }
        | E::PartialBlock { .. }
        | E::Misaligned { .. }
        | E::Overlap { .. } => ModelFailure::Damaged,
    };
    Failure::new(code).detailed(error)
}

fn of_config(error: &ConfigError) -> Failure {
    match error {
        ConfigError::Architecture { found } if found.is_empty() => ModelFailure::NoArchitecture.into(),
        ConfigError::Architecture { found } | ConfigError::NotDiffusion { found } => {
            ModelFailure::Architecture { name: found.clone() }.into()
        }
        ConfigError::IsDiffusion => RequestFailure::Diffusion.into(),
        ConfigError::IsEncoder => ModelFailure::OtherKind(OtherKind::Encoder).into(),
        ConfigError::NotEncoder { .. } => ModelFailure::NotEncoder.into(),
        ConfigError::NotYet { what } => ModelFailure::OtherKind(match what {
            engine::model::OtherKind::Drafter => OtherKind::Drafter,
            engine::model::OtherKind::Projector => OtherKind::Projector,
        })
        .into(),
        ConfigError::Part { part } => ModelFailure::Part { number: part.number, count: part.count }.into(),
        ConfigError::Missing { key } => incomplete(key, error),
        ConfigError::Value { key, .. } | ConfigError::Contradiction { key, .. } => inconsistent(key, error),
    }
}

fn of_tensor(error: &TensorError) -> Failure {
    match error {
        TensorError::Type { name, dtype } => {
            ModelFailure::TensorType { tensor: name.clone(), dtype: dtype.clone() }.into()
        }
        TensorError::Missing { name } => incomplete(name, error),
        TensorError::Shape { name, .. }
        | TensorError::Layout { name, .. }
        | TensorError::Unexpected { name, .. }
        | TensorError::RopeFactor { name, .. }
        | TensorError::Misaligned { name, .. } => inconsistent(name, error),
        TensorError::Rows { name, rows, pieces } => {
            ModelFailure::FewRows { tensor: name.clone(), rows: *rows, tokens: *pieces }.into()
        }
    }
}

fn of_load(error: &LoadError, context: Option<u32>) -> Failure {
    match error {
        LoadError::Source(error) => of_source(error),
        LoadError::Gpu(error) => of_gpu(error, context),
        LoadError::Tensor(error) => of_tensor(error),
        LoadError::Upload(UploadError::Refused { reason }) => {
            Failure::new(DeviceFailure::UploadRefused).detailed(reason)
        }
        LoadError::Upload(UploadError::Misaligned { .. } | UploadError::TooLarge { .. })
        | LoadError::Piece { .. } => internal(error),
    }
}

fn of_gpu(error: &GpuError, context: Option<u32>) -> Failure {
    match error {
        GpuError::NoAdapter { reason } => {
            Failure::new(DeviceFailure::None(NoGpu::NoAdapter)).detailed(reason)
        }
        GpuError::NoDevice { reason } => Failure::new(DeviceFailure::None(NoGpu::NoDevice)).detailed(reason),
        GpuError::OutOfMemory { bytes, in_use, .. } => {
            let shorter = context.map(|context| context / 2 / MIN_CONTEXT * MIN_CONTEXT);
            let shorter_context = shorter.filter(|shorter| *shorter >= MIN_CONTEXT);
            let (in_use, requested) = (*in_use, *bytes);
            DeviceFailure::OutOfMemory { in_use, requested, shorter_context }.into()
        }
        GpuError::TooLarge { label, bytes, limit } => {
            DeviceFailure::BufferTooLarge { buffer: label.clone(), needed: *bytes, limit: *limit }.into()
        }
        GpuError::Kernel { kernel, reason } => {
            Failure::new(DeviceFailure::KernelRefused { kernel: kernel.clone() }).detailed(reason)
        }
        GpuError::Plan(_) | GpuError::Unallocated { .. } => internal(error),
        GpuError::Lost { reason } => lost_for_good(reason),
        GpuError::Fault { reason } => Failure::new(DeviceFailure::Fault).detailed(reason),
    }
}

fn of_row(error: &RowError) -> Failure {
    match error {
        RowError::Source(error) => of_source(error),
        RowError::Tensor(error) => of_tensor(error),
        RowError::NoRow { .. } | RowError::Place(_) => internal(error),
    }
}

fn of_expert(error: &ExpertError, context: Option<u32>) -> Failure {
    match error {
        ExpertError::Source { source, .. } => of_source(source),
        ExpertError::Gpu(error) => of_gpu(error, context),
        ExpertError::Upload(_) | ExpertError::Piece(_) => internal(error),
    }
}

fn incomplete(what: &str, error: &dyn std::error::Error) -> Failure {
    Failure::new(ModelFailure::Incomplete { what: what.to_owned() }).detailed(error)
}

fn inconsistent(what: &str, error: &dyn std::error::Error) -> Failure {
    Failure::new(ModelFailure::Inconsistent { what: what.to_owned() }).detailed(error)
}

fn internal(error: &dyn std::error::Error) -> Failure {
    Failure::new(EngineFailure::Unexpected).detailed(error)
}

#[cfg(test)]
mod tests {
    use protocol::{Cause, Remedy};

    use super::*;

    fn is(error: impl Into<EngineError>, code: impl Into<Code>, cause: Cause, remedies: &[Remedy]) {
        let failure = of(&error.into(), Some(8192));
        assert_eq!(failure.code, code.into());
        assert_eq!((failure.cause(), failure.remedies().as_slice()), (cause, remedies));
    }

    #[test]
    fn memory_is_told_in_numbers() {
        let (needed, available) = (6_130_000_000, 4_000_000_000);
        is(
            EngineError::TooLarge { needed, available },
            DeviceFailure::ModelTooLarge { needed, available },
            Cause::OutOfMemory,
            &[Remedy::OtherModel],
        );
        let (in_use, requested) = (3_300_000_000, 268_435_456);
        let full = GpuError::OutOfMemory { label: "kv".into(), bytes: requested, in_use };
        is(
            full.clone(),
            DeviceFailure::OutOfMemory { in_use, requested, shorter_context: Some(4096) },
            Cause::OutOfMemory,
            &[Remedy::SmallerContext(4096), Remedy::OtherModel],
        );
        assert_eq!(of(&full.clone().into(), Some(512)).remedies(), [Remedy::OtherModel]);
        assert_eq!(of(&full.into(), None).remedies(), [Remedy::OtherModel]);
        let (needed, limit) = (2_400_000_000, 134_217_728);
        is(
            LoadError::Gpu(GpuError::TooLarge { label: "blk.0.ffn_up".into(), bytes: needed, limit }),
            DeviceFailure::BufferTooLarge { buffer: "blk.0.ffn_up".into(), needed, limit },
            Cause::OutOfMemory,
            &[Remedy::OtherModel],
        );
        is(
            EngineError::NoTable { bytes: 2_000_000_000 },
            DeviceFailure::NeedsHostMemory { bytes: 2_000_000_000 },
            Cause::OutOfMemory,
            &[Remedy::UseMemory(2_000_000_000), Remedy::OtherModel],
        );
        is(
            EngineError::ExpertBudget { budget: 100, needed: 945_000_000 },
            DeviceFailure::ExpertMemory { asked: 100, least: 945_000_000 },
            Cause::Invalid,
            &[Remedy::OtherModel],
        );
    }

    #[test]
    fn a_full_context_tells_both_numbers() {
        let (tokens, context) = (9000, 8192);
        is(
            EngineError::ContextFull { tokens, context },
            RequestFailure::ContextFull { tokens, context },
            Cause::ContextFull,
            &[Remedy::NewChat],
        );
    }

    #[test]
    fn files_that_cannot_be_reached() {
        let broke =
            SourceError::Network { attempts: 5, offset: 1_200_000_000, reason: "Failed to\nfetch".into() };
        assert_eq!(of_source(&broke).detail, "Failed to fetch");
        let lost = ReadFailure::ConnectionLost { received: 1_200_000_000 };
        is(broke, lost, Cause::Unreachable, &[Remedy::Retry]);
        is(
            GgufError::Source(SourceError::Status { status: 404 }),
            ReadFailure::NotFound,
            Cause::Unreachable,
            &[Remedy::ReloadPage],
        );
        is(
            LoadError::Source(SourceError::Status { status: 500 }),
            ReadFailure::Status { status: 500 },
            Cause::Unreachable,
            &[Remedy::Retry],
        );
        is(
            RowError::Source(SourceError::Changed),
            ReadFailure::Changed,
            Cause::Unreachable,
            &[Remedy::ReloadPage],
        );
        is(SourceError::Cancelled, Code::Cancelled, Cause::Cancelled, &[]);
    }

    #[test]
    fn files_that_are_broken_or_of_another_kind() {
        let other = &[Remedy::OtherModel];
        let not_gguf = GgufError::NotGguf { found: *b"PK\x03\x04" };
        is(not_gguf, ModelFailure::NotGguf, Cause::BadFile, other);
        is(
            GgufError::Truncated { missing: 5_000_000, file_size: 2_000_000_000, needed: 2_005_000_000 },
            ModelFailure::Truncated { size: 2_000_000_000, missing: 5_000_000 },
            Cause::BadFile,
            other,
        );
        // Only where bytes contradict one another is a file damaged: newer programs may write what is not known here.
        let key = || "gemma4.key".to_owned();
        for error in [
            GgufError::NestedArray { key: key() },
            GgufError::BadAlignment { found: "48".into(), limit: 4096 },
            GgufError::TooManyDimensions { tensor: key(), dimensions: 5 },
        ] {
            is(error, ModelFailure::UnsupportedHeader, Cause::Unsupported, other);
        }
        let twice = GgufError::DuplicateKey { key: key() };
        is(twice, ModelFailure::Damaged, Cause::BadFile, other);
        is(
            ConfigError::Architecture { found: "llama".into() },
            ModelFailure::Architecture { name: "llama".into() },
            Cause::Unsupported,
            other,
        );
        is(
            TensorError::Type { name: "blk.0.attn_q".into(), dtype: "IQ2_XXS".into() },
            ModelFailure::TensorType { tensor: "blk.0.attn_q".into(), dtype: "IQ2_XXS".into() },
            Cause::Unsupported,
            other,
        );
        let missing = ConfigError::Missing { key: "gemma4.block_count".into() };
        assert!(of_config(&missing).detail.contains("gemma4.block_count"));
        is(missing, ModelFailure::Incomplete { what: "gemma4.block_count".into() }, Cause::BadFile, other);
        is(
            ConfigError::Part { part: engine::gguf::Part { number: 1, count: 3 } },
            ModelFailure::Part { number: 1, count: 3 },
            Cause::Unsupported,
            other,
        );
        let tensor = || "per_layer_token_embd.weight".to_owned();
        is(
            TensorError::Rows { name: tensor(), rows: 1024, pieces: 1026 },
            ModelFailure::FewRows { tensor: tensor(), rows: 1024, tokens: 1026 },
            Cause::BadFile,
            other,
        );
        is(
            TensorError::Shape { name: tensor(), found: vec![1], expected: vec![2] },
            ModelFailure::Inconsistent { what: tensor() },
            Cause::BadFile,
            other,
        );
    }

    #[test]
    fn devices_and_faults() {
        let lost = GpuError::Lost { reason: "driver reset.".into() };
        assert_eq!(of_gpu(&lost, None).detail, "driver reset.");
        is(lost, DeviceFailure::LostTwice, Cause::DeviceLost, &[Remedy::Retry, Remedy::ReloadPage]);
        let fault = GpuError::Fault { reason: "Binding size is zero.".into() };
        is(fault, DeviceFailure::Fault, Cause::Internal, &[Remedy::ReloadPage, Remedy::Retry]);
        is(EngineError::Empty, RequestFailure::EmptyPrompt, Cause::Invalid, &[]);
    }

    #[test]
    fn an_answer_says_that_it_is_the_answer_that_went_wrong() {
        let error = EngineError::NoToken { id: 9, vocabulary: 8 };
        assert_eq!(of(&error, None).code, EngineFailure::Unexpected.into());
        let failure = of_answer(&error, 512);
        assert_eq!(
            (failure.code.clone(), failure.remedies()),
            (EngineFailure::Generating.into(), vec![Remedy::Retry])
        );
        assert_eq!(failure.detail, error.to_string());
    }

    #[test]
    fn storage_tells_how_much_is_lacking() {
        let (needed, available) = (7_200_000_000, 2_000_000_000);
        let failure = of_store(&StoreError::NoRoom { needed, available });
        assert_eq!(failure.code, StorageFailure::NoRoom { needed, available }.into());
        assert_eq!((failure.cause(), failure.remedies()), (Cause::Storage, vec![Remedy::FreeStorage]));
    }
}
