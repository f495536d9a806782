//! What a change can break: by the files that differ from the last commit on main.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::Step;
use super::programs::Program;
use crate::process::output;
use crate::project;

/// Each crate of the workspace with those that depend on it and have tests of their own.
const DEPENDENTS: &[(&str, &[&str])] = &[
    ("shaders", &["frontend/engine", "frontend/probe", "frontend/worker"]),
    ("frontend/constraints", &["frontend/worker"]),
    ("frontend/documents", &["app", "server"]),
    ("frontend/engine", &["frontend/probe", "frontend/worker"]),
    ("frontend/grammar", &["frontend/constraints", "frontend/engine", "frontend/probe", "frontend/worker"]),
    // Its models are those of the tests of both.
    ("frontend/probe", &["frontend/engine", "frontend/worker"]),
    (
        "frontend/protocol",
        &["frontend/constraints", "frontend/worker", "frontend/fake", "app", "server", "xtask/wire"],
    ),
    ("frontend/worker", &[]),
    ("frontend/reader", &[]),
    ("frontend/fake", &[]),
    ("frontend/interop", &["app", "frontend/fake", "frontend/worker", "server"]),
    ("app", &["server"]),
    ("server", &[]),
    // The demo model, which native tests load, too.
    ("server/models", &["frontend/engine", "frontend/probe", "frontend/worker", "server"]),
    ("xtask/bench", &[]),
    ("xtask/glue", &[]),
    ("xtask/load", &[]),
    ("xtask/supply", &[]),
    ("xtask/wire", &[]),
    ("xtask", &[]),
];

/// What the page with a simulated engine is made of.
const PAGE: &[&str] = &[
    "app",
    "frontend/constraints",
    "frontend/documents",
    "frontend/fake",
    "frontend/grammar",
    "frontend/interop",
    "frontend/protocol",
    "frontend/reader",
    "frontend/src",
    "server",
    "style",
    "xtask/src/site",
];

/// What the page with the real engine is made of besides.
const ENGINE: &[&str] = &[
    "shaders",
    "frontend/constraints",
    "frontend/engine",
    "frontend/grammar",
    "frontend/worker",
    "frontend/interop",
    "frontend/protocol",
    "server/models",
];

/// The test programs that take minutes: folder of the crate, name, and the tests that any change of what they test runs.
const LONG: &[(&str, &str, &[&str])] = &[
    (
        "frontend/engine",
        "device",
        &["golden::the_carried_models_agree_in_full_precision", "session::an_answer"],
    ),
    ("frontend/probe", "probe", &["plan::a_table", "train::chats"]),
    ("frontend/worker", "worker", &["device::a_model_is_inspected", "pages::pages_answer"]),
];

/// The tag of the browser tests that any change of the page or the engine runs.
const CORE: &str = "@core";

/// The part of a run that a change asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub steps: Vec<Step>,
    /// The folders of the crates whose tests run; `None` for all.
    pub packages: Option<BTreeSet<PathBuf>>,
    /// What the names of the browser tests that run contain, one of these; empty for all of a step.
    pub browser_tests: BTreeSet<String>,
    /// What the names of the tests of long programs that run contain besides, one of these.
    pub modules: BTreeSet<String>,
}

impl Selection {
    /// Returns what the files ask for that differ from the last commit on main, and those that Git does not know yet.
    pub fn now() -> Result<Self> {
        let base = git(&["merge-base", "HEAD", "main"]).unwrap_or_else(|_| "HEAD".into());
        let changed = git(&["diff", "--name-only", base.trim()])?;
        let new = git(&["ls-files", "--others", "--exclude-standard"])?;
        let files: Vec<_> = changed.lines().chain(new.lines()).collect();
        eprintln!("==> {} files differ from main", files.len());
        Ok(Self::of(&files))
    }

