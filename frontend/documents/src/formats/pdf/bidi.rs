//! The order of letters in lines of Arabic and Hebrew: a page has them from left to right, a text in the order of reading.

/// The direction of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Left,
    Right,
    /// A digit, which keeps its order among letters of both directions.
    Number,
    Neutral,
}

/// Whether a letter is written from right to left.
pub fn is_right_to_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        && !is_number(letter)
}

fn is_number(letter: char) -> bool {
    matches!(letter, '0'..='9' | '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}')
}

/// Joins the pieces of a line, given from left to right, in the order of reading.
pub fn join(pieces: &mut [String]) -> String {
    let mut directions: Vec<_> = pieces.iter().map(|piece| direction(piece)).collect();
    let count = |wanted| directions.iter().filter(|direction| **direction == wanted).count();
    let (right, left) = (count(Direction::Right), count(Direction::Left));
    if right == 0 {
        return pieces.concat();
    }
    let is_right = right >= left;
    if is_right {
        pieces.reverse();
        directions.reverse();
    }
    // Runs in the other direction are turned around; what is between two of their pieces belongs to them.
    let is_other = |direction: Direction| match direction {
        Direction::Right => !is_right,
        Direction::Left | Direction::Number => is_right,
        Direction::Neutral => false,
    };
    let mut at = 0;
    while at < pieces.len() {
        if !is_other(directions[at]) {
            at += 1;
            continue;
        }
        let (mut end, mut next) = (at + 1, at + 1);
        // Between numbers, only what is part of a number.
        let mut has_letters = directions[at] != Direction::Number;
        while let Some(direction) = directions.get(next) {
            let is_between =
                *direction == Direction::Neutral && (has_letters || is_part_of_number(&pieces[next]));
            if !is_other(*direction) && !is_between {
                break;
            }
            has_letters |= *direction == Direction::Left;
            next += 1;
            if is_other(*direction) {
                end = next;
            }
        }
        pieces[at..end].reverse();
        at = end;
    }
    pieces.concat()
}

fn is_part_of_number(piece: &str) -> bool {
    matches!(piece, "." | "," | ":" | "/" | "-" | "%")
}

fn direction(piece: &str) -> Direction {
    let of = |letter: char| match letter {
        _ if is_number(letter) => Some(Direction::Number),
        _ if is_right_to_left(letter) => Some(Direction::Right),
        _ if letter.is_alphanumeric() => Some(Direction::Left),
        _ => None,
    };
    piece.chars().find_map(of).unwrap_or(Direction::Neutral)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(visual: &str) -> String {
        join(&mut visual.chars().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn hebrew_is_read_from_the_right_and_its_numbers_from_the_left() {
        assert_eq!(joined("1911 תנש םולש"), "שלום שנת 1911");
        assert_eq!(joined(".3.14 אוה יפ"), "פי הוא 3.14.");
        assert_eq!(joined("אבג"), "גבא");
    }

    #[test]
    fn words_of_the_other_direction_keep_their_order() {
        assert_eq!(joined("ABC xyz םכילע םולש"), "שלום עליכם ABC xyz");
        assert_eq!(joined("the word םולש means peace, I say"), "the word שלום means peace, I say");
        assert_eq!(joined("a greeting is םכל םולש in Hebrew"), "a greeting is שלום לכם in Hebrew");
        assert_eq!(joined("plain (text) 12"), "plain (text) 12");
    }
}
