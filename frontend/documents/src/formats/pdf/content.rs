//! The operations of a page that show text.

use hayro_font::kurbo::{Affine, Point, Vec2};
use hayro_font::{Font, UNITS_PER_EM};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Object, Stream};
use hayro_syntax::page::{Page, Resources};

use super::fonts::{self, Fonts};
use super::{actual_text, is_picture, resources_of, streams};
use crate::Error;
use crate::limits::Meter;

/// Forms in forms.
const DEEPEST_FORM: u32 = 16;

/// Saved states; a page that saves more is read without them.
const MOST_STATES: usize = 1024;

/// What a page shows.
#[derive(Default)]
pub struct Found {
    /// The glyphs with letters, in the order of the operations: level ones, those written downwards, those upwards.
    pub glyphs: [Vec<Glyph>; 3],
    /// Glyphs for which the file has no letters.
    pub unmapped: usize,
    /// Pictures.
    pub pictures: usize,
}

/// A glyph on a page, in points from its upper left corner, turned so that its writing is level.
#[derive(Clone, Debug, PartialEq)]
pub struct Glyph {
    /// Its letters.
    pub text: String,
    /// The start of its baseline.
    pub x: f64,
    /// The baseline.
    pub y: f64,
    /// Its advance.
    pub width: f64,
    /// The size of its font.
    pub size: f64,
}

pub fn read<'a>(page: &Page<'a>, fonts: &mut Fonts<'a>, meter: &mut Meter<'_>) -> Result<Found, Error> {
    check_contents(page.raw(), meter)?;
    let Some(content) = page.page_stream() else { return Ok(Found::default()) };
    let transform = Affine::new(page.initial_transform(true).as_coeffs());
    let mut reader = Reader { found: Found::default(), fonts, meter, texts: Vec::new() };
    let state = State { transform, ..State::default() };
    reader.run(content, page.resources(), state, 0)?;
    Ok(reader.found)
}

fn check_contents(page: &Dict<'_>, meter: &mut Meter<'_>) -> Result<(), Error> {
    if let Some(stream) = page.get::<Stream<'_>>("Contents") {
        return streams::check(&stream, meter).map(|_| ());
    }
    let Some(array) = page.get::<Array<'_>>("Contents") else { return Ok(()) };
    for stream in array.iter::<Stream<'_>>() {
        streams::check(&stream, meter)?;
    }
    Ok(())
}

#[derive(Clone)]
struct State<'a> {
    transform: Affine,
    font: Option<Font<'a>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

