use std::cell::RefCell;

use leptos::prelude::{Owner, provide_context};
use protocol::diagnosis::KernelProblem;
use protocol::example::{ExampleProblem, FieldProblem, JsonProblem};
use protocol::failure::*;
use protocol::said::{FolderProblem, ListNote, ModelPart, ModelProblem, Said, Unreadable};
use protocol::{PullProblem, Sense};
use serde_json::error::Category;

use super::*;
use crate::history::{
    AttachmentKey, ImportError, NodeId, PresetFileError, StoreError, TreeError, TreeOpError,
};
use crate::language::Language;

/// Does this in each language.
fn in_each_language(check: impl Fn(Language)) {
    for language in Language::all() {
        let owner = Owner::new();
        owner.with(|| {
            provide_context(language);
            assert_eq!(Language::now(), language);
            check(language);
        });
    }
}

/// One failure of every code.
fn all() -> Vec<Code> {
    let versions = [(8, 7), (7, 8)].map(|(page, engine)| Code::Version { page, engine });
    let mut all = vec![Code::Cancelled];
    all.extend(versions);
    let name = || "name".to_owned();
    let activities = [
        Activity::Loading,
        Activity::Unloading,
        Activity::Generating,
        Activity::Training,
        Activity::Measuring,
    ];
    all.extend(activities.map(|it| RequestFailure::Busy(it).into()));
    all.extend(
        [
            RequestFailure::NoModel,
            RequestFailure::OtherModel,
            RequestFailure::NoQuestion,
            RequestFailure::EmptyPrompt,
            RequestFailure::ContextFull { tokens: 4033, context: 2048 },
            RequestFailure::Unconstrained,
            RequestFailure::NoConstraints,
            RequestFailure::SchemaText,
            RequestFailure::Schema { path: name(), keyword: name() },
            RequestFailure::SchemaTooLarge,
            RequestFailure::ToolArguments { tool: name() },
        ]
        .map(Code::from),
    );
    let no_gpu = [NoGpu::InsecureContext, NoGpu::NoWebGpu, NoGpu::NoAdapter, NoGpu::NoDevice];
    all.extend(no_gpu.map(|it| DeviceFailure::None(it).into()));
    let (needed, available, limit) = (6_130_000_000, 4_000_000_000, 134_217_728);
    all.extend(
        [
            DeviceFailure::LostTwice,
            DeviceFailure::OutOfMemory { in_use: needed, requested: limit, shorter_context: None },
            DeviceFailure::BufferTooLarge { buffer: name(), needed, limit },
            DeviceFailure::ModelTooLarge { needed, available },
            DeviceFailure::NeedsHostMemory { bytes: needed },
            DeviceFailure::ExpertMemory { asked: limit, least: available },
            DeviceFailure::FewerExperts { held: available, all: needed },
            DeviceFailure::Saved(MemorySaving::TableInEightBits),
            DeviceFailure::Saved(MemorySaving::TableOutside),
            DeviceFailure::Saved(MemorySaving::CacheInEightBits),
            DeviceFailure::UploadRefused,
            DeviceFailure::KernelRefused { kernel: name() },
            DeviceFailure::Fault,
        ]
        .map(Code::from),
    );
    all.extend(
        [
            ReadFailure::TooShort { size: 5 },
            ReadFailure::Unreadable,
            ReadFailure::ConnectionLost { received: needed },
            ReadFailure::NotFound,
            ReadFailure::Forbidden,
            ReadFailure::Status { status: 503 },
            ReadFailure::WrongRange,
            ReadFailure::Changed,
            ReadFailure::OutOfMemory { bytes: needed },
            ReadFailure::Gone,
            ReadFailure::ModelList,
        ]
        .map(Code::from),
    );
    let kinds = [OtherKind::Drafter, OtherKind::Projector, OtherKind::Encoder];
    all.extend(kinds.map(|it| ModelFailure::OtherKind(it).into()));
    all.extend(
        [
            ModelFailure::NotGguf,
            ModelFailure::Truncated { size: needed, missing: limit },
            ModelFailure::GgufVersion { version: 9 },
            ModelFailure::BigEndian,
            ModelFailure::UnsupportedHeader,
            ModelFailure::Damaged,
            ModelFailure::Part { number: 1, count: 3 },
            ModelFailure::Incomplete { what: name() },
            ModelFailure::Inconsistent { what: name() },
            ModelFailure::FewRows { tensor: name(), rows: 1024, tokens: 1026 },
            ModelFailure::Tokenizer,
            ModelFailure::NoArchitecture,
            ModelFailure::NotEncoder,
            ModelFailure::Architecture { name: name() },
            ModelFailure::TensorType { tensor: name(), dtype: name() },
            ModelFailure::NoToken { token: name() },
            ModelFailure::NoModelFile { name: name() },
            ModelFailure::WrongProjector,
            ModelFailure::Lacks(Sense::Sight),
            ModelFailure::Lacks(Sense::Hearing),
            ModelFailure::TowerUnreadable,
            ModelFailure::ForeignTemplate,
            ModelFailure::DrafterIncluded,
            ModelFailure::DrafterUnusable,
            ModelFailure::NotOpened { name: name(), failure: Box::new(ModelFailure::NotGguf.into()) },
        ]
        .map(Code::from),
    );
    all.extend(media().map(Code::from));
    all.extend(
        [
            AdapterFailure::NotOpen { key: name() },
            AdapterFailure::NotKept,
            AdapterFailure::Incomplete,
            AdapterFailure::SeveralAtOnce,
            AdapterFailure::NeedsModel { names: vec![name(), name()] },
            AdapterFailure::NotAnAdapter,
            AdapterFailure::ConfigTooLarge { file: name() },
            AdapterFailure::Damaged,
            AdapterFailure::Inconsistent,
            AdapterFailure::Architecture { name: name() },
            AdapterFailure::Unsupported,
            AdapterFailure::TensorType { tensor: name(), dtype: name() },
            AdapterFailure::Rank { rank: 128, most: 64 },
            AdapterFailure::OtherModel,
            AdapterFailure::NotFinite,
            AdapterFailure::TooMany { most: 4, ranks: 256 },
            AdapterFailure::NotWritten,
        ]
        .map(Code::from),
    );
    all.extend(
        [
            StorageFailure::Unavailable,
            StorageFailure::InUse,
            StorageFailure::Failed,
            StorageFailure::NoRoom { needed, available },
            StorageFailure::Full { kept: available, size: needed },
            StorageFailure::Corrupt,
            StorageFailure::TrainingFull { bytes: needed },
            StorageFailure::TrainingInUse,
            StorageFailure::MediaFull { bytes: needed },
            StorageFailure::Damaged { bytes: needed },
        ]
        .map(Code::from),
    );
    all.extend(training().map(Code::from));
    all.extend(
        [
            EngineFailure::Unexpected,
            EngineFailure::Generating,
            EngineFailure::Stopped,
            EngineFailure::AnswerCut,
            EngineFailure::NotStarted { seconds: 20 },
            EngineFailure::BadMessage,
            EngineFailure::NotNumbers,
            EngineFailure::Miscomputes { kernels: vec![name()], unloaded: true },
            EngineFailure::Miscomputes { kernels: vec![name()], unloaded: false },
        ]
        .map(Code::from),
    );
    all
}

