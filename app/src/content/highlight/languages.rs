//! The languages: their names, words and marks.

/// How a language is lexed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Syntax {
    /// By words, strings, numbers and comments.
    Words(&'static Words),
    /// HTML and XML.
    Markup,
    /// CSS.
    Styles,
    /// Differences between files.
    Diff,
}

/// The marks of a language of words.
#[derive(Debug)]
pub(super) struct Words {
    /// Words of the language, with spaces between.
    pub keywords: &'static str,
    /// Constants of the language, with spaces between.
    pub constants: &'static str,
    /// Types of the language, with spaces between, beside names that begin with a capital letter.
    pub types: &'static str,
    /// What begins a comment up to the end of the line.
    pub line_comments: &'static [&'static str],
    /// What begins and ends a comment, and whether they nest.
    pub block_comment: Option<(&'static str, &'static str, bool)>,
    /// Quotes; the longer one first where one begins another.
    pub strings: &'static [Quote],
    /// Letters that may stand before a quote and belong to the string.
    pub string_prefixes: &'static [&'static str],
    /// Whether upper and lower case count the same in keywords.
    pub ignore_case: bool,
    /// Whether names that begin with a capital letter are types.
    pub capital_types: bool,
    /// Whether a single quote may begin the name of a lifetime, and a raw string may have marks around its quotes.
    pub lifetimes: bool,
    /// What begins an attribute or annotation: `#[`, `@`, or `#` for directives of a preprocessor.
    pub meta: Option<&'static str>,
    /// How keys are recognized.
    pub keys: Keys,
    /// Whether `$name` is a variable.
    pub dollar: bool,
    /// Characters of names beside letters, digits and `_`.
    pub name_marks: &'static str,
}

/// A kind of string.
#[derive(Debug)]
pub(super) struct Quote {
    /// What begins and ends it.
    pub mark: &'static str,
    /// Whether a backslash takes the next character's meaning.
    pub escapes: bool,
    /// Whether it may go over several lines.
    pub lines: bool,
}

/// How the keys of records are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    /// There are none.
    None,
    /// A string before a colon.
    Strings,
    /// A name at the start of a line, before this mark.
    Lines(char),
}

const fn quote(mark: &'static str) -> Quote {
    Quote { mark, escapes: true, lines: false }
}

const fn quote_lines(mark: &'static str) -> Quote {
    Quote { mark, escapes: true, lines: true }
}

const fn quote_raw(mark: &'static str) -> Quote {
    Quote { mark, escapes: false, lines: true }
}

const PLAIN: Words = Words {
    keywords: "",
    constants: "true false null",
    types: "",
    line_comments: &["//"],
    block_comment: Some(("/*", "*/", false)),
    strings: &[quote("\""), quote("'")],
    string_prefixes: &[],
    ignore_case: false,
    capital_types: true,
    lifetimes: false,
    meta: None,
    keys: Keys::None,
    dollar: false,
    name_marks: "",
};

static RUST: Words = Words {
    keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod \
        move mut pub ref return self static struct super trait type union unsafe use where while yield",
    constants: "true false",
    types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
    block_comment: Some(("/*", "*/", true)),
    strings: &[quote_lines("\""), quote("'")],
    string_prefixes: &["b", "r", "br", "c", "cr"],
    lifetimes: true,
    meta: Some("#["),
    ..PLAIN
};

static PYTHON: Words = Words {
    keywords: "and as assert async await break case class continue def del elif else except finally for from global \
        if import in is lambda match nonlocal not or pass raise return try while with yield",
    constants: "True False None self cls",
    types: "",
    line_comments: &["#"],
    block_comment: None,
    strings: &[quote_lines("\"\"\""), quote_lines("'''"), quote("\""), quote("'")],
    string_prefixes: &["f", "r", "b", "u", "rb", "br", "fr", "rf", "F", "R", "B"],
    meta: Some("@"),
    ..PLAIN
};

static JAVASCRIPT: Words = Words {
    keywords: "abstract any as async await break case catch class const continue debugger declare default delete do \
        else enum export extends finally for from function get if implements import in infer instanceof \
        interface is keyof let namespace new of private protected public readonly return satisfies set \
        static super switch throw try type typeof var void while with yield",
    constants: "true false null undefined NaN Infinity this",
    types: "boolean never number object string symbol unknown bigint",
    strings: &[quote_lines("`"), quote("\""), quote("'")],
    meta: Some("@"),
    name_marks: "$",
    ..PLAIN
};

static JSON: Words = Words { strings: &[quote("\"")], capital_types: false, keys: Keys::Strings, ..PLAIN };

static BASH: Words = Words {
    keywords: "break case continue declare do done elif else esac eval exec exit export fi for function if in local \
        read readonly return select set shift source then trap unset until while",
    constants: "true false",
    line_comments: &["#"],
    block_comment: None,
    strings: &[quote_lines("\""), quote_raw("'")],
    capital_types: false,
    dollar: true,
    name_marks: "-",
    ..PLAIN
};

static C: Words = Words {
    keywords: "alignas alignof auto break case catch class co_await co_return co_yield concept const const_cast \
        consteval constexpr continue decltype default delete do dynamic_cast else enum explicit export \
        extern final for friend goto if inline mutable namespace new noexcept operator override private \
        protected public register reinterpret_cast requires restrict return sizeof static static_assert \
        static_cast struct switch template this thread_local throw try typedef typeid typename union using \
        virtual volatile while",
    constants: "true false NULL nullptr",
    types: "bool char double float int long short signed size_t unsigned void wchar_t int8_t int16_t int32_t \
        int64_t uint8_t uint16_t uint32_t uint64_t",
    string_prefixes: &["L", "u", "U", "u8"],
    meta: Some("#"),
    ..PLAIN
};