    fn of(files: &[&str]) -> Self {
        if files.iter().any(|file| is_everywhere(file)) {
            let steps = [
                Step::Fmt,
                Step::Clippy,
                Step::Deny,
                Step::Unit,
                Step::Kernels,
                Step::Golden,
                Step::E2e,
                Step::Webgpu,
            ];
            return Self { steps: steps.into(), ..Self::default() };
        }
        let packages: BTreeSet<_> = files.iter().flat_map(|file| affected(file)).map(PathBuf::from).collect();
        let is_spec = |file: &str| file.starts_with("end2end/tests/") && file.ends_with(".spec.ts");
        let touches = |parts: &[&str]| {
            let is_part =
                |file: &&str| parts.iter().any(|part| Path::new(file).starts_with(part)) && !is_test(file);
            files.iter().any(is_part)
        };
        let support = files.iter().any(|file| file.starts_with("end2end/") && !is_spec(file));
        let spec_of = |folder: &str| files.iter().any(|file| is_spec(file) && file.contains(folder));
        let page = support || touches(PAGE);
        let engine = support || touches(ENGINE);
        let has = |package: &str| packages.contains(Path::new(package));
        let mut steps = Vec::new();
        steps.extend(
            (!packages.is_empty()).then_some([Step::Fmt, Step::Clippy, Step::Unit]).into_iter().flatten(),
        );
        steps.extend(has("shaders").then_some(Step::Kernels));
        steps.extend((has("frontend/engine") || has("frontend/probe")).then_some(Step::Golden));
        steps.extend((page || spec_of("tests/fake")).then_some(Step::E2e));
        steps.extend((engine || spec_of("tests/webgpu")).then_some(Step::Webgpu));
        let specs = files.iter().filter(|file| is_spec(file));
        let specs = specs.map(|file| file.trim_start_matches("end2end/").to_owned());
        let core = (page || engine).then(|| CORE.to_owned());
        let browser_tests = specs.chain(core).collect();
        let modules = files.iter().flat_map(|file| modules(file)).collect();
        Self { steps, packages: Some(packages), browser_tests, modules }
    }

    /// Returns what the names of a program's tests contain that run, one of these; nothing for all of them.
    pub fn filters(&self, program: &Program) -> Vec<&str> {
        let is_it = |(package, name, _): &&(&str, &str, _)| {
            self.packages.is_some() && program.package == Path::new(package) && program.name == *name
        };
        let core = LONG.iter().find(is_it).map(|(.., core)| core.iter().copied());
        core.into_iter().flat_map(|core| core.chain(self.modules.iter().map(String::as_str))).collect()
    }

    /// Whether the tests of a program run.
    pub fn has(&self, program: &Program) -> bool {
        self.packages.as_ref().is_none_or(|packages| packages.contains(&program.package))
    }
}

/// Whether a file can change anything: dependencies and how all is compiled.
fn is_everywhere(file: &str) -> bool {
    file.ends_with("Cargo.toml") || matches!(file, "Cargo.lock" | "deny.toml") || file.starts_with(".cargo/")
}

fn is_test(file: &str) -> bool {
    // Golden models are loaded by the tests of other crates and by those of the page.
    let golden = file.contains("/tests/golden/");
    !golden && (file.contains("/tests/") || file.ends_with("/tests.rs") || file.contains("/benches/"))
}

/// The folders of the crates whose tests a file can break.
fn affected(file: &str) -> Vec<&'static str> {
    let own = DEPENDENTS.iter().filter(|(package, _)| Path::new(file).starts_with(package));
    let Some((package, dependents)) = own.max_by_key(|(package, _)| package.len()) else {
        // Documents have their links checked.
        return if file.ends_with(".md") { vec!["xtask"] } else { Vec::new() };
    };
    let others = dependents.iter().filter(|_| !is_test(file) && !file.ends_with(".md"));
    let documents = file.ends_with(".md").then_some("xtask");
    [*package].into_iter().chain(others.copied()).chain(documents).collect()
}