fn media() -> impl Iterator<Item = MediaFailure> {
    let format = || "PNG".to_owned();
    let senses = [Sense::Sight, Sense::Hearing];
    let of_senses = senses.map(MediaFailure::Not).into_iter().chain(senses.map(MediaFailure::NotDecoded));
    of_senses.chain([
        MediaFailure::Gone,
        MediaFailure::Neither,
        MediaFailure::EmptyFile,
        MediaFailure::FileTooLarge { size: 70_000_000, most: 50_000_000 },
        MediaFailure::OutOfMemory,
        MediaFailure::NotAnImage,
        MediaFailure::EmptyImage,
        MediaFailure::ImageTooLarge { width: 20_000, height: 10 },
        MediaFailure::ImageDamaged { format: format() },
        MediaFailure::ImageUnsupported { format: format() },
        MediaFailure::ImageTooNarrow,
        MediaFailure::TooManyTokens { tokens: 1120, most: 280 },
        MediaFailure::NoSound,
        MediaFailure::SoundTooShort,
        MediaFailure::SoundTooLong { seconds: 2000, most: 1200 },
        MediaFailure::SoundUnreadable,
    ])
}

fn training() -> impl Iterator<Item = TrainingFailure> {
    let settings = [
        Setting::Rank,
        Setting::Alpha,
        Setting::Targets,
        Setting::Steps,
        Setting::LearningRate,
        Setting::WeightDecay,
        Setting::Clipping,
        Setting::Dropout,
        Setting::MaxTokens,
    ];
    let settings = settings.map(|setting| TrainingFailure::Setting { setting, value: "0".into() });
    let unstable = [Instability::NanLoss, Instability::InfiniteLoss, Instability::Gradient]
        .map(|what| TrainingFailure::Unstable { step: 7, what, saved: None });
    let (needed, available) = (9_200_000_000, 8_000_000_000);
    settings.into_iter().chain(unstable).chain([
        TrainingFailure::NoTarget,
        TrainingFailure::Unsupported,
        TrainingFailure::NoExamples,
        TrainingFailure::AllMasked,
        TrainingFailure::MediaLost,
        TrainingFailure::BadExample,
        TrainingFailure::Unstable { step: 7, what: Instability::NanLoss, saved: Some(5) },
        TrainingFailure::BadCheckpoint,
        TrainingFailure::NothingToResume,
        TrainingFailure::NothingToSave,
        TrainingFailure::InProgress,
        TrainingFailure::InAnotherTab { name: String::new() },
        TrainingFailure::InAnotherTab { name: "Ada".into() },
        TrainingFailure::ForModel { model: "gemma4:e2b".into() },
        TrainingFailure::OutOfMemory { needed, available },
        TrainingFailure::TooMuchMedia { needed, most: available, in_memory: false },
        TrainingFailure::TooMuchMedia { needed, most: available, in_memory: true },
        TrainingFailure::CheckpointTooLarge { needed, most: available },
        TrainingFailure::EngineStopped,
        TrainingFailure::Failed,
    ])
}

