//! Modules do not import one another in circles, those of the engine that describe the computation are synchronous, and only the
//! stores of the application talk to the engine.
//!
//! In every module the modules directly in it, each with all that lies below it, are the nodes of a graph; an arrow is a
//! path to a name of another one. What a `mod.rs` exports again counts for the file that has it. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Module = Vec<String>;

/// A crate's modules: the paths in each, with what is exported again apart.
#[derive(Default)]
struct Sources {
    paths: BTreeMap<Module, Vec<Module>>,
    exports: BTreeMap<Module, Module>,
    /// Top modules with names of wgpu.
    of_devices: BTreeSet<String>,
    /// Top modules that name a request of the protocol.
    of_requests: BTreeSet<String>,
    /// Modules with a function that returns a `PlanError`: they describe the computation.
    describing: BTreeSet<Module>,
    /// Modules with an `async fn`.
    with_async: BTreeSet<Module>,
}

/// Arrows of one module: from, to, and the path that makes it.
type Arrows = BTreeMap<String, BTreeMap<String, String>>;

/// Names, `::`, and single characters of anything else; comments and literals are left out.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            raw.find("\"#").map_or(rest.len(), |end| end + 5)
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if first == '\'' {
            // A character, or the mark of a lifetime.
            let ends =
                |skip: usize| rest.get(skip..)?.find('\'').filter(|&end| end < 12).map(|end| skip + end + 1);
            let wide = rest[1..].chars().next().map_or(0, char::len_utf8);
            match rest[1..].starts_with('\\') {
                true => ends(3).unwrap_or(1),
                false if rest[1 + wide..].starts_with('\'') => wide + 2,
                false => 1,
            }
        } else {
            let len = match rest.find(|c| !is_name(c)) {
                Some(0) if rest.starts_with("::") => 2,
                Some(0) => first.len_utf8(),
                Some(end) => end,
                None => rest.len(),
            };
            if !first.is_whitespace() {
                tokens.push(&rest[..len]);
            }
            len
        };
        rest = &rest[len..];
    }
    tokens
}

/// Without the items behind `#[cfg(test)]`, and the names of the modules among these.
fn without_tests<'a>(all: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut modules, mut at) = (Vec::new(), Vec::new(), 0);
    while at < all.len() {
        if !all[at..].starts_with(&TEST) {
            kept.push(all[at]);
            at += 1;
            continue;
        }
        let mut depth = 0;
        for &token in &all[at + TEST.len()..] {
            at += 1;
            depth +=
                i32::from(["(", "{", "["].contains(&token)) - i32::from([")", "}", "]"].contains(&token));
            if depth == 0 && [";", ",", "}"].contains(&token) {
                break;
            }
        }
        at += TEST.len();
        if all[at - 3] == "mod" {
            modules.push(all[at - 2]);
        }
    }
    (kept, modules)
}

/// The paths of a `use`, from the token behind that word; where it ends.
fn tree(tokens: &[&str], mut at: usize, prefix: &[String], paths: &mut Vec<Module>) -> usize {
    let mut path = prefix.to_vec();
    while at < tokens.len() {
        match tokens[at] {
            "{" => {
                while tokens[at] != "}" {
                    at = tree(tokens, at + 1, &path, paths);
                }
                return at + 1;
            }
            ";" | "," | "}" => break,
            "as" => at += 1,
            "::" => {}
            name => path.push(name.to_owned()),
        }
        at += 1;
    }
    if path.len() > prefix.len() {
        paths.push(path);
    }
    at
}

