//! From glyphs on a page to lines in reading order.
//!
//! Glyphs on one baseline are a row, cut into segments at gaps wider than a space. A gutter that many rows leave free, with
//! prose on both sides, divides columns, which are read one after the other; the cells of a table are read row by row.

use super::bidi;
use super::content::Glyph;
use crate::Error;
use crate::limits::Meter;

/// Gaps in units of the letters' size: one that separates words, one that may separate columns, one between cells.
const WORD_GAP: f64 = 0.17;
const SEGMENT_GAP: f64 = 0.6;
const CELL_GAP: f64 = 2.0;

/// Baselines closer than this, in units of the size, are one: it may be a superscript.
const BASELINE: f64 = 0.4;

/// Rows with text on both sides of a gutter.
const COLUMN_ROWS: usize = 3;

/// Prose fills this part of its column in most rows, with this many letters.
const COLUMN_FILL: f64 = 0.55;
const COLUMN_LETTERS: usize = 14;

/// Places of gutters that are tried, and columns in columns.
const MOST_GUTTERS: usize = 24;
const MOST_COLUMNS: u32 = 8;

/// A larger distance than this, in units of the usual one between lines, starts a paragraph.
const PARAGRAPH_GAP: f64 = 1.35;

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// The size of most of its letters.
    pub size: f64,
    /// Whether there is space above it.
    pub starts_paragraph: bool,
}

struct Segment {
    glyphs: Vec<Glyph>,
    start: f64,
    end: f64,
}

struct Row {
    segments: Vec<Segment>,
    baseline: f64,
}

pub fn lines(glyphs: Vec<Glyph>, meter: &mut Meter<'_>) -> Result<Vec<Line>, Error> {
    let letters = || glyphs.iter().flat_map(|glyph| glyph.text.chars());
    let right = letters().filter(|letter| bidi::is_right_to_left(*letter)).count();
    let is_right_to_left = right * 2 > letters().filter(|letter| letter.is_alphabetic()).count();
    let mut flows = Vec::new();
    order(rows(glyphs), is_right_to_left, 0, &mut flows, meter)?;
    let mut lines = Vec::new();
    for flow in flows {
        append(&mut lines, flow);
    }
    Ok(lines)
}

/// Collects glyphs by their baselines, from the top.
fn rows(mut glyphs: Vec<Glyph>) -> Vec<Row> {
    glyphs.retain(|glyph| !glyph.text.trim().is_empty());
    glyphs.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut rows: Vec<(f64, f64, Vec<Glyph>)> = Vec::new();
    for glyph in glyphs {
        match rows.last_mut() {
            Some((baseline, size, row)) if glyph.y - *baseline < BASELINE * size.max(glyph.size) => {
                if glyph.size > *size {
                    (*baseline, *size) = (glyph.y, glyph.size);
                }
                row.push(glyph);
            }
            _ => rows.push((glyph.y, glyph.size, vec![glyph])),
        }
    }
    rows.into_iter().map(|(baseline, _, glyphs)| Row { segments: segments(glyphs), baseline }).collect()
}

fn segments(mut glyphs: Vec<Glyph>) -> Vec<Segment> {
    glyphs.sort_by(|a, b| a.x.total_cmp(&b.x));
    // Letters drawn twice, a little apart, look bold.
    glyphs.dedup_by(|b, a| a.text == b.text && b.x - a.x < 0.1 * a.size && (b.y - a.y).abs() < 0.1 * a.size);
    let mut segments: Vec<Segment> = Vec::new();
    for glyph in glyphs {
        let end = glyph.x + glyph.width;
        match segments.last_mut() {
            Some(segment) if glyph.x - segment.end < SEGMENT_GAP * glyph.size => {
                segment.end = segment.end.max(end);
                segment.glyphs.push(glyph);
            }
            _ => segments.push(Segment { start: glyph.x, end, glyphs: vec![glyph] }),
        }
    }
    segments
}