fn problems() -> Vec<ExampleProblem> {
    let name = || "name".to_owned();
    let json = [
        JsonProblem::EarlyEnd,
        JsonProblem::TextAfterEnd,
        JsonProblem::NoValue,
        JsonProblem::NoComma,
        JsonProblem::NoColon,
        JsonProblem::KeyNotQuoted,
        JsonProblem::TrailingComma,
        JsonProblem::ControlCharacter,
        JsonProblem::BadEscape,
        JsonProblem::BadNumber,
        JsonProblem::Other,
    ];
    let fields = [
        FieldProblem::Empty,
        FieldProblem::NotText,
        FieldProblem::NotAList,
        FieldProblem::NotIntegers,
        FieldProblem::NoFlag,
        FieldProblem::UnknownRule,
        FieldProblem::NotOfModel,
        FieldProblem::LeftOut,
        FieldProblem::NoFileNames,
        FieldProblem::Malformed,
    ];
    let json = json.map(|what| ExampleProblem::Json { column: 14, what });
    let fields = fields.map(|what| ExampleProblem::Field { field: name(), what });
    let mut all: Vec<_> = json.into_iter().chain(fields).collect();
    all.extend([
        ExampleProblem::UnknownShape,
        ExampleProblem::TextOnly,
        ExampleProblem::Half { found: name(), missing: name() },
        ExampleProblem::Preference,
        ExampleProblem::SingleMessage,
        ExampleProblem::Joined,
        ExampleProblem::Replaced,
        ExampleProblem::PlainText,
        ExampleProblem::Role { role: name() },
        ExampleProblem::EmptyCell { column: name() },
        ExampleProblem::Quotes,
        ExampleProblem::Cells { cells: 3, columns: 2 },
        ExampleProblem::TooFewColumns,
        ExampleProblem::NoColumn { column: name(), columns: name() },
        ExampleProblem::Video,
        ExampleProblem::NoFileName(Sense::Sight),
        ExampleProblem::NoFileName(Sense::Hearing),
        ExampleProblem::Places { places: 2, named: 1 },
        ExampleProblem::MissingFile { name: name() },
        ExampleProblem::BadFile { name: name(), why: Box::new(MediaFailure::NoSound.into()) },
        ExampleProblem::Lacks(Sense::Sight),
        ExampleProblem::Lacks(Sense::Hearing),
        ExampleProblem::MediaMismatch,
        ExampleProblem::NoToken { token: name() },
        ExampleProblem::NoId { id: -1, vocabulary: 512 },
        ExampleProblem::Labels { ids: 2, labels: 1 },
        ExampleProblem::TooLong { tokens: 600, limit: 512 },
        ExampleProblem::TooLarge { bytes: 5_000_000, limit: 1_000_000 },
        ExampleProblem::AllMasked,
        ExampleProblem::TooMany { limit: 100_000 },
    ]);
    all
}