impl Default for State<'_> {
    fn default() -> Self {
        Self {
            transform: Affine::IDENTITY,
            font: None,
            size: 1.0,
            letter_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

struct Reader<'a, 'r, 'm> {
    found: Found,
    fonts: &'r mut Fonts<'a>,
    meter: &'r mut Meter<'m>,
    /// For each marked content, what replaces its text: once, and then nothing.
    texts: Vec<Option<String>>,
}

impl<'a> Reader<'a, '_, '_> {
    fn run(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        state: State<'a>,
        depth: u32,
    ) -> Result<(), Error> {
        let mut state = state;
        let mut saved = Vec::new();
        let (mut line, mut matrix) = (Affine::IDENTITY, Affine::IDENTITY);
        let marks = self.texts.len();
        let mut operations = TypedIter::new(content);
        while let Some(operation) = operations.next() {
            use TypedInstruction as Op;
            self.meter.parts(1)?;
            let mut next_line = |x: f64, y: f64| {
                line *= Affine::translate((x, y));
                line
            };
            match operation {
                Op::SaveState(_) if saved.len() < MOST_STATES => saved.push(state.clone()),
                Op::RestoreState(_) => state = saved.pop().unwrap_or(state),
                Op::Transform(t) => {
                    let numbers = [t.0, t.1, t.2, t.3, t.4, t.5].map(|number| number.as_f64());
                    state.transform *= Affine::new(numbers);
                }
                Op::BeginText(_) => (line, matrix) = (Affine::IDENTITY, Affine::IDENTITY),
                Op::SetTextMatrix(t) => {
                    line = Affine::new([t.0, t.1, t.2, t.3, t.4, t.5].map(|number| number.as_f64()));
                    matrix = line;
                }
                Op::NextLine(t) => matrix = next_line(t.0.as_f64(), t.1.as_f64()),
                Op::NextLineAndSetLeading(t) => {
                    state.leading = -t.1.as_f64();
                    matrix = next_line(t.0.as_f64(), t.1.as_f64());
                }
                Op::NextLineUsingLeading(_) => matrix = next_line(0.0, -state.leading),
                Op::TextFont(font) => {
                    state.font = self.fonts.get(&resources.fonts, font.0.as_ref(), self.meter)?;
                    state.size = font.1.as_f64();
                }
                Op::CharacterSpacing(space) => state.letter_space = space.0.as_f64(),
                Op::WordSpacing(space) => state.word_space = space.0.as_f64(),
                Op::HorizontalScaling(scale) => state.stretch = scale.0.as_f64() / 100.0,
                Op::TextLeading(leading) => state.leading = leading.0.as_f64(),
                Op::TextRise(rise) => state.rise = rise.0.as_f64(),
                Op::ShowText(text) => self.show(text.0.as_bytes(), &state, &mut matrix)?,
                Op::NextLineAndShowText(text) => {
                    matrix = next_line(0.0, -state.leading);
                    self.show(text.0.as_bytes(), &state, &mut matrix)?;
                }
                Op::ShowTextWithParameters(text) => {
                    (state.word_space, state.letter_space) = (text.0.as_f64(), text.1.as_f64());
                    matrix = next_line(0.0, -state.leading);
                    self.show(text.2.as_bytes(), &state, &mut matrix)?;
                }
                Op::ShowTexts(texts) => {
                    for part in texts.0.iter::<Object<'_>>() {
                        match part {
                            Object::String(text) => self.show(text.as_bytes(), &state, &mut matrix)?,
                            Object::Number(number) => adjust(number.as_f64(), &state, &mut matrix),
                            _ => {}
                        }
                    }
                }
                Op::BeginMarkedContent(_) => self.texts.push(None),
                Op::BeginMarkedContentWithProperties(mark) => self.texts.push(actual_text(mark.1, resources)),
                Op::EndMarkedContent(_) if self.texts.len() > marks => {
                    self.texts.pop();
                }
                Op::InlineImage(_) => self.found.pictures += 1,
                Op::XObject(name) => {
                    if let Some(stream) = resources.get_x_object(name.0) {
                        self.object(&stream, resources, &state, depth)?;
                    }
                }
                _ => {}
            }
        }
        self.texts.truncate(marks);
        Ok(())
    }

    /// Draws a form; a picture is counted.
    fn object(
        &mut self,
        stream: &Stream<'a>,
        resources: &Resources<'a>,
        state: &State<'a>,
        depth: u32,
    ) -> Result<(), Error> {
        let dict = stream.dict();
        if is_picture(dict) {
            self.found.pictures += 1;
            return Ok(());
        }
        if depth >= DEEPEST_FORM {
            return Err(Error::TooDeep { limit: DEEPEST_FORM });
        }
        streams::check(stream, self.meter)?;
        let Ok(content) = stream.decoded_data() else { return Ok(()) };
        let matrix = dict.get::<[f64; 6]>("Matrix").map_or(Affine::IDENTITY, Affine::new);
        let state = State { transform: state.transform * matrix, ..state.clone() };
        self.run(&content, &resources_of(dict, resources), state, depth + 1)
    }

    /// Shows a string, and moves on by its width.
    fn show(&mut self, bytes: &[u8], state: &State<'a>, matrix: &mut Affine) -> Result<(), Error> {
        let Some(font) = &state.font else { return Ok(()) };
        let is_horizontal = font.is_horizontal();
        let mut at = 0;
        while at < bytes.len() {
            let (code, length) = font.read_code(bytes, at);
            at += length.max(1);
            self.meter.parts(1)?;
            let advance = font.code_advance(code) / f64::from(UNITS_PER_EM) * state.size;
            let word = if code == 32 && length == 1 { state.word_space } else { 0.0 };
            let space = state.letter_space + word;
            let (drawn, step) = if is_horizontal {
                (
                    Vec2::new(advance.x * state.stretch, 0.0),
                    Vec2::new((advance.x + space) * state.stretch, 0.0),
                )
            } else {
                (Vec2::new(0.0, advance.y), Vec2::new(0.0, advance.y - space))
            };
            let to_page = state.transform * *matrix;
            let start = to_page * Point::new(0.0, state.rise);
            let end = to_page * (Point::new(0.0, state.rise) + drawn);
            let up = to_page * Point::new(0.0, state.rise + state.size);
            let size = (up - start).hypot();
            self.glyph(fonts::letters(font, code), start, end - start, size);
            *matrix *= Affine::translate(step);
        }
        Ok(())
    }

    fn glyph(&mut self, letters: Option<String>, start: Point, advance: Vec2, size: f64) {
        let text = match self.texts.iter_mut().flatten().next() {
            // Empty from the second glyph on.
            Some(replacement) => Some(std::mem::take(replacement)),
            None => letters,
        };
        let Some(text) = text else {
            self.found.unmapped += 1;
            return;
        };
        let numbers = [start.x, start.y, advance.x, advance.y, size];
        if text.is_empty()
            || numbers.iter().any(|number| !number.is_finite() || number.abs() > 1e7)
            || size <= 0.0
        {
            return;
        }
        // Vertical writing has its first line on the right, as text turned downwards has.
        let (direction, x, y, width) = if advance.x.abs() >= advance.y.abs() {
            (0, start.x.min(start.x + advance.x), start.y, advance.x.abs())
        } else if advance.y > 0.0 {
            (1, start.y, -start.x, advance.y)
        } else {
            (2, -start.y, start.x, -advance.y)
        };
        self.found.glyphs[direction].push(Glyph { text, x, y, width, size });
    }
}

/// Moves by thousandths of the font's size, against the direction of writing.
fn adjust(by: f64, state: &State<'_>, matrix: &mut Affine) {
    let by = -by / 1000.0 * state.size;
    let is_horizontal = state.font.as_ref().is_none_or(Font::is_horizontal);
    *matrix *= Affine::translate(if is_horizontal { (by * state.stretch, 0.0) } else { (0.0, by) });
}
