//! What a Markdown text is made of: plain data between the parser and the views.

/// A block: what stands on lines of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading of level 1 to 6.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its text.
        content: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// Code.
    Code {
        /// The language as written after the fence, such as `rust`; empty when none is.
        language: String,
        /// The code, without a line break at its end.
        text: String,
    },
    /// A quotation.
    Quote(Vec<Block>),
    /// A list.
    List {
        /// The first number of a numbered list; none for bullets.
        start: Option<u64>,
        /// Its items.
        items: Vec<Item>,
    },
    /// A table.
    Table {
        /// One for each column.
        alignments: Vec<Alignment>,
        /// The cells of the first row.
        head: Vec<Vec<Inline>>,
        /// The cells of the other rows.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A line across.
    Rule,
    /// A formula on lines of its own, as LaTeX without its delimiters.
    Math(String),
    /// Text to be shown as it is written, line breaks included: raw HTML, a formula without an end.
    Verbatim(String),
}

/// An item of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// For a task: whether it is done.
    pub task: Option<bool>,
    /// What it holds. In a tight list a paragraph is shown without space around it.
    pub blocks: Vec<Block>,
    /// Whether it stands close to its neighbours.
    pub tight: bool,
}

/// Alignment of a table's column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// As the text runs.
    #[default]
    Natural,
    /// Left.
    Left,
    /// Centred.
    Center,
    /// Right.
    Right,
}

/// What stands within a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Text.
    Text(String),
    /// Code.
    Code(String),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Struck out.
    Strikethrough(Vec<Inline>),
    /// A link to an address that is safe to open: `http`, `https` or `mailto`. Pictures become links, too: showing
    /// one would tell its server that it was read.
    Link {
        /// The address.
        href: String,
        /// What is shown.
        content: Vec<Inline>,
    },
    /// A formula, as LaTeX without its delimiters.
    Math {
        /// The LaTeX.
        source: String,
        /// Whether it was asked for on a line of its own.
        display: bool,
    },
    /// A mark that names passages of documents, such as `[1:2]`.
    Mark {
        /// The mark as it is written.
        text: String,
        /// The numbers of documents and of passages in them.
        passages: Vec<(u32, u32)>,
    },
    /// A line break.
    Break,
}