fn store_errors() -> Vec<StoreError> {
    let (key, reason) = (|| "key".to_owned(), || "reason".to_owned());
    vec![
        StoreError::Full,
        StoreError::Unavailable { reason: reason() },
        StoreError::Blocked,
        StoreError::Broken { key: key(), reason: reason() },
        StoreError::Newer { key: key(), version: 3 },
        StoreError::Failed { reason: reason() },
    ]
}

fn import_errors() -> Vec<ImportError> {
    let reason = || "reason".to_owned();
    let json = [Category::Eof, Category::Syntax, Category::Data];
    let mut all: Vec<_> = json
        .into_iter()
        .map(|fault| ImportError::Json { fault, line: 2, column: 7, reason: reason() })
        .collect();
    all.extend([
        ImportError::Zip,
        ImportError::Format { found: reason() },
        ImportError::TooLarge { size: 1 << 30 },
        ImportError::Version { found: 3 },
        ImportError::Tree { index: 1, title: "title".into(), fault: TreeError::Missing { node: NodeId(7) } },
        ImportError::Message { title: "title".into(), size: 20 << 20 },
        ImportError::Attachment { key: AttachmentKey(1), reason: reason() },
        ImportError::Preset(PresetFileError::Format),
        ImportError::Preset(PresetFileError::TooMany { count: 3_000 }),
        ImportError::Preset(PresetFileError::Text { name: "name".into(), size: 20 << 20 }),
        ImportError::Preset(PresetFileError::Sampling { name: "name".into() }),
        ImportError::Store(StoreError::Full),
    ]);
    all
}

fn said<C>(code: C) -> Said<C> {
    Said { code: Some(code), english: "In English.".into() }
}

fn model_problems() -> Vec<ModelProblem> {
    let model = || "gemma4:e2b".to_owned();
    let parts = [
        ModelPart::File,
        ModelPart::Manifest,
        ModelPart::Model,
        ModelPart::Projector,
        ModelPart::Adapter,
        ModelPart::Drafter,
    ];
    let mut all = Vec::new();
    for part in parts {
        let whys = [Unreadable::Gone, Unreadable::Forbidden, Unreadable::Other];
        all.extend(whys.map(|why| ModelProblem::Unreadable { part, why }));
        all.extend([
            ModelProblem::TooLarge { part, size: 2_000_000 },
            ModelProblem::Missing { part, model: model() },
            ModelProblem::WrongSize { part, found: 1_000, expected: 2_000, model: model() },
        ]);
    }
    all.extend([
        ModelProblem::Manifest { model: model() },
        ModelProblem::Remote,
        ModelProblem::Safetensors,
        ModelProblem::NoModel,
        ModelProblem::Split { parts: 2 },
        ModelProblem::Foreign { architecture: "llama".into() },
        ModelProblem::Drafter,
        ModelProblem::Adapter,
        ModelProblem::Projector,
        ModelProblem::TooManyPrompts,
        ModelProblem::Unfinished { model: model() },
        ModelProblem::Escape,
        ModelProblem::NotGguf,
        ModelProblem::GgufVersion { version: 1 },
        ModelProblem::Truncated,
        ModelProblem::Damaged,
    ]);
    all
}