impl Sources {
    fn read(folder: &Path) -> Self {
        let mut files = Vec::new();
        list(folder, &mut files);
        let mut read: BTreeMap<Module, Vec<String>> = BTreeMap::new();
        let mut tests = BTreeSet::new();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source file");
            let inside = file.strip_prefix(folder).expect("a file of the folder").with_extension("");
            let mut module: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            module.pop_if(|last| ["mod", "lib"].contains(&last.as_str()));
            let (kept, modules) = without_tests(&tokens(&text));
            tests.extend(modules.iter().map(|test| below(&module, test)));
            read.insert(module, kept.into_iter().map(ToOwned::to_owned).collect());
        }
        read.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        let mut sources = Self::default();
        for (module, tokens) in &read {
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let known = |path: &Module| read.contains_key(path);
            sources.file(module, &tokens, known);
        }
        sources
    }

    /// Notes the paths of one file.
    fn file(&mut self, module: &Module, tokens: &[&str], known: impl Fn(&Module) -> bool) {
        if tokens.windows(3).any(|three| three == [",", "PlanError", ">"]) {
            self.describing.insert(module.clone());
        }
        if tokens.windows(2).any(|two| two == ["async", "fn"]) {
            self.with_async.insert(module.clone());
        }
        let mut at = 0;
        let mut own = Vec::new();
        while at < tokens.len() {
            let before = at.checked_sub(1).map_or("", |before| tokens[before]);
            let mut paths = Vec::new();
            let is_use = tokens[at] == "use" && tokens.get(at + 1) != Some(&"<");
            at = match tokens.get(at + 1) {
                _ if is_use => tree(tokens, at + 1, &[], &mut paths),
                Some(&"::") if before != "::" => {
                    let pairs = tokens[at..].chunks(2).take_while(|pair| pair.get(1) == Some(&"::")).count();
                    paths.push(
                        (0..=pairs).filter_map(|i| tokens.get(at + 2 * i)).map(ToString::to_string).collect(),
                    );
                    at + 2 * pairs + 1
                }
                _ => at + 1,
            };
            if paths.iter().any(|path| path.first().is_some_and(|first| first == "wgpu")) {
                self.of_devices.extend(module.first().cloned());
            }
            let is_request = |path: &Module| {
                path[0] == "protocol"
                    && path.iter().any(|name| ["Request", "TuneRequest"].contains(&name.as_str()))
            };
            if paths.iter().any(is_request) {
                self.of_requests.extend(module.first().cloned());
            }
            let paths = paths.iter().filter_map(|path| absolute(module, path, &known));
            if is_use && ["pub", ")"].contains(&before) {
                let name = |path: &Module| path.last().cloned().unwrap_or_default();
                self.exports.extend(paths.map(|path| (below(module, &name(&path)), path)));
            } else {
                own.extend(paths);
            }
        }
        self.paths.insert(module.clone(), own);
    }

    /// The module that has what a path names.
    fn home(&self, path: &Module) -> Module {
        let mut path = path.clone();
        loop {
            let len = (0..=path.len()).rev().find(|&len| self.paths.contains_key(&path[..len])).unwrap_or(0);
            let exported = path.get(..len + 1).and_then(|name| self.exports.get(name));
            let Some(exported) = exported.filter(|exported| !path.starts_with(exported)) else {
                path.truncate(len);
                return path;
            };
            path = [exported.as_slice(), &path[len + 1..]].concat();
        }
    }

    /// The arrows among the modules directly in each module.
    fn arrows(&self) -> BTreeMap<Module, Arrows> {
        let mut all: BTreeMap<Module, Arrows> = BTreeMap::new();
        for (from, paths) in &self.paths {
            for path in paths {
                let to = self.home(path);
                let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                // A module and what lies in it are one.
                let Some((a, b)) = from.get(shared).zip(to.get(shared)) else { continue };
                let arrows = all.entry(from[..shared].to_vec()).or_default();
                let why = format!("{} names {}", from.join("/"), path.join("::"));
                arrows.entry(a.clone()).or_default().entry(b.clone()).or_insert(why);
            }
        }
        all
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        // Programs are crates of their own.
        if path.is_dir() && !path.ends_with("bin") {
            list(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn below(module: &[String], name: &str) -> Module {
    [module, &[name.to_owned()]].concat()
}

/// A path from the root of the crate; none where it leads out of it or is relative to a type.
fn absolute(module: &Module, path: &[String], known: impl Fn(&Module) -> bool) -> Option<Module> {
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let up = path.iter().take_while(|part| *part == "super").count();
            Some([&module[..module.len().checked_sub(up)?], &path[up..]].concat())
        }
        first => (!module.is_empty() && known(&below(module, first))).then(|| [module, path].concat()),
    }
}

/// Groups of modules each of which leads to all others.
fn circles(arrows: &Arrows) -> Vec<Vec<&str>> {
    let reach = |from: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(here) = next.pop() {
            let to = arrows.get(&here).into_iter().flat_map(BTreeMap::keys);
            next.extend(to.filter(|&to| seen.insert(to.clone())).cloned());
        }
        seen
    };
    let reached: BTreeMap<&str, _> = arrows.keys().map(|from| (from.as_str(), reach(from))).collect();
    let of = |from: &str| -> Vec<&str> {
        let both = |to: &&str| reached[from].contains(*to) && reached[to].contains(from);
        reached.keys().copied().filter(both).collect()
    };
    let all: BTreeSet<_> = reached.keys().map(|from| of(from)).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}

#[test]
fn modules_do_not_import_one_another_in_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = [
        ("app", "app/src"),
        ("engine", "frontend/engine/src"),
        ("server", "server/src"),
        ("shaders", "shaders/src"),
        ("worker", "frontend/worker/src"),
    ];
    for (name, folder) in crates {
        let sources = Sources::read(&root.join(folder));
        assert!(sources.paths.len() > 50, "{} files of {name}", sources.paths.len());
        for (module, arrows) in sources.arrows() {
            let place = [vec![name.to_owned()], module].concat().join("::");
            if let Some(circle) = circles(&arrows).into_iter().next() {
                let inside = circle.iter().flat_map(|from| arrows[*from].iter());
                let why: Vec<_> =
                    inside.filter(|(to, _)| circle.contains(&to.as_str())).map(|(_, why)| why).collect();
                panic!("a circle in {place} of {circle:?}: {why:#?}");
            }
        }
    }
}

#[test]
fn what_describes_the_computation_is_synchronous() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = Sources::read(&root.join("frontend/engine/src"));
    assert!(sources.describing.len() > 30, "{} modules describe", sources.describing.len());
    assert!(sources.with_async.len() > 30, "{} modules are asynchronous", sources.with_async.len());
    let both: Vec<_> = sources.describing.intersection(&sources.with_async).collect();
    assert!(both.is_empty(), "these describe the computation and wait for a device: {both:?}");
}

#[test]
fn what_describes_and_what_reads_knows_nothing_of_devices() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = Sources::read(&root.join("frontend/engine/src"));
    let allowed = ["audio", "gpu", "model"].map(ToOwned::to_owned);
    assert_eq!(sources.of_devices, BTreeSet::from(allowed));
    assert!(Sources::read(&root.join("shaders/src")).of_devices.is_empty());
}

#[test]
fn only_stores_talk_to_the_engine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = Sources::read(&root.join("app/src"));
    let allowed = ["engine_client", "state"].map(ToOwned::to_owned);
    assert_eq!(sources.of_requests, BTreeSet::from(allowed.clone()));
    let others =
        sources.paths.iter().filter(|(module, _)| module.first().is_some_and(|it| !allowed.contains(it)));
    let naming = others.filter(|(_, paths)| paths.iter().any(|path| path.first() == Some(&allowed[0])));
    assert_eq!(naming.map(|(module, _)| module).collect::<Vec<_>>(), Vec::<&Module>::new());
}