static JAVA: Words = Words {
    keywords: "abstract as assert async await break by case catch class companion const continue data default do \
        else enum extends final finally for fun if implements import in instanceof interface internal is \
        namespace native new object open out override package permits private protected public record return \
        sealed static strictfp super suspend switch synchronized this throw throws transient try using val \
        var virtual volatile when where while yield",
    types: "boolean bool byte char decimal double float int long short string void",
    strings: &[quote_lines("\"\"\""), quote("\""), quote("'")],
    meta: Some("@"),
    ..PLAIN
};

static GO: Words = Words {
    keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface \
        map package range return select struct switch type var",
    constants: "true false nil iota",
    types: "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint \
        uint8 uint16 uint32 uint64 uintptr",
    strings: &[quote_raw("`"), quote("\""), quote("'")],
    ..PLAIN
};

static SQL: Words = Words {
    keywords: "add all alter and as asc begin between by case check column commit constraint create cross database \
        default delete desc distinct drop else end except exists foreign from full group having if in index \
        inner insert intersect into is join key left like limit not offset on or order outer over partition \
        primary references returning right rollback select set table then transaction union unique update \
        using values view when where with",
    types: "bigint blob boolean char date decimal integer int json numeric real serial smallint text timestamp \
        uuid varchar",
    line_comments: &["--"],
    strings: &[Quote { mark: "'", escapes: false, lines: true }, quote("\""), quote("`")],
    ignore_case: true,
    capital_types: false,
    ..PLAIN
};

static TOML: Words = Words {
    constants: "true false inf nan",
    line_comments: &["#", ";"],
    block_comment: None,
    strings: &[
        quote_lines("\"\"\""),
        quote_raw("'''"),
        quote("\""),
        Quote { mark: "'", escapes: false, lines: false },
    ],
    capital_types: false,
    keys: Keys::Lines('='),
    name_marks: "-.",
    ..PLAIN
};

static YAML: Words = Words {
    constants: "true false null yes no on off",
    line_comments: &["#"],
    block_comment: None,
    strings: &[quote_lines("\""), Quote { mark: "'", escapes: false, lines: false }],
    capital_types: false,
    keys: Keys::Lines(':'),
    name_marks: "-./",
    ..PLAIN
};

/// Names of a language, in lower case, with its common name and its syntax.
static LANGUAGES: [(&[&str], &str, Syntax); 24] = [
    (&["rust", "rs"], "Rust", Syntax::Words(&RUST)),
    (&["wgsl"], "WGSL", Syntax::Words(&RUST)),
    (&["python", "py", "python3"], "Python", Syntax::Words(&PYTHON)),
    (&["javascript", "js", "mjs", "cjs", "node"], "JavaScript", Syntax::Words(&JAVASCRIPT)),
    (&["jsx"], "JSX", Syntax::Words(&JAVASCRIPT)),
    (&["typescript", "ts"], "TypeScript", Syntax::Words(&JAVASCRIPT)),
    (&["tsx"], "TSX", Syntax::Words(&JAVASCRIPT)),
    (&["json", "jsonc", "json5", "jsonl"], "JSON", Syntax::Words(&JSON)),
    (&["html", "xhtml", "vue", "svelte"], "HTML", Syntax::Markup),
    (&["xml", "svg", "mathml", "rss"], "XML", Syntax::Markup),
    (&["css", "scss", "less"], "CSS", Syntax::Styles),
    (&["bash", "sh", "shell", "zsh", "console", "shellscript"], "Shell", Syntax::Words(&BASH)),
    (&["c", "h"], "C", Syntax::Words(&C)),
    (&["cpp", "c++", "cc", "cxx", "hpp", "cuda", "glsl"], "C++", Syntax::Words(&C)),
    (&["java"], "Java", Syntax::Words(&JAVA)),
    (&["kotlin", "kt"], "Kotlin", Syntax::Words(&JAVA)),
    (&["csharp", "cs", "c#"], "C#", Syntax::Words(&JAVA)),
    (&["go", "golang"], "Go", Syntax::Words(&GO)),
    (&["sql", "postgresql", "mysql", "sqlite"], "SQL", Syntax::Words(&SQL)),
    (&["toml"], "TOML", Syntax::Words(&TOML)),
    (&["ini", "cfg", "conf"], "INI", Syntax::Words(&TOML)),
    (&["yaml", "yml"], "YAML", Syntax::Words(&YAML)),
    (&["diff", "patch"], "Diff", Syntax::Diff),
    (&["dockerfile", "makefile", "make"], "Make", Syntax::Words(&BASH)),
];

fn entry(language: &str) -> Option<&'static (&'static [&'static str], &'static str, Syntax)> {
    let name = language.to_ascii_lowercase();
    LANGUAGES.iter().find(|(names, ..)| names.contains(&name.as_str()))
}

/// Returns the syntax of a language, by any of its names.
pub(super) fn find(language: &str) -> Option<Syntax> {
    entry(language).map(|(_, _, syntax)| *syntax)
}

/// Returns the common name of a language.
pub(super) fn name(language: &str) -> Option<&'static str> {
    entry(language).map(|(_, name, _)| *name)
}