/// Appends the rows to `flows`, column by column: a flow is read from the top to the bottom.
fn order(
    mut rows: Vec<Row>,
    is_right_to_left: bool,
    depth: u32,
    flows: &mut Vec<Vec<Row>>,
    meter: &mut Meter<'_>,
) -> Result<(), Error> {
    meter.parts(rows.len() as u64 * MOST_GUTTERS as u64)?;
    let band = if depth < MOST_COLUMNS { columns(&rows) } else { None };
    let Some((gutter, first, end)) = band else {
        if !rows.is_empty() {
            flows.push(rows);
        }
        return Ok(());
    };
    let below = rows.split_off(end);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for row in rows.split_off(first) {
        let (before, after) =
            row.segments.into_iter().partition::<Vec<_>, _>(|segment| segment.end <= gutter);
        for (side, segments) in [(&mut left, before), (&mut right, after)] {
            if !segments.is_empty() {
                side.push(Row { segments, baseline: row.baseline });
            }
        }
    }
    let (one, other) = if is_right_to_left { (right, left) } else { (left, right) };
    for part in [rows, one, other, below] {
        order(part, is_right_to_left, depth + 1, flows, meter)?;
    }
    Ok(())
}

/// Finds a gutter, and the rows that leave it free: the first, and the one after the last.
fn columns(rows: &[Row]) -> Option<(f64, usize, usize)> {
    let mut best = None;
    let mut most = COLUMN_ROWS - 1;
    for gutter in gutters(rows) {
        let is_crossed =
            |row: &Row| row.segments.iter().any(|segment| segment.start < gutter && segment.end > gutter);
        let mut first = 0;
        while first < rows.len() {
            let length = rows[first..].iter().take_while(|row| !is_crossed(row)).count();
            let band = &rows[first..first + length];
            let is_both = |row: &&Row| {
                row.segments.iter().any(|segment| segment.end <= gutter)
                    && row.segments.iter().any(|segment| segment.start >= gutter)
            };
            let both = band.iter().filter(is_both).count();
            if both > most
                && is_prose(band, |segment| segment.end <= gutter)
                && is_prose(band, |segment| segment.start >= gutter)
            {
                most = both;
                best = Some((gutter, first, first + length));
            }
            first += length + 1;
        }
    }
    best
}

/// The middles of the most frequent gaps.
fn gutters(rows: &[Row]) -> Vec<f64> {
    let mut counts = std::collections::BTreeMap::<i64, (usize, f64)>::new();
    for pair in rows.iter().flat_map(|row| row.segments.windows(2)) {
        let (from, to) = (pair[0].end, pair[1].start);
        // Ragged lines end before the gutter: what they have in common is where the next column starts.
        let middle = to - (to - from).min(pair[1].glyphs[0].size) / 2.0;
        let entry = counts.entry((middle / 4.0).round() as i64).or_insert((0, middle));
        entry.0 += 1;
        entry.1 = entry.1.max(middle);
    }
    let mut counts: Vec<_> = counts.into_values().filter(|(count, _)| *count > 1).collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counts.into_iter().take(MOST_GUTTERS).map(|(_, middle)| middle).collect()
}

/// Whether most rows of one side are filled with letters.
fn is_prose(rows: &[Row], is_side: impl Fn(&Segment) -> bool) -> bool {
    let side = || rows.iter().map(|row| row.segments.iter().filter(|segment| is_side(segment)));
    let start = side().flatten().map(|segment| segment.start).fold(f64::INFINITY, f64::min);
    let end = side().flatten().map(|segment| segment.end).fold(f64::NEG_INFINITY, f64::max);
    let (mut full, mut all) = (0, 0);
    for row in side() {
        let (width, letters) = row.fold((0.0, 0), |(width, letters), segment| {
            (width + segment.end - segment.start, letters + segment.glyphs.len())
        });
        all += usize::from(letters > 0);
        full += usize::from(width >= COLUMN_FILL * (end - start) && letters >= COLUMN_LETTERS);
    }
    full * 2 > all && full >= COLUMN_ROWS - 1
}

/// Appends the lines of a flow. A word that is divided at the end of a line is put together.
fn append(lines: &mut Vec<Line>, flow: Vec<Row>) {
    let mut distances: Vec<_> = flow.windows(2).map(|pair| pair[1].baseline - pair[0].baseline).collect();
    distances.sort_by(f64::total_cmp);
    let usual = distances.get(distances.len() / 2).copied().unwrap_or(0.0);
    let mut above: Option<f64> = None;
    for row in flow {
        let starts_paragraph = above.is_none_or(|above| row.baseline - above > usual * PARAGRAPH_GAP);
        above = Some(row.baseline);
        let size = size_of(&row);
        let text = text_of(row);
        let mut text = text.trim();
        if let Some(line) = lines.last_mut().filter(|_| !starts_paragraph)
            && divides(&line.text, text)
        {
            let (head, tail) = text.split_once(' ').unwrap_or((text, ""));
            line.text.pop();
            line.text.push_str(head);
            text = tail.trim_start();
        }
        if !text.is_empty() {
            lines.push(Line { text: text.to_owned(), size, starts_paragraph });
        }
    }
}

