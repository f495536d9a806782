use engine::plan::Limits;
use engine::session::{DeviceMemory, EngineError, Fit, LoadOptions, ModelSpec};
use engine::store::MemoryFolder;
use futures_util::FutureExt as _;
use probe::synth;

use super::*;

const GIB: u64 = 1 << 30;

fn now<T>(future: impl Future<Output = Result<T, StoreError>>) -> T {
    future.now_or_never().expect("memory does not wait").expect("memory holds it")
}

fn adapter(name: &str) -> Adapter {
    Adapter(name.to_owned())
}

fn look(folder: &MemoryFolder, name: &str) -> Option<Shown> {
    now(read(folder)).shown.remove(name)
}

#[test]
fn loads_correct_what_is_assumed() {
    let none = Shown::default();
    assert_eq!(none.correct(800), 800);
    assert_eq!(none.with_worked(900).correct(800), 900);
    assert_eq!(none.with_worked(700).correct(800), 800);
    // Less than what was refused, however much of it was refused later.
    let failed = none.with_failed(640);
    assert_eq!(failed.correct(800), 600);
    assert_eq!(failed.correct(500), 500);
    assert_eq!(failed.with_failed(900), failed);
    // What worked since then is no less.
    assert_eq!(failed.with_worked(630).correct(800), 630);
    assert_eq!(failed.with_worked(640), Shown { worked: 640, failed: None });
    // What worked once does no more if less is refused.
    assert_eq!(none.with_worked(900).with_failed(640).correct(800), 600);
}

#[test]
fn what_was_shown_is_of_its_adapter() {
    let folder = MemoryFolder::default();
    assert_eq!(look(&folder, "a"), None);
    let (worked, failed) = (Shown::default().with_worked(9 * GIB), Shown::default().with_failed(GIB));
    now(keep(&folder, &adapter("a"), worked));
    now(keep(&folder, &adapter("b"), failed));
    assert_eq!(
        (look(&folder, "a"), look(&folder, "b"), look(&folder, "c")),
        (Some(worked), Some(failed), None)
    );
    for i in 0..3 * MAX_ADAPTERS {
        let name = i.to_string();
        now(keep(&folder, &adapter(&name), worked));
        assert!(now(read(&folder)).shown.len() <= MAX_ADAPTERS);
        assert_eq!(look(&folder, &name), Some(worked));
    }
}

#[test]
fn a_broken_or_older_file_is_none() {
    let folder = MemoryFolder::default();
    now(keep(&folder, &adapter("a"), Shown::default().with_worked(9 * GIB)));
    let bytes = now(folder.read(FILE)).expect("a file");
    let whole = String::from_utf8(bytes).expect("JSON");
    let older = whole.replace(&format!("\"version\":{VERSION}"), "\"version\":0");
    let huge = whole.replace(&(9 * GIB).to_string(), &u64::MAX.to_string());
    let nothing = whole.replace("null", "0");
    assert!([&older, &huge, &nothing].iter().all(|text| **text != whole));
    for text in [&whole[..whole.len() / 2], "", "[]", &older, &huge, &nothing] {
        now(folder.write(FILE, text.as_bytes()));
        assert_eq!(look(&folder, "a"), None, "{text}");
    }
}

/// A device as its browser tells of it, and the memory that models can have there.
struct Case {
    device: &'static str,
    names: AdapterNames,
    /// What such a device lets graphics have: two thirds of the Mac's memory, half of the laptop's and of the phone's.
    has: u64,
    class: DeviceClass,
    /// MiB that are assumed.
    assumed: u64,
}

fn cases() -> [Case; 5] {
    let names = |vendor: &str, architecture: &str, system: &str, ram: Option<u64>| AdapterNames {
        vendor: vendor.into(),
        architecture: architecture.into(),
        browser: format!("Mozilla/5.0 ({system}) AppleWebKit/537.36 Chrome/150.0.0.0"),
        ram: ram.map(|gib| gib * GIB),
        ..AdapterNames::default()
    };
    let (windows, mac) = ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7");
    let (lovelace, ada) =
        (names("nvidia", "lovelace", windows, Some(16)), names("nvidia", "lovelace", windows, Some(32)));
    [
        Case {
            device: "Mac of 8 GB",
            names: names("apple", "metal-3", mac, Some(8)),
            has: 16 * GIB / 3,
            class: DeviceClass::Unified,
            assumed: 4915,
        },
        Case {
            device: "laptop of 16 GB",
            names: names("intel", "gen-12-lp", windows, Some(16)),
            has: 8 * GIB,
            class: DeviceClass::Integrated,
            assumed: 7372,
        },
        Case {
            device: "phone of 8 GB",
            names: names("qualcomm", "adreno-7xx", "Linux; Android 10; K", Some(8)),
            has: 4 * GIB,
            class: DeviceClass::Phone,
            assumed: 3072,
        },
        Case {
            device: "card of 8 GB",
            names: lovelace,
            has: 8 * GIB,
            class: DeviceClass::Discrete,
            assumed: 7372,
        },
        Case {
            device: "card of 24 GB",
            names: ada,
            has: 24 * GIB,
            class: DeviceClass::Discrete,
            assumed: 7372,
        },
    ]
}