fn whole(words: &str) {
    assert!(!words.trim().is_empty());
    assert!(!words.contains(['{', '}', '$', '\u{fffc}']), "{words}");
    assert!(!words.chars().any(|it| it.is_control()), "{words:?}");
}

#[test]
fn every_failure_has_a_sentence() {
    in_each_language(|_| {
        for code in all() {
            let sentence = of(&code);
            whole(&sentence);
            assert!(sentence.ends_with(['.', '。']) && !sentence.contains(".."), "{sentence}");
        }
    });
}

#[test]
fn no_two_failures_say_the_same() {
    in_each_language(|language| {
        let mut sentences: Vec<_> = all().iter().map(of).collect();
        sentences.sort();
        let count = sentences.len();
        sentences.dedup();
        assert_eq!(sentences.len(), count, "{}", language.tag());
    });
}

/// One sentence or several, no two the same.
fn sentences(all: impl IntoIterator<Item = String>) {
    let mut seen = std::collections::BTreeSet::new();
    for sentence in all {
        whole(&sentence);
        assert!(sentence.ends_with(['.', '。']) && !sentence.contains(".."), "{sentence}");
        assert!(!sentence.contains("In English"), "{sentence}");
        assert!(seen.insert(sentence.clone()), "twice: {sentence}");
    }
}

#[test]
fn every_error_of_a_tool_has_a_sentence() {
    use crate::mcp::McpError as M;
    use crate::tools::ToolError as E;
    let syntax = E::Syntax { character: 3 };
    let message = || "TypeError: x is not a function".to_owned();
    let (thrown, chart) = (E::Thrown { message: message() }, E::Chart { message: message() });
    let all = [
        E::UnknownTool,
        syntax,
        E::DivisionByZero,
        E::TooLarge,
        E::Undefined,
        E::Units,
        E::NoWords,
        E::NoSandbox,
        E::TimeLimit,
        E::OutputLimit,
        thrown,
        chart,
    ];
    let host = || "mcp.example.com".to_owned();
    let servers = [
        M::Offline,
        M::Address,
        M::PlainHttp { host: host() },
        M::NotRelayed { host: host() },
        M::Private { host: host() },
        M::Unreachable { host: host() },
        M::Late { host: host() },
        M::Busy,
        M::TooLong,
        M::TooMuch,
        M::Redirected,
        M::Unauthorized,
        M::Status { status: "500".into() },
        M::NotProtocol,
        M::NoVersion,
        M::NeedsInput,
        M::Refused { message: message() },
        M::NotAllowed,
    ];
    let all: Vec<_> = all.into_iter().chain(servers.map(E::Mcp)).collect();
    in_each_language(|_| sentences(all.iter().map(tool)));
}

#[test]
fn everything_that_the_store_reports_has_a_sentence() {
    in_each_language(|_| {
        sentences(store_errors().iter().map(store));
        sentences(import_errors().iter().map(import));
        let (node, role) = (NodeId(7), protocol::Role::User);
        let trees = [
            TreeOpError::NoSuchNode { node },
            TreeOpError::WrongRole { node, found: role, expected: role },
            TreeOpError::Full,
        ];
        sentences(trees.map(|error| tree(error).to_owned()));
        for error in store_errors() {
            whole(&store_trouble(&StoreTrouble::NotKept(error.clone())));
            assert_eq!(store_trouble(&StoreTrouble::Failed(error.clone())), store(&error));
            // What the browser or a parser has said is not part of the sentence.
            assert!(!store(&error).contains("reason"));
        }
    });
    let (line, column, reason) = (2, 1_007, String::new());
    let syntax = ImportError::Json { fault: Category::Syntax, line, column, reason };
    assert_eq!(import(&syntax), "The file isn’t valid JSON: there’s a mistake on line 2, column 1,007.");
}

