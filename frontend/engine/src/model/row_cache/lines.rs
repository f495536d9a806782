//! Which line of a table is in which slot, and which one makes room for another.

use shaders::ple::locate::NONE;

/// The slots. Those from `fixed` on are a ring: the line that was fetched first makes room.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The slot of each line, or [`NONE`].
    slot_of: Vec<u32>,
    /// The line in each slot.
    held: Vec<Option<u32>>,
    fixed: usize,
    /// The slot of the next line.
    next: usize,
}

impl Lines {
    /// No line is in a slot.
    #[must_use]
    pub fn new(lines: u32, slots: u32, fixed: u32) -> Self {
        let (slots, fixed) = (slots as usize, fixed as usize);
        Self { slot_of: vec![NONE; lines as usize], held: vec![None; slots], fixed, next: fixed }
    }

    /// The slot of each line, or [`NONE`].
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        &self.slot_of
    }

    /// Whether a line is in a slot.
    #[must_use]
    pub fn holds(&self, line: u32) -> bool {
        self.slot_of.get(line as usize).is_some_and(|&slot| slot != NONE)
    }

    /// The slot for a line that is not there: its own if it stays, otherwise the next one of the ring whose line is not in
    /// `keep`, which is sorted; `None` if all are.
    pub fn place(&mut self, line: u32, keep: &[u32]) -> Option<u32> {
        if (line as usize) < self.fixed {
            return Some(line);
        }
        let ring = self.fixed..self.held.len();
        for _ in ring.clone() {
            let slot = self.next;
            self.next = if slot + 1 < ring.end { slot + 1 } else { ring.start };
            if self.held[slot].is_none_or(|line| keep.binary_search(&line).is_err()) {
                return Some(slot as u32);
            }
        }
        None
    }

    /// Puts a line into a slot. Returns the one that was there, which is gone.
    pub fn insert(&mut self, line: u32, slot: u32) -> Option<u32> {
        let gone = self.held[slot as usize].replace(line);
        if let Some(gone) = gone {
            self.slot_of[gone as usize] = NONE;
        }
        self.slot_of[line as usize] = slot;
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(lines: &mut Lines, line: u32, keep: &[u32]) -> Option<u32> {
        let slot = lines.place(line, keep)?;
        lines.insert(line, slot);
        Some(slot)
    }

    #[test]
    fn the_line_that_was_fetched_first_makes_room_unless_it_is_needed() {
        let mut lines = Lines::new(9, 5, 2);
        assert_eq!(
            [4, 1, 7, 5].map(|line| fetch(&mut lines, line, &[])),
            [Some(2), Some(1), Some(3), Some(4)]
        );
        assert_eq!(lines.slots(), [NONE, 1, NONE, NONE, 2, 4, NONE, 3, NONE]);
        // 4 was first, but is needed.
        assert_eq!(fetch(&mut lines, 8, &[4, 8]), Some(3));
        assert!(lines.holds(4) && lines.holds(8) && !lines.holds(7));
        // Those that stay are no part of the ring.
        assert_eq!(fetch(&mut lines, 0, &[]), Some(0));
        assert_eq!([3, 6].map(|line| fetch(&mut lines, line, &[])), [Some(4), Some(2)]);
        assert_eq!(lines.slots(), [0, 1, NONE, 4, NONE, NONE, 2, NONE, 3]);
        assert_eq!(fetch(&mut lines, 5, &[3, 6, 8]), None);
    }
}