/// What is planned for a published shape at Q4_K_M, with its towers, within so many bytes: as a load plans it.
fn planned(shape: &str, available: u64) -> Result<(Fit, Option<u32>), EngineError> {
    let shape: synth::Shape = shape.parse().expect("a shape");
    let options = synth::Options { towers: true, ..synth::Options::new(shape, synth::Quant::Q4KM) };
    let header = synth::header(&options).expect("a header");
    let memory = DeviceMemory { available, limits: Limits::default() };
    let options = ModelSpec::with_expert_budget(&header, &LoadOptions::default(), None, memory)?;
    let (plan, options) = ModelSpec::for_device(&header, &options, memory)?;
    Ok((plan.fit(options.context, memory)?, plan.expert_slots))
}

#[test]
fn ordinary_devices_get_plans_that_they_have_room_for() {
    let mut found = Vec::new();
    for Case { device, names, has, class, assumed: mib } in cases() {
        let AdapterNames { vendor, architecture, browser, .. } = &names;
        let hints = DeviceHints { vendor, architecture, user_agent: browser, mobile: false };
        assert_eq!(DeviceClass::of(hints), class, "{device}");
        let available = assumed(&names, Shown::default());
        assert_eq!(available >> 20, mib, "{device}");
        assert!(available < has, "{device}");
        for shape in ["e2b", "e4b", "12b", "26b"] {
            let words = match planned(shape, available) {
                Ok((fit, slots)) => {
                    assert!(fit.bytes <= available, "{device}, {shape}: {fit:?}");
                    let experts = slots.map(|slots| format!(", {slots} experts")).unwrap_or_default();
                    let (table, kv) = (fit.storage.table, fit.storage.kv_type);
                    format!(
                        "{} MB, {} tokens, {table:?}, {kv:?}{experts}",
                        fit.bytes / 1_000_000,
                        fit.context
                    )
                }
                Err(EngineError::TooLarge { needed, .. }) => {
                    assert!(needed > available, "{device}, {shape}");
                    format!("needs {} MB", needed / 1_000_000)
                }
                Err(error) => panic!("{device}, {shape}: {error}"),
            };
            found.push(format!("{device}, {shape}: {words}"));
        }
    }
    assert_eq!(found, PLANS, "{found:#?}");
}

const PLANS: [&str; 20] = [
    "Mac of 8 GB, e2b: 4828 MB, 8192 tokens, Device, F16",
    "Mac of 8 GB, e4b: 4732 MB, 8192 tokens, Host, F16",
    "Mac of 8 GB, 12b: needs 7971 MB",
    "Mac of 8 GB, 26b: 5123 MB, 8192 tokens, Device, Q8_0, 14 experts",
    "laptop of 16 GB, e2b: 4828 MB, 8192 tokens, Device, F16",
    "laptop of 16 GB, e4b: 6934 MB, 8192 tokens, Device, F16",
    "laptop of 16 GB, 12b: needs 7971 MB",
    "laptop of 16 GB, 26b: 7644 MB, 8192 tokens, Device, Q8_0, 35 experts",
    "phone of 8 GB, e2b: 3007 MB, 8192 tokens, Host, F16",
    "phone of 8 GB, e4b: needs 4488 MB",
    "phone of 8 GB, 12b: needs 7971 MB",
    "phone of 8 GB, 26b: needs 4207 MB",
    "card of 8 GB, e2b: 4828 MB, 8192 tokens, Device, F16",
    "card of 8 GB, e4b: 6934 MB, 8192 tokens, Device, F16",
    "card of 8 GB, 12b: needs 7971 MB",
    "card of 8 GB, 26b: 7644 MB, 8192 tokens, Device, Q8_0, 35 experts",
    "card of 24 GB, e2b: 4828 MB, 8192 tokens, Device, F16",
    "card of 24 GB, e4b: 6934 MB, 8192 tokens, Device, F16",
    "card of 24 GB, 12b: needs 7971 MB",
    "card of 24 GB, 26b: 7644 MB, 8192 tokens, Device, Q8_0, 35 experts",
];