/// Whether a line ends in the middle of a word.
fn divides(line: &str, next: &str) -> bool {
    let mut end = line.chars().rev();
    let is_hyphen = matches!(end.next(), Some('-' | '\u{ad}' | '\u{2010}'));
    is_hyphen && end.next().is_some_and(char::is_alphabetic) && next.starts_with(char::is_lowercase)
}

fn size_of(row: &Row) -> f64 {
    let mut sizes: Vec<_> =
        row.segments.iter().flat_map(|segment| &segment.glyphs).map(|glyph| glyph.size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}

fn text_of(row: Row) -> String {
    let mut pieces = Vec::new();
    let mut end = None;
    for glyph in row.segments.into_iter().flat_map(|segment| segment.glyphs) {
        let gap = end.map_or(0.0, |end| glyph.x - end) / glyph.size;
        if gap > CELL_GAP {
            pieces.push("\t".to_owned());
        } else if gap > WORD_GAP {
            pieces.push(" ".to_owned());
        }
        end = Some(end.unwrap_or(f64::NEG_INFINITY).max(glyph.x + glyph.width));
        pieces.push(plain(&glyph.text));
    }
    bidi::join(&mut pieces)
}

/// Letters for ligatures and for the shapes of Arabic letters.
fn plain(text: &str) -> String {
    let is_shape =
        |letter: char| matches!(letter, '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{a0}');
    if text.contains(is_shape) {
        icu_normalizer::ComposingNormalizerBorrowed::new_nfkc().normalize(text).into_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::Limits;

    /// Glyphs of half the size's width each.
    fn shown(text: &str, x: f64, y: f64) -> Vec<Glyph> {
        let glyph = |(place, letter): (usize, char)| Glyph {
            text: letter.into(),
            x: x + 5.0 * place as f64,
            y,
            width: 5.0,
            size: 10.0,
        };
        text.chars().enumerate().map(glyph).collect()
    }

    fn laid_out(glyphs: Vec<Glyph>) -> Vec<String> {
        let mut callback = |_| ControlFlow::Continue(());
        let lines = lines(glyphs, &mut Meter::new(Limits::default(), &mut callback)).unwrap();
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn columns_are_read_one_after_the_other_below_their_headline() {
        let mut glyphs = shown("A headline that is over both of the columns", 0.0, 0.0);
        for row in 0..6 {
            let y = 20.0 + 12.0 * f64::from(row);
            glyphs.extend(shown("the right column too", 120.0, y));
            glyphs.extend(shown("left column of prose", 0.0, y));
        }
        glyphs.extend(shown("A footer that is below both of the columns", 0.0, 120.0));
        let mut expected = vec!["A headline that is over both of the columns"];
        expected.extend(["left column of prose"; 6]);
        expected.extend(["the right column too"; 6]);
        expected.push("A footer that is below both of the columns");
        assert_eq!(laid_out(glyphs), expected);
    }

    #[test]
    fn tables_are_read_by_rows() {
        let rows = (0..6).flat_map(|row| {
            let y = 12.0 * f64::from(row);
            [shown("name", 0.0, y), shown("1931", 100.0, y), shown("a remark of some length", 200.0, y)]
        });
        assert_eq!(laid_out(rows.flatten().collect()), ["name\t1931\ta remark of some length"; 6]);
    }

    #[test]
    fn words_are_put_together_and_ligatures_taken_apart() {
        let glyphs = [shown("an of\u{fb01}cial inter-", 0.0, 0.0), shown("national law", 0.0, 12.0)].concat();
        assert_eq!(laid_out(glyphs), ["an official international", "law"]);
        let compound = [shown("Nord- ", 0.0, 0.0), shown("Ostsee", 0.0, 12.0)].concat();
        assert_eq!(laid_out(compound), ["Nord-", "Ostsee"]);
    }

    #[test]
    fn letters_drawn_twice_are_read_once() {
        let twice = [shown("bold all", 0.0, 0.0), shown("bold all", 0.3, 0.0)].concat();
        assert_eq!(laid_out(twice), ["bold all"]);
    }
}