#[test]
fn everything_that_the_server_says_of_a_model_has_a_sentence() {
    in_each_language(|_| {
        let words = model_problems().into_iter().map(|code| model_problem(&said(code)));
        for words in words.clone() {
            whole(&words);
            assert!(!words.contains("In English"), "{words}");
        }
        let mut different: Vec<_> = words.clone().collect();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), words.count());
        for code in [FolderProblem::NotThere, FolderProblem::Unreadable] {
            whole(&folder_problem(&said(code)));
        }
        for count in [1, 2] {
            let folder = "~/models".to_owned();
            whole(&list_note(&said(ListNote::FullFolder { folder, shown: 4096 })));
            whole(&list_note(&said(ListNote::FullList { left_out: count })));
        }
    });
    let size = ModelProblem::WrongSize {
        part: ModelPart::Model,
        found: 1_000,
        expected: 2_000,
        model: "gemma4:e2b".into(),
    };
    assert_eq!(
        model_problem(&said(size)),
        "The model file is 1.0 kB but should be 2.0 kB. Run: ollama pull gemma4:e2b"
    );
}

fn pull_problems() -> Vec<PullProblem> {
    use PullProblem as P;
    let (host, model, path) =
        (|| "h.example".to_owned(), || "gemma4:e2b".to_owned(), || "~/models".to_owned());
    let (needed, free) = (12_300_000_000, 4_000_000_000);
    vec![
        P::Name,
        P::Host { host: host() },
        P::NoOwner { host: host() },
        P::PlainHttp,
        P::NotOffered,
        P::Registry { host: host() },
        P::Busy { model: model() },
        P::Late,
        P::Tls,
        P::Network { host: host() },
        P::Certificate { host: host() },
        P::NoSuchModel { model: model(), host: host() },
        P::Private { model: model(), host: host() },
        P::Status { host: host(), status: 503 },
        P::Redirect { host: host() },
        P::Manifest { host: host() },
        P::Pieces { files: 1200 },
        P::Quantization { wanted: "Q2_K".into(), there: "m-Q4_K_M, m-Q8_0.".into() },
        P::WrongLength { host: host() },
        P::WrongDigest { host: host() },
        P::NoRoom { needed, free, folder: path() },
        P::Full { needed, free, folder: path() },
        P::Disk { path: path() },
        P::Locked,
        P::BegunByOllama,
        P::Vanished,
        P::Part { file: "m-00001-of-00002.gguf".into() },
    ]
}

#[test]
fn everything_that_the_server_says_of_a_download_has_a_sentence() {
    let languages = RefCell::new(Vec::new());
    in_each_language(|_| {
        let words: Vec<_> = pull_problems().into_iter().map(|code| pull_problem(&said(code))).collect();
        for words in &words {
            whole(words);
            assert!(!words.contains("In English"), "{words}");
        }
        let mut different = words.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), words.len());
        languages.borrow_mut().push(words);
    });
    let languages = languages.into_inner();
    for (one, other) in languages[0].iter().zip(&languages[1]) {
        assert_ne!(one, other, "it is in one language for all");
    }
    let room = PullProblem::NoRoom { needed: 12_300_000_000, free: 4_000_000_000, folder: "~/models".into() };
    let words = "Not enough room on the server: 12.3 GB needed, 4.0 GB free in ~/models.";
    assert_eq!(pull_problem(&said(room)), words);
}

#[test]
fn what_the_server_says_in_a_code_that_is_not_known_is_shown_as_it_is() {
    fn unknown<C>() -> Said<C> {
        Said { code: None, english: "It was stolen.".into() }
    }
    assert_eq!(model_problem(&unknown()), "It was stolen.");
    assert_eq!(list_note(&unknown()), "It was stolen.");
    assert_eq!(pull_problem(&unknown()), "It was stolen.");
    assert_eq!(folder_problem(&unknown()), "(It was stolen.)");
}