/// The modules that a file is or lies in, as they stand in the names of tests: those of the file's own crate.
fn modules(file: &str) -> Vec<String> {
    let path = Path::new(file).with_extension("");
    let parts = path.iter().filter_map(|part| part.to_str());
    let below = parts.skip_while(|part| !matches!(*part, "src" | "tests")).skip(1);
    below.filter(|part| !matches!(*part, "mod" | "lib" | "tests")).map(|part| format!("{part}::")).collect()
}

fn git(arguments: &[&str]) -> Result<String> {
    output(Command::new("git").args(arguments).current_dir(project::root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(files: &[&str]) -> Vec<String> {
        let packages = Selection::of(files).packages.into_iter().flatten();
        packages.map(|package| package.display().to_string()).collect()
    }

    #[test]
    fn a_kernel_can_break_the_engine_and_its_test_only_itself() {
        let wgsl = ["shaders/wgsl/rows/gelu_mul.wgsl"];
        assert_eq!(packages(&wgsl), ["frontend/engine", "frontend/probe", "frontend/worker", "shaders"]);
        let steps = Selection::of(&wgsl).steps;
        assert!(
            [Step::Kernels, Step::Golden, Step::Webgpu].iter().all(|step| steps.contains(step)),
            "{steps:?}"
        );
        assert!(!steps.contains(&Step::E2e), "{steps:?}");
        assert_eq!(packages(&["shaders/tests/kernels/rows.rs"]), ["shaders"]);
    }

    #[test]
    fn models_can_break_all_that_loads_them() {
        let models =
            ["frontend/engine/tests/golden/models/tiny-moe.q4_k_m.gguf", "server/models/pebble.gguf"];
        for model in models {
            let selection = Selection::of(&[model]);
            assert!(selection.steps.contains(&Step::Webgpu), "{selection:?}");
            assert!(packages(&[model]).contains(&"frontend/worker".to_owned()), "{selection:?}");
        }
    }

    #[test]
    fn a_browser_test_runs_alone_and_with_the_core_when_the_page_has_changed() {
        let spec = "end2end/tests/fake/menus.spec.ts";
        let alone = Selection::of(&[spec]);
        let names = |selection: &Selection| selection.browser_tests.iter().cloned().collect::<Vec<_>>();
        assert_eq!(
            (&alone.steps[..], names(&alone)),
            (&[Step::E2e][..], vec![spec["end2end/".len()..].into()])
        );
        let page = Selection::of(&[spec, "style/main.css"]);
        assert_eq!(
            (&page.steps[..], names(&page)),
            (&[Step::E2e][..], vec![CORE.into(), names(&alone).remove(0)])
        );
    }

    #[test]
    fn of_a_long_program_the_core_runs_and_what_is_named_like_the_change() {
        let program = |package: &str, name: &str| Program {
            package: package.into(),
            name: name.into(),
            is_test: true,
            is_integration_test: true,
            executable: PathBuf::new(),
        };
        let device = program("frontend/engine", "device");
        let selection = Selection::of(&["frontend/engine/src/train/backward.rs"]);
        let filters = selection.filters(&device);
        assert!(
            ["golden::", "train::", "backward::"].iter().all(|it| filters.iter().any(|f| f.contains(it))),
            "{filters:?}"
        );
        assert!(selection.filters(&program("frontend/engine", "host")).is_empty());
        assert!(Selection::of(&["Cargo.lock"]).filters(&device).is_empty());
    }

    #[test]
    fn a_document_has_its_links_checked() {
        assert_eq!(packages(&["README.md"]), ["xtask"]);
        assert_eq!(packages(&["frontend/engine/GEMMA4.md"]), ["frontend/engine", "xtask"]);
    }

    #[test]
    fn the_reader_of_documents_can_break_the_page() {
        let file = ["frontend/documents/src/read.rs"];
        assert_eq!(packages(&file), ["app", "frontend/documents", "server"]);
        assert!(Selection::of(&file).steps.contains(&Step::E2e));
    }

    #[test]
    fn a_dependency_changes_everything() {
        let all = Selection::of(&["Cargo.lock"]);
        assert!(all.packages.is_none() && all.steps.contains(&Step::Golden));
    }
}
