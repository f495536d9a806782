//! The name of a file with code.

/// Extensions by the names of languages.
const EXTENSIONS: [(&[&str], &str); 42] = [
    (&["rust"], "rs"),
    (&["python", "python3"], "py"),
    (&["javascript", "node"], "js"),
    (&["typescript"], "ts"),
    (&["jsonc", "json5"], "json"),
    (&["xhtml", "htm"], "html"),
    (&["mathml", "rss"], "xml"),
    (&["bash", "shell", "zsh", "console", "shellscript"], "sh"),
    (&["c++", "cc", "cxx"], "cpp"),
    (&["cuda"], "cu"),
    (&["kotlin"], "kt"),
    (&["csharp", "c#"], "cs"),
    (&["fsharp", "f#"], "fs"),
    (&["golang"], "go"),
    (&["postgresql", "mysql", "sqlite"], "sql"),
    (&["cfg", "conf"], "ini"),
    (&["yml"], "yaml"),
    (&["patch"], "diff"),
    (&["markdown"], "md"),
    (&["ruby"], "rb"),
    (&["perl"], "pl"),
    (&["haskell"], "hs"),
    (&["julia"], "jl"),
    (&["powershell"], "ps1"),
    (&["batch", "cmd"], "bat"),
    (&["latex"], "tex"),
    (&["objective-c", "objc"], "m"),
    (&["ocaml"], "ml"),
    (&["elixir"], "ex"),
    (&["erlang"], "erl"),
    (&["clojure"], "clj"),
    (&["fortran"], "f90"),
    (&["pascal", "delphi"], "pas"),
    (&["lisp"], "lisp"),
    (&["scheme"], "scm"),
    (&["verilog"], "v"),
    (&["systemverilog"], "sv"),
    (&["assembly", "asm"], "s"),
    (&["graphviz"], "dot"),
    (&["mermaid"], "mmd"),
    (&["protobuf"], "proto"),
    (&["terraform"], "tf"),
];

/// Files that are named after their program.
const WHOLE: [(&[&str], &str); 2] =
    [(&["dockerfile", "docker"], "Dockerfile"), (&["makefile", "make"], "Makefile")];

/// Most characters of a name.
const MOST: usize = 64;

/// Returns a name for a file with code in a language: the one that its first line says, or `stem` with the extension of the
/// language, such as `holiday-planner.html`.
#[must_use]
pub fn code_file_name(language: &str, text: &str, stem: &str) -> String {
    let language = language.to_ascii_lowercase();
    if let Some((_, name)) = WHOLE.iter().find(|(names, _)| names.contains(&language.as_str())) {
        return (*name).to_owned();
    }
    let known = EXTENSIONS.iter().find(|(names, _)| names.contains(&language.as_str()));
    let plain =
        |it: &&str| (1..=10).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let extension =
        known.map(|(_, extension)| *extension).or(Some(language.as_str()).filter(plain)).unwrap_or("txt");
    named(text, extension).unwrap_or_else(|| format!("{stem}.{extension}"))
}

/// The name in a comment that is the first line, such as `# src/app.py`: without its folders, and with this extension alone.
fn named(text: &str, extension: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.starts_with("#!"))?.trim();
    let comment =
        ["//", "#", "--", "/*", "<!--", "%", ";"].into_iter().find_map(|mark| line.strip_prefix(mark))?;
    let comment = comment.trim_end_matches("*/").trim_end_matches("-->").trim();
    let comment = comment.split_once(':').map_or(comment, |(_, name)| name.trim());
    let name = comment.rsplit(['/', '\\']).next()?;
    let stem = name.strip_suffix(extension)?.strip_suffix('.')?;
    let fits = |it: char| it.is_alphanumeric() || "-_.".contains(it);
    let is_name =
        !stem.is_empty() && !stem.starts_with('.') && name.chars().count() <= MOST && stem.chars().all(fits);
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::code_file_name;

    #[test]
    fn files_have_the_name_that_the_code_says_or_that_of_the_conversation() {
        for (language, text, expected) in [
            ("python", "# src/app.py\nprint(1)", "app.py"),
            ("python", "#!/usr/bin/env python\n# File: tool.py\n", "tool.py"),
            ("html", "<!-- index.html -->\n<p>", "index.html"),
            ("css", "/* style.css */", "style.css"),
            ("rust", "// A comment about main.rs", "trees.rs"),
            ("python", "# .py", "trees.py"),
            ("python", "# evil.exe", "trees.py"),
            ("python", "# ..\\..\\a.py", "a.py"),
            ("Rust", "fn main() {}", "trees.rs"),
            ("", "words", "trees.txt"),
            ("c/../../x", "", "trees.txt"),
            ("dockerfile", "FROM scratch", "Dockerfile"),
            ("js", "draw()", "trees.js"),
        ] {
            assert_eq!(code_file_name(language, text, "trees"), expected, "{language} {text}");
        }
    }
}