#[test]
fn numbers_of_kernels_are_written_as_the_language_does() {
    in_each_language(|_| {
        let differs = KernelProblem::Differs { element: 5_170, found: 0.25, expected: -1.75 };
        let words = kernel_problem(&differs);
        let (point, group) = (t().number_decimal(), t().number_group());
        for number in [format!("5{group}170"), format!("0{point}25"), format!("-1{point}75")] {
            assert!(words.contains(&number), "{words} lacks {number}");
        }
    });
}

#[test]
fn every_problem_of_an_example_has_words() {
    in_each_language(|_| {
        for it in problems() {
            let words = problem(&it);
            whole(&words);
            assert!(!words.ends_with(['.', '。']), "{words}");
        }
        whole(&kernel_problem(&KernelProblem::Differs { element: 517, found: 0.25, expected: -1.75 }));
        whole(&kernel_problem(&KernelProblem::Refused { reason: String::new() }));
    });
}

/// Arguments of one type are mistaken for each other without an error.
#[test]
fn arguments_stand_where_the_sentence_wants_them() {
    let says = |code: Code, words: &str| assert!(of(&code).contains(words), "{} lacks: {words}", of(&code));
    let (a, b) = (|| "a".to_owned(), || "b".to_owned());
    let (large, small) = (6_130_000_000, 4_000_000_000);
    says(
        DeviceFailure::OutOfMemory { in_use: large, requested: small, shorter_context: None }.into(),
        "6.1 GB in use, and no room for 4.0 GB more",
    );
    says(
        DeviceFailure::BufferTooLarge { buffer: a(), needed: large, limit: small }.into(),
        "One part of the model needs 6.1 GB of graphics memory in one piece, but this graphics card allows only 4.0 GB",
    );
    says(
        DeviceFailure::ExpertMemory { asked: small, least: large }.into(),
        "4.0 GB is too little for this model’s experts. At least 6.1 GB is needed",
    );
    says(
        DeviceFailure::FewerExperts { held: small, all: large }.into(),
        "it holds only 4.0 GB of the 6.1 GB of experts",
    );
    says(ModelFailure::Truncated { size: large, missing: small }.into(), "it has only 6.1 of 10.1 GB");
    says(ModelFailure::TensorType { tensor: a(), dtype: b() }.into(), "The tensor a uses b");
    says(AdapterFailure::TensorType { tensor: a(), dtype: b() }.into(), "The tensor a uses b");
    says(AdapterFailure::Rank { rank: 128, most: 64 }.into(), "has rank 128. Ranks from 1 to 64");
    says(
        AdapterFailure::TooMany { most: 4, ranks: 256 }.into(),
        "up to 4 can be open, with a total rank of up to 256",
    );
    says(MediaFailure::FileTooLarge { size: large, most: small }.into(), "6.1 GB, but the limit is 4.0 GB");
    says(MediaFailure::ImageTooLarge { width: 200, height: 10 }.into(), "200 × 10 pixels");
    says(MediaFailure::TooManyTokens { tokens: 560, most: 280 }.into(), "560 tokens, but the limit is 280");
    says(MediaFailure::SoundTooLong { seconds: 1800, most: 1200 }.into(), "30 min, but the limit is 20 min");
    says(
        StorageFailure::NoRoom { needed: large, available: small }.into(),
        "it needs 6.1 GB, but the browser has only 4.0 GB left",
    );
    says(
        TrainingFailure::OutOfMemory { needed: large, available: small }.into(),
        "needs 6.1 GB of graphics memory, but only 4.0 GB is available",
    );
    for in_memory in [false, true] {
        let failure = Code::from(TrainingFailure::TooMuchMedia { needed: large, most: small, in_memory });
        says(failure.clone(), "need 6.1 GB");
        says(failure, "the limit is 4.0 GB");
    }
    let checkpoint = TrainingFailure::CheckpointTooLarge { needed: large, most: small };
    says(checkpoint.into(), "A checkpoint would take 6.1 GB, but the limit is 4.0 GB");
    let says = |it: ExampleProblem, words: &str| assert_eq!(problem(&it), words);
    says(ExampleProblem::Half { found: a(), missing: b() }, "“a” without “b”");
    says(ExampleProblem::NoColumn { column: a(), columns: b() }, "there’s no column “a”. The columns are: b");
    says(
        ExampleProblem::Places { places: 2, named: 1 },
        "the number of placeholders for images and audio (2) doesn’t match the number of files (1)",
    );
    says(ExampleProblem::NoId { id: -1, vocabulary: 512 }, "-1 isn’t a token of this model, which has 512");
    says(ExampleProblem::Labels { ids: 2, labels: 1 }, "“ids” and “labels” differ in length: 2 and 1");
    says(ExampleProblem::TooLong { tokens: 600, limit: 512 }, "too long: 600 tokens, but the limit is 512");
    says(
        ExampleProblem::TooLarge { bytes: 5_000_000, limit: 1_000_000 },
        "too large: 5.0 MB, but the limit is 1.0 MB",
    );
    let differs = KernelProblem::Differs { element: 517, found: 0.25, expected: -1.75 };
    assert_eq!(kernel_problem(&differs), "element 517 is 0.25 instead of -1.75");
}

#[test]
fn sentences_carry_their_numbers() {
    let says = |code: Code, words: &str| assert_eq!(of(&code), words);
    says(
        RequestFailure::ContextFull { tokens: 4033, context: 2048 }.into(),
        "Too long: 4,033 tokens, but the limit is 2,048. Start a new conversation, or load the model with a longer context.",
    );
    says(
        DeviceFailure::ModelTooLarge { needed: 6_130_000_000, available: 4_000_000_000 }.into(),
        "This model needs 6.1 GB of graphics memory, but only 4.0 GB is available.",
    );
    let close = DeviceFailure::ModelTooLarge { needed: 4_030_000_000, available: 4_000_000_000 };
    says(close.into(), "This model needs 4,030 MB of graphics memory, but only 4,000 MB is available.");
    let unstable = TrainingFailure::Unstable { step: 7, what: Instability::NanLoss, saved: Some(5) };
    assert!(
        of(&unstable.into())
            .starts_with("Training became unstable at step 7 (loss is NaN). Progress up to step 5 is saved.")
    );
    let early = ExampleProblem::Json { column: 14, what: JsonProblem::EarlyEnd };
    assert_eq!(problem(&early), "not valid JSON: the line ends too early");
}

#[test]
fn details_are_apart_from_the_sentence() {
    let crash =
        Failure::new(EngineFailure::Stopped).detailed("panicked at engine/src/lib.rs:28:5:\ncapacity");
    assert_eq!(sentence(&crash), "The engine stopped unexpectedly.");
    assert_eq!(details(&crash).as_deref(), Some("panicked at engine/src/lib.rs:28:5: capacity"));
    let inner = Box::new(Failure::new(ModelFailure::NotGguf).detailed("it begins with “NOPE”"));
    let not_opened = Failure::from(ModelFailure::NotOpened { name: "a.gguf".into(), failure: inner });
    assert_eq!(sentence(&not_opened), "a.gguf can’t be opened. This isn’t a GGUF file.");
    assert_eq!(details(&not_opened).as_deref(), Some("it begins with “NOPE”"));
    assert_eq!(details(&EngineFailure::Stopped.into()), None);
    let buffer = DeviceFailure::BufferTooLarge { buffer: "token_embd".into(), needed: 9, limit: 8 };
    assert_eq!(details(&buffer.into()).as_deref(), Some("token_embd"));
    let cut = Box::new(ModelFailure::Truncated { size: 6_800_000, missing: 6_900_000 }.into());
    let cut = Failure::from(ModelFailure::NotOpened { name: "half.gguf".into(), failure: cut });
    assert_eq!(sentence(&cut), "half.gguf is incomplete: it has only 6.8 of 13.7 MB. Download it again.");
}
